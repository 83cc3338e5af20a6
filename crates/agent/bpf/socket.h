/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sockets in passes over all sockets: filtering, and the record that a pass writes. */
#pragma once

#include "address.h"

/* This machine's addresses on the watched link. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct address);
	__type(value, __u8);
} addresses SEC(".maps");

struct law_name {
	char text[TCP_CA_NAME_MAX];
};

/* Socket as a pass writes it. */
struct seen {
	struct address local, remote;
	__u16 local_port, remote_port;
	__u8 what; /* `enum what` */
	__u8 padding[3];
	__u32 cwnd, saved;
	struct law_name law;
};

enum what { TAKEN, HELD, LEFT, GIVEN_BACK, FAILED };

static __always_inline void address_of(struct address *into, struct in6_addr *six, __be32 four, __u16 family)
{
	if (family == AF_INET)
		in_six(into, four);
	else
		bpf_core_read(into, sizeof(*into), six);
}

/* Returns the socket if it can send, and fills in `seen` except for `what`. */
static __always_inline struct tcp_sock *connection(struct bpf_iter__tcp *ctx, struct seen *seen)
{
	struct sock_common *common = ctx->sk_common;
	struct tcp_sock *tp;
	const struct tcp_congestion_ops *ops;

	if (!common || (common->skc_state != TCP_ESTABLISHED && common->skc_state != TCP_CLOSE_WAIT))
		return 0;
	tp = bpf_skc_to_tcp_sock(common);
	if (!tp)
		return 0;
	address_of(&seen->local, &common->skc_v6_rcv_saddr, common->skc_rcv_saddr, common->skc_family);
	address_of(&seen->remote, &common->skc_v6_daddr, common->skc_daddr, common->skc_family);
	seen->local_port = common->skc_num;
	seen->remote_port = bpf_ntohs(common->skc_dport);
	seen->cwnd = tp->snd_cwnd;
	ops = tp->inet_conn.icsk_ca_ops;
	bpf_core_read(&seen->law, sizeof(seen->law), &ops->name);
	return tp;
}

static __always_inline void ends_of(struct ends *into, const struct seen *seen)
{
	into->addresses[0] = seen->local;
	into->addresses[1] = seen->remote;
	into->ports[0] = bpf_htons(seen->local_port);
	into->ports[1] = bpf_htons(seen->remote_port);
}
