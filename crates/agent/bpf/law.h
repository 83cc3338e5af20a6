/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ARF-aware TCP as the kernel computes it: `laws::arf_aware::step` of the reading `Held`, in C.  [arf-aware-tcp §3]
 * A test compiles this file for the host and compares it with the Rust law, step by step. */
#pragma once

/* Limits that no configuration crosses. */
enum { ARF_MOST = 100, ARF_LEAST_WINDOW = 1 };

/* Memory of a connection: its window on entry to arf mode [segments]; zero at the highest rate. */
struct arf_state {
	__u32 saved;
};

struct arf_action {
	__u32 limit; /* window from now on [segments]; zero is no limit */
	__u32 cwnd;  /* value to give cwnd now [segments]; zero leaves it */
};

/* One look at the ratio k of the rates. The paper's least window is one segment, the agent's is `floor`. */
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
