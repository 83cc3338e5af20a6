/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* IP addresses and ends of connections, as keys of maps. */
#pragma once

struct address {
	__be32 words[4]; /* IPv6, or IPv4 as ::ffff:a.b.c.d */
};

struct ends {
	struct address addresses[2];
	__be16 ports[2];
};

static __always_inline void in_six(struct address *into, __be32 four)
{
	into->words[0] = into->words[1] = 0;
	into->words[2] = bpf_htonl(0xffff);
	into->words[3] = four;
}
