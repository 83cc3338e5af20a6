/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Classifier of packets at an access point's wireless interface: DATA and pure TCP ACKs have separate classes
 * [updown-fairness §IV]. The kernel runs it under the GPL. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#include "packet.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* No class: HTB sends the packet directly, without a limit. */
enum { UNLIMITED = 0 };

/* Orders of the agent. After their time nothing is limited. */
struct orders {
	__u64 alive_until; /* CLOCK_MONOTONIC [ns] */
	__u32 data, ack;   /* classes */
};

#include "orders.h"

/* True for a TCP ACK without data. */
static __always_inline int is_pure_ack(const struct tcp *tcp, __u32 length)
{
	return length == (tcp->length >> 4) * 4 && (tcp->flags & (ACK | SYN | FIN | RST)) == ACK;
}

/* HTB takes the return value as the number of a class. Packets other than TCP count as data. */
SEC("tc")
int airfair_class(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct orders *it = bpf_map_lookup_elem(&orders, &zero);
	struct above_ip ip = {};
	struct tcp tcp;

	if (!it || bpf_ktime_get_ns() > it->alive_until)
		return UNLIMITED;
	if (!read_ip(skb, &ip) || bpf_skb_load_bytes(skb, ip.at, &tcp, sizeof(tcp)))
		return it->data;
	return is_pure_ack(&tcp, ip.length) ? it->ack : it->data;
}
