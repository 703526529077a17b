/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"
#include "support/cmocka.h"

#include <string.h>

/*
 * What is on the board next to the 82599: the EEPROM, read word by word through EERD, and the SFP+
 * module, read bit by bit through I2CCTL the way that a driver does it.
 */
static struct n82599 *nic;

static int
begin(void **state)
{
	(void)state;
	nic = bare_new();
	return 0;
}

static int
end(void **state)
{
	(void)state;
	bare_free(nic);
	return 0;
}

/* ---- EEPROM */

static uint16_t
word(uint32_t addr)
{
	uint32_t value;

	n82599_write(nic, R_EERD, addr << 2 | EERD_START);
	value = n82599_read(nic, R_EERD);
	assert_true(value & EERD_DONE);
	return (uint16_t)(value >> 16);
}

/* 6.4.3: words 0 to 0x3f, and the sections that words 3 to 0xe point at. */
static void
eeprom_has_a_valid_checksum(void **state)
{
	uint16_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i <= 0x3f; i++)
		sum = (uint16_t)(sum + word(i));
	for (uint32_t i = 3; i < 0x0f; i++) {
		uint16_t at = word(i), len = at != 0 && at != 0xffff ? word(at) : 0;

		for (uint16_t j = 1; len != 0xffff && j <= len; j++)
			sum = (uint16_t)(sum + word((uint32_t)at + j));
	}
	assert_int_equal(sum, 0xbaba);
}

static void
eeprom_names_a_firmware_of_production(void **state)
{
	uint16_t block = word(0x0f);

	(void)state;
	assert_in_range(block, 0x40, 0x3ff);
	assert_true(word(word((uint32_t)block + 4) + 7u) > 5);
	/* No LESM: a driver would have to share AUTOC with it. */
	assert_int_equal(word((uint32_t)block + 2), 0);
}

/* Pairs of a module's type and where its actions are, ended by ffff. */
static void
eeprom_knows_the_module(void **state)
{
	uint32_t at = word(0x2b) + 1u;
	unsigned int found = 0;

	(void)state;
	for (; word(at) != 0xffff; at += 2) {
		assert_in_range(at, 1, 0x3ff);
		found += word(at) == 5 || word(at) == 6;
		assert_int_equal(word(word(at + 1) + 1u), 0xffff);
	}
	assert_int_equal(found, 2);
}

static void
eeprom_ends(void **state)
{
	(void)state;
	assert_int_equal(word(1024), 0xffff);
	assert_int_equal(word(0x3fff), 0xffff);
	n82599_write(nic, R_EEC, EEC_REQ);
	assert_true(n82599_read(nic, R_EEC) & EEC_GNT);
	assert_false(n82599_read(nic, R_EEC) & EEC_DO);
	n82599_write(nic, R_EEC, 0);
	assert_false(n82599_read(nic, R_EEC) & EEC_GNT);
	assert_true(n82599_read(nic, R_EEC) & EEC_PRES);
}

/* ---- two-wire bus: one register write for each edge, as on a bus with a clock of its own */

static void
line(uint32_t bit, bool high)
{
	uint32_t value = n82599_read(nic, R_I2CCTL);

	n82599_write(nic, R_I2CCTL, high ? value | bit : value & ~bit);
}

static void
scl(bool high)
{
	line(I2C_CLK_OUT, high);
	assert_int_equal(!!(n82599_read(nic, R_I2CCTL) & I2C_CLK_IN), high);
}

static void
sda(bool high)
{
	line(I2C_DATA_OUT, high);
}

static bool
in(void)
{
	return n82599_read(nic, R_I2CCTL) & I2C_DATA_IN;
}

static void
bus_start(void)
{
	sda(true);
	scl(true);
	sda(false);
	scl(false);
}

static void
bus_stop(void)
{
	sda(false);
	scl(true);
	sda(true);
}

/* The master checks that the line follows: nobody may hold it down while a bit goes out. */
static void
bit_out(bool value)
{
	sda(value);
	assert_int_equal(in(), value);
	scl(true);
	scl(false);
}

static bool
bit_in(void)
{
	bool value;

	scl(true);
	value = in();
	scl(false);
	return value;
}

static bool
byte_out(uint8_t byte) /* acknowledged? */
{
	for (int i = 7; i >= 0; i--)
		bit_out(byte >> i & 1);
	sda(true);
	return !bit_in();
}

static uint8_t
byte_in(bool more)
{
	uint8_t byte = 0;

	sda(true);
	for (int i = 0; i < 8; i++)
		byte = (uint8_t)(byte << 1 | bit_in());
	bit_out(!more);
	return byte;
}

static void
read_at(uint8_t addr, uint8_t *bytes, unsigned int n)
{
	bus_start();
	assert_true(byte_out(0xa0));
	assert_true(byte_out(addr));
	bus_start();
	assert_true(byte_out(0xa1));
	for (unsigned int i = 0; i < n; i++)
		bytes[i] = byte_in(i + 1 < n);
	assert_int_equal(byte_in(false), 0xff); /* who was told to stop drives nothing */
	bus_stop();
}

static void
module_is_a_10gbase_sr(void **state)
{
	uint8_t id[96], one, base = 0, extended = 0;

	(void)state;
	read_at(0, id, sizeof(id));
	for (uint8_t i = 0; i < sizeof(id); i++) {
		read_at(i, &one, 1);
		if (one != id[i])
			fail_msg("byte %u: %#x alone, %#x in a row", i, one, id[i]);
	}
	assert_int_equal(id[0], 3);
	assert_int_equal(id[3], 0x10);
	assert_memory_equal(id + 37, "\x00\x1b\x21", 3);
	for (unsigned int i = 0; i < 63; i++)
		base = (uint8_t)(base + id[i]);
	for (unsigned int i = 64; i < 95; i++)
		extended = (uint8_t)(extended + id[i]);
	assert_int_equal(base, id[63]);
	assert_int_equal(extended, id[95]);
}

static void
other_devices_are_silent(void **state)
{
	uint8_t one;

	(void)state;
	bus_start();
	assert_false(byte_out(0xa2)); /* no diagnostics */
	bus_stop();
	bus_start();
	assert_false(byte_out(0xc0));
	assert_false(byte_out(0xa0)); /* not without a start */
	bus_stop();
	read_at(0, &one, 1);
	assert_int_equal(one, 3);
}

/* A driver in trouble clocks nine ones and stops; a write is acknowledged and changes nothing. */
static void
bus_recovers(void **state)
{
	uint8_t bytes[2];

	(void)state;
	bus_start();
	assert_true(byte_out(0xa0));
	bit_out(true);
	bit_out(false);
	bus_start();
	sda(true);
	for (int i = 0; i < 9; i++) {
		scl(true);
		scl(false);
	}
	bus_start();
	bus_stop();
	bus_start();
	assert_true(byte_out(0xa0));
	assert_true(byte_out(0));
	assert_true(byte_out(0x55));
	bus_stop();
	read_at(0, bytes, 2);
	assert_memory_equal(bytes, "\x03\x04", 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(eeprom_has_a_valid_checksum, begin, end),
		cmocka_unit_test_setup_teardown(eeprom_names_a_firmware_of_production, begin, end),
		cmocka_unit_test_setup_teardown(eeprom_knows_the_module, begin, end),
		cmocka_unit_test_setup_teardown(eeprom_ends, begin, end),
		cmocka_unit_test_setup_teardown(module_is_a_10gbase_sr, begin, end),
		cmocka_unit_test_setup_teardown(other_devices_are_silent, begin, end),
		cmocka_unit_test_setup_teardown(bus_recovers, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
