/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that differs between the Wireshark versions this plugin is built for: 4.0 to 4.6.
 *
 * The plugin is written for the newest of them; for an older version with other names, the new names are defined here.
 * Include this header first: it includes <wireshark.h> and <epan/packet.h>.
 *
 * Rules for code that compiles on every version, but is correct in one form only:
 *   - memory of a packet is pinfo->pool: wmem_packet_scope() ends with 4.6;
 *   - try_val_to_str() and val_to_str_const() are the same everywhere, val_to_str() has other parameters since 4.6;
 *   - bits: tvb_get_bits8/16/32/64, not tvb_get_bits;
 *   - a byte in a tvbuff: gw_find_byte;
 *   - strings: tvb_get_stringz_enc, and tvb_format_text for text that goes to a column or a label;
 *   - floats: fetch, then proto_tree_add_float/double: the _ret_float functions are not in 4.0;
 *   - results of expert_add_info* and stats_tree_register_plugin are unused: 4.0 returns void;
 *   - for an expert info without an item use proto_tree_add_expert, otherwise there is no field to filter on.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_COMPAT_H
#define GAMEWIRE_PLUGIN_COMMON_COMPAT_H

/* Includes ws_version.h. Never include config.h: 4.0 does not install it. */
#include <string.h>

#include <wireshark.h>

#include <epan/packet.h>
#include <epan/stats_tree.h>

#define WS_AT_LEAST(major, minor) \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/*
 * The boolean of heuristic dissectors, of prefs_register_bool_preference and of the _ret_boolean calls. It has four
 * bytes before 4.4 and one since: a wrong type writes past the end of the variable.
 */
#if WS_AT_LEAST(4, 4)
typedef bool ws_bool;
#else
typedef gboolean ws_bool;
#endif

#if !WS_AT_LEAST(4, 4)
#define tvb_get_uint8 tvb_get_guint8
#endif

/* The offset of the first byte of that value among `length` captured bytes from `offset` on; -1 if there is none. The
 * type of the result of tvb_find_uint8() changes with Wireshark 5.0. */
static inline int gw_find_byte(tvbuff_t *tvb, int offset, int length, uint8_t byte)
{
    const uint8_t *bytes = length > 0 ? tvb_get_ptr(tvb, offset, length) : NULL;
    const uint8_t *found = bytes ? (const uint8_t *)memchr(bytes, byte, (size_t)length) : NULL;
    return found ? offset + (int)(found - bytes) : -1;
}

/* Separator of the levels of a statistics menu: "//" if the header defines it, "/" in older versions. */
#ifndef STATS_TREE_MENU_SEPARATOR
#define STATS_TREE_MENU_SEPARATOR "/"
#endif

/* The units of a field: since 4.4, a macro that checks the type. */
#ifndef UNS
#define UNS(units) (units)
#endif

/* Of register_dissector_table() for strings: BASE_NONE before 4.4. */
#ifndef STRING_CASE_SENSITIVE
#define STRING_CASE_SENSITIVE 0
#endif

#if !WS_AT_LEAST(4, 6)
#define dissector_try_uint_with_data   dissector_try_uint_new
#define dissector_try_string_with_data dissector_try_string_new
#endif

/* Result of plugin_describe(). The header is installed since 4.4; 4.0 does not call it. */
#if defined(__has_include)
#if __has_include(<wsutil/plugins.h>)
#include <wsutil/plugins.h>
#endif
#endif
#ifndef WS_PLUGIN_DESC_DISSECTOR
#define WS_PLUGIN_DESC_DISSECTOR (1UL << 0)
#endif

#endif
