/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_host.h"

#define NUM 0  /* numbers that the test fills in */
#define DBR 64 /* bytes: MLX5_DBR_SIZE of the PMD */

struct host host;

/* --- stand-ins for the runner --- */

int
soft_start(void)
{
	return 0;
}

void
soft_lock_trap(void)
{
	assert_int_equal(host.locked++, 0);
}

void
soft_unlock(void)
{
	assert_int_equal(--host.locked, 0);
}

void
soft_stall(const struct soft_port *port)
{
	assert_ptr_equal(port, &host.port);
	assert_int_equal(host.locked, 0);
}

uint64_t
soft_now_ns(void)
{
	return ++host.now_ns;
}

bool
soft_trace(void)
{
	return false;
}

void
soft_log(const struct soft_port *port, const char *fmt, ...)
{
	(void)port, (void)fmt;
	host.lines++;
}

unsigned int
cx5_cards(struct cx5 **card, unsigned int max)
{
	card[0] = &host.nic;
	return max > 0 ? 1 : 0;
}

/* --- the card --- */

int
host_open(void **state)
{
	(void)state;
	memset(&host, 0, sizeof(host));
	host.conf.common.queues = 16;
	host.port.conf = &host.conf;
	host.port.nic = &host.nic;
	host.nic.port = &host.port;
	if (cx5_host_open(&host.nic, NULL) < 0 || cx5_datapath_open(&host.nic) < 0)
		return -1;
	host.context = glue_dv_open_device(&host.nic.dev);
	host.pd = glue_alloc_pd(host.context);
	return host.context != NULL && host.pd != NULL ? 0 : -1;
}

int
host_close(void **state)
{
	(void)state;
	glue_dealloc_pd(host.pd);
	glue_close_device(host.context);
	cx5_datapath_close(&host.nic);
	cx5_host_close(&host.nic);
	return host.nic.objects == 0 && host.nic.nb_rq == 0 && host.nic.nb_sq == 0 ? 0 : -1;
}

/* On the heap and of its very length, so that ASan sees a field beyond it. */
static uint8_t *
command(const struct host_dword *dw, unsigned int n, size_t len)
{
	uint8_t *in = calloc(1, len);

	assert_non_null(in);
	for (unsigned int i = 0; i < n; i++) {
		uint32_t value_be = htobe32(dw[i].value);

		assert_true(dw[i].at * 4 + 4 <= len);
		memcpy(in + (size_t)dw[i].at * 4, &value_be, 4);
	}
	return in;
}

static void
take(struct host_answer *answer, int code)
{
	answer->code = code;
	answer->status = prm_get(answer->out, CMD_STATUS);
	answer->syndrome = prm_get(answer->out, CMD_SYNDROME);
}

struct mlx5dv_devx_obj *
host_create(const struct host_dword *dw, unsigned int n, size_t len, struct host_answer *answer)
{
	uint8_t *in = command(dw, n, len);
	struct mlx5dv_devx_obj *obj = glue_devx_obj_create(host.context, in, len, answer->out, 16);

	take(answer, obj == NULL ? errno : 0);
	free(in);
	return obj;
}

void
host_modify(struct mlx5dv_devx_obj *obj, const struct host_dword *dw, unsigned int n,
	    struct host_answer *answer)
{
	uint8_t *in = command(dw, n, 280);

	take(answer, glue_devx_obj_modify(obj, in, 280, answer->out, 16));
	free(in);
}

void
host_query(struct mlx5dv_devx_obj *obj, const struct host_dword *dw, unsigned int n,
	   struct host_answer *answer)
{
	uint8_t *in = command(dw, n, 32);

	take(answer, glue_devx_obj_query(obj, in, 32, answer->out, sizeof(answer->out)));
	free(in);
}

uint32_t
host_id(const struct mlx5dv_devx_obj *obj)
{
	assert_non_null(obj);
	return ((const struct cx5_object *)obj)->id;
}

void *
host_of(const struct mlx5dv_devx_obj *obj)
{
	assert_non_null(obj);
	return ((const struct cx5_object *)obj)->of;
}

void
host_ring_open(struct host_ring *ring, uint32_t bytes)
{
	ring->bytes = bytes;
	ring->memory = calloc(1, bytes + DBR);
	assert_non_null(ring->memory);
	ring->umem = glue_devx_umem_reg(host.context, ring->memory, bytes + DBR, 0);
	assert_non_null(ring->umem);
}

void
host_ring_close(struct host_ring *ring)
{
	assert_int_equal(glue_devx_umem_dereg(ring->umem), 0);
	free(ring->memory);
}

/* --- commands as recorded, and what most tests start from --- */

static const struct host_dword create_cq[] = {
	{ 0, 0x04000000 }, { 4, 0x02000000 },  { 5, NUM },  { 7, 0x05000001 },
	{ 9, 0x00000001 }, { 19, 0x00000800 }, { 22, NUM }, { 23, 0x80000000 },
};
static const struct host_dword create_rq[] = {
	/* 4 WQEs of one 16-byte entry */
	{ 0, 0x09080000 },  { 8, 0x10040000 },  { 10, NUM },        { 11, 0x01000000 },
	{ 20, 0x10000000 }, { 22, 0x00000001 }, { 25, 0x00000040 }, { 28, 0x00040002 },
	{ 29, 0xc0000000 }, { 30, NUM },        { 31, NUM },
};

void
host_edit(struct host_edit *e, const struct host_dword *dw, unsigned int n)
{
	assert_true(n <= HOST_DWORDS);
	memcpy(e->dw, dw, n * sizeof(dw[0]));
	e->n = n;
}

void
host_set(struct host_edit *e, unsigned int at, uint32_t value)
{
	for (unsigned int i = 0; i < e->n; i++)
		if (e->dw[i].at == at) {
			e->dw[i].value = value;
			return;
		}
	assert_true(e->n < HOST_DWORDS);
	e->dw[e->n++] = (struct host_dword){ at, value };
}

void
host_cq(struct host_edit *e, const struct host_ring *ring)
{
	host_edit(e, create_cq, RTE_DIM(create_cq));
	host_set(e, 5, ring->umem->umem_id);
	host_set(e, 22, ring->umem->umem_id);
}

int
host_open_rings(void **state)
{
	struct host_edit e;

	if (host_open(state) != 0)
		return -1;
	host_ring_open(&host.cq_ring, 32 * 64);
	host_cq(&e, &host.cq_ring);
	host.cq = host_make(&e);
	host_ring_open(&host.rq_ring, 4 * 16);
	host_edit(&host.rq_edit, create_rq, RTE_DIM(create_rq));
	host_set(&host.rq_edit, 10, host_id(host.cq));
	host_set(&host.rq_edit, 30, host.rq_ring.umem->umem_id);
	host_set(&host.rq_edit, 31, host.rq_ring.umem->umem_id);
	return 0;
}

int
host_close_rings(void **state)
{
	assert_int_equal(glue_devx_obj_destroy(host.cq), 0);
	host_ring_close(&host.rq_ring);
	host_ring_close(&host.cq_ring);
	return host_close(state);
}

struct mlx5dv_devx_obj *
host_make(const struct host_edit *e)
{
	struct host_answer answer;
	struct mlx5dv_devx_obj *obj = host_create(e->dw, e->n, HOST_CREATE, &answer);

	if (obj == NULL)
		fail_msg("status 0x%x, syndrome 0x%x", answer.status, answer.syndrome);
	assert_int_equal(answer.status, 0);
	assert_int_equal(prm_get(answer.out, 0x48, 24), host_id(obj));
	return obj;
}

void
host_refused(const struct host_edit *e, size_t len, enum cx5_status status,
	     enum cx5_syndrome syndrome)
{
	long before = host.nic.objects;
	struct host_answer answer;

	assert_null(host_create(e->dw, e->n, len, &answer));
	assert_int_equal(answer.code, EREMOTEIO);
	assert_int_equal(answer.status, status);
	assert_int_equal(answer.syndrome, syndrome);
	assert_int_equal(host.nic.objects, before);
}
