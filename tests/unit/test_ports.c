/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/soft_rig.h"

#include <sys/wait.h>
#include <unistd.h>

/* What the child of a fork() says by its exit status. */
static int
in_a_child(bool (*holds)(void))
{
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		_exit(holds() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void
ports_are_what_the_specification_says(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin,mac=02:00:00:00:00:09 gen sink ; standin,queues=4 pcap");
	assert_int_equal(softnic_ports(), 2);
	assert_string_equal(softnic_bdf(0), "0000:01:00.0");
	assert_int_equal(soft_port(0)->mac[5], 9);
	assert_string_equal(soft_port(0)->in->kind->name, "gen");
	assert_string_equal(soft_port(0)->out->kind->name, "sink");
	assert_int_equal(((struct standin_conf *)soft_port(1)->conf)->common.queues, 4);
	assert_ptr_equal(soft_port(1)->in, soft_port(1)->out);
	assert_null(soft_port(2));
	assert_null(softnic_bdf(2));
	assert_true(soft_is_step());
	rig_end();
}

static void
without_a_word_two_are_cabled(void **state)
{
	(void)state;
	rig_plug_well(NULL);
	assert_int_equal(softnic_ports(), 2);
	for (unsigned int i = 0; i < 2; i++) {
		const struct test_wire_conf *conf = soft_port(i)->in->conf;

		assert_string_equal(soft_port(i)->in->kind->name, "pair");
		assert_ptr_equal(soft_port(i)->in, soft_port(i)->out);
		assert_int_equal(conf->with, 1 - i);
	}
	assert_false(soft_is_step());
	assert_int_equal(soft_plug(&other_kind), 0);
	assert_int_equal(softnic_ports(), 4);
	assert_string_equal(soft_port(2)->kind->name, "cx5");
	assert_int_equal(((const struct test_wire_conf *)soft_port(3)->in->conf)->with, 2);
	rig_end();
	rig_plug_well("run,step");
	assert_int_equal(softnic_ports(), 2);
	assert_true(soft_is_step());
	rig_end();
}

static void
wires_share_the_ends(void **state)
{
	static const struct {
		const char *spec, *in, *out; /* NULL: nothing */
	} cases[] = {
		{ "run,step ; standin", NULL, NULL },
		{ "run,step ; standin gen", "gen", NULL },
		{ "run,step ; standin sink", NULL, "sink" },
		{ "run,step ; standin sink gen", "gen", "sink" },
		{ "run,step ; standin pcap", "pcap", "pcap" },
		{ "run,step ; standin pcap sink", "pcap", "sink" },
		{ "run,step ; standin sink pcap", "pcap", "sink" },
		{ "run,step ; standin gen pcap", "gen", "pcap" },
		{ "run,step ; standin pcap gen", "gen", "pcap" },
		{ "run,step ; standin tap pcap", "tap", "pcap" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		const struct soft_port *port;

		rig_plug_well(cases[i].spec);
		port = soft_port(0);
		assert_int_equal(port->in != NULL, cases[i].in != NULL);
		assert_int_equal(port->out != NULL, cases[i].out != NULL);
		if (port->in != NULL)
			assert_string_equal(port->in->kind->name, cases[i].in);
		if (port->out != NULL)
			assert_string_equal(port->out->kind->name, cases[i].out);
		rig_end();
	}
}

static void
a_bad_specification_is_one_line_and_nothing(void **state)
{
	(void)state;
	rig_plug_badly("", "empty; write NICs");
	rig_plug_badly("82598", "unknown NIC '82598'; there are 82599 and cx5");
	rig_plug_badly("gen sink", "the wire 'gen' has no NIC in front of it");
	rig_plug_badly("standin wire", "port 0: unknown wire 'wire'; there are gen, loop, pair");
	rig_plug_badly("standin ; standin gen,nix=1", "port 1: gen: unknown key 'nix'");
	rig_plug_badly("standin,queues=9", "port 0: standin,queues=9: outside 1 to 8");
	rig_plug_badly("standin ; standin,broken", "port 1: the NIC is broken");
	rig_plug_badly("standin gen ; standin gen,broken", "port 1: gen: the cable is broken");
	rig_plug_badly("standin gen gen", "port 0: both 'gen' and 'gen' can only give frames");
	rig_plug_badly("standin sink sink", "can only take frames");
	rig_plug_badly("standin gen sink tap", "port 0: 'tap' is a third wire");
	rig_plug_badly("standin,mac=03:00:00:00:00:01", "cannot have a group address");
	rig_plug_badly("standin ; run,step ; run", "'run' is said twice");
	rig_plug_badly("run,step standin", "'run' stands alone");
	rig_plug_badly("standin run,step", "unknown wire 'run'");
	rig_plug_badly("run,nix ; standin", "run: unknown key 'nix'; it takes cpu, step");
	rig_plug_badly("run,report=/nowhere/x ; standin", "run,report=/nowhere/x: cannot be");
	rig_plug_badly("run,control=/nowhere/x ; standin", "run,control=/nowhere/x: No such");
}

static void
too_many_nics_are_refused(void **state)
{
	char spec[34 * 10] = "standin";

	(void)state;
	for (unsigned int i = 1; i < SOFT_PORT_MAX; i++)
		strcat(spec, ";standin");
	rig_plug_well(spec);
	assert_int_equal(softnic_ports(), SOFT_PORT_MAX);
	rig_end();
	strcat(spec, ";standin");
	rig_plug_badly(spec, "more than 32 NICs");
}

static void
plugins_come_one_by_one(void **state)
{
	(void)state;
	rig_plug_well("run,step ; cx5 pair,with=1 ; standin pair,with=0");
	assert_int_equal(softnic_ports(), 2);
	assert_null(soft_port(0));
	assert_int_equal(ports_running()->n, 1);
	assert_int_equal(soft_plug(&other_kind), 0);
	assert_string_equal(soft_port(0)->kind->name, "cx5");
	assert_int_equal(ports_running()->n, 2);
	assert_ptr_equal(ports_running()->port[0], soft_port(0));
	rig_listen();
	assert_int_equal(soft_start(), 0);
	rig_heard();
	assert_string_equal(rig_said, "");
	rig_end();
}

static void
a_plugin_that_never_comes_is_missed_once(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin ; cx5 ; 82599");
	rig_listen();
	assert_int_equal(soft_start(), 0);
	assert_int_equal(soft_start(), 0);
	rig_heard();
	assert_string_equal(rig_said, "softnic: no plugin is loaded for port 1 (cx5), 2 (82599): "
				      "load it with -d as well\n");
	rig_end();
}

/* Also when no port was ever probed, by the end. */
static bool
it_is_missed_at_exit(void)
{
	rig_plug("cx5 gen");
	rig_listen();
	ports_end(true);
	rig_heard();
	return strstr(rig_said, "no plugin is loaded for port 0 (cx5): ") != NULL;
}

static void
a_plugin_that_never_comes_is_missed_at_the_latest_at_exit(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(it_is_missed_at_exit), 0);
}

static void
a_second_plugin_s_error_ends_the_first_s_ports(void **state)
{
	(void)state;
	rig_plug_well("standin gen ; cx5,queues=99 sink");
	rig_listen();
	assert_int_equal(soft_plug(&other_kind), -EINVAL);
	rig_heard();
	assert_string_equal(rig_said, "softnic: SLUICE_NICS: port 1: cx5,queues=99: outside 1 to "
				      "8\n");
	assert_int_equal(standin_alive, 0);
	assert_int_equal(test_wires_alive, 0);
	rig_end();
	rig_plug_well("standin");
	rig_listen();
	assert_int_equal(soft_plug(&standin_kind), -EEXIST);
	rig_heard();
	rig_end();
}

static void
after_an_error_no_plugin_gets_ports(void **state)
{
	(void)state;
	assert_int_equal(rig_plug("standin ; nix"), -EINVAL);
	rig_listen();
	assert_int_equal(soft_plug(&other_kind), -EINVAL);
	rig_heard();
	assert_string_equal(rig_said, "");
	assert_int_equal(softnic_ports(), 0);
	rig_end();
}

static bool
others_stay_as_they_are(void)
{
	unsigned int trees = rig_trees_removed;

	ports_end(true);
	return standin_alive == 1 && test_wires_alive == 2 && rig_trees_removed == trees;
}

static void
a_child_ends_nothing(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen sink");
	assert_int_equal(in_a_child(others_stay_as_they_are), 0);
	rig_end();
}

/* Threads of the process may still use the NICs; what is seen from outside goes. */
static bool
nics_stay(void)
{
	unsigned int trees = rig_trees_removed;

	rig_plug("run,step ; standin gen sink");
	ports_end(true);
	return standin_alive == 1 && soft_port(0) != NULL && test_wires_alive == 0 &&
	       rig_trees_removed == trees + 1 && softnic_step(1) == 0;
}

static void
at_exit_wires_end_and_nics_stay(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(nics_stay), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_are_what_the_specification_says),
		cmocka_unit_test(without_a_word_two_are_cabled),
		cmocka_unit_test(wires_share_the_ends),
		cmocka_unit_test(a_bad_specification_is_one_line_and_nothing),
		cmocka_unit_test(too_many_nics_are_refused),
		cmocka_unit_test(plugins_come_one_by_one),
		cmocka_unit_test(a_plugin_that_never_comes_is_missed_once),
		cmocka_unit_test(a_plugin_that_never_comes_is_missed_at_the_latest_at_exit),
		cmocka_unit_test(a_second_plugin_s_error_ends_the_first_s_ports),
		cmocka_unit_test(after_an_error_no_plugin_gets_ports),
		cmocka_unit_test(a_child_ends_nothing),
		cmocka_unit_test(at_exit_wires_end_and_nics_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
