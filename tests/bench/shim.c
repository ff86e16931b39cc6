/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plugin for the bench alone:
 *
 *   - makes Decode As offer "cbor" and "data" for UDP ports, where stock Wireshark does not;
 *   - with GAMEWIRE_BENCH_HEURISTICS="NAME:COUNT" in the environment, turns off every heuristic for UDP and
 *     puts COUNT copies of one in their place: of the registered one with that short name, or of "floor",
 *     which looks at four bytes and leaves. "none:0" puts nothing there. One heuristic costs less than runs
 *     of tshark differ, many of them can be distinguished from none;
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

#define MOST_COPIES 64
#define VARIABLE    "GAMEWIRE_BENCH_HEURISTICS"
#define FLOOR_MAGIC UINT32_C(0x4e41574c)

WS_DLL_PUBLIC const char plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major;
WS_DLL_PUBLIC const int plugin_want_minor;
WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = "0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static int protocols[MOST_COPIES];

static ws_bool reject_on_four_bytes(tvbuff_t *tvb, packet_info *pinfo _U_, proto_tree *tree _U_, void *data _U_)
{
    return tvb_captured_length(tvb) >= 4 && tvb_get_letohl(tvb, 0) == FLOOR_MAGIC;
}

/* ---- heuristics --------------------------------------------------------------------------------------- */

static void disable(const char *table _U_, heur_dtbl_entry_t *entry, void *data _U_)
{
    entry->enabled = FALSE;
}

static heur_dissector_t heuristic_named(const char *name)
{
    if (strcmp(name, "floor") == 0)
        return reject_on_four_bytes;
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(name);
    if (!entry) {
        fprintf(stderr, "%s: no heuristic %s\n", VARIABLE, name);
        exit(1);
    }
    return entry->dissector;
}

static void add_copies(heur_dissector_t heuristic, unsigned copies)
{
    for (unsigned i = 0; i < copies && i < MOST_COPIES; i++)
        heur_dissector_add("udp", heuristic, "Bench", g_strdup_printf("bench%u_udp", i), protocols[i],
                           HEURISTIC_ENABLE);
}

/* When a file is opened: by then every plugin has registered its heuristics. */
static void set_heuristics(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    static ws_bool done = FALSE;
    const char *wanted = getenv(VARIABLE);
    if (!wanted || done)
        return;
    done = TRUE;
    char **parts = g_strsplit(wanted, ":", 2);
    unsigned copies = parts[1] ? (unsigned)strtoul(parts[1], NULL, 10) : 0;
    heur_dissector_table_foreach("udp", disable, NULL);
    if (copies)
        add_copies(heuristic_named(parts[0]), copies);
    g_strfreev(parts);
}

/* ---- registration ------------------------------------------------------------------------------------- */

/* Each heuristic has a protocol of its own, as real ones have. */
static void register_protocols(void)
{
    for (unsigned i = 0; i < MOST_COPIES; i++)
        protocols[i] = proto_register_protocol(g_strdup_printf("Bench %u", i), g_strdup_printf("Bench%u", i),
                                               g_strdup_printf("bench%u", i));
    register_init_routine(set_heuristics);
}

static void register_handoffs(void)
{
    dissector_add_for_decode_as("udp.port", find_dissector("cbor"));
    dissector_add_for_decode_as("udp.port", find_dissector("data"));
}

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static const proto_plugin dissectors = { register_protocols, register_handoffs };
    proto_register_plugin(&dissectors);
}

WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
