/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <string.h>

/*
 * An SFP+ module on the two-wire bus of I2CCTL (8.2.3.1.5): the serial identification memory of
 * SFF-8472 at device address 0xA0.  A byte takes nine clocks, the ninth acknowledges it.  The data
 * line is low when either side pulls it down.
 */
#define MODULE_ADDRESS 0xa0u /* bit 0 says read */

enum phase { IDLE, ADDRESS, POINTER, WRITTEN, READING };

/* Texts of the module are as long as their field, blanks behind. */
static void
put(uint8_t *field, size_t size, const char *text)
{
	for (size_t i = 0; i < size; i++)
		field[i] = *text != '\0' ? (uint8_t)*text++ : ' ';
}

/* The bytes of SFF-8472 table 4-1 that drivers look at: a 10GBASE-SR module. */
void
n82599_i2c_init(struct n82599 *nic)
{
	uint8_t *id = nic->sfp, base = 0, extended = 0;

	memset(nic->sfp, 0, sizeof(nic->sfp));
	id[0] = 0x03; /* SFP or SFP+ */
	id[1] = 0x04; /* the rest is in this memory */
	id[2] = 0x07; /* connector LC */
	id[3] = 0x10; /* 10GBASE-SR */
	id[12] = 103; /* 100 Mbit/s */
	id[17] = 8;   /* 10 m of OM2 fibre */
	put(id + 20, 16, "SLUICE");
	id[38] = 0x1b; /* OUI 00:1b:21: Intel's, whose modules drivers trust */
	id[39] = 0x21;
	put(id + 40, 16, "SOFT-10G-SR");
	put(id + 56, 4, "1");
	id[60] = 850 >> 8; /* nm */
	id[61] = 850 & 0xff;
	for (unsigned int i = 0; i < 63; i++)
		base = (uint8_t)(base + id[i]);
	id[63] = base;
	put(id + 68, 16, "1");
	put(id + 84, 8, "260101");
	for (unsigned int i = 64; i < 95; i++)
		extended = (uint8_t)(extended + id[i]);
	id[95] = extended;
	nic->i2c = (struct n82599_i2c){ .scl = true, .sda = true, .out = true };
}

static void
start(struct n82599_i2c *bus)
{
	bus->phase = ADDRESS;
	bus->fresh = true;
	bus->out = true;
	bus->bits = 0;
}

/* Eight bits are through: acknowledge them, or let the master do so. */
static void
byte_done(struct n82599_i2c *bus)
{
	bus->out = bus->phase == READING;
	if (bus->phase == ADDRESS && (bus->byte & ~1u) != MODULE_ADDRESS) {
		bus->phase = IDLE;
		bus->out = true;
	}
	if (bus->phase == POINTER)
		bus->at = bus->byte;
}

/* The ninth bit is through: what comes next? */
static void
byte_next(struct n82599 *nic)
{
	struct n82599_i2c *bus = &nic->i2c;

	bus->bits = 0;
	bus->out = true;
	if (bus->phase == ADDRESS)
		bus->phase = bus->byte & 1u ? READING : POINTER;
	else if (bus->phase == POINTER)
		bus->phase = WRITTEN; /* acknowledged and ignored */
	if (bus->phase == READING) {
		bus->byte = nic->sfp[bus->at++];
		bus->out = bus->byte >> 7;
	}
}

static void
clock_falls(struct n82599 *nic)
{
	struct n82599_i2c *bus = &nic->i2c;

	if (bus->phase == IDLE)
		return;
	if (bus->fresh)
		bus->fresh = false;
	else if (++bus->bits == 8)
		byte_done(bus);
	else if (bus->bits > 8)
		byte_next(nic);
	else if (bus->phase == READING)
		bus->out = bus->byte >> (7 - bus->bits) & 1u;
}

static void
clock_rises(struct n82599_i2c *bus, bool sda)
{
	if (bus->phase == READING) {
		if (bus->bits == 8 && sda) /* the master wants no more */
			bus->phase = IDLE;
	} else if (bus->phase != IDLE && bus->bits < 8) {
		bus->byte = (uint8_t)(bus->byte << 1 | sda);
	}
}

void
n82599_i2c_write(struct n82599 *nic, uint32_t value)
{
	struct n82599_i2c *bus = &nic->i2c;
	bool scl = value & I2C_CLK_OUT, sda = value & I2C_DATA_OUT;

	if (bus->scl && scl && bus->sda && !sda)
		start(bus);
	else if (bus->scl && scl && !bus->sda && sda)
		bus->phase = IDLE; /* stop */
	else if (!bus->scl && scl)
		clock_rises(bus, sda);
	else if (bus->scl && !scl)
		clock_falls(nic);
	bus->scl = scl;
	bus->sda = sda;
}

uint32_t
n82599_i2c_read(const struct n82599 *nic)
{
	const struct n82599_i2c *bus = &nic->i2c;

	return (bus->scl ? I2C_CLK_OUT | I2C_CLK_IN : 0) | (bus->sda ? I2C_DATA_OUT : 0) |
	       (bus->sda && bus->out ? I2C_DATA_IN : 0);
}
