/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_step.h"

static void
what_is_sent_comes_back(void **state)
{
	(void)state;
	step_begin("standin loop ; standin loop");
	standin_of(0)->room = standin_of(1)->room = 10;
	standin_send(0, "one", 3);
	standin_send(0, "three", 5);
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 2);
	assert_int_equal(standin_of(1)->nb_rx, 0);
	assert_int_equal(standin_of(0)->rx[1].len, 5);
	assert_memory_equal(standin_of(0)->rx[1].data, "three", 5);
	assert_int_equal(soft_port(0)->stats.rx_offered, 2);
	step_reports("port 0 loop passed 2\n");
}

static void
without_a_descriptor_it_is_missed(void **state)
{
	(void)state;
	step_begin("standin loop");
	standin_of(0)->room = 1;
	for (int i = 0; i < 70; i++)
		standin_send(0, "frame", 5);
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 1);
	assert_int_equal(soft_port(0)->stats.rx_missed, 69);
	assert_int_equal(soft_port(0)->stats.rx_offered, 70);
}

static void
a_port_that_does_not_listen_hears_nothing(void **state)
{
	(void)state;
	step_begin("standin loop");
	standin_of(0)->room = 10;
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 1, NULL), 0);
	standin_send(0, "lost", 4);
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 0);
	assert_int_equal(soft_port(0)->stats.rx_offered, 0);
	step_reports("port 0 loop unheard 1\n");
}

static void
it_has_to_be_where_frames_go(void **state)
{
	struct soft_port port = { .index = 0 };
	struct soft_wire wire = { .port = &port }, other;
	struct err err = { "" };

	(void)state;
	port.in = &wire;
	port.out = &other;
	assert_int_equal(wire_kind_loop.create(&wire, &err), -EINVAL);
	assert_non_null(strstr(err.text, "another wire takes this port's frames"));
	wire_kind_loop.destroy(&wire);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_sent_comes_back, step_end),
		cmocka_unit_test_teardown(without_a_descriptor_it_is_missed, step_end),
		cmocka_unit_test_teardown(a_port_that_does_not_listen_hears_nothing, step_end),
		cmocka_unit_test(it_has_to_be_where_frames_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
