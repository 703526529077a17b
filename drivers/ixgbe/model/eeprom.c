/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <string.h>

/* Words of the EEPROM and pointers in it, datasheet 6.1 to 6.4. */
enum {
	FIRMWARE_POINTER = 0x0f,
	SAN_MAC_POINTER = 0x28,
	SFP_POINTER = 0x2b, /* what to do when a module is plugged in */
	CAPABILITIES = 0x2c,
	CHECKSUM = 0x3f,

	/* Where this one has its sections: behind the words with fixed meaning. */
	SFP_LIST = 0x100,
	SFP_ACTIONS = 0x110,
	FIRMWARE = 0x200,
	PATCH = 0x220,
};
#define CAPABILITY_ANY_SFP 1u
#define SUM                0xbabau /* 6.4.3: of words 0 to 0x3f */
#define NONE               0xffffu

void
n82599_eeprom_init(struct n82599 *nic)
{
	uint16_t *word = nic->eeprom, sum = 0;

	memset(nic->eeprom, 0, sizeof(nic->eeprom));

	/* A firmware that does nothing, of a version (0.6) that drivers take for production. */
	word[FIRMWARE_POINTER] = FIRMWARE;
	word[FIRMWARE + 4] = PATCH; /* pass-through patch configuration */
	word[PATCH + 7] = 6;

	/* Module type 5 (SR or LR on port 0) and 6 (on port 1): nothing to write into the core. */
	word[SFP_POINTER] = SFP_LIST;
	word[SFP_LIST + 1] = 5;
	word[SFP_LIST + 2] = SFP_ACTIONS;
	word[SFP_LIST + 3] = 6;
	word[SFP_LIST + 4] = SFP_ACTIONS;
	word[SFP_LIST + 5] = NONE;
	word[SFP_ACTIONS + 1] = NONE;

	word[SAN_MAC_POINTER] = NONE;
	word[CAPABILITIES] = CAPABILITY_ANY_SFP;

	for (unsigned int i = 0; i < CHECKSUM; i++)
		sum = (uint16_t)(sum + word[i]);
	word[CHECKSUM] = (uint16_t)(SUM - sum);
}
