/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Converts ranges of the codecs for Wireshark's functions, whose offsets and lengths are int. A tvbuff has at most
 * INT_MAX bytes, so its ranges fit.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_SPANS_H
#define GAMEWIRE_PLUGIN_COMMON_SPANS_H

#include "common/compat.h"

#include <gamewire/event.h>

/* All captured bytes. The tvbuff must not be empty. */
static inline const uint8_t *gw_bytes_of(tvbuff_t *tvb)
{
    return tvb_get_ptr(tvb, 0, (int)tvb_captured_length(tvb));
}

static inline tvbuff_t *gw_subset_of(tvbuff_t *tvb, gw_span span)
{
    return tvb_new_subset_length(tvb, (int)span.offset, (int)span.length);
}

/* The bytes as UTF-8 in the pool; invalid sequences are replaced. */
static inline const char *gw_text_of(wmem_allocator_t *pool, tvbuff_t *tvb, gw_span span)
{
    return (const char *)tvb_get_string_enc(pool, tvb, (int)span.offset, (int)span.length, ENC_UTF_8);
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

#endif
