/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hashes of keys of four words and of bytes, the protocol whose data all protocols share, and the data of the current
 * packet.
 */
#include "common/keys.h"

#include <string.h>

#define WORDS (GW_KEY_SIZE / sizeof(uint32_t))

/* ---- the current packet ---------------------------------------------------------------------------------- */

/* The latest packet, by its memory, which Wireshark frees after it; NULL: it was freed. */
static struct {
    const wmem_allocator_t *pool;
    void *slots[GW_SLOTS];
} current;

/* Called when the memory of a packet is freed, to use it for a later one. False unregisters this callback: it is registered
 * again for that packet. */
static ws_bool forget_packet(wmem_allocator_t *pool, wmem_cb_event_t event _U_, void *data _U_)
{
    if (current.pool == pool)
        current.pool = NULL;
    return false;
}

/* The slot of the packet, after all are emptied if it is another packet than that of the latest call. */
void **gw_packet_slot(const packet_info *pinfo, gw_slot slot)
{
    if (current.pool != pinfo->pool) {
        memset(&current, 0, sizeof current);
        current.pool = pinfo->pool;
        wmem_register_callback(pinfo->pool, forget_packet, NULL);
    }
    return &current.slots[slot];
}

/* ---- keys of maps ---------------------------------------------------------------------------------------- */

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

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* The hash after the next eight bytes. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / the golden ratio */
    return hash ^ hash >> 32;
}

/* Depends on the byte order, and on a random factor: a crafted capture cannot have many bytes of one hash. */
uint64_t gw_hash_bytes(const uint8_t *bytes, size_t length)
{
    uint64_t hash = length ^ factors[0], word;
    for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = mix(hash, word);
    }
    word = 0; /* the rest, less than eight bytes */
    memcpy(&word, bytes, length);
    return mix(hash, word);
}
