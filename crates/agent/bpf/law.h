/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ARF-aware TCP in C, for the kernel: `laws::arf_aware::step` with the reading `Held`.  [arf-aware-tcp §3]
 * A test compiles this file for the host and compares it with the Rust law, step by step. */
#pragma once

/* Bounds for any configuration. */
enum { ARF_MOST = 100, ARF_LEAST_WINDOW = 1 };

/* State of a connection: its window on entry to arf mode [segments]; zero at the highest rate. */
struct arf_state {
	__u32 saved;
};

struct arf_action {
	__u32 limit; /* limit of the window [segments]; zero for none */
	__u32 cwnd;  /* new value of cwnd [segments]; zero to leave it */
};

/* One step with the ratio k of the rates. The minimum window is `floor`; the paper's is one segment. */
static inline __attribute__((always_inline)) struct arf_action
arf_step(struct arf_state *state, __u32 k, __u32 cwnd, __u32 floor)
{
	struct arf_action action = {};

	if (k > ARF_MOST)
		k = ARF_MOST;
	if (k <= 1) {
		action.cwnd = state->saved;
		state->saved = 0;
		return action;
	}
	if (!state->saved)
		state->saved = cwnd;
	action.limit = state->saved / k;
	if (action.limit < floor)
		action.limit = floor;
	if (action.limit < ARF_LEAST_WINDOW)
		action.limit = ARF_LEAST_WINDOW;
	return action;
}
