/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/soft_rig.h"

#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static int
setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_wire_report.XXXXXX");
	return mkdtemp(dir) == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	(void)state;
	return rmdir(dir); /* it is empty again */
}

static char *
whole_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 8192);

	assert_true(f != NULL && text != NULL);
	assert_true(fread(text, 1, 8191, f) > 0);
	fclose(f);
	return text;
}

#define ZEROS                                                                                      \
	"\"rx_filtered\":0,\"rx_bad\":0,\"rx_lost\":0,\"tx_frames\":1,\"tx_bytes\":0,"             \
	"\"tx_lost\":0,\"dma_errors\":0,\"bad_descriptors\":0,\"traps\":0}"

static void
the_report_has_all_that_was_counted(void **state)
{
	static const char want[] =
		"{\"mode\":\"step\",\"turns\":1,\"seed\":7,\"ports\":[{\"port\":0,"
		"\"nic\":\"standin\",\"pci\":\"0000:01:00.0\",\"mac\":\"02:00:00:00:00:0a\","
		"\"listening\":1,\"stats\":{\"rx_offered\":4,\"rx_frames\":3,\"rx_bytes\":180,"
		"\"rx_missed\":1," ZEROS ",\"faults\":{\"tx_hang\":1},"
		"\"wires\":[{\"wire\":\"gen\",\"end\":\"in\",\"ended\":1,\"frames\":4,"
		"\"said\":\"\\\"quoted\\\"\\u000a\"},"
		"{\"wire\":\"sink\",\"end\":\"out\",\"frames\":1,"
		"\"said\":\"\\\"quoted\\\"\\u000a\"}]}]}\n";
	char spec[192], path[96];
	char *is;

	(void)state;
	snprintf(path, sizeof(path), "%s/report.json", dir);
	snprintf(spec, sizeof(spec),
		 "run,step,seed=7,report=%s ; standin,mac=02:00:00:00:00:0A gen,count=4 sink",
		 path);
	rig_plug_well(spec);
	standin_of(0)->room = 3;
	standin_send(0, "frame", 5);
	softnic_step(64);
	softnic_fault(0, SOFTNIC_TX_HANG, 1, NULL);
	assert_int_equal(access(path, F_OK), -1);
	rig_end();
	is = whole_file(path);
	assert_string_equal(is, want);
	free(is);
	unlink(path);
}

static void
people_get_lines(void **state)
{
	char *text = NULL;
	size_t len;

	(void)state;
	rig_plug_well("run,step ; standin gen,count=9 ; standin tap");
	softnic_step(4);
	softnic_fault(0, SOFTNIC_TX_HANG, 1, NULL);
	assert_int_equal(command_text("stats", &text, &len), 0);
	assert_non_null(strstr(text, "mode step\nturns 1\nseed 1\nport 0 nic standin\n"));
	assert_non_null(strstr(text, "\nport 0 rx_offered 4\n"));
	assert_non_null(strstr(text, "\nport 0 fault tx_hang 1\nport 0 gen end in\n"));
	assert_non_null(strstr(text, "\nport 0 gen ended 0\nport 0 gen frames 4\n"));
	assert_non_null(strstr(text, "\nport 1 tap end both\n"));
	free(text);
	assert_int_equal(command_text("stats json", &text, &len), 0);
	assert_non_null(
		strstr(text, "\"wires\":[{\"wire\":\"tap\",\"end\":\"both\",\"ended\":0}]"));
	free(text);
	rig_end();
}

static void
stats_of_a_port(void **state)
{
	struct softnic_stats stats = { 0 };

	(void)state;
	rig_plug_well("run,step ; standin gen");
	softnic_step(5);
	assert_int_equal(softnic_stats(0, &stats), 0);
	assert_int_equal(stats.rx_missed, 5);
	assert_int_equal(softnic_stats(1, &stats), -ENODEV);
	rig_end();
}

/* Replaced at once; what it cannot replace is said at the start. */
static void
the_file_is_whole_or_as_it_was(void **state)
{
	char spec[192], path[96], temp[128], other[96];
	char *is;

	(void)state;
	snprintf(path, sizeof(path), "%s/report.json", dir);
	snprintf(temp, sizeof(temp), "%s.%d.tmp", path, (int)getpid());
	snprintf(spec, sizeof(spec), "run,step,report=%s ; standin", path);
	for (unsigned int i = 0; i < 2; i++) {
		rig_plug_well(spec);
		rig_end();
		assert_int_equal(access(temp, F_OK), -1);
	}
	is = whole_file(path);
	assert_int_equal(is[0], '{');
	free(is);
	assert_int_equal(unlink(path), 0);

	snprintf(spec, sizeof(spec), "run,report=%s ; standin", dir);
	rig_plug_badly(spec, "is no regular file");
	rig_plug_badly("run,report=/dev/null ; standin", "is no regular file");
	/* A link where the new file is to be made leads nowhere. */
	snprintf(path, sizeof(path), "%s/report.json", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_int_equal(symlink(other, temp), 0);
	snprintf(spec, sizeof(spec), "run,step,report=%s ; standin", path);
	rig_plug_well(spec);
	assert_int_equal(access(other, F_OK), -1);
	rig_end();
	assert_int_equal(unlink(path), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_has_all_that_was_counted),
		cmocka_unit_test(people_get_lines),
		cmocka_unit_test(stats_of_a_port),
		cmocka_unit_test(the_file_is_whole_or_as_it_was),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
