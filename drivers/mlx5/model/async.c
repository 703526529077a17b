/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct comp_answer {
	struct comp_answer *next;
	uint64_t wr_id;
	size_t len;
	uint8_t out[];
};
struct comp { /* of asynchronous DevX commands */
	struct mlx5dv_devx_cmd_comp dv;
	struct cx5 *nic;
	struct comp_answer *first, **last;
};

/* Every queue of events has an eventfd that counts them, which the host may poll and make
 * non-blocking; reading it is what waiting is. */
int
cx5_event_wait(int fd)
{
	uint64_t one;

	for (;;) {
		if (read(fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
			return 0;
		if (errno != EINTR)
			return -1;
	}
}

void
cx5_event_tell(int fd)
{
	const uint64_t one = 1;
	ssize_t n;

	do
		n = write(fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

int
cx5_event_fd(void)
{
	return eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
}

void
cx5_event_async(struct cx5 *nic, enum ibv_event_type type)
{
	struct cx5_host *host = nic->host;

	if (host->async_fd < 0 || host->nb_events == CX5_EVENTS)
		return;
	host->event[host->nb_events++] = type;
	cx5_event_tell(host->async_fd);
}

int
glue_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct cx5_host *host = cx5_of_context(context)->host;
	int ret = -1;

	if (cx5_event_wait(host->async_fd) != 0)
		return -1;
	cx5_lock();
	if (host->nb_events != 0) {
		*event = (struct ibv_async_event){ .element.port_num = 1,
						   .event_type = host->event[0] };
		host->nb_events--;
		memmove(&host->event[0], &host->event[1], host->nb_events * sizeof(host->event[0]));
		ret = 0;
	}
	cx5_unlock();
	if (ret != 0)
		errno = EAGAIN;
	return ret;
}

void
glue_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}

struct mlx5dv_devx_cmd_comp *
glue_devx_create_cmd_comp(struct ibv_context *context)
{
	struct cx5 *nic = cx5_of_context(context);
	struct comp *comp;

	if (!cx5_enter(nic))
		return NULL;
	comp = calloc(1, sizeof(*comp));
	if (comp != NULL)
		comp->dv.fd = cx5_event_fd();
	if (comp == NULL || comp->dv.fd < 0) {
		cx5_unlock();
		free(comp);
		errno = ENOMEM;
		return NULL;
	}
	comp->nic = nic;
	comp->last = &comp->first;
	cx5_count(nic, 1);
	cx5_unlock();
	return &comp->dv;
}

void
glue_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *dv)
{
	struct comp *comp = (struct comp *)dv;

	cx5_lock();
	while (comp->first != NULL) {
		struct comp_answer *answer = comp->first;

		comp->first = answer->next;
		free(answer);
	}
	close(comp->dv.fd);
	cx5_count(comp->nic, -1);
	cx5_unlock();
	free(comp);
}

int
cx5_comp_post(struct mlx5dv_devx_cmd_comp *dv, uint64_t wr_id, const void *out, size_t len)
{
	struct comp *comp = (struct comp *)dv;
	struct comp_answer *answer = malloc(sizeof(*answer) + len);

	if (answer == NULL)
		return -ENOMEM;
	answer->next = NULL;
	answer->wr_id = wr_id;
	answer->len = len;
	memcpy(answer->out, out, len);
	*comp->last = answer;
	comp->last = &answer->next;
	cx5_event_tell(comp->dv.fd);
	return 0;
}

int
glue_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *dv,
			     struct mlx5dv_devx_async_cmd_hdr *response, size_t length)
{
	struct comp *comp = (struct comp *)dv;
	struct comp_answer *answer;

	if (cx5_event_wait(comp->dv.fd) != 0)
		return errno;
	cx5_lock();
	answer = comp->first;
	if (answer != NULL) {
		comp->first = answer->next;
		if (comp->first == NULL)
			comp->last = &comp->first;
	}
	cx5_unlock();
	if (answer == NULL || length < sizeof(*response)) {
		free(answer);
		errno = EAGAIN;
		return EAGAIN;
	}
	response->wr_id = answer->wr_id;
	length -= sizeof(*response);
	memcpy(response->out_data, answer->out, length < answer->len ? length : answer->len);
	free(answer);
	return 0;
}
