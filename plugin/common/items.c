/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Units, texts, links between frames, and the number of items that may still be added.
 */
#include "common/items.h"

#include "common/keys.h"

const unit_name_string gw_unit_bytes = { " byte", " bytes" };
const unit_name_string gw_unit_ms = { " ms", NULL };

/* ---- texts ------------------------------------------------------------------------------------------------ */

/* Wireshark prints values in terminals (-T fields, pdml, json), and escapes only tabs, line ends and a few other
 * characters. */

/* The longest escape of a character: "\\u2028" of three bytes, "\\u001b" of one. */
#define LONGEST_ESCAPE 6U

/* The length of the control character at `bytes` that has to be escaped, in bytes; 0: the character is copied as it is,
 * as tabs and line ends are, which Wireshark escapes itself. `left`: number of bytes up to the end of the text. */
static uint32_t escaped_at(const uint8_t *bytes, uint32_t left)
{
    bool is_printed = *bytes == '\t' || *bytes == '\n' || *bytes == '\r';
    return is_printed ? 0 : gw_text_control(bytes, left);
}

/* The text with its control characters as escapes; `string` itself if it has none. */
const char *gw_field_text(wmem_allocator_t *pool, const char *string)
{
    const uint8_t *bytes = (const uint8_t *)string;
    uint32_t length = (uint32_t)strlen(string), plain = 0, count = 0;
    gw_text text;
    /* 1. The number of characters to be escaped; most texts have none. */
    if (gw_text_is_plain(bytes, length))
        return string;
    for (uint32_t at = 0; at < length; at++)
        /* Control characters begin with one of these bytes. */
        if (bytes[at] < 0x20 || bytes[at] >= 0x7F)
            count += escaped_at(bytes + at, length - at) != 0;
    if (!count)
        return string;
    /* 2. The text with their escapes. `plain`: the start of the characters that are still to be copied as they are. */
    size_t size = (size_t)length + (size_t)count * LONGEST_ESCAPE + GW_TEXT_MINIMUM;
    gw_text_init(&text, (char *)wmem_alloc(pool, size), size);
    for (uint32_t at = 0; at < length;) {
        uint32_t escaped = escaped_at(bytes + at, length - at);
        if (escaped) {
            gw_text_bytes(&text, string + plain, at - plain);
            gw_text_escaped(&text, bytes + at, escaped);
            plain = at + escaped;
        }
        at += escaped ? escaped : 1;
    }
    gw_text_bytes(&text, string + plain, length - plain);
    return text.buffer;
}

/* ---- links between frames -------------------------------------------------------------------------------- */

/* Adds a generated item with the number of a frame; nothing for frame 0. */
proto_item *gw_add_frame_link(proto_tree *tree, int hf, uint32_t frame)
{
    if (!frame)
        return NULL;
    proto_item *item = proto_tree_add_uint(tree, hf, NULL, 0, 0, frame);
    proto_item_set_generated(item);
    return item;
}

/* Adds a generated item with the time from `earlier` to `later`. */
proto_item *gw_add_time_between(proto_tree *tree, int hf, const nstime_t *later, const nstime_t *earlier)
{
    nstime_t between;
    nstime_delta(&between, later, earlier);
    proto_item *item = proto_tree_add_time(tree, hf, NULL, 0, 0, &between);
    proto_item_set_generated(item);
    return item;
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* The items of one protocol's values in a packet. */
typedef struct item_count {
    struct item_count *next; /* of another protocol */
    int protocol;
    uint32_t left;
} item_count;

/* The number of items for values that the packet may still have, GW_MOST_ITEMS at first: Wireshark reports a dissector
 * bug if a tree has too many. The caller decrements it: one number for all messages of one protocol in the packet.
 * `hf`: any field of this protocol. */
uint32_t *gw_items_left(packet_info *pinfo, int hf)
{
    void **counts = gw_packet_slot(pinfo, GW_SLOT_ITEMS);
    const int protocol = proto_registrar_get_parent(hf);
    for (item_count *count = *counts; count; count = count->next)
        if (count->protocol == protocol)
            return &count->left;
    item_count *count = wmem_new(pinfo->pool, item_count);
    *count = (item_count){ .next = *counts, .protocol = protocol, .left = GW_MOST_ITEMS };
    *counts = count;
    return &count->left;
}
