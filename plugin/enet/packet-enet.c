/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet 1.3, over UDP and over DTLS.
 *
 * decompression.c finds the commands of a datagram, tree.c shows them, connection.c and analysis.c know what happened
 * before and after, findings.c shows that, recognition.c tells which datagrams a known connection can have sent,
 * handover.c hands payloads over (enet.h), statistics.c counts, fields.c names the fields.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/conversation.h>
#include <epan/prefs.h>
#include <wsutil/utf8_entities.h>

#include "analysis.h"
#include "common/conversation.h"
#include "common/demand.h"
#include "common/fault.h"
#include "common/recognition.h"
#include "decompression.h"
#include "fields.h"
#include "handover.h"
#include "recognition.h"
#include "statistics.h"
#include "tree.h"

#define INFO_SIZE 400

static int proto_enet = -1;
static dissector_handle_t enet_handle;
static gw_heuristic udp_heuristic;

static int compression = ENET_AUTOMATIC;
static int checksums = ENET_CHECKSUM_AUTOMATIC;

/* ---- columns and titles --------------------------------------------------------------------------------- */

/* The most important of what the analysis found. */
static const char *prefix_of(const enet_datagram *datagram)
{
    static const struct {
        uint32_t finding;
        const char *prefix;
    } prefixes[] = {
        { ENET_DUPLICATE, "[Duplicate] " },           { ENET_SPURIOUS, "[Spurious retransmission] " },
        { ENET_RETRANSMISSION, "[Retransmission] " }, { ENET_OUT_OF_ORDER, "[Out of order] " },
        { ENET_TOO_FAR_AHEAD, "[Too far ahead] " },   { ENET_GAP, "[Previous command not captured] " },
        { ENET_DUPLICATE_ACK, "[Duplicate ack] " },   { ENET_WINDOW_FULL, "[Window full] " },
    };
    uint32_t findings = 0;
    if (datagram->notes && datagram->notes->stale)
        return "[Stale] ";
    for (uint32_t i = 0; datagram->notes && i < datagram->facts.count; i++)
        findings |= datagram->notes->commands[i].findings;
    for (size_t i = 0; i < array_length(prefixes); i++)
        if (findings & prefixes[i].finding)
            return prefixes[i].prefix;
    return "";
}

static void show_line(const enet_datagram *datagram, const char *line)
{
    const packet_info *pinfo = datagram->pinfo;
    const char *prefix = prefix_of(datagram);
    const gw_fault *fault = &datagram->fault;
    const char *what = "", *close = "";
    if (fault->fault_class != GW_FAULT_NONE && !gw_fault_is_cut(pinfo, datagram->tvb, fault)) {
        what = gw_enet_fault_text(fault->code);
        close = "]";
    }
    col_add_fstr(pinfo->cinfo, COL_INFO, "%u " UTF8_RIGHTWARDS_ARROW " %u %s%s%s%s%s", pinfo->srcport, pinfo->destport,
                 prefix, line, *what ? " [" : "", what, close);
    if (gw_has_label(datagram->tree, proto_enet))
        proto_item_append_text(proto_tree_get_parent(datagram->tree), ", %s%s", prefix, line);
}

/* ---- dissecting ----------------------------------------------------------------------------------------- */

/* From the preferences, and from what is known of the packet or its conversation. */
static enet_choice choose(packet_info *pinfo, unsigned ordinal, enet_pair **pair)
{
    enet_choice choice = { .compression = ENET_AUTOMATIC };
    *pair = enet_learned(pinfo, proto_enet, ordinal, &choice);
    if (compression != ENET_AUTOMATIC) {
        choice.compression = (enet_compression)compression;
        choice.only = true;
    }
    if (checksums != ENET_CHECKSUM_AUTOMATIC) {
        choice.checksum = (enet_checksums)checksums;
        choice.checksum_only = true;
    }
    return choice;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / the golden ratio */
    return hash ^ hash >> 32;
}

/* Eight bytes at a time: each datagram is hashed, to know a copy among the side's latest. */
static uint32_t hash_of(const uint8_t *bytes, size_t length)
{
    uint64_t hash = length, word;
    for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, length);
    return (uint32_t)mix(hash, word);
}

static void note_wire(enet_datagram *datagram)
{
    unsigned captured = tvb_captured_length(datagram->tvb);
    datagram->facts.wire_length = tvb_reported_length(datagram->tvb);
    if (!PINFO_FD_VISITED(datagram->pinfo))
        datagram->facts.wire_hash = hash_of(tvb_get_ptr(datagram->tvb, 0, (int)captured), captured);
}

static void analyse(enet_datagram *datagram, unsigned ordinal)
{
    const enet_facts *facts = &datagram->facts;
    uint32_t offset = 0;
    if (datagram->fault.code == GW_ENET_FAULT_HEADER_TRUNCATED)
        return;
    enet_raw raw = { .header_length = gw_enet_header_length(facts->header, false) };
    raw.header = tvb_get_ptr(datagram->tvb, 0, (int)raw.header_length);
    raw.checksum = facts->checksum ? tvb_get_ntohl(datagram->tvb, (int)raw.header_length) : 0;
    raw.whole = facts->mode != ENET_AUTOMATIC && !enet_is_cut(datagram);
    if (!datagram->opened.bytes)
        offset = gw_enet_header_length(facts->header, facts->checksum);
    raw.plain_length = tvb_captured_length(datagram->plain) - offset;
    raw.plain = raw.plain_length ? tvb_get_ptr(datagram->plain, (int)offset, (int)raw.plain_length) : NULL;
    datagram->facts.bytes = tvb_get_ptr(datagram->plain, 0, (int)tvb_captured_length(datagram->plain));
    note_wire(datagram);
    datagram->notes = enet_analyse(datagram->pinfo, proto_enet, ordinal, datagram->pair, facts, &raw);
    if (!datagram->notes)
        datagram->notes = enet_notes_before(datagram->pinfo, proto_enet, facts);
}

static void dissect_datagram(enet_datagram *datagram, unsigned ordinal)
{
    char line[INFO_SIZE];
    gw_text text;
    packet_info *pinfo = datagram->pinfo;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
    col_clear(pinfo->cinfo, COL_INFO);
    if (datagram->parent) {
        proto_item *item = proto_tree_add_item(datagram->parent, proto_enet, datagram->tvb, 0,
                                               (int)tvb_captured_length(datagram->tvb), ENC_NA);
        datagram->tree = proto_item_add_subtree(item, enet_ett.protocol);
    }
    gw_text_init(&text, line, sizeof line);
    if (col_get_writable(pinfo->cinfo, COL_INFO) || gw_has_label(datagram->tree, proto_enet))
        datagram->line = &text;
    enet_show_datagram(datagram);
    analyse(datagram, ordinal);
    enet_show_notes(datagram);
    if (datagram->line)
        show_line(datagram, line);
    datagram->line = NULL;
    enet_count(datagram);
    /* The lines of who reads the messages replace ENet's, but for what happened to them. */
    if (enet_hand_over(datagram) && *prefix_of(datagram))
        col_prepend_fstr(pinfo->cinfo, COL_INFO, "%s", prefix_of(datagram));
}

/* Whatever its flags are. */
static bool begins_with_command(tvbuff_t *tvb, uint32_t at)
{
    uint8_t first = tvb_bytes_exist(tvb, (int)at, 1) ? tvb_get_uint8(tvb, (int)at) : 0;
    return !(first & GW_ENET_UNUSED_FLAGS) && gw_enet_command_of(first & GW_ENET_NUMBER_MASK);
}

/* In a found conversation: what the connection cannot have sent is left to other dissectors. */
static bool may_be_enet(const enet_datagram *datagram, unsigned ordinal)
{
    tvbuff_t *tvb = datagram->tvb;
    const enet_commands *opened = &datagram->opened;
    if (tvb_captured_length(tvb) < GW_ENET_SMALLEST_HEADER)
        return false;
    enet_arrival arrival = { .header = tvb_get_ntohs(tvb, 0), .whole = !enet_is_cut(datagram), .opened = opened };
    uint32_t before = gw_enet_header_length(arrival.header, opened->checksum);
    if (!tvb_bytes_exist(tvb, (int)before, 1))
        return false;
    if (arrival.header & GW_ENET_SENT_TIME_BIT)
        arrival.sent_time = tvb_get_ntohs(tvb, GW_ENET_SMALLEST_HEADER);
    arrival.begins_with_command = begins_with_command(tvb, before);
    if (!(arrival.header & GW_ENET_COMPRESSED_BIT) && tvb_bytes_exist(tvb, (int)before, 6))
        arrival.acks_zero =
            tvb_get_uint8(tvb, (int)before) == GW_ENET_ACKNOWLEDGE && !tvb_get_ntohs(tvb, (int)before + 4);
    return enet_may_have_sent(datagram->pinfo, proto_enet, ordinal, &arrival);
}

/* In the packet's memory: taps get it when dissection is over. */
static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, bool may_decline)
{
    if (!tvb_captured_length(tvb))
        return 0;
    unsigned ordinal = gw_packet_ordinal(pinfo, proto_enet);
    enet_datagram *datagram = wmem_new0(pinfo->pool, enet_datagram);
    enet_choice choice = choose(pinfo, ordinal, &datagram->pair);
    datagram->pinfo = pinfo;
    datagram->tvb = datagram->plain = tvb;
    datagram->parent = parent;
    enet_open_commands(tvb, pinfo, &choice, &datagram->opened);
    if (may_decline && !may_be_enet(datagram, ordinal))
        return 0;
    dissect_datagram(datagram, ordinal);
    return (int)tvb_captured_length(tvb);
}

static int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return dissect(tvb, pinfo, parent, false);
}

static int dissect_enet_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return dissect(tvb, pinfo, parent, true);
}

/* ---- heuristics ----------------------------------------------------------------------------------------- */

/* Of conversations without any evidence: the readings that were decompressed in vain. Each is tried once. */
static wmem_map_t *failed_readings;

static uint32_t failed_before(packet_info *pinfo)
{
    if (!wmem_map_size(failed_readings))
        return 0;
    const conversation_t *conversation = gw_conversation_lookup(pinfo);
    return conversation ? GPOINTER_TO_UINT(wmem_map_lookup(failed_readings, conversation)) : 0;
}

static void note_failed(packet_info *pinfo, uint32_t readings)
{
    if (gw_first_pass(pinfo))
        wmem_map_insert(failed_readings, gw_conversation_of(pinfo), GUINT_TO_POINTER(readings));
}

/* The tests and their odds: recognise.c in the codec. */
static bool recognise(tvbuff_t *tvb, packet_info *pinfo, gw_recognition *recognition)
{
    enet_commands opened;
    enet_choice choice = { .compression = (enet_compression)compression,
                           .only = compression != ENET_AUTOMATIC,
                           .checksum = (enet_checksums)checksums,
                           .checksum_only = checksums != ENET_CHECKSUM_AUTOMATIC };
    bool evidence = gw_heuristic_has_row(&udp_heuristic, pinfo);
    choice.failed = evidence ? 0 : failed_before(pinfo);
    enet_open_commands(tvb, pinfo, &choice, &opened);
    if (opened.failed && !opened.recognition.possible && !evidence)
        note_failed(pinfo, choice.failed | opened.failed);
    *recognition = opened.recognition;
    return recognition->possible;
}

/* What little remains of other protocols after gw_enet_may_begin(). Not inlined, so that the rest does not pay for it.
 */
G_GNUC_NO_INLINE
static bool has_shape(const tvbuff_t *tvb, const uint8_t *bytes, unsigned captured)
{
    if (!(bytes[0] & GW_ENET_COMPRESSED_BIT >> 8))
        return gw_enet_has_shape(bytes, captured, tvb_reported_length(tvb));
    return compression != ENET_AUTOMATIC || enet_may_be_compressed(bytes, captured);
}

/* A look at the first bytes, with which most packets of other protocols are declined. */
static inline bool may_begin(tvbuff_t *tvb)
{
    unsigned captured = tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)captured);
    return gw_enet_may_begin(bytes, captured) && has_shape(tvb, bytes, captured);
}

/* Not inlined, so that a packet that is declined does not pay for it. */
G_GNUC_NO_INLINE
static bool dissect_if_recognised(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool possible)
{
    gw_recognition recognition = { 0 };
    if (possible)
        recognise(tvb, pinfo, &recognition);
    if (!gw_heuristic_accepts(&udp_heuristic, pinfo, tvb, &recognition))
        return false;
    dissect(tvb, pinfo, tree, false);
    return true;
}

static ws_bool dissect_enet_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    bool possible = may_begin(tvb);
    if (!possible && gw_heuristic_is_idle(&udp_heuristic))
        return false;
    return dissect_if_recognised(tvb, pinfo, tree, possible);
}

/* DTLS keeps its conversation: what ENet knows of it is the pin. */
static ws_bool dissect_enet_dtls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    if (gw_conversation_find(pinfo, proto_enet))
        return dissect(tvb, pinfo, tree, true) != 0;
    if (!recognise(tvb, pinfo, &recognition) || recognition.bits < GW_RECOGNISED_ALONE)
        return false;
    dissect(tvb, pinfo, tree, false);
    return true;
}

/* ---- registration --------------------------------------------------------------------------------------- */

static const enum_val_t compression_values[] = {
    { "automatic", "Automatic: what decompresses cleanly", ENET_AUTOMATIC },
    { "none", "None", ENET_NOT_COMPRESSED },
    { "range_coder", "Range coder", ENET_RANGE_CODER },
    { "fastlz", "FastLZ", ENET_FASTLZ },
    { "zlib", "zlib", ENET_ZLIB },
    { "zstd", "Zstandard", ENET_ZSTANDARD },
    { NULL, NULL, 0 },
};

static const enum_val_t checksum_values[] = {
    { "automatic", "Automatic: where only that can be read", ENET_CHECKSUM_AUTOMATIC },
    { "never", "Never", ENET_CHECKSUM_NEVER },
    { "always", "Always", ENET_CHECKSUM_ALWAYS },
    { NULL, NULL, 0 },
};

static void register_preferences(void)
{
    module_t *module = prefs_register_protocol(proto_enet, NULL);
    prefs_register_enum_preference(module, "compression", "Compression",
                                   "How hosts compress commands: both ends must agree, and it is not on the wire",
                                   &compression, compression_values, false);
    prefs_register_enum_preference(module, "checksum", "Checksums",
                                   "Whether datagrams have a CRC-32: both ends must agree, and it is not on the wire",
                                   &checksums, checksum_values, false);
}

void proto_register_enet(void)
{
    proto_enet = proto_register_protocol("ENet", "ENet", "enet");
    enet_handle = register_dissector("enet", dissect_enet, proto_enet);
    gw_heuristic_init(&udp_heuristic, create_dissector_handle(dissect_enet_pinned, proto_enet));
    failed_readings = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    enet_register_fields(proto_enet);
    enet_register_messages(proto_enet);
    enet_register_statistics(proto_enet);
    enet_analysis_init();
    enet_decompression_init();
    register_preferences();
}

void proto_reg_handoff_enet(void)
{
    heur_dissector_add("udp", dissect_enet_udp, "ENet over UDP", "enet_udp", proto_enet, HEURISTIC_ENABLE);
    heur_dissector_add("dtls", dissect_enet_dtls, "ENet over DTLS", "enet_dtls", proto_enet, HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
    enet_register_statistics_tree();
}
