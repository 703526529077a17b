/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_step.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * In a network namespace of its own, that of an ordinary user if need be: the other end of the cable
 * is a packet socket.
 */
#define TYPE  0x88b5 /* IEEE 802: for local experiments */
#define TRIES 2000   /* milliseconds for the kernel to notice a carrier */

static int
open_packet(const char *name)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET,
				    .sll_protocol = htons(TYPE),
				    .sll_ifindex = (int)if_nametoindex(name) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(TYPE));

	assert_true(fd >= 0);
	assert_true(addr.sll_ifindex > 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void
make_frame(uint8_t *frame, uint32_t len, uint8_t mark)
{
	memset(frame, mark, len);
	memset(frame, 0xff, 6);
	frame[6] = 2;
	frame[12] = TYPE >> 8;
	frame[13] = TYPE & 0xff;
}

/* Of what the stand-in has, the first frame of ours; the kernel sends some of its own. */
static const struct standin_frame *
ours(unsigned int port)
{
	const struct standin *nic = standin_of(port);

	for (unsigned int i = 0; i < nic->nb_rx; i++)
		if (nic->rx[i].len >= 14 && nic->rx[i].data[12] == TYPE >> 8 &&
		    nic->rx[i].data[13] == (TYPE & 0xff))
			return &nic->rx[i];
	return NULL;
}

static void
from_the_kernel(int fd, const uint8_t *frame, uint32_t len)
{
	const struct standin_frame *got = NULL;

	for (int i = 0; got == NULL && i < TRIES; i++) {
		standin_of(0)->room = 100;
		if (send(fd, frame, len, 0) < 0)
			assert_true(errno == ENETDOWN || errno == ENOBUFS);
		softnic_step(64);
		got = ours(0);
		if (got == NULL)
			usleep(1000);
	}
	assert_non_null(got);
	assert_int_equal(got->len, len < 60 ? 60 : len);
	assert_memory_equal(got->data, frame, len);
	for (uint32_t i = len; i < got->len; i++)
		assert_int_equal(got->data[i], 0);
	standin_forget(0);
}

static void
to_the_kernel(int fd, const uint8_t *frame, uint32_t len)
{
	uint8_t got[2048];
	ssize_t n = -1;

	standin_send(0, frame, len);
	softnic_step(64);
	for (int i = 0; n < 0 && i < TRIES; i++) {
		n = recv(fd, got, sizeof(got), 0);
		if (n < 0)
			usleep(1000);
	}
	assert_int_equal(n, len);
	assert_memory_equal(got, frame, len);
}

static bool
ask_link(const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GLINK };
	struct ifreq req = { .ifr_data = (char *)&value };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	assert_int_equal(ioctl(fd, SIOCETHTOOL, &req), 0);
	close(fd);
	return value.data != 0;
}

static void
frames_go_both_ways(void **state)
{
	uint8_t frame[1514];
	int fd;

	(void)state;
	step_begin("standin tap,name=far0");
	softnic_step(64);
	fd = open_packet("far0");
	make_frame(frame, sizeof(frame), 2);
	from_the_kernel(fd, frame, sizeof(frame));
	make_frame(frame, 42, 1);
	from_the_kernel(fd, frame, 42);
	make_frame(frame, 100, 3);
	to_the_kernel(fd, frame, 100);
	step_reports("port 0 tap interface far0\n");
	step_reports("port 0 tap from_nic 1\n");
	close(fd);
}

/* More than a turn takes: none is lost, none comes twice, all in order. */
static void
what_a_turn_does_not_take_waits(void **state)
{
	struct softnic_stats stats;
	uint8_t frame[60];
	unsigned int n = 0;
	int fd;

	(void)state;
	step_begin("standin tap,name=far0");
	softnic_step(64);
	fd = open_packet("far0");
	make_frame(frame, 60, 0xee);
	from_the_kernel(fd, frame, 60); /* the carrier has arrived */
	for (uint8_t i = 0; i < 100; i++) {
		frame[20] = i;
		assert_int_equal(send(fd, frame, 60, 0), 60);
	}
	for (int i = 0; n < 100 && i < TRIES; i++) {
		standin_of(0)->room = 100;
		softnic_step(7);
		for (unsigned int k = 0; k < standin_of(0)->nb_rx; k++) {
			const struct standin_frame *f = &standin_of(0)->rx[k];

			if (f->data[13] == (TYPE & 0xff) && f->data[30] == 0xee)
				assert_int_equal(f->data[20], n++);
		}
		standin_forget(0);
	}
	assert_int_equal(n, 100);
	softnic_stats(0, &stats);
	assert_int_equal(stats.rx_missed, 0);
	close(fd);
}

static void
the_carrier_is_the_link(void **state)
{
	(void)state;
	step_begin("standin tap,name=far0,mtu=9000");
	assert_false(ask_link("far0"));
	softnic_step(64);
	assert_true(ask_link("far0"));
	step_reports("port 0 tap carrier on\n");
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 1, NULL), 0);
	softnic_step(64);
	assert_false(ask_link("far0"));
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 0, NULL), 0);
	standin_of(0)->deaf = true;
	softnic_step(64);
	assert_false(ask_link("far0"));
	standin_of(0)->deaf = false;
	softnic_step(64);
	assert_true(ask_link("far0"));
}

static void
it_goes_with_the_run(void **state)
{
	struct ifreq req = { .ifr_name = "far0" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)state;
	step_begin("standin tap,name=far0,mtu=9000");
	assert_int_equal(ioctl(fd, SIOCGIFMTU, &req), 0);
	assert_int_equal(req.ifr_mtu, 9000);
	assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &req), 0);
	assert_true((req.ifr_flags & IFF_UP) != 0);
	ports_end(false);
	assert_int_equal(if_nametoindex("far0"), 0);
	close(fd);
}

static void
another_namespace_can_have_it(void **state)
{
	char nics[64], before[64] = "", after[64] = "";
	int fd[2], status;
	uint8_t ready;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		ready = unshare(CLONE_NEWNET) == 0;
		if (write(fd[1], &ready, 1) != 1)
			_exit(1);
		/* Half a minute, so that it ends by itself should the test fail. */
		for (int i = 0; i < 30000 && if_nametoindex("far0") == 0; i++)
			usleep(1000);
		_exit(if_nametoindex("far0") == 0);
	}
	assert_int_equal(read(fd[0], &ready, 1), 1);
	assert_int_equal(ready, 1);
	assert_true(readlink("/proc/thread-self/ns/net", before, sizeof(before) - 1) > 0);
	snprintf(nics, sizeof(nics), "standin tap,name=far0,netns=/proc/%d/ns/net", (int)pid);
	step_begin(nics);
	assert_int_equal(if_nametoindex("far0"), 0);
	assert_true(readlink("/proc/thread-self/ns/net", after, sizeof(after) - 1) > 0);
	assert_string_equal(before, after);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(fd[0]);
	close(fd[1]);
}

/* The error of a wire made on its own. */
static const char *
error_of(const char *options)
{
	static struct err err;
	struct soft_port port = { .index = 0 };
	struct soft_wire wire = { .kind = &wire_kind_tap, .port = &port };
	char *conf = malloc(wire_kind_tap.conf_size);
	struct spec spec;

	assert_non_null(conf);
	memcpy(conf, wire_kind_tap.defaults, wire_kind_tap.conf_size);
	wire.conf = conf;
	assert_int_equal(spec_parse(&spec, options, &err), 0);
	assert_int_equal(spec_options(&spec.item[0].word[0], wire_kind_tap.opts, conf, &err), 0);
	err.text[0] = '\0';
	wire_kind_tap.create(&wire, &err);
	wire_kind_tap.destroy(&wire);
	spec_free(&spec);
	free(conf);
	return err.text;
}

static void
what_cannot_be_is_refused_in_a_line(void **state)
{
	const char *text = error_of("tap,netns=none-of-that-name");
	pid_t pid;
	int status;

	(void)state;
	assert_non_null(
		strstr(text, "netns=none-of-that-name: /run/netns/none-of-that-name: No such"));
	text = error_of("tap,netns=/dev/null");
	assert_non_null(strstr(text, "netns=/dev/null: cannot enter it"));
	text = error_of("tap,name=a/b");
	assert_non_null(strstr(text, "name=a/b: cannot make the interface: Invalid argument"));
	step_begin("standin tap,name=far0");
	text = error_of("tap,name=far0");
	assert_non_null(strstr(text, "name=far0: cannot make the interface: "));
	assert_non_null(strstr(text, "busy"));
	assert_null(strchr(text, '\n'));

	pid = fork();
	if (pid == 0) {
		struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
		struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

		if (syscall(SYS_capset, &head, none) < 0)
			_exit(2);
		text = error_of("tap,name=far1");
		_exit(strstr(text, "name=far1: cannot make the interface: Operation not permitted; "
				   "it takes CAP_NET_ADMIN") == NULL);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(frames_go_both_ways, step_end),
		cmocka_unit_test_teardown(what_a_turn_does_not_take_waits, step_end),
		cmocka_unit_test_teardown(the_carrier_is_the_link, step_end),
		cmocka_unit_test_teardown(it_goes_with_the_run, step_end),
		cmocka_unit_test_teardown(another_namespace_can_have_it, step_end),
		cmocka_unit_test_teardown(what_cannot_be_is_refused_in_a_line, step_end),
	};

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 && unshare(CLONE_NEWNET) < 0) {
		fprintf(stderr, "no network namespace to be had: %s\n", strerror(errno));
		return 77;
	}
	if (access("/dev/net/tun", R_OK | W_OK) < 0) {
		fprintf(stderr, "/dev/net/tun: %s\n", strerror(errno));
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
