/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/gen.h"
#include "drivers/wire/hdr.h"
#include "drivers/wire/wires.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>

#define TEMPLATES_MAX 65536

static uint16_t
be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* Where the tag goes: the payload of a whole IPv4 datagram that ends where the frame does. */
static uint32_t
find_room(const struct hdr *hdr, const uint8_t *frame, uint32_t len)
{
	const uint8_t *l4 = frame + hdr->l4_at;
	uint32_t at = hdr->l4_at;

	if (hdr->l3 != HDR_L3_IPV4 || hdr->l4_at + hdr->l4_len != len || len < PROBE_MIN ||
	    be16(frame + hdr->l3_at + 2) != len - hdr->l3_at)
		return 0;
	if (hdr->l4 == HDR_L4_UDP && be16(l4 + 4) == hdr->l4_len)
		at += 8;
	else if (hdr->l4 == HDR_L4_TCP && l4[12] >> 4 >= 5)
		at += (uint32_t)(l4[12] >> 4) * 4;
	else
		return 0;
	return at + PROBE_TAG <= len ? at : 0;
}

static void
prepare(struct gen_template *t, uint8_t stream)
{
	struct hdr hdr;
	bool sum;

	hdr_parse(&hdr, t->data, t->len);
	t->tag_at = find_room(&hdr, t->data, t->len);
	if (t->tag_at == 0)
		return;
	sum = hdr.l4 == HDR_L4_TCP || be16(t->data + hdr.l4_at + 6) != 0;
	t->w0 = PROBE_MAGIC | (sum ? PROBE_SUM : 0) | (uint64_t)stream << 8 |
		(uint64_t)t->data[hdr.l3_at + 8] << 16;
	/* Captured on the way out it may have been left to a NIC. */
	hdr_set_ip(&hdr, t->data);
}

static int
add(struct gen *gen, const struct pcap_pkthdr *info, const uint8_t *data, uint32_t *room)
{
	struct gen_template *t;

	if (gen->nb_templates == *room) {
		void *more;

		*room = *room == 0 ? 64 : *room * 2;
		more = reallocarray(gen->template, *room, sizeof(*gen->template));
		if (more == NULL)
			return -ENOMEM;
		gen->template = more;
	}
	t = &gen->template[gen->nb_templates];
	*t = (struct gen_template){ .len = info->caplen, .data = malloc(info->caplen) };
	if (t->data == NULL)
		return -ENOMEM;
	memcpy(t->data, data, info->caplen);
	gen->nb_templates++;
	return 0;
}

static int
read_all(struct gen *gen, pcap_t *pcap, const char *path, struct err *err)
{
	struct pcap_pkthdr *info;
	const uint8_t *data;
	uint32_t room = 0;
	int ret;

	if (pcap_datalink(pcap) != DLT_EN10MB)
		return err_set(err, -EINVAL, "gen,template=%s: not a capture of Ethernet frames",
			       path);
	while ((ret = pcap_next_ex(pcap, &info, &data)) == 1) {
		if (info->caplen < info->len || info->len > SOFT_FRAME_MAX || info->len < 14)
			return err_set(err, -EINVAL,
				       "gen,template=%s: frame %u of %u bytes is not there as a "
				       "whole, or not of 14 to %d bytes",
				       path, gen->nb_templates + 1, info->len, SOFT_FRAME_MAX);
		if (gen->nb_templates == TEMPLATES_MAX)
			return err_set(err, -EINVAL,
				       "gen,template=%s: more than %d frames; cut the capture",
				       path, TEMPLATES_MAX);
		if (add(gen, info, data, &room) < 0)
			return err_set(err, -ENOMEM, "gen,template=%s: no memory", path);
	}
	if (ret == PCAP_ERROR)
		return err_set(err, -EINVAL, "gen,template=%s: %s", path, pcap_geterr(pcap));
	if (gen->nb_templates == 0)
		return err_set(err, -EINVAL, "gen,template=%s: no frame is in it", path);
	return 0;
}

int
gen_template_open(struct gen *gen, const struct gen_conf *conf, uint8_t stream, struct err *err)
{
	static const uint8_t unset[6];
	char text[PCAP_ERRBUF_SIZE] = "";
	pcap_t *pcap;
	int ret = wire_check_file(conf->template, err);

	if (ret < 0)
		return err_prefix(err, ret, "gen,template");
	pcap = pcap_open_offline(conf->template, text);
	if (pcap == NULL)
		return err_set(err, -EINVAL, "gen,template=%.256s: %.200s", conf->template, text);
	ret = read_all(gen, pcap, conf->template, err);
	pcap_close(pcap);
	for (uint32_t i = 0; ret == 0 && i < gen->nb_templates; i++) {
		struct gen_template *t = &gen->template[i];

		if (memcmp(conf->dmac, unset, 6) != 0)
			memcpy(t->data, conf->dmac, 6);
		if (memcmp(conf->smac, unset, 6) != 0)
			memcpy(t->data + 6, conf->smac, 6);
		prepare(t, stream);
	}
	return ret;
}

void
gen_template_close(struct gen *gen)
{
	for (uint32_t i = 0; i < gen->nb_templates; i++)
		free(gen->template[i].data);
	free(gen->template);
	gen->template = NULL;
	gen->nb_templates = 0;
}

void
gen_template_put(const struct gen *gen, uint32_t i, struct probe_slot *slot, uint64_t seq)
{
	const struct gen_template *t = &gen->template[i];
	uint64_t w1 = seq | (uint64_t)slot->phase << PROBE_PHASE_AT;
	struct hdr hdr;

	memcpy(slot->data, t->data, t->len);
	slot->len = (uint16_t)t->len;
	if (t->tag_at == 0)
		return;
	probe_seal(slot->data + t->tag_at, t->w0 | (uint64_t)i << 32, w1);
	memcpy(slot->data + t->tag_at + PROBE_TAG, probe_pattern + slot->phase,
	       t->len - t->tag_at - PROBE_TAG);
	if (t->w0 & PROBE_SUM) {
		hdr_parse(&hdr, slot->data, t->len);
		hdr_set_l4(&hdr, slot->data);
	}
}
