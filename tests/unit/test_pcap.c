/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/captures.h"
#include "support/pcap_compare.h"
#include "support/soft_step.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char in[64], out[64], nics[256];
static char base[] = "/tmp/test_pcap.XXXXXX";

static int
begin(void **state)
{
	(void)state;
	strcpy(base, "/tmp/test_pcap.XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(in, sizeof(in), "%s/in", base);
	snprintf(out, sizeof(out), "%s/out", base);
	return 0;
}

static int
end(void **state)
{
	int alive = step_end(state);

	unlink(in);
	unlink(out);
	return rmdir(base) + alive;
}

static void
write_in(unsigned int n)
{
	struct capture_frame frames[256] = { 0 };

	for (unsigned int i = 0; i < n; i++)
		frames[i] = (struct capture_frame){ .len = 60 + i, .at_ns = i };
	capture_write(in, DLT_EN10MB, frames, n);
}

/* The host sends back what it has received. */
static void
send_back(unsigned int port)
{
	struct standin *nic = standin_of(port);

	for (unsigned int i = 0; i < nic->nb_rx; i++)
		standin_send(port, nic->rx[i].data, nic->rx[i].len);
	standin_forget(port);
}

static void
what_comes_in_goes_out(void **state)
{
	(void)state;
	write_in(200);
	snprintf(nics, sizeof(nics), "standin pcap,in=%s,out=%s", in, out);
	step_begin(nics);
	for (int i = 0; i < 8; i++) {
		standin_of(0)->room = 40; /* less than there is: it waits */
		softnic_step(64);
		send_back(0);
	}
	assert_true(soft_port(0)->in->ended);
	assert_int_equal(soft_port(0)->stats.rx_missed, 0);
	step_reports("port 0 pcap replayed 200\n");
	step_reports("port 0 pcap recorded 200\n");
	/* Who has asked can look: it is in the file now, and nobody has closed it. */
	assert_true(pcap_same(out, in));
}

static void
the_end_is_in_the_file_too(void **state)
{
	(void)state;
	write_in(3);
	snprintf(nics, sizeof(nics), "standin pcap,in=%s pcap,out=%s", in, out);
	step_begin(nics);
	standin_of(0)->room = 10;
	softnic_step(64);
	send_back(0);
	softnic_step(64);
	ports_end(false);
	assert_true(pcap_same(out, in));
}

static void
a_record_has_nanoseconds_of_the_run(void **state)
{
	char text[PCAP_ERRBUF_SIZE];
	uint32_t magic = 0;
	struct pcap_pkthdr *hdr;
	const uint8_t *data;
	uint64_t turn_ns;
	pcap_t *pcap;
	FILE *f;

	(void)state;
	snprintf(nics, sizeof(nics), "standin pcap,out=%s", out);
	step_begin(nics);
	for (int i = 0; i < 3; i++) {
		standin_send(0, base, 20);
		softnic_step(64);
	}
	turn_ns = soft_now_ns() / 3;
	ports_end(false);

	f = fopen(out, "r");
	assert_non_null(f);
	assert_int_equal(fread(&magic, sizeof(magic), 1, f), 1);
	fclose(f);
	assert_int_equal(magic, 0xa1b23c4d); /* pcap-savefile(5): nanoseconds */
	pcap = pcap_open_offline_with_tstamp_precision(out, PCAP_TSTAMP_PRECISION_NANO, text);
	assert_non_null(pcap);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(pcap_next_ex(pcap, &hdr, &data), 1);
		assert_int_equal(hdr->ts.tv_sec, 0);
		assert_in_range(hdr->ts.tv_usec, i * turn_ns, (i + 1) * turn_ns);
		assert_int_equal(hdr->caplen, 20); /* as sent, not padded */
		assert_int_equal(hdr->len, 20);
	}
	pcap_close(pcap);
}

static void
it_can_be_started_again(void **state)
{
	char text[512];

	(void)state;
	write_in(5);
	snprintf(nics, sizeof(nics), "standin pcap,in=%s,loop=2", in);
	step_begin(nics);
	standin_of(0)->room = 100;
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 10);
	assert_true(soft_port(0)->in->ended);
	assert_int_equal(softnic_command("pcap 0 restart", text, sizeof(text)), 0);
	assert_false(soft_port(0)->in->ended);
	softnic_step(64);
	assert_int_equal(standin_of(0)->nb_rx, 20);
	assert_true(softnic_command("pcap 0 flush", text, sizeof(text)) < 0); /* no out= */
	assert_non_null(strstr(text, "restart"));
}

/* A clock does not wait: what has no descriptor is missed, as on any cable. */
static void
a_rate_waits_for_nobody(void **state)
{
	(void)state;
	write_in(5);
	snprintf(nics, sizeof(nics), "standin pcap,in=%s,speed=1M", in);
	step_begin(nics);
	for (int i = 0; i < 10; i++)
		softnic_step(64);
	assert_int_equal(soft_port(0)->stats.rx_missed, 5);
	assert_int_equal(soft_port(0)->stats.rx_offered, 5);
}

/* What a wire at both ends says, or with other_in or other_out at one. */
static void
refused(const char *options, bool other_in, bool other_out, const char *why)
{
	struct soft_port port = { .index = 0 };
	struct soft_wire wire = { .kind = &wire_kind_pcap, .port = &port }, other;
	char text[512], *conf = malloc(wire_kind_pcap.conf_size);
	struct err err = { "" };
	struct spec spec;

	assert_non_null(conf);
	memcpy(conf, wire_kind_pcap.defaults, wire_kind_pcap.conf_size);
	wire.conf = conf;
	port.in = other_in ? &other : &wire;
	port.out = other_out ? &other : &wire;
	snprintf(text, sizeof(text), "pcap%s", options);
	assert_int_equal(spec_parse(&spec, text, &err), 0);
	assert_int_equal(spec_options(&spec.item[0].word[0], wire_kind_pcap.opts, conf, &err), 0);
	assert_true(wire_kind_pcap.create(&wire, &err) < 0);
	if (strstr(err.text, why) == NULL || strchr(err.text, '\n') != NULL)
		fail_msg("%s: \"%s\", want \"%s\"", options, err.text, why);
	wire_kind_pcap.destroy(&wire);
	spec_free(&spec);
	free(conf);
}

static void
what_cannot_be_is_refused_in_a_line(void **state)
{
	char text[256];

	(void)state;
	refused("", false, false, "give it in=FILE, out=FILE or both");
	refused(",in=/none/x.pcap", false, false, "/none/x.pcap: No such file or directory");
	refused(",out=/none/x.pcap", false, false, "/none/x.pcap: No such file or directory");
	write_in(1);
	snprintf(text, sizeof(text), ",in=%s,speed=fast", in);
	refused(text, false, false, "speed=fast: write max, capture or");
	snprintf(text, sizeof(text), ",in=%s,speed=0", in);
	refused(text, false, false, "speed=0");
	snprintf(text, sizeof(text), ",in=%s,out=%s", in, in);
	refused(text, false, false, "it is what in= reads");
	snprintf(text, sizeof(text), ",in=%s", in);
	refused(text, true, false, "another wire gives this port its frames");
	snprintf(text, sizeof(text), ",out=%s", out);
	refused(text, false, true, "another wire takes this port's frames");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_comes_in_goes_out, begin, end),
		cmocka_unit_test_setup_teardown(the_end_is_in_the_file_too, begin, end),
		cmocka_unit_test_setup_teardown(a_record_has_nanoseconds_of_the_run, begin, end),
		cmocka_unit_test_setup_teardown(it_can_be_started_again, begin, end),
		cmocka_unit_test_setup_teardown(a_rate_waits_for_nobody, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_is_refused_in_a_line, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
