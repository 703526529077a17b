/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_OBJECTS_H
#define CX5_OBJECTS_H

#include "drivers/mlx5/model/glue.h"

/*
 * The host's side of the card: handles, numbers, memory it lent, events it waits for.  Behind a
 * handle is an object of object.h; the numbers (CQN, RQN, ...) share one space a card.
 *
 * Threads: under the models' lock.
 */
#define CX5_IDS       8192 /* objects of a card at a time */
#define CX5_ID_FIRST  256  /* below: Q counter sets, whose numbers have 8 bits */
#define CX5_UMEMS     1024
#define CX5_EVENTS    8           /* asynchronous events not fetched yet */
#define CX5_ARM_DBR   1           /* dword of a CQ's doorbell record */
#define CX5_ARM_NEVER 0xffffffffu /* no arm doorbell: its bits 31:30 and 27:25 are zero */

enum cx5_type {
	CX5_CQ = 1,
	CX5_RQ,
	CX5_SQ,
	CX5_RQT,
	CX5_TIR,
	CX5_TIS,
	CX5_TD,
	CX5_Q_COUNTER,
	CX5_FLOW_COUNTER,
	CX5_MKEY
};

struct cx5_umem { /* host memory that queues may lie in */
	struct mlx5dv_devx_umem dv;
	struct cx5 *nic;
	uint8_t *addr;
	size_t size;
	unsigned int users; /* queues */
};

struct cx5_object {
	struct cx5 *nic;
	enum cx5_type type;
	uint32_t id;
	void *of;                 /* struct cx5_cq, ... by type; NULL: nothing but a number */
	struct cx5_umem *umem[2]; /* of a queue and of its doorbell record */
	uint64_t base;            /* Q counter: of the card's count, when it was made or cleared */
};

/* What the host can be told by; one behind struct ibv_comp_channel, one behind DevX's. */
struct cx5_channel {
	union {
		struct ibv_comp_channel verbs;
		struct mlx5dv_devx_event_channel devx;
	};
	struct cx5 *nic;
	int fd;               /* eventfd that counts; the host polls and reads its copy above */
	unsigned int nb_cqs;  /* that tell it */
	struct cx5_cq *first; /* told and not fetched, in order */
	struct cx5_cq **last;
};

struct cx5_host {
	struct cx5_object *ids[CX5_IDS];
	struct cx5_umem *umems[CX5_UMEMS];
	uint32_t next_id, next_umem, next_counter;
	int async_fd; /* eventfd that counts, -1: not open */
	unsigned int nb_events;
	enum ibv_event_type event[CX5_EVENTS];
	unsigned int contexts; /* opened and not closed */
	uint64_t *hw_counter;  /* the mapped file of out_of_buffer: digits; or NULL */
	uint64_t refused_ns;   /* when a refused command was told of last */
	unsigned int refused;  /* since, untold */
};

/* objects.c */
int cx5_host_open(struct cx5 *nic, struct err *err);
void cx5_host_close(struct cx5 *nic);
int cx5_id_new(struct cx5_object *object); /* sets ->id; -ENOSPC */
void cx5_id_free(struct cx5_object *object);
struct cx5_object *cx5_id_find(struct cx5 *nic, uint32_t id, enum cx5_type type);
void *cx5_ring_new(size_t size); /* zeroed, page aligned; free() */

int cx5_rq_state(struct cx5_rq *rq, enum cx5_state state);
int cx5_sq_state(struct cx5_sq *sq, enum cx5_state state);
/* Take n entries, all of the same card; -EINVAL when n is not a power of two up to CX5_RQT_MAX. */
int cx5_rqt_set(struct cx5_rqt *rqt, struct cx5_rq *const *rq, uint32_t n);
void cx5_rqt_clear(struct cx5_rqt *rqt);
/* -EINVAL: fields of both IPv4 and IPv6, or of both TCP and UDP. */
int cx5_tir_hash(struct cx5_tir *tir, uint64_t fields, const uint8_t key[TOEPLITZ_KEY]);

/* async.c: every queue of events has an eventfd that counts them */
int cx5_event_fd(void);
int cx5_event_wait(int fd); /* 0, or -1 with errno: EAGAIN on a non-blocking one */
void cx5_event_tell(int fd);
void cx5_event_async(struct cx5 *nic, enum ibv_event_type type);
/* The answer of an asynchronous command; copied. */
int cx5_comp_post(struct mlx5dv_devx_cmd_comp *dv, uint64_t wr_id, const void *out, size_t len);

/* events.c: completion channels */
int cx5_channel_join(struct cx5_channel *channel, struct cx5_cq *cq);
void cx5_channel_leave(struct cx5_cq *cq);

/* netdev.c */
int cx5_netdev_open(struct cx5 *nic, const char *name, struct err *err);
void cx5_netdev_close(struct cx5 *nic);
int cx5_netdev_carrier(struct cx5 *nic, bool on);

/* attach.c */
int cx5_attach(struct soft_port *port, struct err *err);
void cx5_detach(struct soft_port *port);
unsigned int cx5_cards(struct cx5 **cards, unsigned int max);

#endif
