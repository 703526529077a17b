/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"
#include "support/cmocka.h"

#include <poll.h>
#include <unistd.h>

static struct n82599 *nic;

static int
begin(void **state)
{
	(void)state;
	nic = bare_new();
	n82599_read(nic, R_EICR);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	bare_free(nic);
	return 0;
}

static bool
raised(unsigned int vector)
{
	struct pollfd fd = { .fd = nic->irq[vector], .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* The host takes a message. */
static bool
taken(unsigned int vector)
{
	uint64_t value;

	return read(nic->irq[vector], &value, sizeof(value)) == sizeof(value);
}

/* As net_ixgbe does it: RX queue q has vector q + 1, messages clear and mask their cause. */
static void
messages_on(void)
{
	n82599_write(nic, R_IVAR(0), (IVAR_VALID | 1u) | (IVAR_VALID | 2u) << 16);
	n82599_write(nic, R_IVAR(1), IVAR_VALID | 3u);
	n82599_write(nic, R_EIAM_EX(0), UINT32_MAX);
	n82599_write(nic, R_EIAC, EICR_RTX);
	n82599_write(nic, R_GPIE, GPIE_MSIX | GPIE_OCD | GPIE_EIAME);
}

static void
a_link_change_is_a_level(void **state)
{
	(void)state;
	n82599_irq_raise(nic, EICR_LSC);
	assert_false(raised(0)); /* masked */
	n82599_write(nic, R_EIMS, EICR_LSC);
	assert_true(raised(0));
	n82599_irq_raise(nic, EICR_LSC);
	assert_true(raised(0));
	n82599_write(nic, R_EIMC, UINT32_MAX);
	assert_false(raised(0));
	n82599_write(nic, R_EIMS, EICR_LSC);
	assert_true(raised(0));
	assert_int_equal(n82599_read(nic, R_EICR), EICR_LSC);
	assert_false(raised(0));
	assert_int_equal(n82599_read(nic, R_EICR), 0);
	assert_int_equal(n82599_read(nic, R_EIMS), EICR_LSC);

	n82599_write(nic, R_EICS, EICR_LSC); /* by software */
	assert_true(raised(0));
	n82599_write(nic, R_EICR, EICR_LSC);
	assert_false(raised(0));
	n82599_irq_raise(nic, EICR_LSC);
	n82599_write(nic, R_CTRL, CTRL_RST);
	assert_false(raised(0));
}

static void
queues_share_the_level_without_messages(void **state)
{
	(void)state;
	n82599_write(nic, R_IVAR(0), IVAR_VALID | 5u);
	n82599_write(nic, R_EIMS, EICR_RTX);
	n82599_irq_rx(nic, 0);
	assert_true(raised(0));
	assert_int_equal(n82599_read(nic, R_EICR), 1u << 5);
	assert_false(raised(0));
	n82599_irq_rx(nic, 1); /* no IVAR */
	assert_false(raised(0));
}

static void
a_queue_wakes_its_vector_once(void **state)
{
	(void)state;
	messages_on();
	n82599_write(nic, R_EIMS, EICR_RTX);
	n82599_irq_rx(nic, 1);
	n82599_irq_rx(nic, 1);
	assert_false(raised(0) || raised(1) || raised(3));
	assert_true(taken(2));
	/* Masked by itself until the host says it waits again; nothing is lost meanwhile. */
	n82599_irq_rx(nic, 1);
	assert_false(raised(2));
	assert_int_equal(n82599_read(nic, R_EIMS_EX(0)), 0xfffb);
	n82599_write(nic, R_EIMS, 1u << 2);
	assert_true(taken(2));
	n82599_write(nic, R_EIMS, 1u << 2);
	assert_false(raised(2));
	n82599_irq_rx(nic, 2);
	assert_true(taken(3));
}

static void
other_causes_leave_queues_alone(void **state)
{
	(void)state;
	messages_on();
	n82599_irq_rx(nic, 0);
	n82599_irq_raise(nic, EICR_LSC);
	assert_int_equal(n82599_read(nic, R_EICR), EICR_LSC | 1u << 1);
	assert_int_equal(n82599_read(nic, R_EICR), 1u << 1); /* OCD */
	n82599_write(nic, R_EIMS, EICR_RTX);
	assert_true(taken(1));
}

static void
masks_of_vectors_are_two_registers(void **state)
{
	(void)state;
	messages_on();
	n82599_write(nic, R_EIMS_EX(0), 0x80000002);
	n82599_write(nic, R_EIMS_EX(1), 0x10);
	assert_int_equal(n82599_read(nic, R_EIMS), 2);
	assert_int_equal(n82599_read(nic, R_EIMS_EX(0)), 0x80000002);
	assert_int_equal(n82599_read(nic, R_EIMS_EX(1)), 0x10);
	n82599_write(nic, R_EIMC_EX(0), 2);
	n82599_write(nic, R_EIMC_EX(1), 0x30);
	assert_int_equal(n82599_read(nic, R_EIMS_EX(0)), 0x80000000);
	assert_int_equal(n82599_read(nic, R_EIMS_EX(1)), 0);
	n82599_write(nic, R_EIMS_EX(0), 8);
	n82599_write(nic, R_EICS_EX(0), 8);
	assert_true(taken(3));
	/* A vector that the device does not have. */
	n82599_write(nic, R_EICS_EX(0), 0x80000000);
	assert_int_equal(n82599_read(nic, R_EIMS_EX(0)), 0x80000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_link_change_is_a_level, begin, end),
		cmocka_unit_test_setup_teardown(queues_share_the_level_without_messages, begin,
						end),
		cmocka_unit_test_setup_teardown(a_queue_wakes_its_vector_once, begin, end),
		cmocka_unit_test_setup_teardown(other_causes_leave_queues_alone, begin, end),
		cmocka_unit_test_setup_teardown(masks_of_vectors_are_two_registers, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
