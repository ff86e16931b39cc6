/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot Variants, as PacketPeerUDP.put_var and var2bytes write them: entry points, preferences and registration.
 *
 *   godot           a UDP payload or a message in ENet that is one Variant: by heuristic, Decode As or preference
 *   godot.variant   one Variant at the start of a tvbuff, for other dissectors and Lua; returns its length
 *
 * dissect.c reads Variants, generation.c keeps the generation of each conversation, tree.c and details.c add the
 * items, custom.c the fields that a user configured, statistics.c counts, fields.c registers the fields.
 */
#include "protocols.h"

#include <epan/dissectors/packet-udp.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/statistics.h"
#include "common/recognition/recognition.h"
#include "enet/enet.h"
#include "generation.h"
#include "internal.h"

/* The first keys identify a document; the end of a long line is not worth the memory of the packet list. */
#define INFO_SIZE 200

static dissector_handle_t godot_handle; /* selected by a user: Decode As or the port preference */
static gw_heuristic over_udp;
static gw_heuristic over_enet;
static int follow_tap = -1;
static unsigned threshold = GW_RECOGNIZED_ALONE; /* preference: the bits of evidence over both */

/* ---- entry points -------------------------------------------------------------------------------------- */

static const gw_godot_question whole_payload = { .values = 1 };

/* True if the generation of the findings reads all of the payload, without oddities. */
static bool is_sound(tvbuff_t *tvb, const godot_findings *findings)
{
    const gw_godot_summary *summary = &findings->summary;
    return !summary->fault.fault_class && !summary->odd && summary->length == tvb_reported_length(tvb);
}

/* Adds godot.json, if the field is named. `result`: of the payload's Variant; NULL for an empty payload, which has
 * none. `enet`: the message of ENet that carries it; NULL over UDP. */
static void add_json(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const godot_variant_result *result,
                     const enet_message *enet, unsigned first_finding)
{
    uint32_t length = tvb_captured_length(tvb);
    const gw_json_carrier carrier = enet ? enet_carrier_of(enet, length) : (gw_json_carrier){ 0 };
    const gw_json_head head = { .protocol = "godot", .kind = "variant", .carrier = enet ? &carrier : NULL };
    gw_json json;
    if (!gw_json_is_wanted(pinfo, tree, godot_hf.json))
        return;
    gw_json_begin(&json, pinfo, &head);
    if (result) {
        const gw_godot_options options = { .generation = result->generation };
        const godot_json value = godot_json_add(&json, "value", pinfo, gw_bytes_of(tvb), length, &options);
        /* Bytes of a value that was begun before the fault are undecoded too. */
        if (result->fault.fault_class)
            gw_json_add_undecoded(&json, tvb, MIN(value.unread, result->fault.offset));
    }
    gw_json_add_notes(&json, pinfo, first_finding, gw_count_findings(pinfo));
    gw_json_end(&json, tree, godot_hf.json);
}

/* Adds the layer and the line of a payload. `enet`: the message of ENet that carries it; NULL over UDP. A message that
 * its receiver drops, as a copy (enet->repeated), is shown, but not counted or followed. */
static void add_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_findings *findings,
                        const enet_message *enet)
{
    unsigned first_finding = gw_count_findings(pinfo);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
    col_clear(pinfo->cinfo, COL_INFO);
    if (!enet || !enet->repeated)
        godot_count(pinfo, tvb, findings->generation);
    /* The most frequent case in a live capture: no field of this protocol is referenced, and there is nothing to
     * report. Without any item the layer would be missing. */
    if (!godot_variants_are_wanted(parent) && is_sound(tvb, findings) && !findings->mixed &&
        !godot_is_in_doubt(findings)) {
        proto_tree_add_item(parent, proto_godot, tvb, 0, (int)tvb_captured_length(tvb), ENC_NA);
    } else {
        const godot_variant_request request = { .exact = true }; /* bytes after the Variant are reported */
        godot_variant_result result;
        godot_variants_add_as(godot_variants_new(pinfo, tvb), parent, &request, findings, &result);
        add_json(pinfo, result.layer, tvb, &result, enet, first_finding);
    }
    if (col_get_writable(pinfo->cinfo, COL_INFO))
        col_set_str(pinfo->cinfo, COL_INFO,
                    gw_line_with_words(pinfo, gw_finding_words(pinfo, first_finding),
                                       godot_variant_line(pinfo, tvb, findings->generation, INFO_SIZE)));
    if (have_tap_listener(follow_tap) && !(enet && enet->repeated))
        gw_follow_line(follow_tap, pinfo, tvb, godot_variant_line(pinfo, tvb, findings->generation, GODOT_FOLLOW_SIZE));
}

/* Dissects a whole UDP payload as one Variant, with the generation that the bytes and the conversation indicate.
 * Declines nothing. */
static int dissect_godot(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    godot_findings findings;
    if (!tvb_captured_length(tvb)) {
        proto_item *item = proto_tree_add_item(parent, proto_godot, tvb, 0, 0, ENC_NA);
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
        col_set_str(pinfo->cinfo, COL_INFO, "Empty");
        gw_follow_line(follow_tap, pinfo, tvb, "Empty");
        gw_add_finding(pinfo, item, &godot_ei.empty);
        add_json(pinfo, proto_item_add_subtree(item, godot_ett_protocol), tvb, NULL, NULL,
                 gw_count_findings(pinfo) - 1);
        return 0;
    }
    godot_generation_analyze(pinfo, tvb, &whole_payload, &findings);
    add_payload(tvb, pinfo, parent, &findings, NULL);
    return (int)tvb_captured_length(tvb);
}

/* Dissects a message of ENet, which passes no empty ones, as one Variant. `data`: of ENet. */
static int dissect_in_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    godot_findings findings;
    enet_describe(pinfo, data); /* the message has godot.json, so that ENet adds none */
    godot_generation_analyze(pinfo, tvb, &whole_payload, &findings);
    add_payload(tvb, pinfo, parent, &findings, enet_message_of(pinfo, data));
    return (int)tvb_captured_length(tvb);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* True if the first words may be those of a Variant: the cheapest test. */
static bool may_begin(tvbuff_t *tvb)
{
    unsigned captured = tvb_captured_length(tvb);
    return gw_godot_may_begin(tvb_get_ptr(tvb, 0, (int)captured), captured, tvb_reported_length(tvb));
}

/* The dissector of a pinned conversation, which declines payloads that cannot be Variants. Most payloads are sound: one
 * Variant without faults and oddities that takes the whole payload, which is enough. Any other payload must be possible
 * by the heuristic's test again. Accepted payloads are stored, to compare damaged ones with them. */
static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    godot_findings findings;
    gw_recognition recognition;
    if (!tvb_captured_length(tvb))
        return 0;
    godot_generation_analyze(pinfo, tvb, &whole_payload, &findings);
    bool is_ours = is_sound(tvb, &findings) && may_begin(tvb);
    /* is_odd_alone: it has something that no sender writes, and no structure that indicates a Variant. */
    if (!is_ours)
        is_ours = godot_variant_recognize(tvb, &recognition) && !recognition.is_odd_alone;
    if (!is_ours)
        return 0;
    gw_heuristic_keep(&over_udp, pinfo, tvb, godot_variant_weigh);
    add_payload(tvb, pinfo, parent, &findings, NULL);
    return (int)tvb_captured_length(tvb);
}

/* The dissector "godot.variant" for other plugins and Lua, whose formats contain Variants: see variant.h. A caller in C
 * has stored its request with the packet, and the result is written to it; all others have the default request. Returns
 * the Variant's length; 0 for a default request without bytes. */
static int dissect_godot_variant(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    /* The call of a caller without data, such as Lua. */
    godot_variant_call default_call = { .size = sizeof default_call };
    godot_variant_call *call = p_get_proto_data(pinfo->pool, pinfo, proto_godot, GODOT_VARIANT_CALL_KEY);
    if (call) /* valid for one call */
        p_set_proto_data(pinfo->pool, pinfo, proto_godot, GODOT_VARIANT_CALL_KEY, NULL);
    /* The stored call is the caller's only if `data` is its address, and its layout is known only by its size. */
    if (!call || call != data || call->size != sizeof *call) {
        call = &default_call;
        if (!tvb_captured_length(tvb))
            return 0;
    }
    godot_variants_add(godot_variants_new(pinfo, tvb), parent, &call->request, &call->result);
    return (int)call->result.length;
}

/* True if the heuristic accepts the payload by its own evidence, or by that of its conversation. Then stores the
 * generations that read it, and the payload as an example with which damaged ones are compared. */
static bool accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb)
{
    /* The cheapest test first, but not if a conversation has some evidence (the heuristic is not idle): a packet that is
     * no Variant then ends the series of its evidence. */
    if (gw_heuristic_is_idle(heuristic) && !may_begin(tvb))
        return false;
    gw_recognition recognition;
    godot_variant_recognize(tvb, &recognition);
    /* A String that Wireshark's heuristic for WireGuard accepts by its length, although no packet of WireGuard has this
     * content: it must be accepted by itself, or Wireshark shows it as WireGuard. */
    if (heuristic == &over_udp &&
        gw_godot_is_text_datagram(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), &recognition))
        recognition.bits = MAX(recognition.bits, GW_RECOGNIZED_ALONE);
    /* Stream number 0: the evidence of all payloads of the conversation counts together. */
    if (!gw_heuristic_accepts(heuristic, pinfo, tvb, &recognition, 0, threshold))
        return false;
    godot_generation_keep_readers(pinfo, (uint8_t)gw_heuristic_readings(heuristic, pinfo, &recognition));
    gw_heuristic_keep(heuristic, pinfo, tvb, godot_variant_weigh);
    return true;
}

/* For a payload that is not accepted in a conversation of which nearly all payloads were Variants: passes it to the
 * other dissectors, and if none accepts it, adds an expert info with the fault in the proven generation. True if
 * another one accepted it. */
static bool add_unread(gw_heuristic *heuristic, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    bool accepted;
    /* False also if another dissector accepts the payload: `accepted` has whether one does. */
    if (!gw_damaged_is_unread(&heuristic->damaged, tvb, pinfo, tree, data, &accepted))
        return accepted;
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_options options = { .generation = godot_generation_find(pinfo).proven };
    gw_godot_summary summary = { .length = 0 };
    godot_generation_set_levels(&options);
    char *fault = "";
    if (options.generation != GW_GODOT_ANY && !gw_godot_validate(gw_bytes_of(tvb), length, &options, &summary) &&
        summary.fault.fault_class)
        fault = wmem_strdup_printf(pinfo->pool, ": %s at offset %u",
                                   gw_fault_text(&gw_godot_faults, summary.fault.code), summary.fault.offset);
    gw_add_finding_at_format(tree, pinfo, &godot_ei.unread, tvb, 0, (int)length,
                             "Not read as a Godot Variant, as the payloads of this conversation before it%s", fault);
    return false;
}

/* UDP's heuristic: accepts Variants by their evidence, and damaged payloads, which are like the Variants of their
 * conversation (common/recognition/damaged.h). In a conversation of which nearly all payloads were Variants, another
 * payload is passed to the other dissectors: add_unread(). */
static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* Most packets are of other protocols: the cheapest test first. */
    if (gw_heuristic_is_unused(&over_udp) && !may_begin(tvb))
        return false;
    /* In a candidate conversation (common/recognition/recognition.h), dissect_candidate() has already declined this packet. */
    if (gw_candidates_were_asked(pinfo))
        return false;
    if (accepts(&over_udp, pinfo, tvb))
        return dissect_godot(tvb, pinfo, tree, data) != 0;
    return gw_heuristic_dissect_damaged(&over_udp, tvb, pinfo, tree, data, dissect_godot) != 0 ||
           add_unread(&over_udp, tvb, pinfo, tree, data);
}

/* As dissect_over_udp(), for a conversation with some evidence, in which it is called before other heuristics;
 * returns the number of bytes. */
static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_over_udp(tvb, pinfo, tree, data) ? (int)tvb_captured_length(tvb) : 0;
}

/* ENet's heuristic: Variants by ENetPacketPeer.send(var_to_bytes()), and by put_var() without SceneMultiplayer. */
static ws_bool dissect_over_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (accepts(&over_enet, pinfo, tvb))
        return dissect_in_enet(tvb, pinfo, tree, data) != 0;
    return gw_heuristic_dissect_damaged(&over_enet, tvb, pinfo, tree, data, dissect_in_enet) != 0 ||
           add_unread(&over_enet, tvb, pinfo, tree, data);
}

/* ---- Follow Stream: the Variants of a stream of UDP, bare or in ENet, a line each ------------------------- */

/* Follow Stream's filter for one UDP stream. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("godot && udp.stream == %u", stream);
}

/* Sets `stream` to the packet's UDP stream, and returns its filter; NULL if it has none. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return gw_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the protocol with its fields, dissectors, heuristics, Follow Stream and preferences. over_enet is nested:
 * its conversations are ENet's, so that they are not pinned. */
void proto_register_godot(void)
{
    static const enum_val_t generations[] = {
        { "auto", "Automatic", GW_GODOT_ANY },
        { "2", "Godot 2", GW_GODOT_2 },
        { "3", "Godot 3", GW_GODOT_3 },
        { "4", "Godot 4", GW_GODOT_4 },
        { NULL, NULL, 0 },
    };
    proto_godot = proto_register_protocol("Godot Variant", "Godot", "godot");
    godot_register_fields(proto_godot);
    godot_handle = register_dissector("godot", dissect_godot, proto_godot);
    /* Conversations with some evidence are kept from other heuristics, and evidence counts for a server's port too,
     * because clients may use a new port for each request. */
    gw_heuristic_init(&over_udp, create_dissector_handle(dissect_pinned, proto_godot));
    over_udp.candidates = true;
    over_udp.servers = true;
    gw_candidates_register("godot_udp", dissect_candidate, proto_godot);
    gw_heuristic_init_nested(&over_enet);
    register_dissector("godot.variant", dissect_godot_variant, proto_godot);

    follow_tap = register_tap("godot_follow");
    gw_register_follow(proto_godot, "godot_follow", &(gw_follow){ find_stream, filter_stream, get_udp_stream_count });

    module_t *module = prefs_register_protocol(proto_godot, NULL);
    prefs_register_enum_preference(module, "generation", "Godot generation",
                                   "Generation whose type numbers are used. The three generations number "
                                   "their types differently, and a payload does not contain its generation.",
                                   &godot_generation_preference, generations, false);
    prefs_register_uint_preference(module, "packed_elements", "Elements of a packed array",
                                   "Number of elements of a packed array that are shown one by one.", 10,
                                   &godot_tree_prefs.elements);
    prefs_register_bool_preference(module, "show_headers", "Show every header",
                                   "Show key, type, length, count and padding of every value. Otherwise each is shown "
                                   "only if a filter or a column names it.",
                                   &godot_tree_prefs.show_headers);
    prefs_register_bool_preference(
        module, "show_values", "Show every value as text",
        "Add godot.value, the value as a Godot literal, to each godot.path: tshark -T fields "
        "then prints two lists of the same length.",
        &godot_tree_prefs.show_values);
    prefs_register_uint_preference(
        module, "heuristic_proof", "Evidence for the heuristic (bits)",
        "Bits of evidence that are required to recognize a conversation, summed over its packets. A smaller number "
        "recognizes more games, and more packets of other protocols.",
        10, &threshold);
    prefs_register_string_preference(module, "statistics_key", "Key for the statistics",
                                     "The statistics count documents (payloads that are a dictionary) by the value of "
                                     "this key.",
                                     &godot_statistics_key);
    godot_register_custom(module);
}

/* Registers the heuristics over UDP and ENet, and Decode As for both; UDP has a port preference too. */
void proto_reg_handoff_godot(void)
{
    heur_dissector_add("udp", dissect_over_udp, "Godot Variant over UDP", "godot_udp", proto_godot, HEURISTIC_ENABLE);
    dissector_add_for_decode_as_with_preference("udp.port", godot_handle);
    heur_dissector_add(ENET_HEURISTICS, dissect_over_enet, "Godot Variant over ENet", "godot_enet", proto_godot,
                       HEURISTIC_ENABLE);
    dissector_add_for_decode_as(ENET_PORT_TABLE, create_dissector_handle(dissect_in_enet, proto_godot));
}
