/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Clamps of windows: of what this machine receives, and of what it sends where the kernel takes no congestion control. Passes
 * over sockets set them and take them away. Nothing of it ends by itself: see the guardian in `actuator::clamp`. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#include "law.h"
#include "socket.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { SENDERS = 1, RECEIVERS = 2 };

/* Orders of the agent. */
struct clamp_orders {
	__u32 k;          /* highest rate over rate, rounded up */
	__u32 floor;      /* least window [segments] */
	__u32 spares_new; /* a pass leaves out connections that no pass has met before */
	__u32 ways;       /* what is clamped: SENDERS, RECEIVERS */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct clamp_orders);
} clamp_orders SEC(".maps");

/* A connection that a pass has met: what it had on entry, and what it has; zero where it has no clamp. */
struct clamped {
	struct arf_state sends, receives; /* [segments], [octets] */
	__u32 window_clamp;               /* its own [octets] */
	__u32 count;
	__u64 grown_at; /* of a sender that was given back: until then it has grown; zero is none [ns] */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct clamped);
} clamped SEC(".maps");

static __always_inline int set(struct tcp_sock *tp, int option, int value)
{
	return bpf_setsockopt(tp, SOL_TCP, option, &value, sizeof(value));
}

/* Window of a sender. The kernel lowers it to the clamp at the next ACK. */
static __always_inline int clamp_sender(struct tcp_sock *tp, struct clamped *it, const struct clamp_orders *by)
{
	return set(tp, TCP_BPF_SNDCWND_CLAMP, arf_step(&it->sends, by->k, tp->snd_cwnd, by->floor).limit);
}

/* Window of a receiver: a k-th of what it has taken in a round trip, as the kernel measures it to size its buffer [D-181]. */
static __always_inline int clamp_receiver(struct tcp_sock *tp, struct clamped *it, const struct clamp_orders *by)
{
	__u32 taken = tp->rcvq_space.space, offered = tp->rcv_wnd;

	if (!it->receives.saved)
		it->window_clamp = tp->window_clamp;
	return set(tp, TCP_WINDOW_CLAMP,
		   arf_step(&it->receives, by->k, taken < offered ? taken : offered, by->floor * tp->advmss).limit);
}

/* Clamps connections of the link. */
SEC("iter/tcp")
int clamp(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	__u32 zero = 0;
	struct clamp_orders *by = bpf_map_lookup_elem(&clamp_orders, &zero);
	struct clamped *it;

	if (!tp || !by || !bpf_map_lookup_elem(&addresses, &seen.local))
		return 0;
	it = bpf_sk_storage_get(&clamped, (void *)tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (it && !it->count++ && by->spares_new)
		return 0;
	seen.what = FAILED;
	if (it) {
		int had = it->sends.saved || it->receives.saved, fails = 0;
		if (by->ways & SENDERS)
			fails |= clamp_sender(tp, it, by);
		if (by->ways & RECEIVERS)
			fails |= clamp_receiver(tp, it, by);
		if (!fails)
			seen.what = had ? HELD : TAKEN;
	}
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}

/* Windows of connections by themselves [octets], of what they send and receive; zero is none. */
struct windows {
	__u32 octets[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct ends);
	__type(value, struct windows);
} windows SEC(".maps");

/* A sender's window, in whole segments. What it has once had, or might have had, is what it comes back to. */
static __always_inline int clamp_sender_to(struct tcp_sock *tp, struct clamped *it, __u32 octets, __u32 floor)
{
	__u32 segments = octets / (tp->mss_cache ? tp->mss_cache : 1);

	if (segments < floor)
		segments = floor;
	if (!it->sends.saved)
		it->sends.saved = tp->snd_cwnd;
	if (it->sends.saved < segments)
		it->sends.saved = segments;
	/* The call sets the slow-start threshold as well, which is the sender's own while its window may be the same. */
	return tp->snd_cwnd_clamp == segments ? 0 : set(tp, TCP_BPF_SNDCWND_CLAMP, segments);
}

/* A receiver's window. One above what the connection offers limits nothing. */
static __always_inline int clamp_receiver_to(struct tcp_sock *tp, struct clamped *it, __u32 octets, __u32 floor)
{
	if (octets < floor * tp->advmss)
		octets = floor * tp->advmss;
	if (!it->receives.saved)
		it->window_clamp = tp->window_clamp;
	it->receives.saved = octets < it->window_clamp;
	if (!it->receives.saved)
		octets = it->window_clamp;
	return tp->window_clamp == octets ? 0 : set(tp, TCP_WINDOW_CLAMP, octets);
}

/* Clamps connections that have windows by themselves. */
SEC("iter/tcp")
int clamp_each(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	__u32 zero = 0, fails = 0;
	struct clamp_orders *by = bpf_map_lookup_elem(&clamp_orders, &zero);
	struct ends ends = {};
	struct windows *to;
	struct clamped *it;

	if (!tp || !by)
		return 0;
	ends_of(&ends, &seen);
	to = bpf_map_lookup_elem(&windows, &ends);
	if (!to)
		return 0;
	it = bpf_sk_storage_get(&clamped, (void *)tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
	seen.what = FAILED;
	if (it) {
		int had = it->sends.saved || it->receives.saved;
		if (to->octets[0])
			fails |= clamp_sender_to(tp, it, to->octets[0], by->floor);
		if (to->octets[1])
			fails |= clamp_receiver_to(tp, it, to->octets[1], by->floor);
		if (!fails)
			seen.what = had ? HELD : TAKEN;
	}
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}

/* Gives connections what they had. A sender's window may grow to that at once, and beyond it by `loosen` alone: the kernel has one
 * call for its clamp and its slow-start threshold, and a higher value would have it send a burst [D-182]. */
SEC("iter/tcp")
int unclamp(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	struct clamped *it = tp ? bpf_sk_storage_get(&clamped, (void *)tp, 0, 0) : 0;

	if (!tp || !it || (!it->sends.saved && !it->receives.saved))
		return 0;
	seen.what = GIVEN_BACK;
	if (it->sends.saved) {
		it->grown_at = bpf_ktime_get_ns();
		if (set(tp, TCP_BPF_SNDCWND_CLAMP, it->sends.saved))
			seen.what = FAILED;
	}
	if (it->receives.saved && set(tp, TCP_WINDOW_CLAMP, it->window_clamp))
		seen.what = FAILED;
	it->sends.saved = it->receives.saved = 0;
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}

/* Has senders that were given back grow beyond what they had as Reno does, by a segment in a round trip.  [RFC5681 §3.1] */
SEC("iter/tcp")
int loosen(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	struct clamped *it = tp ? bpf_sk_storage_get(&clamped, (void *)tp, 0, 0) : 0;
	__u64 now = bpf_ktime_get_ns(), rounds;

	if (!tp || !it || !it->grown_at || it->sends.saved)
		return 0;
	/* One that a loss has taken below its clamp has room, and a threshold of its own. */
	if (tp->snd_cwnd >= tp->snd_cwnd_clamp && tp->srtt_us) {
		rounds = (now - it->grown_at) / 125 / tp->srtt_us; /* srtt_us is in eighths */
		if (rounds)
			set(tp, TCP_BPF_SNDCWND_CLAMP, tp->snd_cwnd_clamp + rounds);
	}
	it->grown_at = now;
	seen.what = HELD;
	bpf_seq_write(ctx->meta->seq, &seen, sizeof(seen));
	return 0;
}
