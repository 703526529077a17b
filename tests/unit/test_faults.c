/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "support/cmocka.h"
#include "support/soft_rig.h"

#define LEN 60u

/* Ethernet, IPv4 and an L4 header with good sums; exactly LEN bytes, so that ASan sees one too far. */
static uint8_t *
frame_of(uint8_t proto)
{
	static const uint8_t head[] = { 2,    0, 0,    0, 0, 1,  2, 0, 0, 0, 0,  2,
					0x08, 0, 0x45, 0, 0, 46, 0, 1, 0, 0, 64, 0 };
	uint8_t *f = calloc(1, LEN);
	struct hdr hdr;

	assert_non_null(f);
	memcpy(f, head, sizeof(head));
	f[23] = proto;
	f[26] = f[30] = 10;
	f[29] = 1;
	f[33] = 2;
	if (proto == 17)
		f[39] = 26; /* UDP length */
	else
		f[46] = 0x50; /* TCP data offset */
	hdr_parse(&hdr, f, LEN);
	hdr_set_ip(&hdr, f);
	hdr_set_l4(&hdr, f);
	return f;
}

static void
names_go_both_ways(void **state)
{
	(void)state;
	for (int i = 0; i < SOFTNIC_FAULTS; i++)
		assert_int_equal(softnic_fault_by_name(softnic_fault_name((enum softnic_fault)i)),
				 i);
	assert_int_equal(softnic_fault_by_name("slow_completion"), SOFTNIC_SLOW_COMPLETION);
	assert_int_equal(softnic_fault_by_name("fire"), -ENOENT);
	assert_null(softnic_fault_name(SOFTNIC_FAULTS));
}

static void
faults_of_a_card_are_the_card_s(void **state)
{
	char err[SOFTNIC_TEXT] = "";

	(void)state;
	rig_plug_well("run,step ; standin ; cx5");
	assert_int_equal(softnic_fault(0, SOFTNIC_TX_HANG, 1, err), 0);
	assert_int_equal(standin_of(0)->faulted[SOFTNIC_TX_HANG], 1);
	assert_int_equal(soft_port(0)->fault[SOFTNIC_TX_HANG], 1);
	assert_int_equal(softnic_fault(0, SOFTNIC_CQE_RX, 1, err), -ENOTSUP);
	assert_string_equal(err, "port 0: standin has no fault 'cqe_rx'");
	assert_int_equal(soft_port(0)->fault[SOFTNIC_CQE_RX], 0);
	assert_int_equal(softnic_fault(1, SOFTNIC_TX_HANG, 1, err), -ENODEV);
	assert_string_equal(err, "port 1: there is none; they are 0 to 1");
	assert_int_equal(softnic_fault(99, SOFTNIC_TX_HANG, 1, NULL), -ENODEV);
	assert_int_equal(softnic_fault(0, SOFTNIC_FAULTS, 1, NULL), -ENOTSUP);
	assert_int_equal(softnic_fault(0, SOFTNIC_BAD_IP, 3, NULL), 0);
	assert_int_equal(standin_of(0)->faulted[SOFTNIC_BAD_IP], 0);
	rig_end();
}

/* Damage one frame by one fault, of a copy. */
static struct soft_frame
damaged(struct soft_port *port, enum softnic_fault fault, const uint8_t *frame)
{
	struct soft_frame f = { .data = frame, .len = LEN };
	uint8_t given[1];

	memset(port->fault, 0, sizeof(port->fault));
	port->fault[fault] = 1;
	faults_apply(port, &f, 1, given);
	return f;
}

static void
a_bad_sum_is_the_only_difference(void **state)
{
	static const uint8_t protos[] = { 6, 17 };
	struct soft_port port = { .index = 0 };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(protos); i++) {
		const uint32_t sum_at = protos[i] == 17 ? 40 : 50;
		uint8_t *good = frame_of(protos[i]);
		struct soft_frame f;
		struct hdr hdr;

		hdr_parse(&hdr, good, LEN);
		assert_int_equal(hdr_check_ip(&hdr, good), HDR_SUM_GOOD);
		assert_int_equal(hdr_check_l4(&hdr, good), HDR_SUM_GOOD);

		f = damaged(&port, SOFTNIC_BAD_IP, good);
		assert_ptr_not_equal(f.data, good);
		assert_int_equal(port.fault[SOFTNIC_BAD_IP], 0);
		assert_int_equal(hdr_check_ip(&hdr, f.data), HDR_SUM_BAD);
		assert_int_equal(hdr_check_l4(&hdr, f.data), HDR_SUM_GOOD);
		assert_memory_equal(f.data, good, 24);
		assert_memory_equal(f.data + 26, good + 26, LEN - 26);

		f = damaged(&port, SOFTNIC_BAD_L4, good);
		assert_int_equal(port.fault[SOFTNIC_BAD_L4], 0);
		assert_int_equal(hdr_check_ip(&hdr, f.data), HDR_SUM_GOOD);
		assert_int_equal(hdr_check_l4(&hdr, f.data), HDR_SUM_BAD);
		assert_memory_equal(f.data, good, sum_at);
		assert_memory_equal(f.data + sum_at + 2, good + sum_at + 2, LEN - sum_at - 2);

		f = damaged(&port, SOFTNIC_BAD_FCS, good);
		assert_ptr_equal(f.data, good);
		assert_int_equal(f.flags, SOFT_BAD_FCS);
		free(good);
	}
}

/* Whatever the sum is: 1 would become none, none must become wrong. */
static void
udp_sums_get_wrong_not_absent(void **state)
{
	struct soft_port port = { .index = 0 };
	uint8_t *frame = frame_of(17);
	struct hdr hdr;

	(void)state;
	hdr_parse(&hdr, frame, LEN);
	for (uint32_t sum = 0; sum < 0x10000; sum += sum < 8 ? 1 : 251) {
		struct soft_frame f;

		frame[40] = (uint8_t)(sum >> 8);
		frame[41] = (uint8_t)sum;
		f = damaged(&port, SOFTNIC_BAD_L4, frame);
		assert_int_equal(port.fault[SOFTNIC_BAD_L4], 0);
		assert_int_equal(hdr_check_l4(&hdr, f.data), HDR_SUM_BAD);
	}
	free(frame);
}

static void
what_has_no_such_sum_is_left_alone(void **state)
{
	static const enum softnic_fault sums[] = { SOFTNIC_BAD_IP, SOFTNIC_BAD_L4 };
	struct soft_port port = { .index = 0 };
	uint8_t *frame = frame_of(17);

	(void)state;
	frame[12] = 0x88; /* not IPv4 */
	for (size_t i = 0; i < RTE_DIM(sums); i++) {
		assert_ptr_equal(damaged(&port, sums[i], frame).data, frame);
		assert_int_equal(port.fault[sums[i]], 1);
	}
	free(frame);
}

static void
only_frames_that_were_taken_count(void **state)
{
	struct soft_port port = {
		.fault = { [SOFTNIC_BAD_IP] = 3, [SOFTNIC_BAD_L4] = 9, [SOFTNIC_BAD_FCS] = 1 }
	};
	uint8_t *good = frame_of(17), given[4];
	struct soft_frame f[4];

	(void)state;
	for (size_t i = 0; i < RTE_DIM(f); i++)
		f[i] = (struct soft_frame){ .data = good, .len = LEN };
	faults_apply(&port, f, 4, given);
	assert_int_equal(port.fault[SOFTNIC_BAD_IP], 0);
	assert_int_equal(port.fault[SOFTNIC_BAD_L4], 5);
	assert_int_equal(port.fault[SOFTNIC_BAD_FCS], 0);
	assert_int_equal(f[1].flags, 0);
	faults_settle(&port, given, 2, 4);
	assert_int_equal(port.fault[SOFTNIC_BAD_IP], 1);
	assert_int_equal(port.fault[SOFTNIC_BAD_L4], 7);
	assert_int_equal(port.fault[SOFTNIC_BAD_FCS], 0);
	free(good);
}

static void
the_runner_applies_them(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen,wait");
	standin_of(0)->room = 1;
	assert_int_equal(softnic_fault(0, SOFTNIC_BAD_FCS, 4, NULL), 0);
	assert_int_equal(softnic_step(6), 5); /* 4 bad, one good, no descriptor */
	assert_int_equal(soft_port(0)->stats.rx_bad, 4);
	assert_int_equal(soft_port(0)->stats.rx_frames, 1);
	assert_int_equal(softnic_fault(0, SOFTNIC_BAD_FCS, 4, NULL), 0);
	standin_of(0)->deaf = true;
	assert_int_equal(softnic_step(6), 0);
	assert_int_equal(soft_port(0)->fault[SOFTNIC_BAD_FCS], 4);
	rig_end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_go_both_ways),
		cmocka_unit_test(faults_of_a_card_are_the_card_s),
		cmocka_unit_test(a_bad_sum_is_the_only_difference),
		cmocka_unit_test(udp_sums_get_wrong_not_absent),
		cmocka_unit_test(what_has_no_such_sum_is_left_alone),
		cmocka_unit_test(only_frames_that_were_taken_count),
		cmocka_unit_test(the_runner_applies_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
