/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <stdlib.h>

/* QUERY_Q_COUNTER: the model keeps one of its counters, for the whole card. */
#define QQC_CLEAR         0xc0, 1
#define QQC_OUT_OF_BUFFER 0x180, 32
#define QQC_LEN           256 /* bytes of the answer */

/* ALLOC_FLOW_COUNTER, QUERY_FLOW_COUNTER */
#define AFC_BULK        0x78, 8 /* one bit: 128 << its place */
#define AFC_LOG_BULK    0x73, 5
#define QFC_MKEY        0x60, 32
#define QFC_ADDRESS     0x80
#define QFC_CLEAR       0xc0, 1
#define QFC_DUMP        0xc1, 1 /* to memory, rather than into the answer */
#define QFC_NUMBER      0xc2, 30
#define QFC_ID          0xe0, 32
#define QFC_STATISTICS  16 /* bytes of the answer before them */
#define TRAFFIC_LEN     16 /* bytes: packets, octets */
#define TRAFFIC_PACKETS 0x0
#define TRAFFIC_OCTETS  0x40

int
cx5_make_q_counter(struct cx5_cmd *cmd, struct cx5_object *object)
{
	object->base = cmd->nic->out_of_buffer;
	return 0;
}

int
cx5_query_q_counter(struct cx5_cmd *cmd, struct cx5_object *object)
{
	uint64_t now = cmd->nic->out_of_buffer;

	if (cmd->out_len < QQC_LEN)
		return cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
	prm_set(cmd->out, QQC_OUT_OF_BUFFER, (uint32_t)(now - object->base));
	if (prm_get(cmd->in, QQC_CLEAR))
		object->base = now;
	return 0;
}

int
cx5_make_flow_counter(struct cx5_cmd *cmd, struct cx5_object *object)
{
	uint32_t bulk = prm_get(cmd->in, AFC_BULK);
	uint32_t n = bulk != 0 ? 128 * bulk : 1;
	struct cx5_counters *counters;

	if ((bulk & (bulk - 1)) != 0 || n > 512 || prm_get(cmd->in, AFC_LOG_BULK) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_COUNTER);
	counters = calloc(1, sizeof(*counters) + n * sizeof(counters->value[0]));
	if (counters == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	counters->n = n;
	object->of = counters;
	/* The host finds its place in a bulk by the low bits of a number. */
	cmd->nic->host->next_counter = (cmd->nic->host->next_counter + n - 1) & ~(n - 1);
	object->id = cmd->nic->host->next_counter;
	cmd->nic->host->next_counter += n;
	return 0;
}

int
cx5_end_flow_counter(struct cx5_object *object)
{
	struct cx5_counters *counters = object->of;

	/* The PMD frees counters before the actions that name them; the firmware knows of rules only. */
	counters->orphan = true;
	if (counters->users == 0)
		free(counters);
	return 0;
}

void
cx5_counters_put(struct cx5_counters *counters)
{
	if (--counters->users == 0 && counters->orphan)
		free(counters);
}

struct cx5_counters *
cx5_counters_of_devx(void *obj)
{
	struct cx5_object *object = obj;

	return object->type == CX5_FLOW_COUNTER ? object->of : NULL;
}

int
cx5_query_flow_counter(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_counters *counters = object->of;
	uint32_t first = prm_get(cmd->in, QFC_ID) - object->id;
	uint32_t n = prm_get(cmd->in, QFC_NUMBER);
	uint8_t *to;

	if (n == 0)
		n = 1;
	if (first >= counters->n || n > counters->n - first)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_COUNTER);
	if (prm_get(cmd->in, QFC_DUMP)) {
		to = cx5_mr_at(htobe32(prm_get(cmd->in, QFC_MKEY)), prm_get64(cmd->in, QFC_ADDRESS),
			       n * TRAFFIC_LEN);
		if (to == NULL)
			return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_MKEY);
	} else {
		if (cmd->out_len < QFC_STATISTICS + (size_t)n * TRAFFIC_LEN)
			return cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
		to = (uint8_t *)cmd->out + QFC_STATISTICS;
	}
	for (uint32_t i = 0; i < n; i++, to += TRAFFIC_LEN) {
		struct cx5_counter *counter = &counters->value[first + i];

		prm_set64(to, TRAFFIC_PACKETS, counter->packets);
		prm_set64(to, TRAFFIC_OCTETS, counter->bytes);
		if (prm_get(cmd->in, QFC_CLEAR))
			*counter = (struct cx5_counter){ 0 };
	}
	return 0;
}
