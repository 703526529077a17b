/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/replay.h"
#include "support/captures.h"
#include "support/cmocka.h"
#include "support/files.h"

#include <sys/stat.h>
#include <unistd.h>

#define MS 1000000ull

static struct temp_file file;
static struct replay *replay;

static int
begin(void **state)
{
	(void)state;
	file = temp_file_text("");
	return 0;
}

static int
end(void **state)
{
	(void)state;
	replay_close(replay);
	replay = NULL;
	temp_file_close(&file);
	return 0;
}

static void
start(const struct capture_frame *frames, unsigned int n, struct replay_conf conf)
{
	struct err err;

	capture_write(file.path, DLT_EN10MB, frames, n);
	conf.file = file.path;
	replay = replay_open(&conf, &err);
	if (replay == NULL)
		fail_msg("%s", err.text);
}

/* Fetch at a time and take all: how many there were. */
static unsigned int
take(uint64_t now_ns, unsigned int max)
{
	struct soft_frame frames[SOFT_BATCH];
	unsigned int n = replay_fetch(replay, now_ns, frames, max);

	if (n > 0)
		replay_took(replay, n);
	return n;
}

static void
frames_come_whole_and_in_order(void **state)
{
	const struct capture_frame in[] = {
		{ .len = 60 },
		{ .len = 42 },
		{ .len = 13 },
		{ .len = 14 },
		{ .len = SOFT_FRAME_MAX },
		{ .len = SOFT_FRAME_MAX + 1 },
		{ .len = 100, .missing = 900 },
	};
	static const struct {
		unsigned int frame;
		uint32_t len, bytes;
	} want[] = { { 0, 60, 60 },
		     { 1, 60, 42 },
		     { 3, 60, 14 },
		     { 4, SOFT_FRAME_MAX, SOFT_FRAME_MAX },
		     { 6, 100, 100 } };
	struct soft_frame out[SOFT_BATCH];
	uint8_t bytes[SOFT_FRAME_MAX];

	(void)state;
	start(in, RTE_DIM(in), (struct replay_conf){ .rounds = 1 });
	assert_int_equal(replay_fetch(replay, 0, out, SOFT_BATCH), RTE_DIM(want));
	for (size_t i = 0; i < RTE_DIM(want); i++) {
		memset(bytes, 0, sizeof(bytes));
		capture_bytes(bytes, want[i].frame, want[i].bytes);
		assert_int_equal(out[i].len, want[i].len);
		assert_memory_equal(out[i].data, bytes, want[i].len);
		assert_int_equal(out[i].flags, 0);
	}
	replay_took(replay, RTE_DIM(want));
	assert_true(replay_ended(replay));
	assert_int_equal(replay_counts(replay)->frames, RTE_DIM(want));
	assert_int_equal(replay_counts(replay)->unsuited, 2);
	assert_int_equal(replay_counts(replay)->cut, 1);
}

static void
what_was_not_taken_comes_again(void **state)
{
	const struct capture_frame in[5] = {
		{ .len = 60 }, { .len = 61 }, { .len = 62 }, { .len = 63 }, { .len = 64 }
	};
	struct soft_frame out[SOFT_BATCH];

	(void)state;
	start(in, 5, (struct replay_conf){ .rounds = 2 });
	assert_int_equal(replay_fetch(replay, 0, out, 8), 8); /* across the rounds */
	replay_took(replay, 2);
	assert_int_equal(replay_fetch(replay, 0, out, 8), 8);
	assert_int_equal(out[0].len, 62);
	replay_took(replay, 0);
	assert_int_equal(replay_fetch(replay, 0, out, 8), 8);
	assert_int_equal(out[0].len, 62);
	assert_int_equal(out[3].len, 60);
	replay_took(replay, 4);
	assert_int_equal(replay_counts(replay)->rounds, 1);
	assert_int_equal(replay_fetch(replay, 0, out, 8), 4);
	assert_int_equal(out[0].len, 61);
	replay_took(replay, 4);
	assert_int_equal(replay_fetch(replay, 0, out, 8), 0);
	assert_true(replay_ended(replay));
	assert_int_equal(replay_counts(replay)->frames, 10);
}

static void
no_end_means_for_ever(void **state)
{
	const struct capture_frame in[] = { { .len = 60 }, { .len = 61 }, { .len = 62 } };

	(void)state;
	start(in, 3, (struct replay_conf){ .rounds = 0 });
	for (int i = 0; i < 1000; i++)
		assert_int_equal(take(0, SOFT_BATCH), SOFT_BATCH);
	assert_false(replay_ended(replay));
	assert_int_equal(replay_counts(replay)->rounds, 64000 / 3);
}

static void
the_captures_clock_is_kept(void **state)
{
	/* The last was stamped before the third: with it then. */
	const struct capture_frame in[] = { { .len = 60, .at_ns = 1000 * MS },
					    { .len = 60, .at_ns = 1003 * MS },
					    { .len = 60, .at_ns = 1006 * MS },
					    { .len = 60, .at_ns = 1001 * MS } };
	const uint64_t t = 77777 * MS;

	(void)state;
	start(in, 4, (struct replay_conf){ .rounds = 2, .speed = REPLAY_CAPTURE });
	assert_int_equal(take(t, 8), 1);
	assert_int_equal(take(t + 3 * MS - 1, 8), 0);
	assert_int_equal(take(t + 3 * MS, 8), 1);
	assert_int_equal(take(t + 6 * MS - 1, 8), 0);
	assert_int_equal(take(t + 6 * MS, 8), 2);
	/* 6 ms of three gaps: the next round begins 2 ms after. */
	assert_int_equal(take(t + 8 * MS - 1, 8), 0);
	assert_int_equal(take(t + 8 * MS, 8), 1);
	assert_int_equal(take(t + 99 * MS, 8), 3);
	assert_true(replay_ended(replay));
}

static void
a_rate_is_kept(void **state)
{
	const struct capture_frame in[] = { { .len = 60 }, { .len = 60 } };
	const uint64_t t = 5 * MS;
	unsigned int sum = 0;

	(void)state;
	start(in, 2, (struct replay_conf){ .speed = REPLAY_RATE, .rate = 3000 });
	assert_int_equal(take(t, 64), 1);
	assert_int_equal(take(t, 64), 0);
	assert_int_equal(take(t + MS / 3, 64), 0);
	assert_int_equal(take(t + MS / 3 + 1, 64), 1);
	assert_int_equal(take(t + 10 * MS, 64), 29);
	replay_restart(replay, NULL);
	for (uint64_t at = 0; at < 1000 * MS; at += MS / 10)
		sum += take(t + at, 64);
	assert_in_range(sum, 2999, 3001);
}

/* 2^32 ns at 2^32 frames a second: more than 64 bits hold, and not nothing. */
static void
a_rate_does_not_overflow(void **state)
{
	const struct capture_frame in[] = { { .len = 60 } };

	(void)state;
	start(in, 1, (struct replay_conf){ .speed = REPLAY_RATE, .rate = 1ull << 32 });
	assert_int_equal(take(0, 64), 1);
	assert_int_equal(take(1ull << 32, 64), 64);
}

/* More than is held in memory: 10.8 MB, twice. */
static void
a_large_file_is_read_as_it_goes(void **state)
{
	enum { N = 1200 };
	static struct capture_frame in[N];
	struct soft_frame out[SOFT_BATCH];
	unsigned int n = 0, got;

	(void)state;
	for (unsigned int i = 0; i < N; i++)
		in[i] = (struct capture_frame){ .len = 9000, .at_ns = i };
	in[N - 1].len = 42;
	start(in, N, (struct replay_conf){ .rounds = 2 });
	while ((got = replay_fetch(replay, 0, out, SOFT_BATCH)) > 0) {
		for (unsigned int i = 0; i < got; i++)
			assert_int_equal(out[i].data[0] << 8 | out[i].data[1], (n + i) % N);
		/* Padding, where another frame was before. */
		for (unsigned int k = 42; out[got - 1].len == 60 && k < 60; k++)
			assert_int_equal(out[got - 1].data[k], 0);
		n += got;
		replay_took(replay, got);
	}
	assert_int_equal(n, 2 * N);
	assert_true(replay_ended(replay));
	assert_string_equal(replay_failure(replay), "");
	assert_int_equal(replay_counts(replay)->rounds, 2);

	assert_int_equal(replay_restart(replay, NULL), 0);
	assert_false(replay_ended(replay));
	assert_int_equal(replay_fetch(replay, 0, out, 1), 1);
	assert_int_equal(out[0].data[1], 0);
}

static void
a_large_file_that_breaks_off_ends_with_a_reason(void **state)
{
	enum { N = 1200 };
	static struct capture_frame in[N];
	unsigned int n = 0, got;

	(void)state;
	for (unsigned int i = 0; i < N; i++)
		in[i] = (struct capture_frame){ .len = 9000, .at_ns = i };
	start(in, N, (struct replay_conf){ .rounds = 0 });
	assert_int_equal(truncate(file.path, 10000000), 0);
	while (n < 2 * N && (got = take(0, SOFT_BATCH)) > 0)
		n += got;
	assert_true(n < N);
	assert_true(replay_ended(replay));
	assert_non_null(strstr(replay_failure(replay), file.path));
}

static void
refused(const char *path, const char *reason)
{
	const struct replay_conf conf = { .file = path, .rounds = 1 };
	struct err err = { "" };

	assert_null(replay_open(&conf, &err));
	if (strstr(err.text, path) == NULL || strstr(err.text, reason) == NULL ||
	    strchr(err.text, '\n') != NULL)
		fail_msg("\"%s\", want \"%s\"", err.text, reason);
}

static void
a_fifo_is_not_waited_for(void)
{
	char path[32];
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[0]);
	alarm(5);
	refused(path, "no regular file");
	alarm(0);
	close(fd[0]);
	close(fd[1]);
}

static void
a_file_that_is_no_use_is_refused(void **state)
{
	static const struct capture_frame in[] = { { .len = 60 }, { .len = 60 } };
	struct temp_file text =
		temp_file_text("198.18.0.0/24 192.0.2.1\nand so on, for more bytes");

	(void)state;
	refused("/does/not/exist.pcap", "No such file or directory");
	refused("/", "no regular file");
	a_fifo_is_not_waited_for();
	refused(text.path, "unknown file format");
	temp_file_close(&text);
	refused(file.path, "truncated"); /* empty */
	capture_write(file.path, DLT_EN10MB, in, 0);
	refused(file.path, "no frame in it");
	capture_write(file.path, DLT_RAW, in, 2);
	refused(file.path, "RAW, not Ethernet");
	capture_write(file.path, DLT_EN10MB, in, 2);
	assert_int_equal(truncate(file.path, 24 + 16 + 60 + 16 + 30), 0);
	refused(file.path, "after 1 frames: truncated");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_come_whole_and_in_order, begin, end),
		cmocka_unit_test_setup_teardown(what_was_not_taken_comes_again, begin, end),
		cmocka_unit_test_setup_teardown(no_end_means_for_ever, begin, end),
		cmocka_unit_test_setup_teardown(the_captures_clock_is_kept, begin, end),
		cmocka_unit_test_setup_teardown(a_rate_is_kept, begin, end),
		cmocka_unit_test_setup_teardown(a_rate_does_not_overflow, begin, end),
		cmocka_unit_test_setup_teardown(a_large_file_is_read_as_it_goes, begin, end),
		cmocka_unit_test_setup_teardown(a_large_file_that_breaks_off_ends_with_a_reason,
						begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_no_use_is_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
