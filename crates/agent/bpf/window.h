/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Window of a TCP connection as somebody on its way may write it: lowered only, and never below a few segments or what
 * is under way, so that nothing that has been sent falls out of it; it shrinks as fast as data is acknowledged. It is
 * rounded up to what the header can say. A connection whose SYN was not seen on both sides is left alone.
 * [RFC7323 §2]  Deviates: [D-160]
 * A test compiles this file for the host. */
#pragma once

enum { MOST_SHIFT = 14, DEFAULT_LARGEST = 536 };

/* What one end has sent. */
struct side {
	__u64 octets;     /* data, retransmissions included */
	__u64 echo_ns;    /* time from here to the other end and back, summed up */
	__u64 probed_at;  /* of the timestamp that has yet to be echoed; zero is none [ns] */
	__u32 packets;    /* packets with data */
	__u32 answers;    /* packets without */
	__u32 echoes;     /* timestamps that were echoed */
	__u32 rewritten;  /* windows that were lowered */
	__u32 next;       /* one past the last octet of data */
	__u32 probe;      /* the timestamp */
	__u32 stamp;      /* the last timestamp */
	__u16 largest;    /* segment that it takes */
	__u8 scale;       /* shift of its windows; NO_SHIFT is none */
	__u8 has_syn;
	__u8 has_data;
	__u8 padding[7];
};

enum { NO_SHIFT = 255 };

/* A TCP packet. */
struct segment {
	__u32 seq, ack, payload;
	__u32 stamp, echo; /* timestamps, if it has them */
	__u16 window;      /* as it is written */
	__u16 largest;     /* of a SYN: zero is none */
	__u16 count;       /* packets that have been put together to it */
	__u8 scale;        /* of a SYN: NO_SHIFT is none */
	__u8 is_syn, is_ack, has_stamps;
};

static inline __attribute__((always_inline)) __s32 ahead(__u32 of, __u32 it)
{
	return (__s32)(it - of);
}

/* Takes note of a segment of `own`, at such a time. */
static inline __attribute__((always_inline)) void
note_segment(struct side *own, struct side *peer, const struct segment *it, __u64 now)
{
	__u32 end = it->seq + it->payload;

	if (it->is_syn) {
		own->has_syn = 1;
		own->has_data = 0;
		own->scale = it->scale;
		own->largest = it->largest ? it->largest : DEFAULT_LARGEST;
	}
	if (it->payload) {
		own->packets += it->count;
		own->octets += it->payload;
		if (!own->has_data || ahead(own->next, end) > 0)
			own->next = end;
		own->has_data = 1;
	} else if (it->is_ack && !it->is_syn) {
		own->answers += it->count;
	}
	if (!it->has_stamps)
		return;
	if (peer->probed_at && ahead(peer->probe, it->echo) >= 0) {
		peer->echo_ns += now - peer->probed_at;
		peer->echoes++;
		peer->probed_at = 0;
	}
	/* A clock that has not ticked since the last packet would be echoed for that one. */
	if (!own->probed_at && own->stamp != it->stamp) {
		own->probe = it->stamp;
		own->probed_at = now;
	}
	own->stamp = it->stamp;
}

/* The window to write into a segment of `own` for a limit [octets] of what its peer may have under way. */
static inline __attribute__((always_inline)) __u16
lowered_window(const struct side *own, const struct side *peer, const struct segment *it, __u32 limit, __u32 least)
{
	__u32 scale = 0, wanted = limit;
	__s32 under_way = 0;

	if (!limit || it->is_syn || !it->is_ack || !own->has_syn || !peer->has_syn)
		return it->window;
	if (own->scale != NO_SHIFT && peer->scale != NO_SHIFT)
		scale = own->scale > MOST_SHIFT ? MOST_SHIFT : own->scale;
	if (wanted < least * own->largest)
		wanted = least * own->largest;
	if (peer->has_data)
		under_way = ahead(it->ack, peer->next);
	if (under_way > 0 && wanted < (__u32)under_way)
		wanted = under_way;
	if (wanted > (0xffffu << scale))
		return it->window;
	wanted = (wanted + (1u << scale) - 1) >> scale;
	return wanted < it->window ? wanted : it->window;
}
