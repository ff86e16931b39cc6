/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hash and equality of keys of four words, and the protocol whose data all protocols share.
 */
#include "common/keys.h"

#include <string.h>

#define WORDS (GW_KEY_SIZE / sizeof(uint32_t))

/* A factor for each word of a key. They are random, so that a crafted capture cannot have many keys of one hash. */
static uint64_t factors[WORDS];

/* Looked up once: Wireshark registers it before the first packet is read. */
int gw_frame_protocol(void)
{
    static int protocol = -1;
    if (protocol < 0)
        protocol = proto_get_id_by_filter_name("frame");
    return protocol;
}

/* Chooses the factors. */
void gw_register_keys(void)
{
    for (size_t i = 0; i < WORDS; i++)
        factors[i] = (uint64_t)g_random_int() << 32 | g_random_int();
}

/* The sum of the products of a key's words with the factors. Keys that differ have the same sum for one in 2^33 choices
 * of the factors at the most. */
uint64_t gw_hash_key_64(const void *key)
{
    uint32_t words[WORDS];
    uint64_t sum = 0;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < WORDS; i++)
        sum += words[i] * factors[i];
    return sum;
}

/* The hash of a key: the upper half of the sum, which depends on all bits of the key. */
unsigned gw_hash_key(const void *key)
{
    return (unsigned)(gw_hash_key_64(key) >> 32);
}

gboolean gw_equal_keys(const void *one, const void *other)
{
    return !memcmp(one, other, GW_KEY_SIZE);
}
