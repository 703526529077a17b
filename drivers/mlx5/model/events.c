/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cx5_channel *
channel_new(struct cx5 *nic)
{
	struct cx5_channel *channel;

	if (!cx5_enter(nic))
		return NULL;
	channel = calloc(1, sizeof(*channel));
	if (channel != NULL) {
		channel->nic = nic;
		channel->last = &channel->first;
		channel->fd = cx5_event_fd();
	}
	if (channel == NULL || channel->fd < 0) {
		cx5_unlock();
		free(channel);
		errno = ENOMEM;
		return NULL;
	}
	cx5_count(nic, 1);
	cx5_unlock();
	return channel;
}

/* CQs that still tell it are left without: rdma-core refuses while there are any. */
static int
channel_end(struct cx5_channel *channel)
{
	cx5_lock();
	if (channel->nb_cqs != 0) {
		cx5_unlock();
		return EBUSY;
	}
	close(channel->fd);
	cx5_count(channel->nic, -1);
	cx5_unlock();
	free(channel);
	return 0;
}

int
cx5_channel_join(struct cx5_channel *channel, struct cx5_cq *cq)
{
	if (cq->channel != NULL || channel->nic != cq->nic)
		return -EINVAL;
	cq->channel = channel;
	channel->nb_cqs++;
	/* The record's first armed value may be 0, which fresh memory says as well. */
	cq->arm_seen = CX5_ARM_NEVER;
	cq->dbrec[CX5_ARM_DBR] = htobe32(CX5_ARM_NEVER);
	cq->next_armed = cq->nic->armed;
	cq->nic->armed = cq;
	return 0;
}

void
cx5_channel_leave(struct cx5_cq *cq)
{
	struct cx5_channel *channel = cq->channel;
	struct cx5_cq **at;

	if (channel == NULL)
		return;
	for (at = &cq->nic->armed; *at != cq; at = &(*at)->next_armed)
		;
	*at = cq->next_armed;
	for (at = &channel->first; *at != NULL; at = &(*at)->next_told)
		if (*at == cq) {
			*at = cq->next_told; /* the fd still counts it: a fetch finds nothing */
			break;
		}
	for (channel->last = &channel->first; *channel->last != NULL;)
		channel->last = &(*channel->last)->next_told;
	channel->nb_cqs--;
	cq->channel = NULL;
}

static void
channel_tell(struct cx5_channel *channel, struct cx5_cq *cq)
{
	for (const struct cx5_cq *c = channel->first; c != NULL; c = c->next_told)
		if (c == cq)
			return;
	cq->next_told = NULL;
	*channel->last = cq;
	channel->last = &cq->next_told;
	cx5_event_tell(channel->fd);
}

static struct cx5_cq *
channel_fetch(struct cx5_channel *channel)
{
	struct cx5_cq *cq;

	if (cx5_event_wait(channel->fd) != 0)
		return NULL;
	cx5_lock();
	cq = channel->first;
	if (cq != NULL) {
		channel->first = cq->next_told;
		if (channel->first == NULL)
			channel->last = &channel->first;
	}
	cx5_unlock();
	if (cq == NULL)
		errno = EAGAIN;
	return cq;
}

/*
 * The arm doorbell record is sequence number << 28 | consumer index (24 bits): "tell me of the
 * first completion from there on", once for a value.
 */
static void
cq_check_arm(struct cx5_cq *cq)
{
	uint32_t arm = be32toh(cq->dbrec[CX5_ARM_DBR]);

	if (arm == cq->arm_seen || arm == CX5_ARM_NEVER)
		return;
	if (((cq->pi - arm) & 0xffffff) == 0)
		return;
	cq->arm_seen = arm;
	channel_tell(cq->channel, cq);
}

/*
 * 16 digits in a file that the host reads when it likes.  The low eight change by one store, so
 * that what is read is a number that was right; the others change once in 10^8 frames.
 */
static void
hw_counter_write(struct cx5_host *host, uint64_t value)
{
	char digits[16];
	uint64_t word[2];

	for (int i = 15; i >= 0; i--) {
		digits[i] = (char)('0' + value % 10);
		value /= 10;
	}
	memcpy(word, digits, sizeof(word));
	if (host->hw_counter[0] != word[0])
		__atomic_store_n(&host->hw_counter[0], word[0], __ATOMIC_RELAXED);
	__atomic_store_n(&host->hw_counter[1], word[1], __ATOMIC_RELEASE);
}

void
cx5_events_slow(struct cx5 *nic)
{
	if (nic->out_of_buffer != nic->out_of_buffer_told) {
		nic->out_of_buffer_told = nic->out_of_buffer;
		if (nic->host->hw_counter != NULL)
			hw_counter_write(nic->host, nic->out_of_buffer);
	}
	for (struct cx5_cq *cq = nic->armed; cq != NULL; cq = cq->next_armed)
		cq_check_arm(cq);
}

struct ibv_comp_channel *
glue_create_comp_channel(struct ibv_context *context)
{
	struct cx5_channel *channel = channel_new(cx5_of_context(context));

	if (channel == NULL)
		return NULL;
	channel->verbs.context = context;
	channel->verbs.fd = channel->fd;
	return &channel->verbs;
}

int
glue_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	return channel_end((struct cx5_channel *)channel);
}

int
glue_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct cx5_cq *told = channel_fetch((struct cx5_channel *)channel);

	if (told == NULL)
		return -1;
	*cq = (struct ibv_cq *)(uintptr_t)told->cookie;
	*cq_context = (*cq)->cq_context;
	return 0;
}

/* rdma-core counts these to know when a CQ may go; this CQ goes when it is destroyed. */
void
glue_ack_cq_events(struct ibv_cq *cq, unsigned int nb_events)
{
	(void)cq;
	(void)nb_events;
}

struct mlx5dv_devx_event_channel *
glue_devx_create_event_channel(struct ibv_context *context, int flags)
{
	struct cx5_channel *channel = channel_new(cx5_of_context(context));

	(void)flags; /* MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA: there is none anyway */
	if (channel == NULL)
		return NULL;
	channel->devx.fd = channel->fd;
	return &channel->devx;
}

void
glue_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *channel)
{
	if (channel_end((struct cx5_channel *)channel) != 0)
		soft_log(NULL, "cx5: an event channel was destroyed before its queues");
}

int
glue_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *dv, struct mlx5dv_devx_obj *obj,
			       uint16_t size, uint16_t events[], uint64_t cookie)
{
	struct cx5_channel *channel = (struct cx5_channel *)dv;
	struct cx5_object *object = (struct cx5_object *)obj;
	struct cx5_cq *cq = object->of;
	int ret;

	/* Event 0 is the completion of a CQ (PRM event types); no other is modelled. */
	if (object->type != CX5_CQ || size != sizeof(events[0]) || events[0] != 0) {
		errno = EOPNOTSUPP;
		return EOPNOTSUPP;
	}
	if (!cx5_enter(channel->nic))
		return EIO;
	cq->cookie = cookie;
	ret = cx5_channel_join(channel, cq);
	cx5_unlock();
	if (ret < 0)
		errno = -ret;
	return -ret;
}

ssize_t
glue_devx_get_event(struct mlx5dv_devx_event_channel *channel,
		    struct mlx5dv_devx_async_event_hdr *event, size_t size)
{
	struct cx5_cq *told;

	if (size < sizeof(*event)) {
		errno = EINVAL;
		return -1;
	}
	told = channel_fetch((struct cx5_channel *)channel);
	if (told == NULL)
		return -1;
	event->cookie = told->cookie;
	return (ssize_t)sizeof(*event);
}
