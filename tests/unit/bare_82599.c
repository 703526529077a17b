/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"

#include "support/cmocka.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct soft_port bare_port;
struct soft_wire bare_wire;
unsigned int bare_resets;
char bare_log[256];
unsigned int bare_logs;

void
soft_log(const struct soft_port *port, const char *fmt, ...)
{
	va_list ap;

	assert_ptr_equal(port, &bare_port);
	va_start(ap, fmt);
	vsnprintf(bare_log, sizeof(bare_log), fmt, ap);
	va_end(ap);
	bare_logs++;
}

void
n82599_datapath_reset(struct n82599 *nic)
{
	(void)nic;
	bare_resets++;
}

struct n82599 *
bare_new(void)
{
	struct n82599 *nic = calloc(1, sizeof(*nic));

	assert_non_null(nic);
	bare_port = (struct soft_port){
		.bdf = "0000:01:00.1",
		.mac = { 2, 0x82, 0x59, 3, 4, 5 },
		.in = &bare_wire,
		.out = &bare_wire,
		.nic = nic,
	};
	nic->port = &bare_port;
	nic->nb_vectors = 4;
	for (unsigned int i = 0; i <= N82599_VECTORS; i++)
		nic->irq[i] = -1;
	n82599_eeprom_init(nic);
	n82599_i2c_init(nic);
	assert_int_equal(n82599_bar_open(nic, NULL), 0);
	assert_int_equal(n82599_irq_open(nic, NULL), 0);
	n82599_reset(nic);
	bare_resets = bare_logs = 0;
	bare_log[0] = '\0';
	return nic;
}

void
bare_free(struct n82599 *nic)
{
	n82599_irq_close(nic);
	n82599_bar_close(nic);
	free(nic);
}
