/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/wires.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * "tap": a kernel interface at the far end of the cable, in this network namespace or another.  It
 * goes with the process.  The kernel takes and gives one frame a system call.
 */
#define FRAME_MIN 60    /* on a cable; the kernel does not pad */
#define IDLE_NS   20000 /* after nothing was there: a system call a turn would slow other ports */

struct conf {
	char name[IFNAMSIZ], netns[128];
	uint32_t mtu;
};
static const struct conf defaults = { .name = "tap%d", .mtu = 1500 };
static const struct spec_opt opts[] = {
	{ "name", SPEC_STRING, SPEC_AT(struct conf, name), .help = "interface (tap0, tap1, ...)" },
	{ "netns", SPEC_STRING, SPEC_AT(struct conf, netns),
	  .help = "network namespace it is put into, as ip-netns(8) has them, or a path" },
	{ "mtu", SPEC_U32, SPEC_AT(struct conf, mtu), 68, SOFT_FRAME_MAX - 18,
	  .help = "bytes behind the Ethernet header (1500)" },
	{ 0 },
};

struct own {
	int fd;
	char name[IFNAMSIZ];
	bool carrier;
	uint64_t idle_until_ns;
	uint64_t to_nic, from_nic, lost;
	uint8_t frame[SOFT_BATCH][SOFT_FRAME_MAX];
};

/* The device and its settings; the caller's thread is in the namespace where it is to be. */
static int
make_device(const struct conf *conf, struct own *own, struct err *err)
{
	struct ifreq req = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int sock, ret = 0;

	own->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (own->fd < 0)
		return err_set(err, -errno,
			       "cannot open /dev/net/tun: %s; load the kernel's tun module or "
			       "let this user have the device",
			       strerror(errno));
	memcpy(req.ifr_name, conf->name, sizeof(req.ifr_name));
	if (ioctl(own->fd, TUNSETIFF, &req) < 0)
		return err_set(err, -errno,
			       "name=%s: cannot make the interface: %s; it takes CAP_NET_ADMIN "
			       "in the namespace and a name that is not in use",
			       conf->name, strerror(errno));
	memcpy(own->name, req.ifr_name, sizeof(own->name));
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return err_set(err, -errno, "no socket: %s", strerror(errno));
	req.ifr_mtu = (int)conf->mtu;
	if (ioctl(sock, SIOCSIFMTU, &req) < 0)
		ret = err_set(err, -errno, "mtu=%u: %s", conf->mtu, strerror(errno));
	if (ret == 0 && ioctl(sock, SIOCGIFFLAGS, &req) == 0) {
		req.ifr_flags |= IFF_UP;
		if (ioctl(sock, SIOCSIFFLAGS, &req) < 0)
			ret = err_set(err, -errno, "name=%s: cannot set it up: %s", own->name,
				      strerror(errno));
	}
	close(sock);
	return ret;
}

static int
open_namespace(const char *name, struct err *err)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') == NULL ? "/run/netns/" : "", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "netns=%s: %s: %s; make it with \"ip netns add\"", name,
			       path, strerror(errno));
	return fd;
}

/*
 * A TAP belongs to the namespace of the thread that opens it.  Only this thread goes there and
 * comes back; another namespace's socket works from anywhere.
 */
static int
make_device_in(const struct conf *conf, struct own *own, struct err *err)
{
	int home, there, ret;

	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0)
		return err_set(err, -errno, "netns=%s: /proc/thread-self/ns/net: %s", conf->netns,
			       strerror(errno));
	there = ret = open_namespace(conf->netns, err);
	if (there < 0)
		goto err_close_home;
	if (setns(there, CLONE_NEWNET) < 0) {
		ret = err_set(err, -errno, "netns=%s: cannot enter it: %s; it takes CAP_SYS_ADMIN",
			      conf->netns, strerror(errno));
		goto err_close_there;
	}
	ret = make_device(conf, own, err);
	if (setns(home, CLONE_NEWNET) < 0)
		ret = err_set(err, -errno,
			      "netns=%s: cannot come back from it: %s; this process is of no "
			      "use now",
			      conf->netns, strerror(errno));

err_close_there:
	close(there);
err_close_home:
	close(home);
	return ret;
}

static void
set_carrier(struct own *own, bool on)
{
	int value = on;

	/* Kernels before 4.20 cannot: there the interface looks connected all the time. */
	own->carrier = on;
	ioctl(own->fd, TUNSETCARRIER, &value);
}

static int
create(struct soft_wire *wire, struct err *err)
{
	const struct conf *conf = wire->conf;
	struct own *own = calloc(1, sizeof(*own));
	int ret;

	if (own == NULL)
		return err_set(err, -ENOMEM, "no memory");
	own->fd = -1;
	wire->own = own;
	ret = conf->netns[0] != '\0' ? make_device_in(conf, own, err) : make_device(conf, own, err);
	if (ret == 0)
		set_carrier(own, false);
	return ret;
}

static void
destroy(struct soft_wire *wire)
{
	struct own *own = wire->own;

	if (own == NULL)
		return;
	if (own->fd >= 0)
		close(own->fd);
	free(own);
	wire->own = NULL;
}

/* Its length, or 0: there is none. */
static uint32_t
read_one(const struct own *own, uint8_t *frame)
{
	ssize_t n = read(own->fd, frame, SOFT_FRAME_MAX);

	if (n <= 0)
		return 0;
	if (n < FRAME_MIN) {
		memset(frame + n, 0, (size_t)(FRAME_MIN - n));
		n = FRAME_MIN;
	}
	return (uint32_t)n;
}

/* The kernel's queue holds what is not read; what is read goes on the cable, taken or missed. */
static unsigned int
fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	struct own *own = wire->own;
	uint64_t now = soft_now_ns();
	unsigned int n = 0;

	if (now < own->idle_until_ns && !soft_is_step())
		return 0;
	for (uint32_t len; n < max && n < SOFT_BATCH; n++) {
		len = read_one(own, own->frame[n]);
		if (len == 0) {
			own->idle_until_ns = now + IDLE_NS;
			break;
		}
		frames[n] = (struct soft_frame){ .data = own->frame[n], .len = len };
	}
	return n;
}

static void
fetched(struct soft_wire *wire, unsigned int taken)
{
	struct own *own = wire->own;

	own->to_nic += taken;
}

static void
deliver(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	struct own *own = wire->own;

	/* Without carrier the kernel takes them nevertheless; who sends has light. */
	for (unsigned int i = 0; i < n; i++)
		if (write(own->fd, frames[i].data, frames[i].len) == (ssize_t)frames[i].len)
			own->from_nic++;
		else
			own->lost++;
}

static void
link_change(struct soft_wire *wire, bool up)
{
	set_carrier(wire->own, up);
}

static void
report(const struct soft_wire *wire, struct soft_report *report)
{
	const struct own *own = wire->own;

	soft_report_text(report, "interface", own->name);
	soft_report_text(report, "carrier", own->carrier ? "on" : "off");
	soft_report_u64(report, "to_nic", own->to_nic);
	soft_report_u64(report, "from_nic", own->from_nic);
	soft_report_u64(report, "lost", own->lost);
}

const struct wire_kind wire_kind_tap = {
	.name = "tap",
	.help = "an interface of the kernel",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.defaults = &defaults,
	.ends = WIRE_IN | WIRE_OUT,
	.create = create,
	.destroy = destroy,
	.fetch = fetch,
	.fetched = fetched,
	.send = deliver,
	.report = report,
	.link = link_change,
};
