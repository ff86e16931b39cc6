/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds items with the values of the codecs: ranges of bytes, numbers, texts, and links between frames; and their limits.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_ITEMS_H
#define GAMEWIRE_PLUGIN_COMMON_ITEMS_H

#include "common/compat.h"

#include <epan/unit_strings.h>

#include <gamewire/bytes.h>
#include <gamewire/event.h>
#include <gamewire/text.h>

/* ---- ranges ---------------------------------------------------------------------------------------------- */

/* Wireshark's offsets and lengths are int. A tvbuff has at most INT_MAX bytes, so that the codecs' ranges fit. */

/* All captured bytes. The tvbuff must not be empty. */
static inline const uint8_t *gw_bytes_of(tvbuff_t *tvb)
{
    return tvb_get_ptr(tvb, 0, (int)tvb_captured_length(tvb));
}

static inline tvbuff_t *gw_subset_of(tvbuff_t *tvb, gw_span span)
{
    return tvb_new_subset_length(tvb, (int)span.offset, (int)span.length);
}

/* The bytes as UTF-8 in the pool; invalid sequences are replaced. Nearly all texts are valid, and copied at once. */
static inline const char *gw_text_of(wmem_allocator_t *pool, tvbuff_t *tvb, gw_span span)
{
    const uint8_t *bytes = tvb_get_ptr(tvb, (int)span.offset, (int)span.length);
    if (gw_utf8_prefix(bytes, span.length) < span.length)
        return (const char *)tvb_get_string_enc(pool, tvb, (int)span.offset, (int)span.length, ENC_UTF_8);
    char *text = (char *)wmem_alloc(pool, (size_t)span.length + 1);
    memcpy(text, bytes, span.length);
    text[span.length] = 0;
    return text;
}

/* proto_tree_add_item() */
static inline proto_item *gw_add_span(proto_tree *tree, int hf, tvbuff_t *tvb, gw_span span, unsigned encoding)
{
    return proto_tree_add_item(tree, hf, tvb, (int)span.offset, (int)span.length, encoding);
}

/* proto_tree_add_string() */
static inline proto_item *gw_add_text(proto_tree *tree, int hf, tvbuff_t *tvb, gw_span span, const char *text)
{
    return proto_tree_add_string(tree, hf, tvb, (int)span.offset, (int)span.length, text);
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* For fields with BASE_UNIT_STRING and UNS(): the addresses of libwireshark's units are no constants on Windows. */
extern const unit_name_string gw_unit_bytes;
extern const unit_name_string gw_unit_ms;

/* Adds an enumeration whose numbers are usually written in hexadecimal: "Type: Ack only (0x4c61)". Its field is
 * BASE_DEC with value strings: filters take the names then, and with BASE_HEX, tshark -T ek would write hexadecimal
 * text for a field that its mapping declares as a number. */
static inline proto_item *gw_add_hex_enumeration(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t offset, int length,
                                                 uint32_t number)
{
    const value_string *names = (const value_string *)proto_registrar_get_nth((unsigned)hf)->strings;
    return proto_tree_add_uint_format_value(tree, hf, tvb, (int)offset, length, number, "%s (0x%0*x)",
                                            val_to_str_const(number, names, "Unknown"), 2 * length, number);
}

/* The shortest digits of a double; printf would write the decimal point of the locale. */
static inline char *gw_text_of_double(wmem_allocator_t *scope, double number)
{
    char digits[64];
    gw_text text;
    gw_text_init(&text, digits, sizeof digits);
    gw_text_double(&text, number);
    return wmem_strdup(scope, digits);
}

/* Adds an FT_DOUBLE field for the four bytes of a float: the double that is nearest to the float's shortest decimal
 * digits, 7.1 for 7.1f, not 7.09999990463257. Wireshark prints an FT_FLOAT with 6 digits, which several floats share,
 * and an FT_DOUBLE with 15. This number is the same when it is shown, extracted and used in a filter; it is computed
 * only when the field is referenced. */
static inline proto_item *gw_add_float32(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t offset, float number)
{
    double value = proto_field_is_referenced(tree, hf) ? gw_float_to_double(number) : 0;
    return proto_tree_add_double(tree, hf, tvb, (int)offset, 4, value);
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

/* The text, which is UTF-8, with its control characters as escapes (\u001b), except tab, line feed and carriage return:
 * Wireshark escapes these itself. In the pool, or `string` if it has none. */
const char *gw_field_text(wmem_allocator_t *pool, const char *string);

/* ---- links between frames -------------------------------------------------------------------------------- */

/* Both ends of a relation show the other one's frame number. These generated items have no bytes (the tvbuff is
 * NULL), so that PDML has the position of their parent. For an item that begins before its parent, PDML would have a
 * wrong position. */

/* Adds a generated FT_FRAMENUM item. Returns NULL, and adds nothing, when `frame` is 0. */
proto_item *gw_add_frame_link(proto_tree *tree, int hf, uint32_t frame);

/* Adds a generated FT_RELATIVE_TIME item: from `earlier` to `later`, negative when the capture is out of order. */
proto_item *gw_add_time_between(proto_tree *tree, int hf, const nstime_t *later, const nstime_t *earlier);

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* The rest of the items of a packet is shown as bytes. Wireshark reports a dissector bug if a tree has more than
 * gui.max_tree_items (1,000,000) items, and since 4.6 if 50,000 of them begin no later than an item before them. All
 * values of a large message do, since the list of its fragments comes first and extends to its end. */

/* For the values of one packet; the rest of the 50,000 is for other items. All values of a datagram fit: the smallest
 * has four bytes and two items. */
#define GW_MOST_ITEMS UINT32_C(49200)

/* For one list of ids, such as the ids of a spawned node's synchronizers. The ids after these are shown as bytes and
 * not stored: a message that uses one of them has no link to the list. */
#define GW_MOST_IDS 256U

/* The number of items for values that may still be added in this packet, in all its messages together. Decrement it
 * with gw_use_items(). `hf` is any field of the values' protocol. The number is in packet scope. */
uint32_t *gw_items_left(packet_info *pinfo, int hf);

/* Subtracts `items`. If fewer are left, sets the number to 0 and returns false. */
static inline bool gw_use_items(uint32_t *left, uint32_t items)
{
    bool fits = *left >= items;
    *left = fits ? *left - items : 0;
    return fits;
}

#endif
