/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>

/*
 * QUERY_HCA_CAP: what the model does, in the layouts of PRM "HCA Capabilities".  Bits that are not
 * named are zero, "not there": eswitch, tunnels, LRO, hairpin, meters, samplers, software parsing,
 * header rewriting, packet pacing.
 */
struct cap {
	uint16_t bit, width; /* of the capability's layout */
	uint32_t value;
};
static const struct cap general[] = {
	{ 0x88, 8, 15 },      /* log_max_qp_sz */
	{ 0x9b, 5, 16 },      /* log_max_qp */
	{ 0xc8, 8, 22 },      /* log_max_cq_sz */
	{ 0xdb, 5, 12 },      /* log_max_cq */
	{ 0xea, 6, 13 },      /* log_max_mkey: CX5_MR_MAX */
	{ 0x109, 7, 64 },     /* log_max_mrw_sz */
	{ 0x184, 1, 1 },      /* modify_rq_counter_set_id */
	{ 0x186, 10, 255 },   /* max_qp_cnt: Q counter sets */
	{ 0x1a6, 1, 1 },      /* nic_flow_table */
	{ 0x1b6, 2, 1 },      /* port_type: Ethernet */
	{ 0x1b8, 8, 1 },      /* num_ports */
	{ 0x1fc, 4, 1 },      /* cqe_version */
	{ 0x201, 1, 1 },      /* striding_rq */
	{ 0x21c, 1, 1 },      /* eth_net_offloads */
	{ 0x258, 8, 12 },     /* log_pg_sz */
	{ 0x260, 1, 1 },      /* bf: BlueFlame */
	{ 0x26b, 5, 9 },      /* log_bf_reg_size: two buffers of 256 bytes */
	{ 0x290, 16, 1024 },  /* max_wqe_sz_sq */
	{ 0x2b0, 16, 512 },   /* max_wqe_sz_rq */
	{ 0x310, 8, 0x7 },    /* flow_counter_bulk_alloc: 128, 256 or 512 */
	{ 0x323, 5, 12 },     /* log_max_transport_domain */
	{ 0x32b, 5, 16 },     /* log_max_pd */
	{ 0x348, 8, 9 },      /* log_max_flow_counter_bulk */
	{ 0x350, 16, 32768 }, /* max_flow_counter_15_0 */
	{ 0x361, 1, 1 },      /* flow_counters_dump */
	{ 0x363, 5, 6 },      /* log_max_rq: CX5_QUEUES */
	{ 0x36b, 5, 6 },      /* log_max_sq */
	{ 0x373, 5, 12 },     /* log_max_tir */
	{ 0x37b, 5, 12 },     /* log_max_tis */
	{ 0x380, 1, 1 },      /* basic_cyclic_rcv_wqe */
	{ 0x38b, 5, 12 },     /* log_max_rqt */
	{ 0x393, 5, 9 },      /* log_max_rqt_size: CX5_RQT_MAX */
	{ 0x3a0, 1, 1 },      /* ext_stride_num_range: from 2^3 strides */
	{ 0x3a3, 5, 13 },     /* log_max_stride_sz_rq */
	{ 0x3ab, 5, 6 },      /* log_min_stride_sz_rq */
	{ 0x3b3, 5, 6 },      /* log_max_stride_sz_sq */
	{ 0x3bb, 5, 6 },      /* log_min_stride_sz_sq */
	{ 0x3db, 5, 15 },     /* log_max_wq_sz */
	/* The clock is soft_now_ns(): 1 GHz.  A real card has 156.25 MHz. */
	{ 0x4c0, 32, 1000 },    /* device_frequency_mhz */
	{ 0x4e0, 32, 1000000 }, /* device_frequency_khz */
	{ 0x5bc, 1, 1 },        /* mini_cqe_resp_stride_index */
	{ 0x5bf, 1, 1 },        /* cqe_compression */
	{ 0x5d0, 16, 64 },      /* cqe_compression_max_num */
};
static const struct cap ethernet[] = {
	{ 0x0, 1, 1 },  /* csum_cap */
	{ 0x1, 1, 1 },  /* vlan_cap */
	{ 0x7, 1, 1 },  /* wqe_vlan_insert */
	{ 0xb, 5, 18 }, /* max_lso_cap: log2 of 256 KB */
	{ 0x12, 2, 2 }, /* wqe_inline_mode: not required */
	{ 0x14, 4, 9 }, /* rss_ind_tbl_cap: CX5_RQT_MAX */
	{ 0x19, 1, 1 }, /* scatter_fcs */
	{ 0x1a, 1, 1 }, /* enhanced_multi_pkt_send_wqe */
};
static const struct cap flow_table[] = {
	/* flow_table_properties_nic_receive, at bit 0x200 */
	{ 0x200, 1, 1 },  /* ft_support */
	{ 0x201, 1, 1 },  /* flow_tag */
	{ 0x202, 1, 1 },  /* flow_counter */
	{ 0x20a, 1, 1 },  /* pop_vlan */
	{ 0x211, 1, 1 },  /* sw_owner */
	{ 0x222, 6, 20 }, /* log_max_ft_size */
	{ 0x238, 8, 64 }, /* max_ft_level */
};

#define CAP_AT  16   /* bytes of the answer before the capability */
#define CAP_LEN 4096 /* bytes of it */

/* QUERY_NIC_VPORT_CONTEXT, its context at bit 0x80 of the answer. */
#define VPORT_LEN    272 /* bytes of the answer */
#define VPORT_MTU    0x1b0, 16
#define VPORT_MAC_HI 0x830, 16
#define VPORT_MAC_LO 0x840, 32

static void
fill(struct cx5_cmd *cmd, const struct cap *caps, size_t n)
{
	uint8_t *at = (uint8_t *)cmd->out + CAP_AT;

	for (size_t i = 0; i < n; i++)
		prm_set(at, caps[i].bit, caps[i].width, caps[i].value);
}

int
cx5_query_capabilities(struct cx5_cmd *cmd)
{
	if (cmd->out_len < CAP_AT + CAP_LEN)
		return cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
	/* op_mod: the capability, then one bit: 1 current, 0 maximum.  They do not differ. */
	switch (prm_get(cmd->in, CMD_OP_MOD) >> 1) {
	case 0x0:
		fill(cmd, general, sizeof(general) / sizeof(general[0]));
		return 0;
	case 0x1:
		fill(cmd, ethernet, sizeof(ethernet) / sizeof(ethernet[0]));
		return 0;
	case 0x7:
		fill(cmd, flow_table, sizeof(flow_table) / sizeof(flow_table[0]));
		return 0;
	default:
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_CAPABILITY);
	}
}

int
cx5_query_vport(struct cx5_cmd *cmd)
{
	const uint8_t *mac = cmd->nic->port->mac;

	if (cmd->out_len < VPORT_LEN)
		return cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
	prm_set(cmd->out, VPORT_MTU, 1500);
	prm_set(cmd->out, VPORT_MAC_HI, (uint32_t)mac[0] << 8 | mac[1]);
	prm_set(cmd->out, VPORT_MAC_LO,
		(uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
	return 0;
}
