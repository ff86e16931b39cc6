/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Texts of packets on one line of a terminal: no control character is printed. Beyond ASCII these are U+0080 to
 * U+009F, which terminals that decode UTF-8 obey like ESC and a letter, and the line ends U+2028 and U+2029.
 */
#include <gamewire/bytes.h>
#include <gamewire/text.h>

/* ---- control characters -------------------------------------------------------------------------------- */

/* True if all eight bytes of the word are plain, which is ASCII without control characters, quotation marks and
 * backslashes: no byte needs an escape. False for some words although they are plain. Each of the three parts has
 * bit 7 of a byte set where the byte is not plain: `word` where it is beyond ASCII; `control` where subtracting 0x20
 * borrows, or adding 1 makes 0x7F to 0x80; `quote` where subtracting 1 from 0, the difference to a quotation mark or
 * backslash, borrows. A borrow may reach the next byte: hence false for some. */
static bool are_plain(uint64_t word)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t control = (word - each * 0x20) | (word + each);
    uint64_t quote = ((word ^ each * '"') - each) | ((word ^ each * '\\') - each);
    return !((word | control | quote) & each << 7);
}

/* The offset of the first byte from `at` on that is not plain: it needs an escape, or may need one. */
static uint32_t plain_until(const uint8_t *bytes, uint32_t at, uint32_t length)
{
    while (length - at >= 8 && are_plain(gw_le64(bytes + at)))
        at += 8;
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x7F && bytes[at] != '"' && bytes[at] != '\\')
        at++;
    return at;
}

/* The code point of a control character beyond ASCII, U+0080 to U+009F (C2 80 to C2 9F), U+2028 or U+2029 (E2 80 A8, E2
 * 80 A9); 0: another character. `sequence`: length of the valid UTF-8 character at `bytes`, 0 if there is none. */
static uint32_t control_beyond_ascii(const uint8_t *bytes, uint32_t sequence)
{
    if (sequence == 2 && bytes[0] == 0xC2 && bytes[1] < 0xA0)
        return bytes[1];
    if (sequence == 3 && bytes[0] == 0xE2 && bytes[1] == 0x80 && (bytes[2] | 1) == 0xA9)
        return UINT32_C(0x2000) | (bytes[2] & 0x3FU);
    return 0;
}

/* The length of the control character at the beginning of `bytes`; 0: there is another character, or none that is
 * valid. */
uint32_t gw_text_control(const uint8_t *bytes, uint32_t left)
{
    uint32_t sequence = gw_utf8_sequence(bytes, left);
    if (sequence == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7F;
    return control_beyond_ascii(bytes, sequence) ? sequence : 0;
}

/* True for valid UTF-8 without control characters. */
bool gw_text_is_plain(const uint8_t *bytes, uint32_t length)
{
    /* plain_until() also stops at quotation marks and backslashes, which are ordinary characters here. */
    for (uint32_t at = plain_until(bytes, 0, length); at < length; at = plain_until(bytes, at, length)) {
        uint32_t sequence = gw_utf8_sequence(bytes + at, length - at);
        if (!sequence || gw_text_control(bytes + at, length - at))
            return false;
        at += sequence;
    }
    return true;
}

/* ---- escapes ------------------------------------------------------------------------------------------- */

/* Appends a text of a packet: runs of plain bytes as they are, and one character after another with GDScript's
 * escapes; bytes that are not UTF-8 as \xff. */
void gw_text_escaped(gw_text *text, const uint8_t *bytes, uint32_t length)
{
    /* The escapes of GDScript. */
    static const char letters[] = { ['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v',
                                    ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };
    for (uint32_t at = 0; at < length && !text->cut;) {
        uint32_t run = plain_until(bytes, at, length);
        if (run > at) {
            gw_text_bytes(text, (const char *)bytes + at, run - at);
            at = run;
            continue;
        }
        uint8_t byte = bytes[at];
        uint32_t sequence = gw_utf8_sequence(bytes + at, length - at);
        uint32_t code = sequence > 1 ? control_beyond_ascii(bytes + at, sequence) : 0;
        if (code) {
            gw_text_string(text, "\\u");
            gw_text_hex(text, code, 4);
        } else if (sequence > 1) {
            gw_text_bytes(text, (const char *)bytes + at, sequence);
        } else if (byte < sizeof letters && letters[byte]) {
            gw_text_char(text, '\\');
            gw_text_char(text, letters[byte]);
        } else {
            /* A control character of ASCII, or a byte that is not UTF-8. */
            gw_text_bytes(text, sequence ? "\\u00" : "\\x", sequence ? 4 : 2);
            gw_text_hex(text, byte, 2);
        }
        at += sequence ? sequence : 1;
    }
}
