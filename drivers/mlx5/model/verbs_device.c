/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct context {
	struct ibv_context ibv;
	struct cx5 *nic;
};

struct cx5 *
cx5_of_context(struct ibv_context *context)
{
	return ((struct context *)context)->nic;
}

static struct cx5 *
of_device(struct ibv_device *device)
{
	return (struct cx5 *)((char *)device - offsetof(struct cx5, dev));
}

int
glue_fork_init(void)
{
	return 0;
}

struct ibv_device **
glue_get_device_list(int *nb_devices)
{
	struct cx5 *card[SOFT_PORT_MAX];
	struct ibv_device **list = calloc(SOFT_PORT_MAX + 1, sizeof(*list));
	unsigned int n;

	if (list == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	cx5_lock();
	n = cx5_cards(card, SOFT_PORT_MAX);
	for (unsigned int i = 0; i < n; i++)
		list[i] = &card[i]->dev;
	cx5_unlock();
	if (nb_devices != NULL)
		*nb_devices = (int)n;
	return list;
}

void
glue_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *
glue_get_device_name(struct ibv_device *device)
{
	return device->name;
}

struct ibv_context *
glue_open_device(struct ibv_device *device)
{
	struct cx5 *nic = of_device(device);
	struct context *context;

	if (soft_start() != 0) {
		errno = EAGAIN;
		return NULL;
	}
	if (!cx5_enter(nic))
		return NULL;
	context = nic->host->contexts == 0 ? calloc(1, sizeof(*context)) : NULL;
	if (context == NULL) {
		errno = nic->host->contexts == 0 ? ENOMEM : EBUSY;
		goto err_unlock;
	}
	nic->host->async_fd = cx5_event_fd();
	nic->host->nb_events = 0;
	if (nic->host->async_fd < 0)
		goto err_free;
	context->nic = nic;
	context->ibv.device = device;
	context->ibv.num_comp_vectors = 1;
	context->ibv.cmd_fd = -1;
	context->ibv.async_fd = nic->host->async_fd;
	nic->host->contexts++;
	cx5_count(nic, 1);
	cx5_unlock();
	return &context->ibv;

err_free:
	free(context);
err_unlock:
	cx5_unlock();
	return NULL;
}

struct ibv_context *
glue_dv_open_device(struct ibv_device *device)
{
	if (of_device(device)
		    ->verbs) { /* a kernel without DevX: the PMD goes on with open_device */
		errno = EOPNOTSUPP;
		return NULL;
	}
	return glue_open_device(device);
}

/* What is of no one card must be gone with the last. */
static void
tell_left_over(void)
{
	struct cx5 *card[SOFT_PORT_MAX];
	unsigned int n = cx5_cards(card, SOFT_PORT_MAX);

	for (unsigned int i = 0; i < n; i++)
		if (card[i]->host->contexts != 0)
			return;
	if (cx5_objects_left() != 0)
		soft_log(NULL, "cx5: %ld objects left of no one card", cx5_objects_left());
}

int
glue_close_device(struct ibv_context *context)
{
	struct cx5 *nic = cx5_of_context(context);

	cx5_lock();
	close(nic->host->async_fd);
	nic->host->async_fd = -1;
	nic->host->contexts--;
	cx5_count(nic, -1);
	if (nic->objects != 0 || soft_trace())
		soft_log(nic->port, "closed, %ld objects left on the card", nic->objects);
	tell_left_over();
	cx5_unlock();
	free(context);
	return 0;
}

struct ibv_pd *
glue_alloc_pd(struct ibv_context *context)
{
	struct cx5 *nic = cx5_of_context(context);
	struct ibv_pd *pd;

	if (!cx5_enter(nic))
		return NULL;
	pd = calloc(1, sizeof(*pd));
	if (pd != NULL) {
		pd->context = context;
		cx5_count(nic, 1);
	} else {
		errno = ENOMEM;
	}
	cx5_unlock();
	return pd;
}

int
glue_dealloc_pd(struct ibv_pd *pd)
{
	cx5_lock();
	cx5_count(cx5_of_context(pd->context), -1);
	cx5_unlock();
	free(pd);
	return 0;
}

static void
fill_device(const struct cx5 *nic, struct ibv_device_attr *attr)
{
	const struct cx5_conf *conf = nic->port->conf;

	*attr = (struct ibv_device_attr){
		.vendor_id = 0x15b3,
		.vendor_part_id = 0x1017,
		.max_qp = (int)conf->common.queues, /* what the PMD offers as queues */
		.max_qp_wr = 32768,
		.max_sge = 30,
		.max_cq = 1 << 16,
		.max_cqe = (1 << 22) - 1,
		.max_mr = CX5_MR_MAX - 1,
		.max_pd = 1 << 16,
		.phys_port_cnt = 1,
	};
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "16.35.2000");
}

int
glue_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	struct cx5 *nic = cx5_of_context(context);

	if (!cx5_enter(nic))
		return EIO;
	fill_device(nic, attr);
	cx5_unlock();
	return 0;
}

int
glue_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		     struct ibv_device_attr_ex *attr)
{
	struct cx5 *nic = cx5_of_context(context);

	(void)input;
	if (!cx5_enter(nic))
		return EIO;
	memset(attr, 0, sizeof(*attr));
	fill_device(nic, &attr->orig_attr);
	attr->device_cap_flags_ex = IBV_DEVICE_RAW_IP_CSUM;
	attr->raw_packet_caps = IBV_RAW_PACKET_CAP_IP_CSUM | IBV_RAW_PACKET_CAP_CVLAN_STRIPPING |
				IBV_RAW_PACKET_CAP_SCATTER_FCS;
	attr->rss_caps.supported_qpts = 1u << IBV_QPT_RAW_PACKET;
	attr->rss_caps.max_rwq_indirection_tables = 1u << 16;
	attr->rss_caps.max_rwq_indirection_table_size = CX5_RQT_MAX;
	attr->rss_caps.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
	attr->max_wq_type_rq = 1u << 16;
	attr->tso_caps.max_tso = 1u << 18; /* as a ConnectX-5 says: 256 KB */
	attr->tso_caps.supported_qpts = 1u << IBV_QPT_RAW_PACKET;
	cx5_unlock();
	return 0;
}

int
glue_query_rt_values_ex(struct ibv_context *context, struct ibv_values_ex *values)
{
	struct cx5 *nic = cx5_of_context(context);

	if (!cx5_enter(nic))
		return EIO;
	/* The clock counts nanoseconds, as device_frequency_khz says (devx_caps.c). */
	values->raw_clock = (struct timespec){ .tv_nsec = (long)soft_now_ns() };
	values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	cx5_unlock();
	return 0;
}

int
glue_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct cx5 *nic = cx5_of_context(context);

	if (port != 1)
		return EINVAL;
	if (!cx5_enter(nic))
		return EIO;
	*attr = (struct ibv_port_attr){
		.state = nic->port->fault[SOFTNIC_LINK_DOWN] ? IBV_PORT_DOWN : IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_1024,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};
	cx5_unlock();
	return 0;
}

const char *
glue_port_state_str(enum ibv_port_state state)
{
	return state == IBV_PORT_ACTIVE ? "PORT_ACTIVE"
	       : state == IBV_PORT_DOWN ? "PORT_DOWN"
					: "invalid state";
}

int
glue_dv_query_device(struct ibv_context *context, struct mlx5dv_context *attr)
{
	struct cx5 *nic = cx5_of_context(context);
	uint64_t wanted = attr->comp_mask;

	if (!cx5_enter(nic))
		return EIO;
	*attr = (struct mlx5dv_context){
		.flags = MLX5DV_CONTEXT_FLAGS_CQE_V1 | MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED |
			 MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW,
		.comp_mask = wanted & MLX5DV_CONTEXT_MASK_STRIDING_RQ,
		/* Strides of 64 bytes to 8 KB, 8 (ext_stride_num_range) to 65,536 in a WQE. */
		.striding_rq_caps = { .min_single_stride_log_num_of_bytes = 6,
				      .max_single_stride_log_num_of_bytes = 13,
				      .min_single_wqe_log_num_of_strides = 3,
				      .max_single_wqe_log_num_of_strides = 16,
				      .supported_qpts = 1u << IBV_QPT_RAW_PACKET },
	};
	cx5_unlock();
	return 0;
}

/* The PMD's allocators for rings: the model's rings are its own memory. */
int
glue_dv_set_context_attr(struct ibv_context *context, enum mlx5dv_set_ctx_attr_type type,
			 void *attr)
{
	(void)context;
	(void)type;
	(void)attr;
	return 0;
}
