/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Receive window of a TCP connection, rewritten by a forwarding node. It is only lowered. It stays at least a few segments
 * and at least the data in flight, so that no data already sent falls outside; it shrinks as fast as data is acknowledged.
 * It is rounded up to the unit of the window scale. A connection whose two SYNs were not seen is left alone.
 * [RFC7323 §2]  Deviates: [D-160]
 * A test compiles this file for the host. */
#pragma once

enum { MOST_SHIFT = 14, DEFAULT_LARGEST = 536 };

/* State of one end, from the packets that it has sent. */
struct side {
	__u64 octets;     /* data, retransmissions included */
	__u64 echo_ns;    /* sum of the round trips from here to the other end */
	__u64 probed_at;  /* time of the timestamp that waits for its echo; zero for none [ns] */
	__u32 packets;    /* packets with data */
	__u32 answers;    /* packets without data */
	__u32 echoes;     /* timestamps that were echoed */
	__u32 rewritten;  /* windows that were lowered */
	__u32 next;       /* one past the last octet of data */
	__u32 probe;      /* timestamp that waits for its echo */
	__u32 stamp;      /* last timestamp */
	__u16 largest;    /* maximum segment size that it announced */
	__u8 scale;       /* window scale; NO_SHIFT for none */
	__u8 has_syn;
	__u8 has_data;
	__u8 padding[7];
};

enum { NO_SHIFT = 255 };

/* A TCP packet. */
struct segment {
	__u32 seq, ack, payload;
	__u32 stamp, echo; /* timestamps, if it has them */
	__u16 window;      /* window field, not scaled */
	__u16 largest;     /* option of a SYN; zero for none */
	__u16 count;       /* packets that GRO has merged into it */
	__u8 scale;        /* option of a SYN; NO_SHIFT for none */
	__u8 is_syn, is_ack, has_stamps;
};

static inline __attribute__((always_inline)) __s32 ahead(__u32 of, __u32 it)
{
	return (__s32)(it - of);
}

/* Records a segment that `own` has sent. */
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
	/* An equal timestamp could be echoed for an earlier packet. */
	if (!own->probed_at && own->stamp != it->stamp) {
		own->probe = it->stamp;
		own->probed_at = now;
	}
	own->stamp = it->stamp;
}

/* Window field for a segment of `own` that limits its peer's data in flight to `limit` [octets]. */
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
