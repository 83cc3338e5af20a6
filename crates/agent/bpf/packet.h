/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Headers of TCP packets on Ethernet, for tc programs.  [RFC791 §3.1], [RFC8200 §3], [RFC9293 §3.1] */
#pragma once

#include "address.h"

enum { ETHERNET = 14, IPV4 = 0x0800, IPV6 = 0x86dd, TCP = 6 };
enum { HOP_BY_HOP = 0, ROUTING = 43, DESTINATION = 60, EXTENSIONS = 4 };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

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
	struct address from, to;
};

struct tcp {
	__be16 from, to;
	__be32 seq, ack;
	__u8 length, flags;
	__be16 window, sum, urgent;
};

/* Addresses of a packet, and offset and length of its IP payload [octets]. */
struct above_ip {
	struct address from, to;
	__u32 at, length;
};

static __always_inline int read_ipv4(struct __sk_buff *skb, struct above_ip *it)
{
	struct ipv4 ip;
	__u32 header;

	if (bpf_skb_load_bytes(skb, ETHERNET, &ip, sizeof(ip)))
		return 0;
	header = (ip.version_and_length & 15) * 4;
	it->length = bpf_ntohs(ip.length);
	/* More fragments follow, or the fragment offset is not zero. */
	if (ip.protocol != TCP || ip.fragment & bpf_htons(0x3fff) || header < sizeof(ip) || it->length < header)
		return 0;
	in_six(&it->from, ip.from);
	in_six(&it->to, ip.to);
	it->length -= header;
	it->at = ETHERNET + header;
	return 1;
}

static __always_inline int read_ipv6(struct __sk_buff *skb, struct above_ip *it)
{
	struct ipv6 ip;
	__u8 next;

	if (bpf_skb_load_bytes(skb, ETHERNET, &ip, sizeof(ip)))
		return 0;
	it->from = ip.from;
	it->to = ip.to;
	it->at = ETHERNET + sizeof(ip);
	it->length = bpf_ntohs(ip.payload);
	next = ip.next;
	for (int i = 0; i < EXTENSIONS; i++) {
		__u8 head[2];
		__u32 size;

		if (next != HOP_BY_HOP && next != ROUTING && next != DESTINATION)
			break;
		if (bpf_skb_load_bytes(skb, it->at, head, sizeof(head)))
			return 0;
		next = head[0];
		size = 8 + 8 * head[1];
		if (it->length < size)
			return 0;
		it->at += size;
		it->length -= size;
	}
	return next == TCP;
}

/* Reads Ethernet and IP headers; 0 if the packet is not TCP or is a fragment. */
static __always_inline int read_ip(struct __sk_buff *skb, struct above_ip *it)
{
	__be16 kind;

	if (bpf_skb_load_bytes(skb, ETHERNET - sizeof(kind), &kind, sizeof(kind)))
		return 0;
	if (kind == bpf_htons(IPV4))
		return read_ipv4(skb, it);
	return kind == bpf_htons(IPV6) && read_ipv6(skb, it);
}
