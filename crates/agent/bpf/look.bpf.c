/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counters and round trips of this machine's connections on the watched link. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#include "socket.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Counters of what one end has sent. */
struct way {
	__u64 octets;
	__u32 packets, answers;
};

/* Connection as the pass writes it: this end, then the other one. */
struct local {
	struct ends ends;
	__u16 header, largest; /* TCP header; segment size up, also assumed for down [octets] */
	struct way ways[2];
	__u32 sender_us, least_us, receiver_us, padding;
};

/* Packet counters at the last pass. */
struct looked {
	__u32 in, out;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct looked);
} looked SEC(".maps");

/* Writes the connections of the link that had traffic since the last pass. */
SEC("iter/tcp")
int look(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	struct local it = {};
	struct looked *last;

	if (!tp || !bpf_map_lookup_elem(&addresses, &seen.local))
		return 0;
	last = bpf_sk_storage_get(&looked, (void *)tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!last || (last->in == tp->segs_in && last->out == tp->segs_out))
		return 0;
	last->in = tp->segs_in;
	last->out = tp->segs_out;
	ends_of(&it.ends, &seen);
	it.header = tp->tcp_header_len;
	it.largest = tp->mss_cache;
	it.ways[0].octets = tp->bytes_sent;
	it.ways[0].packets = tp->data_segs_out;
	it.ways[0].answers = tp->segs_out - tp->data_segs_out;
	it.ways[1].octets = tp->bytes_received;
	it.ways[1].packets = tp->data_segs_in;
	it.ways[1].answers = tp->segs_in - tp->data_segs_in;
	it.sender_us = tp->srtt_us >> 3;
	it.least_us = tp->rtt_min.s[0].v;
	it.receiver_us = tp->rcv_rtt_est.rtt_us >> 3;
	bpf_seq_write(ctx->meta->seq, &it, sizeof(it));
	return 0;
}
