/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The fields of kernel types that the programs read. libbpf relocates each field by name with the running kernel's BTF
 * (CO-RE), so their offsets here do not matter, and the build needs no header of the whole kernel. */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u16 __sum16;

enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_LRU_HASH = 9, BPF_MAP_TYPE_SK_STORAGE = 24 };
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_SK_STORAGE_GET_F_CREATE = 1 };
enum { AF_INET = 2, AF_INET6 = 10, SOL_TCP = 6, TCP_CONGESTION = 13 };
enum { TCP_WINDOW_CLAMP = 10, TCP_BPF_SNDCWND_CLAMP = 1002 };
enum { TCP_ESTABLISHED = 1, TCP_CLOSE_WAIT = 8 };
enum { TCP_CA_NAME_MAX = 16 };

/* Packet as tc programs see it. These offsets are part of the kernel's interface. */
struct __sk_buff {
	__u32 before_gso_segs[41];
	__u32 gso_segs;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	volatile __u8 skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct inet_sock {
	struct sock sk;
};

struct tcp_congestion_ops {
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[TCP_CA_NAME_MAX];
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u64 icsk_ca_priv[13];
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 bytes_sent, bytes_received;
	__u32 segs_in, data_segs_in, segs_out, data_segs_out;
	__u32 snd_cwnd, snd_cwnd_clamp, window_clamp, rcv_wnd;
	__u32 srtt_us, mss_cache;
	__u16 advmss, tcp_header_len;
	struct minmax rtt_min;
	struct {
		__u32 rtt_us;
	} rcv_rtt_est;
	struct {
		__u32 space;
	} rcvq_space;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

#pragma clang attribute pop
