/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/soft_rig.h"

static char answer[8192];

static int
setup(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen sink ; cx5 ; standin pcap,count=0");
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_end();
	return 0;
}

static void
says(const char *line, int want, const char *text)
{
	int ret = softnic_command(line, answer, sizeof(answer));

	if (ret != want || strstr(answer, text) == NULL)
		fail_msg("'%s': %d, '%s', want %d, '%s'", line, ret, answer, want, text);
}

static void
faults_and_links(void **state)
{
	(void)state;
	says("fault 0 tx_hang 1", 0, "");
	assert_string_equal(answer, "");
	assert_int_equal(standin_of(0)->faulted[SOFTNIC_TX_HANG], 1);
	says("  fault\t2 slow_completion 1k \r", 0, "");
	assert_int_equal(soft_port(2)->fault[SOFTNIC_SLOW_COMPLETION], 1000);
	says("link 0 down", 0, "");
	assert_int_equal(soft_port(0)->fault[SOFTNIC_LINK_DOWN], 1);
	says("link 0 up", 0, "");
	assert_int_equal(soft_port(0)->fault[SOFTNIC_LINK_DOWN], 0);
	assert_int_equal(standin_of(0)->faulted[SOFTNIC_LINK_DOWN], 2);
}

static void
wires_have_words_of_their_own(void **state)
{
	(void)state;
	standin_of(0)->room = 99;
	says("gen 0 stop", 0, "");
	assert_int_equal(softnic_step(9), 0);
	says("gen 0 start", 0, "");
	assert_int_equal(softnic_step(9), 9);
	says("gen 0 dance", -EINVAL, "gen: write start or stop");
}

static void
errors_say_what_there_is(void **state)
{
	(void)state;
	says("", -EINVAL, "an empty line; see help");
	says(" \t", -EINVAL, "an empty line");
	says("nix", -EINVAL, "no command 'nix'; see help");
	says("stats all", -EINVAL, "write stats or stats json");
	says("stats json 1", -EINVAL, "write \"stats [json]\"");
	says("fault 0 tx_hang", -EINVAL, "write \"fault PORT NAME VALUE\"");
	says("fault 9 tx_hang 1", -ENODEV, "no port '9'; write 0 to 2");
	says("fault 1 tx_hang 1", -ENODEV, "no port '1'");
	says("fault x tx_hang 1", -ENODEV, "no port 'x'");
	says("fault 0 fire 1", -EINVAL, "no fault 'fire'; help lists them");
	says("fault 0 tx_hang on", -EINVAL, "'on' is no number");
	says("fault 0 cqe_rx 1", -ENOTSUP, "standin has no fault 'cqe_rx'");
	says("link 0 sideways", -EINVAL, "write up or down");
	says("link 7 up", -ENODEV, "no port '7'");
	says("gen", -EINVAL, "gen: which port?");
	says("gen 1 stop", -ENODEV, "no port '1'");
	says("gen 2 stop", -ENODEV, "port 2 has no gen");
	says("sink 0 stop", -EINVAL, "sink takes no commands");
	says("help nix", -EINVAL,
	     "nothing known of 'nix'; a NIC is known once its plugin is loaded");
	says("1 2 3 4 5 6 7 8 9 a b c d e f g h", -EINVAL, "more than 16 words");
}

static void
help_lists_everything(void **state)
{
	(void)state;
	says("help", 0, "fault PORT NAME VALUE: start a fault");
	says("help", 0, "link_down rx_starve");
	says("help", 0, "wires: gen loop pair pcap sink tap");
	says("help gen", 0, "  wait         for descriptors\n");
	says("help run", 0, "  cpu          CPU that the model thread is pinned to");
	says("help standin", 0, "standin: a stand-in\n");
}

static void
an_answer_that_does_not_fit_is_cut(void **state)
{
	char small[8];

	(void)state;
	assert_int_equal(softnic_command("help", small, sizeof(small)), -ENOSPC);
	assert_int_equal(strlen(small), 7);
	assert_int_equal(softnic_command("help", NULL, 0), -ENOSPC);
}

static void
stats_are_for_people_or_programs(void **state)
{
	(void)state;
	says("stats", 0, "port 0 rx_lost 0\n");
	says("stats json", 0, "\"rx_frames\":0");
	assert_int_equal(answer[0], '{');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_and_links),
		cmocka_unit_test(wires_have_words_of_their_own),
		cmocka_unit_test(errors_say_what_there_is),
		cmocka_unit_test(help_lists_everything),
		cmocka_unit_test(an_answer_that_does_not_fit_is_cut),
		cmocka_unit_test(stats_are_for_people_or_programs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
