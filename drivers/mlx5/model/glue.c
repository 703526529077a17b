/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/glue.h"

#include "drivers/mlx5/model/plugin.h"

#include <errno.h>

/*
 * librte_common_mlx5.so calls rdma-core through an exported pointer to a table (struct mlx5_glue of
 * drivers/common/mlx5/linux/mlx5_glue.h, version INTERNAL): its version string, then functions.
 */
extern const void *mlx5_glue;

typedef void (*slot_fn)(void);

enum slot {
#define SLOT(name)      SLOT_##name,
#define STUB_INT(name)  SLOT_##name,
#define STUB_PTR(name)  SLOT_##name,
#define STUB_VOID(name) SLOT_##name,
#include "drivers/mlx5/model/glue_slots.def"
#undef SLOT
#undef STUB_INT
#undef STUB_PTR
#undef STUB_VOID
	NB_SLOTS
};

static void
not_modelled(const char *name, bool *said)
{
	cx5_lock();
	if (!*said)
		soft_log(NULL, "cx5: %s is not modelled", name);
	*said = true;
	cx5_unlock();
	errno = EOPNOTSUPP;
}

/* The host passes arguments, which a C function without any ignores on x86-64. */
#define SLOT(name)
#define STUB(ret, name, value)                                                                     \
	static ret stub_##name(void)                                                               \
	{                                                                                          \
		static bool said;                                                                  \
                                                                                                   \
		not_modelled(#name, &said);                                                        \
		return value;                                                                      \
	}
#define STUB_INT(name)  STUB(int, name, EOPNOTSUPP)
#define STUB_PTR(name)  STUB(void *, name, NULL)
#define STUB_VOID(name) STUB(void, name, )
#include "drivers/mlx5/model/glue_slots.def"
#undef SLOT
#undef STUB_INT
#undef STUB_PTR
#undef STUB_VOID

static struct {
	const char *version;
	slot_fn slot[NB_SLOTS];
} table = {
	.slot = {
#define SLOT(name)      [SLOT_##name] = (slot_fn)glue_##name,
#define STUB_INT(name)  [SLOT_##name] = (slot_fn)stub_##name,
#define STUB_PTR(name)  [SLOT_##name] = (slot_fn)stub_##name,
#define STUB_VOID(name) [SLOT_##name] = (slot_fn)stub_##name,
#include "drivers/mlx5/model/glue_slots.def"
	},
};
_Static_assert(NB_SLOTS == 118, "the glue table of DPDK 22.11 has 118 functions");

void
cx5_glue_install(void)
{
	/* Of the table that is replaced: the PMD compares it with its own. */
	table.version = *(const char *const *)mlx5_glue;
	mlx5_glue = &table;
}
