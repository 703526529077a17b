/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libsluice_82599.so as EAL sees it: loading it makes the NICs, before the PCI bus is scanned. */
static const char *const trap_words[] = { "few", "all", NULL };

static const struct spec_opt options[] = {
	{ "bdf", SPEC_BDF, SPEC_AT(struct n82599_conf, common.bdf), 0, 0, NULL,
	  "PCI address; the next free bus" },
	{ "mac", SPEC_MAC, SPEC_AT(struct n82599_conf, common.mac), 0, 0, NULL,
	  "permanent address; 02:82:59:00:00:PORT" },
	{ "numa", SPEC_U32, SPEC_AT(struct n82599_conf, common.numa), 0, 63, NULL,
	  "node that the device claims; 0" },
	{ "queues", SPEC_U32, SPEC_AT(struct n82599_conf, common.queues), 1, N82599_RXQ, NULL,
	  "pairs that get interrupts, of 64 that it always serves; 64" },
	{ "trap", SPEC_WORD, SPEC_AT(struct n82599_conf, trap_all), 0, 0, trap_words,
	  "registers that act at once: few leaves out the rings', for speed; few" },
	{ NULL, 0, 0, 0, 0, 0, NULL, NULL },
};
static const struct n82599_conf defaults = {
	.common = { .queues = N82599_RXQ },
};

static void
choose_mac(struct soft_port *port, const uint8_t wanted[6])
{
	static const uint8_t none[6], own[6] = { 0x02, 0x82, 0x59, 0, 0, 0 };

	memcpy(port->mac, memcmp(wanted, none, 6) == 0 ? own : wanted, 6);
	if (memcmp(wanted, none, 6) == 0)
		port->mac[5] = (uint8_t)port->index;
}

static void
destroy(struct soft_port *port)
{
	struct n82599 *nic = port->nic;

	if (nic == NULL)
		return;
	n82599_unattach(nic);
	n82599_datapath_close(nic);
	n82599_irq_close(nic);
	n82599_bar_close(nic);
	free(nic);
	port->nic = NULL;
}

static int
create(struct soft_port *port, struct err *err)
{
	const struct n82599_conf *conf = port->conf;
	struct n82599 *nic = calloc(1, sizeof(*nic));
	int ret;

	if (nic == NULL)
		return err_set(err, -ENOMEM, "no memory for an 82599");
	port->nic = nic;
	nic->port = port;
	nic->trap_all = conf->trap_all;
	nic->bar_fd = -1;
	nic->nb_vectors = conf->common.queues;
	if (nic->nb_vectors > N82599_VECTORS)
		nic->nb_vectors = N82599_VECTORS;
	for (unsigned int i = 0; i <= N82599_VECTORS; i++)
		nic->irq[i] = -1;
	choose_mac(port, conf->common.mac);
	n82599_eeprom_init(nic);
	n82599_i2c_init(nic);

	ret = n82599_bar_open(nic, err);
	if (ret == 0)
		ret = n82599_datapath_open(nic);
	if (ret == -ENOMEM)
		err_set(err, ret, "no memory for an 82599");
	if (ret == 0)
		ret = n82599_attach(nic, &conf->common, err);
	if (ret < 0)
		destroy(port);
	return ret;
}

static const struct soft_kind kind = {
	.name = "82599",
	.help = "Intel 82599 (10GBASE-SR), driver net_ixgbe",
	.opts = options,
	.conf_size = sizeof(struct n82599_conf),
	.defaults = &defaults,
	.create = create,
	.destroy = destroy,
	.listening = n82599_listening,
	.transmit = n82599_transmit,
	.transmitted = n82599_transmitted,
	.receive = n82599_receive,
	.fault = n82599_fault,
};

__attribute__((constructor)) static void
load(void)
{
	soft_plug(&kind); /* says itself what is wrong */
}
