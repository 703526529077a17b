/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_step.h"

#include <unistd.h>

#define TWO "standin pair,with=1 ; standin pair,with=0"

static void
got(unsigned int port, unsigned int at, const char *text)
{
	const struct standin *nic = standin_of(port);

	assert_true(at < nic->nb_rx);
	assert_int_equal(nic->rx[at].len, strlen(text));
	assert_memory_equal(nic->rx[at].data, text, strlen(text));
}

static void
put(unsigned int port, const char *text)
{
	standin_send(port, text, (uint32_t)strlen(text));
}

static void
what_one_sends_the_other_receives(void **state)
{
	(void)state;
	step_begin(TWO);
	standin_of(0)->room = standin_of(1)->room = 10;
	put(0, "first");
	put(0, "second");
	put(1, "answer");
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 1);
	assert_int_equal(standin_of(1)->nb_rx, 2);
	got(0, 0, "answer");
	got(1, 0, "first");
	got(1, 1, "second");
	assert_int_equal(soft_port(1)->stats.rx_offered, 2);
	step_reports("port 0 pair passed 2\n");
	step_reports("port 1 pair passed 1\n");
	step_reports("port 0 pair unheard 0\n");
}

static void
without_a_descriptor_it_is_missed_there(void **state)
{
	struct softnic_stats stats;

	(void)state;
	step_begin(TWO);
	standin_of(1)->room = 3;
	for (int i = 0; i < 100; i++)
		put(0, "frame");
	softnic_step(64);
	softnic_stats(1, &stats);
	assert_int_equal(stats.rx_frames, 3);
	assert_int_equal(stats.rx_missed, 97);
	assert_int_equal(stats.rx_offered, 100);
	softnic_stats(0, &stats);
	assert_int_equal(stats.tx_frames, 100);
	assert_int_equal(stats.rx_offered, 0);
}

static void
who_does_not_listen_is_offered_nothing(void **state)
{
	(void)state;
	step_begin(TWO);
	standin_of(1)->room = 10;
	standin_of(1)->deaf = true;
	put(0, "lost");
	softnic_step(64);
	standin_of(1)->deaf = false;
	put(0, "heard");
	softnic_step(64);
	assert_int_equal(standin_of(1)->nb_rx, 1);
	got(1, 0, "heard");
	assert_int_equal(soft_port(1)->stats.rx_offered, 1);
	step_reports("port 0 pair unheard 1\n");
}

static void
the_peers_faults_hit_what_it_receives(void **state)
{
	(void)state;
	step_begin(TWO);
	standin_of(0)->room = standin_of(1)->room = 10;
	assert_int_equal(softnic_fault(1, SOFTNIC_BAD_FCS, 1, NULL), 0);
	put(0, "damaged");
	put(0, "whole");
	put(1, "other way");
	softnic_step(64);
	assert_int_equal(standin_of(1)->nb_rx, 1);
	got(1, 0, "whole");
	got(0, 0, "other way");
	assert_int_equal(soft_port(1)->stats.rx_bad, 1);
	assert_int_equal(soft_port(1)->fault[SOFTNIC_BAD_FCS], 0);
}

static void
the_peer_may_come_later(void **state)
{
	(void)state;
	step_begin("standin pair,with=1 ; cx5 pair,with=0");
	put(0, "too early");
	softnic_step(64);
	assert_int_equal(soft_plug(&other_kind), 0);
	standin_of(0)->room = standin_of(1)->room = 10;
	put(0, "in time");
	put(1, "back");
	softnic_step(64);
	got(1, 0, "in time");
	got(0, 0, "back");
	step_reports("port 0 pair unheard 1\n");
}

static void
one_end_may_be_another_wire(void **state)
{
	(void)state;
	step_begin("standin pair,with=1 loop ; standin pair,with=0");
	standin_of(0)->room = standin_of(1)->room = 10;
	put(0, "comes back");
	put(1, "comes over");
	softnic_step(64);
	assert_int_equal(standin_of(1)->nb_rx, 0);
	assert_int_equal(standin_of(0)->nb_rx, 2);
}

/* What is said on stderr meanwhile, from here to heard(). */
static int kept;
static char path[] = "/tmp/test_pair.XXXXXX";

static void
listen_to_stderr(void)
{
	int fd;

	strcpy(path, "/tmp/test_pair.XXXXXX");
	fd = mkstemp(path);
	kept = dup(STDERR_FILENO);
	assert_true(fd >= 0 && kept >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
}

static const char *
heard(void)
{
	static char text[1024];
	FILE *f;
	size_t n;

	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	unlink(path);
	return text;
}

static void
a_peer_that_does_not_say_the_same_gets_nothing(void **state)
{
	static const char *const cases[] = {
		"standin pair,with=1 ; standin",
		"standin pair,with=1 ; standin loop",
		"standin pair,with=1 ; standin pair,with=2 ; standin pair,with=1",
	};
	const char *text;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		step_begin(cases[i]);
		standin_of(1)->room = 10;
		listen_to_stderr();
		for (int k = 0; k < 3; k++) {
			put(0, "nowhere");
			softnic_step(64);
		}
		text = heard();
		assert_non_null(strstr(text, "port 1 does not say pair,with=0\n"));
		assert_string_equal(strchr(text, '\n'), "\n"); /* once */
		assert_int_equal(standin_of(1)->nb_rx, 0);
		step_reports("port 0 pair unheard 3\n");
		step_end(NULL);
	}
}

static void
a_peer_that_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *nics, *why;
	} cases[] = {
		{ "run,step ; standin pair", "pair,with=" },
		{ "run,step ; standin pair,with=0", "with=0 is this port itself" },
		{ "run,step ; standin pair,with=1", "with=1: the last port is 0" },
		{ "run,step ; standin pair,with=32", "pair,with=32" },
	};
	const char *text;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		setenv("SLUICE_NICS", cases[i].nics, 1);
		listen_to_stderr();
		assert_true(soft_plug(&standin_kind) < 0);
		text = heard();
		if (strstr(text, cases[i].why) == NULL)
			fail_msg("%s: %s", cases[i].nics, text);
		assert_string_equal(strchr(text, '\n'), "\n");
		ports_end(false);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_one_sends_the_other_receives, step_end),
		cmocka_unit_test_teardown(without_a_descriptor_it_is_missed_there, step_end),
		cmocka_unit_test_teardown(who_does_not_listen_is_offered_nothing, step_end),
		cmocka_unit_test_teardown(the_peers_faults_hit_what_it_receives, step_end),
		cmocka_unit_test_teardown(the_peer_may_come_later, step_end),
		cmocka_unit_test_teardown(one_end_may_be_another_wire, step_end),
		cmocka_unit_test_teardown(a_peer_that_does_not_say_the_same_gets_nothing, step_end),
		cmocka_unit_test_teardown(a_peer_that_cannot_be_is_refused, step_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
