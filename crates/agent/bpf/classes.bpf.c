/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* DATA and pure ACKs of TCP apart, at an access point's wireless interface [updown-fairness §IV]: the class of a packet.
 * The kernel runs it under the GPL. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { ETHERNET = 14, IPV4 = 0x0800, IPV6 = 0x86dd, TCP = 6 };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
/* No class: the queue of HTB that nothing limits. */
enum { UNLIMITED = 0 };

/* Orders of the agent. They end by themselves: behind that time nothing is limited. */
struct orders {
	__u64 alive_until; /* clock that nobody sets [ns] */
	__u32 data, ack;   /* classes */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct orders);
} orders SEC(".maps");

struct ipv4 {
	__u8 version_and_length, service;
	__be16 length, number, fragment;
	__u8 life, protocol;
	__be16 sum;
	__be32 from, to;
};

struct ipv6 {
	__be32 flow;
	__be16 payload;
	__u8 next, life;
	__be32 from[4], to[4];
};

struct tcp {
	__be16 from, to;
	__be32 seq, ack;
	__u8 length, flags;
};

/* True of an ACK of TCP without data, over IPv4, or IPv6 without other headers between. */
static __always_inline int is_pure_ack(const struct __sk_buff *skb)
{
	__u32 at, length;
	struct tcp tcp;
	__be16 kind;

	if (bpf_skb_load_bytes(skb, ETHERNET - 2, &kind, sizeof(kind)))
		return 0;
	if (kind == bpf_htons(IPV4)) {
		struct ipv4 ip;
		__u32 header;

		if (bpf_skb_load_bytes(skb, ETHERNET, &ip, sizeof(ip)))
			return 0;
		header = (ip.version_and_length & 15) * 4;
		length = bpf_ntohs(ip.length) - header;
		/* More fragments, or a place behind the first one. */
		if (ip.protocol != TCP || ip.fragment & bpf_htons(0x3fff))
			return 0;
		at = ETHERNET + header;
	} else if (kind == bpf_htons(IPV6)) {
		struct ipv6 ip;

		if (bpf_skb_load_bytes(skb, ETHERNET, &ip, sizeof(ip)) || ip.next != TCP)
			return 0;
		length = bpf_ntohs(ip.payload);
		at = ETHERNET + sizeof(ip);
	} else {
		return 0;
	}
	if (bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)))
		return 0;
	return length == (tcp.length >> 4) * 4 && (tcp.flags & (ACK | SYN | FIN | RST)) == ACK;
}

/* HTB takes what this returns for the number of a class. */
SEC("tc")
int airfair_class(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct orders *it = bpf_map_lookup_elem(&orders, &zero);

	if (!it || bpf_ktime_get_ns() > it->alive_until)
		return UNLIMITED;
	return is_pure_ack(skb) ? it->ack : it->data;
}
