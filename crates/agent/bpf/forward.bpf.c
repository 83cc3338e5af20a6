/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Windows of connections that an access point forwards: packets at its interface are counted by connection, and windows
 * in ACKs are lowered to the limits that the agent has set. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#include "packet.h"
#include "window.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { CONNECTIONS = 16384 };
enum { GO_ON = -1 };

/* Ends of a connection. */
enum { STATION, OTHER };

/* Orders of the agent. After their time nothing is changed or counted. */
struct orders {
	__u64 alive_until; /* CLOCK_MONOTONIC [ns] */
	__u32 least;       /* minimum window [segments] */
	__u32 padding;
};

#include "orders.h"

struct connection {
	struct side sides[2];
	__u8 station[6]; /* MAC address */
	__u8 padding[2];
};

/* All connections. A new one replaces the connection that has been silent longest. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CONNECTIONS);
	__type(key, struct ends);
	__type(value, struct connection);
} connections SEC(".maps");

/* Limits of the data in flight of each end [octets]; zero for none. */
struct limits {
	__u32 octets[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CONNECTIONS);
	__type(key, struct ends);
	__type(value, struct limits);
} limits SEC(".maps");

/* Parsed headers of a packet. */
struct reading {
	struct ends ends;
	struct segment segment;
	__u32 tcp_at;
	__u8 flags;
};

/* Reads TCP options up to the end of the list or the first malformed one. [RFC9293 §3.1], [RFC7323 §2.2 and §3.2] */
static __always_inline void read_options(struct __sk_buff *skb, struct segment *it, __u32 at, __u32 end)
{
	for (int i = 0; i < 10 && at < end; i++) {
		__u8 head[2];

		if (bpf_skb_load_bytes(skb, at, head, 1) || head[0] == 0)
			return;
		if (head[0] == 1) {
			at++;
			continue;
		}
		if (bpf_skb_load_bytes(skb, at, head, 2) || head[1] < 2 || at + head[1] > end)
			return;
		if (head[0] == 2 && head[1] == 4) {
			__be16 largest;
			if (!bpf_skb_load_bytes(skb, at + 2, &largest, sizeof(largest)))
				it->largest = bpf_ntohs(largest);
		} else if (head[0] == 3 && head[1] == 3) {
			bpf_skb_load_bytes(skb, at + 2, &it->scale, 1);
			if (it->scale > MOST_SHIFT)
				it->scale = MOST_SHIFT;
		} else if (head[0] == 8 && head[1] == 10) {
			__be32 stamps[2];
			if (!bpf_skb_load_bytes(skb, at + 2, stamps, sizeof(stamps))) {
				it->stamp = bpf_ntohl(stamps[0]);
				it->echo = bpf_ntohl(stamps[1]);
				it->has_stamps = 1;
			}
		}
		at += head[1];
	}
}

/* Reads a packet that end `from` has sent; 0 if it is not TCP. */
static __always_inline int read_packet(struct __sk_buff *skb, struct reading *it, __u32 from)
{
	struct segment *segment = &it->segment;
	struct above_ip ip = {};
	struct tcp tcp;
	__u32 header;

	if (!read_ip(skb, &ip) || bpf_skb_load_bytes(skb, ip.at, &tcp, sizeof(tcp)))
		return 0;
	header = (tcp.length >> 4) * 4;
	if (header < sizeof(tcp) || ip.length < header)
		return 0;
	it->ends.addresses[from] = ip.from;
	it->ends.addresses[!from] = ip.to;
	it->ends.ports[from] = tcp.from;
	it->ends.ports[!from] = tcp.to;
	it->tcp_at = ip.at;
	it->flags = tcp.flags;
	segment->seq = bpf_ntohl(tcp.seq);
	segment->ack = bpf_ntohl(tcp.ack);
	segment->payload = ip.length - header;
	segment->window = bpf_ntohs(tcp.window);
	segment->scale = NO_SHIFT;
	segment->is_syn = !!(tcp.flags & SYN);
	segment->is_ack = !!(tcp.flags & ACK);
	segment->count = skb->gso_segs > 1 ? skb->gso_segs : 1;
	read_options(skb, segment, ip.at + sizeof(tcp), ip.at + header);
	return 1;
}

/* Counts a packet that end `from` has sent, and lowers its window. */
static __always_inline int pass(struct __sk_buff *skb, __u32 from)
{
	__u32 zero = 0, limit;
	struct orders *order = bpf_map_lookup_elem(&orders, &zero);
	__u64 now = bpf_ktime_get_ns();
	struct reading it = {};
	struct connection *known;
	struct limits *limited;
	__be16 before, after;

	if (!order || now > order->alive_until || !read_packet(skb, &it, from))
		return GO_ON;
	/* A SYN begins a new connection, also on ports used before. */
	if (it.segment.is_syn && !it.segment.is_ack) {
		struct connection fresh = {};

		bpf_skb_load_bytes(skb, from == STATION ? 6 : 0, fresh.station, sizeof(fresh.station));
		bpf_map_delete_elem(&limits, &it.ends);
		bpf_map_update_elem(&connections, &it.ends, &fresh, 0);
	}
	known = bpf_map_lookup_elem(&connections, &it.ends);
	if (!known)
		return GO_ON;
	if (from == STATION)
		note_segment(&known->sides[STATION], &known->sides[OTHER], &it.segment, now);
	else
		note_segment(&known->sides[OTHER], &known->sides[STATION], &it.segment, now);
	limited = bpf_map_lookup_elem(&limits, &it.ends);
	if (!limited || it.flags & RST)
		return GO_ON;
	/* The window that an end announces limits the other end. */
	if (from == STATION)
		limit = lowered_window(&known->sides[STATION], &known->sides[OTHER], &it.segment, limited->octets[OTHER],
				       order->least);
	else
		limit = lowered_window(&known->sides[OTHER], &known->sides[STATION], &it.segment,
				       limited->octets[STATION], order->least);
	if (limit >= it.segment.window)
		return GO_ON;
	before = bpf_htons(it.segment.window);
	after = bpf_htons(limit);
	if (bpf_l4_csum_replace(skb, it.tcp_at + 16, before, after, sizeof(after)) ||
	    bpf_skb_store_bytes(skb, it.tcp_at + 14, &after, sizeof(after), 0))
		return GO_ON;
	known->sides[from & 1].rewritten++;
	return GO_ON;
}

SEC("tc")
int airfair_up(struct __sk_buff *skb)
{
	return pass(skb, STATION);
}

SEC("tc")
int airfair_down(struct __sk_buff *skb)
{
	return pass(skb, OTHER);
}
