/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Leviathan engine's UDP protocol: entry points, preferences and registration.
 *
 *   leviathan         by Decode As or port preference: shows every payload
 *   leviathan pinned  for recognized conversations: declines datagrams that cannot be Leviathan's
 *
 * dissect.c reads datagrams and collects their content, analysis.c relates it to other datagrams, tree.c and findings.c
 * add the items, statistics.c counts, fields.c registers the fields.
 */
#include "protocols.h"

#include <epan/prefs.h>

#include "common/candidates.h"
#include "common/conversation.h"
#include "common/items.h"
#include "common/recognition.h"
#include "internal.h"

static dissector_handle_t leviathan_handle;
static gw_heuristic over_udp;

/* ---- entry points -------------------------------------------------------------------------------------- */

/* Selected by a user: never declines. */
static int dissect_leviathan(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return leviathan_dissect(tvb, pinfo, parent);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* The tests and their odds are in codecs/leviathan/recognize.c. */
static bool recognize(tvbuff_t *tvb, const packet_info *pinfo, gw_recognition *recognition)
{
    unsigned captured = tvb_captured_length(tvb);
    /* A fragment is not the whole datagram. */
    unsigned wire_length = tvb_reported_length(tvb) + (pinfo->fragmented ? 1 : 0);
    gw_leviathan_options options = leviathan_reader_options();
    return gw_leviathan_recognize(gw_bytes_of(tvb), captured, wire_length, &options, recognition);
}

static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    if (!recognize(tvb, pinfo, &recognition))
        return 0;
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    return leviathan_dissect(tvb, pinfo, tree);
}

/* A datagram that is not silent, although nothing accepts it: nearly all datagrams of its conversation were Leviathan's. True if
 * another dissector accepts it. */
static bool add_unread(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    bool accepted;
    if (gw_damaged_is_unread(&over_udp.damaged, tvb, pinfo, tree, data, &accepted))
        proto_tree_add_expert(tree, pinfo, &leviathan_ei.unread, tvb, 0, (int)tvb_captured_length(tvb));
    return accepted;
}

static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* Most packets are of other protocols: the cheapest test first. */
    unsigned captured = tvb_captured_length(tvb);
    if (gw_heuristic_is_idle(&over_udp) && !gw_leviathan_may_begin(gw_bytes_of(tvb), captured))
        return gw_damaged_has_samples(&over_udp.damaged) && !gw_candidates_were_asked(pinfo) &&
               add_unread(tvb, pinfo, tree, data);
    if (gw_candidates_were_asked(pinfo))
        return false;
    gw_recognition recognition;
    recognize(tvb, pinfo, &recognition);
    bool accepted = gw_heuristic_accepts(&over_udp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE);
    if (gw_is_first_pass(pinfo) && recognition.bits) {
        uint32_t series = gw_heuristic_series(&over_udp, pinfo);
        if (accepted || series)
            leviathan_keep_series(pinfo, proto_leviathan, series, accepted);
        /* A packet that is not accepted yet is analyzed if it may be accepted on the second pass. */
        if (!accepted && series)
            leviathan_keep_candidate(tvb, pinfo);
    }
    if (!accepted)
        return !recognition.possible && add_unread(tvb, pinfo, tree, data);
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    leviathan_dissect(tvb, pinfo, tree);
    return true;
}

static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_over_udp(tvb, pinfo, tree, data) ? (int)tvb_captured_length(tvb) : 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

static const enum_val_t numberings[] = {
    { "newest", "Since 2018-12-09 (newest)", GW_LEVIATHAN_SINCE_2018_12_09 },
    { "2018-12-08", "2018-12-08", GW_LEVIATHAN_SINCE_2018_12_08 },
    { "2018-11-30", "2018-11-30 to 2018-12-07", GW_LEVIATHAN_SINCE_2018_11_30 },
    { "2018-11-18", "2018-11-18 to 2018-11-29", GW_LEVIATHAN_SINCE_2018_11_18 },
    { "2018-10-30", "2018-10-30 to 2018-11-17", GW_LEVIATHAN_SINCE_2018_10_30 },
    { "2017-04-05", "2017-04-05 to 2018-10-29", GW_LEVIATHAN_SINCE_2017_04_05 },
    { NULL, NULL, 0 },
};

static const enum_val_t ack_numberings[] = {
    { "engine", "As the engine: start ack + index", LEVIATHAN_ACKS_ENGINE },
    { "documentation", "As documented: start ack + index + 1", LEVIATHAN_ACKS_DOCUMENTATION },
    { "automatic", "Automatic: as the engine, unless the documented numbering is proven", LEVIATHAN_ACKS_AUTOMATIC },
    { NULL, NULL, 0 },
};

static void apply_preferences(void)
{
    leviathan_name_types((gw_leviathan_revision)leviathan_numbering);
}

void proto_register_leviathan(void)
{
    proto_leviathan = proto_register_protocol("Leviathan engine", "Leviathan", "leviathan");
    leviathan_handle = register_dissector("leviathan", dissect_leviathan, proto_leviathan);
    leviathan_register_fields(proto_leviathan);
    leviathan_register_analysis();
    leviathan_register_statistics(proto_leviathan);
    gw_heuristic_init(&over_udp, create_dissector_handle(dissect_pinned, proto_leviathan));
    over_udp.strict = true;
    over_udp.candidates = true;
    gw_candidates_register("leviathan_udp", dissect_candidate, proto_leviathan);

    module_t *module = prefs_register_protocol(proto_leviathan, apply_preferences);
    prefs_register_enum_preference(module, "numbering", "Engine's date",
                                   "Date of the engine, which determines the numbers of request and response types: "
                                   "they changed while the engine's version stayed 0.8.0.0",
                                   &leviathan_numbering, numberings, false);
    prefs_register_enum_preference(module, "ack_numbering", "Ack numbering",
                                   "Which packet an ack bit acknowledges: the engine and its documentation differ by "
                                   "one",
                                   &leviathan_ack_numbering, ack_numberings, false);
}

void proto_reg_handoff_leviathan(void)
{
    heur_dissector_add("udp", dissect_over_udp, "Leviathan over UDP", "leviathan_udp", proto_leviathan,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", leviathan_handle);
    leviathan_register_statistics_tree();
}
