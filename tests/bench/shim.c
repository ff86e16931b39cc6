/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plugin for the bench alone:
 *
 *   - makes Decode As offer "cbor" and "data" for UDP ports, where stock Wireshark does not;
 *   - registers a heuristic for UDP, "bench_floor_udp", which looks at four bytes and declines;
 *   - with GAMEWIRE_BENCH_HEURISTIC=NAME in the environment, turns off every heuristic for UDP but the one with that
 *     short name;
 *   - starts callgrind's count of instructions when a file is opened, as the start of tshark takes far longer under
 *     callgrind than the packets do.
 */
#include "common/compat.h"

#include <stdlib.h>

#include <epan/proto.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#endif

#define VARIABLE    "GAMEWIRE_BENCH_HEURISTIC"
#define FLOOR_MAGIC UINT32_C(0x4e41574c)

WS_DLL_PUBLIC const char plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major;
WS_DLL_PUBLIC const int plugin_want_minor;
WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = "0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static int protocol;

/* Named as the functions of our heuristics are, which section_heuristic.py counts. */
static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo _U_, proto_tree *tree _U_, void *data _U_)
{
    return tvb_captured_length(tvb) >= 4 && tvb_get_letohl(tvb, 0) == FLOOR_MAGIC;
}

/* ---- heuristics --------------------------------------------------------------------------------------- */

static void enable_only(const char *table _U_, heur_dtbl_entry_t *entry, void *name)
{
    entry->enabled = strcmp(entry->short_name, (const char *)name) == 0;
}

/* When a file is opened: by then every plugin has registered its heuristics. */
static void set_heuristics(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    char *wanted = getenv(VARIABLE);
    if (!wanted)
        return;
    if (!find_heur_dissector_by_unique_short_name(wanted)) {
        fprintf(stderr, "%s: no heuristic %s\n", VARIABLE, wanted);
        exit(1);
    }
    heur_dissector_table_foreach("udp", enable_only, wanted);
}

/* ---- registration ------------------------------------------------------------------------------------- */

static void register_floor(void)
{
    protocol = proto_register_protocol("Bench floor", "Bench floor", "bench_floor");
    register_init_routine(set_heuristics);
}

static void register_handoffs(void)
{
    dissector_add_for_decode_as("udp.port", find_dissector("cbor"));
    dissector_add_for_decode_as("udp.port", find_dissector("data"));
    heur_dissector_add("udp", dissect_over_udp, "Bench floor", "bench_floor_udp", protocol, HEURISTIC_DISABLE);
}

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static const proto_plugin dissectors = { register_floor, register_handoffs };
    proto_register_plugin(&dissectors);
}

WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
