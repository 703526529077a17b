/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/outfile.h"
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ctl *ctl;

static int
setup(void **state)
{
	(void)state;
	fake_reset();
	ctl = fake_ctl(NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	return 0;
}

static char *
report(const char *path)
{
	struct err err;
	char *text;

	if (ctl_report(ctl, path, &err) < 0)
		fail_msg("%s", err.text);
	text = fake_content(path);
	assert_non_null(text);
	return text;
}

static void
fill(void)
{
	fake.nb_ports = 1;
	fake.stats[0] = (struct port_stats){ 11, 12, 13, 14, 15, 16, 17, 18 };
	strcpy(fake.info[0].rx_mode, "Vector SSE");
	fake.plan[0].lcore = 3;
	fake.core[0].received = 100;
	fake.core[0].sent = 93;
	fake.core[0].busy_cycles = 5025;
	fake.core[0].dropped[VERDICT_NO_ROUTE] = 2;
	fake.core[0].handed_out = 5;
	fake.control.taken_in = 5;
	fake.control.delivered = 1;
	fake.control.originated = 1;
	fake.control.dropped[VERDICT_NEIGH_UNRESOLVED] = 4;
	fake.control.handed_out = 1;
}

static void
the_keys_are_the_contract(void **state)
{
	char *got, *elapsed, *end;
	char want[4096] =
		",\"forward_mode\":\"ip4\",\"ports\":[{\"id\":0,\"name\":\"net0\",\"driver\":\"net_"
		"fake\","
		"\"mac\":\"02:00:00:00:00:a0\",\"rx_mode\":\"Vector SSE\",\"tx_mode\":\"unknown\","
		"\"rx_packets\":11,\"rx_bytes\":12,\"rx_missed\":13,\"rx_errors\":14,\"rx_nombuf\":"
		"15,"
		"\"tx_packets\":16,\"tx_bytes\":17,\"tx_errors\":18}],"
		"\"lcores\":[{\"id\":3,\"rx_packets\":100,\"tx_packets\":93,\"busy_cycles\":5025,"
		"\"cycles_per_packet\":50.25,\"max_gap_us\":0.0,\"handed_out\":5,\"taken_in\":0},"
		"{\"id\":2,\"rx_packets\":0,\"tx_packets\":0,\"busy_cycles\":0,"
		"\"cycles_per_packet\":0.00,\"max_gap_us\":0.0,\"handed_out\":0,\"taken_in\":0},"
		"{\"id\":0,\"rx_packets\":0,\"tx_packets\":0,\"busy_cycles\":0,"
		"\"cycles_per_packet\":0.00,\"max_gap_us\":0.0,\"handed_out\":1,\"taken_in\":5}],"
		"\"ledger\":{\"received\":100,\"originated\":1,\"sent\":93,\"delivered\":1,"
		"\"held\":1,"
		"\"unaccounted\":0,\"dropped\":{";

	(void)state;
	fill();
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		sprintf(want + strlen(want), "%s\"%s\":%d", v == VERDICT_DROP + 1 ? "" : ",",
			verdict_name(v),
			v == VERDICT_NO_ROUTE           ? 2
			: v == VERDICT_NEIGH_UNRESOLVED ? 4
							: 0);
	strcat(want,
	       "},\"rows\":[{\"id\":3,\"thread\":\"worker\",\"received\":100,\"originated\":0,"
	       "\"taken_in\":0,\"sent\":93,\"delivered\":0,\"dropped\":2,\"handed_out\":5,\"held\":"
	       "0,"
	       "\"unaccounted\":0},"
	       "{\"id\":2,\"thread\":\"worker\",\"received\":0,\"originated\":0,"
	       "\"taken_in\":0,\"sent\":0,\"delivered\":0,\"dropped\":0,\"handed_out\":0,\"held\":"
	       "0,"
	       "\"unaccounted\":0},"
	       "{\"id\":0,\"thread\":\"control\",\"received\":0,\"originated\":1,"
	       "\"taken_in\":5,\"sent\":0,\"delivered\":1,\"dropped\":4,\"handed_out\":1,\"held\":"
	       "0,"
	       "\"unaccounted\":0}]}}\n");
	got = report(fake_path("j"));
	assert_true(strncmp(got, "{\"version\":\"1.2.3\",\"elapsed_s\":", 31) == 0);
	elapsed = got + 31;
	assert_in_range((unsigned int)(strtod(elapsed, &end) * 1000), 0, 60000);
	assert_string_equal(end, want);
	free(got);
}

/* A parser that is not ours reads it too, strange names and all. */
static void
python_reads_it(void **state)
{
	static const char script[] =
		"import json,sys\n"
		"def no(x): raise ValueError(x)\n"
		"r=json.load(open(sys.argv[1]),parse_constant=no)\n"
		"assert "
		"list(r)==['version','elapsed_s','forward_mode','ports','lcores','ledger'],list(r)"
		"\n"
		"assert r['ports'][0]['name']=='a\"b\\\\c\\n\\xe9',r['ports'][0]['name']\n"
		"assert r['forward_mode']=='unknown'\n"
		"assert None not in r['ports'][0].values()\n"
		"l=r['ledger']\n"
		"assert l['received']==2**64-1,l['received']\n"
		"for t in l['rows']:\n"
		"  assert t['received']+t['originated']+t['taken_in']==t['sent']+t['delivered']"
		"+t['dropped']+t['handed_out']+t['held']+t['unaccounted'],t\n";
	char cmd[512];
	const char *py = fake_file("check.py", script, sizeof(script) - 1);

	(void)state;
	fake.mode = 77;
	strcpy(fake.info[0].name, "a\"b\\c\n\xe9");
	fake.core[0].received = UINT64_MAX;
	fake.core[0].sent = UINT64_MAX - 5;
	free(report(fake_path("odd.json")));
	snprintf(cmd, sizeof(cmd), "python3 %s %s", py, fake_path("odd.json"));
	assert_int_equal(system(cmd), 0);
}

static unsigned int
files_there(void)
{
	DIR *d = opendir(fake_path(""));
	unsigned int n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static void
it_appears_whole_or_not_at_all(void **state)
{
	struct err err;
	unsigned int before;
	char link[256];
	struct stat st;

	(void)state;
	free(report(fake_path("whole.json")));
	before = files_there();
	free(report(fake_path("whole.json"))); /* over itself, leaving nothing beside it */
	assert_int_equal(files_there(), before);

	assert_int_equal(ctl_report(ctl, "/nonexistent/j.json", &err), -ENOENT);
	assert_string_equal(err.text,
			    "/nonexistent/j.json cannot be written: No such file or directory");
	assert_int_equal(ctl_report(ctl, fake_path(""), &err), -EISDIR);

	/* A link stays one. */
	snprintf(link, sizeof(link), "%s", fake_path("link.json"));
	assert_int_equal(symlink(fake_path("whole.json"), link), 0);
	free(report(link));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

/* A write that failed in the middle counts, although the rest went well again. */
static void
an_early_write_error_is_not_forgotten(void **state)
{
	struct rlimit before, small;
	struct outfile f;
	struct err err;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 4096;
	fake_file("short", "as it was", 9);
	assert_int_equal(outfile_open(&f, fake_path("short"), &err), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned int i = 0; i < 20000; i++)
		fprintf(f.out, "%u\n", i);
	fflush(f.out);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(outfile_commit(&f, &err) < 0);
	assert_non_null(strstr(err.text, "/short cannot be written: "));
	{
		char *text = fake_content(fake_path("short"));

		assert_string_equal(text, "as it was");
		free(text);
	}
}

/*
 * What is no regular file is written to and stays what it is.  Only ever a pipe of our own: a bug
 * here would replace a device of the machine.
 */
static void
a_pipe_gets_it_directly(void **state)
{
	char buf[64] = "";
	struct stat st;
	struct err err;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(fake_path("fifo"), 0600), 0);
	fd = open(fake_path("fifo"), O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(ctl_report(ctl, fake_path("fifo"), &err), 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) > 0);
	assert_true(strncmp(buf, "{\"version\":", 11) == 0);
	assert_int_equal(lstat(fake_path("fifo"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(fd);
}

/* SIGALRM ends the test where it would wait for ever. */
static void
a_pipe_without_a_reader_is_an_error(void **state)
{
	const char *path = fake_path("unread");
	struct outfile f;
	struct err err;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_int_equal(outfile_open(&f, path, &err), -ENXIO);
	alarm(0);
	assert_non_null(strstr(err.text, "/unread cannot be written: nobody reads this FIFO"));
}

static void
clear_does_not_touch_it(void **state)
{
	char *before, *after;
	struct err err;
	int ret;

	(void)state;
	fill();
	before = report(fake_path("a"));
	free(fake_run(ctl, "clear port stats all", &ret, &err));
	free(fake_run(ctl, "clear fwd stats all", &ret, &err));
	after = report(fake_path("b"));
	assert_string_equal(strstr(after, "\"forward_mode\""), strstr(before, "\"forward_mode\""));
	free(before);
	free(after);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_keys_are_the_contract),      T(python_reads_it),
		T(it_appears_whole_or_not_at_all), T(an_early_write_error_is_not_forgotten),
		T(a_pipe_gets_it_directly),        T(a_pipe_without_a_reader_is_an_error),
		T(clear_does_not_touch_it),
	};

	return cmocka_run_group_tests(tests, NULL, fake_cleanup);
}
