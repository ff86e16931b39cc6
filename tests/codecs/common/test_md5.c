/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MD5: the test suite of RFC 1321, appendix A.5, and texts that come in pieces.
 */
#include "hex.h"
#include "testing.h"

#include <gamewire/md5.h>

static void assert_digest(const char *text, const char *hex)
{
    uint8_t digest[GW_MD5_LENGTH];
    gw_md5 md5;
    gw_md5_init(&md5);
    gw_md5_add(&md5, text, strlen(text));
    gw_md5_end(&md5, digest);
    assert_hex_equal(digest, sizeof digest, hex);
}

TEST(digests_of_the_rfc)
{
    assert_digest("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_digest("a", "0cc175b9c0f1b6a831c399e269772661");
    assert_digest("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_digest("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    assert_digest("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    assert_digest("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f");
    assert_digest("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                  "57edf4a22be3c955ac49da2e2107b67a");
}

/* From 56 bytes on the padding needs a second block; pieces may end at any byte. */
TEST(pieces_of_any_size_give_the_same_digest)
{
    uint8_t text[200], whole[GW_MD5_LENGTH], pieces[GW_MD5_LENGTH];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7);
    for (size_t length = 0; length <= sizeof text; length++) {
        gw_md5 md5;
        gw_md5_init(&md5);
        gw_md5_add(&md5, text, length);
        gw_md5_end(&md5, whole);
        for (size_t piece = 1; piece < 70; piece += 23) {
            gw_md5_init(&md5);
            for (size_t at = 0; at < length; at += piece)
                gw_md5_add(&md5, text + at, length - at < piece ? length - at : piece);
            gw_md5_end(&md5, pieces);
            assert_memory_equal(whole, pieces, sizeof whole);
        }
    }
}
