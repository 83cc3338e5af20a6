/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Windows of senders: a congestion control that is Reno with an upper limit while the link is slow, and the passes over
 * sockets that set and remove it. The kernel runs it under the GPL. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#include "law.h"
#include "socket.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define NAME "airfair"

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

/* Orders of the agent. They run out: see `ratio_now`. */
struct orders {
	__u64 alive_until; /* CLOCK_MONOTONIC [ns] */
	__u32 k;           /* highest rate over rate, rounded up */
	__u32 floor;       /* minimum window [segments] */
	__u32 spares_new;  /* skip connections that no pass has met before */
	__u32 padding;
};

#include "orders.h"

/* Congestion controls that may be replaced. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, struct law_name);
	__type(value, __u8);
} replaceable SEC(".maps");

/* State of a socket that a pass has met, with its earlier congestion control. `init`, which runs within the call that
 * replaces it, reads it from here. */
struct met {
	struct law_name law;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct met);
} before SEC(".maps");

/* Private area of a socket. It lives as long as the socket, so any agent can restore a socket that it finds. */
struct private {
	struct arf_state state;
	__u32 limit; /* at the last ACK; zero for none */
	struct law_name before;
};

static __always_inline struct private *private_of(struct sock *sk)
{
	return (void *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

/* Ratio k; 1 once the orders have run out. */
static __always_inline __u32 ratio_now(__u32 *floor)
{
	__u32 zero = 0;
	struct orders *it = bpf_map_lookup_elem(&orders, &zero);

	if (!it || bpf_ktime_get_ns() > it->alive_until)
		return 1;
	*floor = it->floor;
	return it->k;
}

SEC("struct_ops")
void BPF_PROG(airfair_init, struct sock *sk)
{
	struct private *own = private_of(sk);
	struct met *met = bpf_sk_storage_get(&before, (void *)sk, 0, 0);

	own->state.saved = 0;
	own->limit = 0;
	if (met) {
		__builtin_memcpy(&own->before, &met->law, sizeof(met->law));
	} else {
		struct law_name reno = { "reno" };
		__builtin_memcpy(&own->before, &reno, sizeof(reno));
	}
}

/* Restores the window when the agent or the application selects another congestion control. */
SEC("struct_ops")
void BPF_PROG(airfair_release, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct private *own = private_of(sk);

	if (own->state.saved)
		tp->snd_cwnd = own->state.saved;
	own->state.saved = 0;
}

SEC("struct_ops")
__u32 BPF_PROG(airfair_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops")
__u32 BPF_PROG(airfair_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC("struct_ops")
void BPF_PROG(airfair_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct private *own = private_of(sk);
	struct arf_state state = { own->state.saved };
	__u32 floor = 0, k = ratio_now(&floor);
	struct arf_action action = arf_step(&state, k, tp->snd_cwnd, floor);

	own->state.saved = state.saved;
	if (action.cwnd)
		tp->snd_cwnd = action.cwnd;
	/* A window at its limit follows the limit. A window below it, after a loss, grows up to it as in Reno. */
	if (action.limit && own->limit && tp->snd_cwnd == own->limit)
		tp->snd_cwnd = action.limit;
	own->limit = action.limit;
	tcp_reno_cong_avoid(sk, ack, acked);
	if (action.limit && tp->snd_cwnd > action.limit)
		tp->snd_cwnd = action.limit;
}

/* Linux before 6.4 has no links for struct_ops: a registration stays until it is removed. */
#ifdef WITHOUT_LINK
SEC(".struct_ops")
#else
SEC(".struct_ops.link")
#endif
struct tcp_congestion_ops airfair = {
	.init = (void *)airfair_init,
	.release = (void *)airfair_release,
	.ssthresh = (void *)airfair_ssthresh,
	.cong_avoid = (void *)airfair_cong_avoid,
	.undo_cwnd = (void *)airfair_undo_cwnd,
	.name = NAME,
};

static __always_inline int is_ours(const struct law_name *law)
{
	return !bpf_strncmp(law->text, sizeof(NAME), NAME);
}

static __always_inline void read_private(struct private *into, struct tcp_sock *tp)
{
	bpf_core_read(into, sizeof(*into), &tp->inet_conn.icsk_ca_priv);
}

/* Puts connections of the link under the limit that are not yet. */
SEC("iter/tcp")
int take(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	__u32 zero = 0;
	struct orders *it = bpf_map_lookup_elem(&orders, &zero);
	char name[TCP_CA_NAME_MAX] = NAME;
	struct met *met;

	if (!tp || !it || !bpf_map_lookup_elem(&addresses, &seen.local))
		return 0;
	if (is_ours(&seen.law)) {
		struct private own = {};
		read_private(&own, tp);
		seen.what = HELD;
		seen.saved = own.state.saved;
	} else if (!bpf_map_lookup_elem(&replaceable, &seen.law)) {
		seen.what = LEFT;
	} else {
		met = bpf_sk_storage_get(&before, (void *)tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
		if (met && !met->count++ && it->spares_new)
			return 0;
		seen.what = FAILED;
		if (met) {
			__builtin_memcpy(&met->law, &seen.law, sizeof(seen.law));
			if (!bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, name, sizeof(NAME) - 1))
				seen.what = TAKEN;
		}
	}
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}

/* Restores the congestion control and the window of connections. */
SEC("iter/tcp")
int give_back(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	struct private own = {};
	struct law_name reno = { "reno" };

	if (!tp || !is_ours(&seen.law))
		return 0;
	read_private(&own, tp);
	seen.saved = own.state.saved;
	seen.what = GIVEN_BACK;
	if (bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, own.before.text, sizeof(own.before.text)) &&
	    bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, reno.text, sizeof("reno") - 1))
		seen.what = FAILED;
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}
