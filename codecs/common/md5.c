/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * RFC 1321, section 3: four rounds of sixteen steps on each block of 64 bytes.
 */
#include <gamewire/md5.h>

#include <string.h>

#include <gamewire/bytes.h>
#include <gamewire/output.h>

#define BLOCK 64U

/* T[i] = floor(2^32 * abs(sin(i + 1))). */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t shifts[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };

/* The auxiliary function of a round, F, G, H or I in the RFC, applied to three words. */
static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    switch (round) {
    case 0:
        return (b & c) | (~b & d);
    case 1:
        return (b & d) | (c & ~d);
    case 2:
        return b ^ c ^ d;
    default:
        return c ^ (b | ~d);
    }
}

/* Adds 64 bytes to the state: 64 steps, each of which uses one word of the block and rotates the four words of the
 * state. */
static void add_block(uint32_t state[4], const uint8_t *block)
{
    static const uint8_t factors[4] = { 1, 5, 3, 7 };
    static const uint8_t starts[4] = { 0, 1, 5, 0 };
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        unsigned shift = shifts[round][i % 4];
        unsigned word = (factors[round] * i + starts[round]) % 16;
        uint32_t sum = a + mix(round, b, c, d) + gw_le32(block + (size_t)4 * word) + sines[i];
        a = d;
        d = c;
        c = b;
        b += sum << shift | sum >> (32 - shift);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* The state of an empty text, with the constants A, B, C and D of the RFC. */
void gw_md5_init(gw_md5 *md5)
{
    *md5 = (gw_md5){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

/* Fills the block with the bytes, and adds it to the state each time it is full. */
void gw_md5_add(gw_md5 *md5, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    while (length) {
        size_t held = (size_t)(md5->length % BLOCK);
        size_t count = length < BLOCK - held ? length : BLOCK - held;
        memcpy(md5->block + held, from, count);
        md5->length += count;
        from += count;
        length -= count;
        if (held + count == BLOCK)
            add_block(md5->state, md5->block);
    }
}

/* Appends the RFC's padding and the length in bits, and writes the digest. */
void gw_md5_end(gw_md5 *md5, uint8_t digest[GW_MD5_LENGTH])
{
    static const uint8_t padding[BLOCK] = { 0x80 };
    uint8_t bits[8];
    gw_store_le32(bits, (uint32_t)(md5->length << 3));
    gw_store_le32(bits + 4, (uint32_t)(md5->length >> 29));
    /* A one bit, then zeros up to eight bytes before the end of a block, where the length has its place. */
    gw_md5_add(md5, padding, 1 + (size_t)((BLOCK + 55 - md5->length % BLOCK) % BLOCK));
    gw_md5_add(md5, bits, sizeof bits);
    for (unsigned i = 0; i < 4; i++)
        gw_store_le32(digest + (size_t)4 * i, md5->state[i]);
}
