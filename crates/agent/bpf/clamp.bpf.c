/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Window clamps on sockets: for received data, and for sent data where the kernel supports no congestion control in BPF.
 * Iterators over sockets set and remove them. Clamps do not run out: see the guardian in `actuator::clamp`. */
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
	__u32 floor;      /* minimum window [segments] */
	__u32 spares_new; /* skip connections that no pass has met before */
	__u32 ways;       /* windows to clamp: SENDERS, RECEIVERS */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct clamp_orders);
} clamp_orders SEC(".maps");

/* State of a connection that a pass has met: windows on entry; zero where it has no clamp. */
struct clamped {
	struct arf_state sends, receives; /* [segments], [octets] */
	__u32 window_clamp;               /* clamp before the agent's [octets] */
	__u32 count;
	__u64 grown_at; /* last growth of a released sender; zero for none [ns] */
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

/* Clamps a sender's window. The kernel lowers cwnd to the clamp at the next ACK. */
static __always_inline int clamp_sender(struct tcp_sock *tp, struct clamped *it, const struct clamp_orders *by)
{
	return set(tp, TCP_BPF_SNDCWND_CLAMP, arf_step(&it->sends, by->k, tp->snd_cwnd, by->floor).limit);
}

/* Clamps a receiver's window to 1/k of the data received per round trip, which the kernel measures to size buffers [D-181]. */
static __always_inline int clamp_receiver(struct tcp_sock *tp, struct clamped *it, const struct clamp_orders *by)
{
	__u32 taken = tp->rcvq_space.space, offered = tp->rcv_wnd;

	if (!it->receives.saved)
		it->window_clamp = tp->window_clamp;
	return set(tp, TCP_WINDOW_CLAMP,
		   arf_step(&it->receives, by->k, taken < offered ? taken : offered, by->floor * tp->advmss).limit);
}

/* Clamps all connections of the link. */
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

/* Windows of a single connection for sent and received data [octets]; zero for no limit. */
struct windows {
	__u32 octets[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct ends);
	__type(value, struct windows);
} windows SEC(".maps");

/* Clamps a sender's window to whole segments. Saves the window to restore later: that on entry, or the largest limit since. */
static __always_inline int clamp_sender_to(struct tcp_sock *tp, struct clamped *it, __u32 octets, __u32 floor)
{
	__u32 segments = octets / (tp->mss_cache ? tp->mss_cache : 1);

	if (segments < floor)
		segments = floor;
	if (!it->sends.saved)
		it->sends.saved = tp->snd_cwnd;
	if (it->sends.saved < segments)
		it->sends.saved = segments;
	/* The call also sets ssthresh, so it is left out if the clamp does not change. */
	return tp->snd_cwnd_clamp == segments ? 0 : set(tp, TCP_BPF_SNDCWND_CLAMP, segments);
}

/* Clamps a receiver's window. A limit above the connection's own clamp has no effect. */
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

/* Clamps the connections that are in the map of windows. */
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

/* Removes clamps. A sender's window may return to its earlier size at once, but grows beyond it only by `loosen`: one call of
 * the kernel sets both clamp and ssthresh, and a higher value would make it send a burst [D-182]. */
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

/* Lets released senders grow beyond their earlier windows as Reno does, by one segment per round trip.  [RFC5681 §3.1] */
SEC("iter/tcp")
int loosen(struct bpf_iter__tcp *ctx)
{
	struct seen seen = {};
	struct tcp_sock *tp = connection(ctx, &seen);
	struct clamped *it = tp ? bpf_sk_storage_get(&clamped, (void *)tp, 0, 0) : 0;
	__u64 now = bpf_ktime_get_ns(), rounds;

	if (!tp || !it || !it->grown_at || it->sends.saved)
		return 0;
	/* A sender below its clamp, after a loss, has room to grow and a new ssthresh. */
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
