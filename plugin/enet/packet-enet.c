/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet and its forks, over UDP and over DTLS: entry points, preferences and registration.
 *
 *   enet         by Decode As or port preference: shows every payload
 *   enet pinned  for recognized conversations: declines datagrams that their connection cannot have sent
 *
 * reading.c reads the commands of a datagram and collects their content; dissect.c decides whether a known connection can have
 * sent it; connection.c finds its connection, commands.c relates commands to earlier ones, with arrivals.c and ends.c,
 * analysis.c stores the results for later passes; tree.c and findings.c add the items, handover.c passes payloads on (enet.h),
 * statistics.c counts, fields.c registers the fields. plugin/docs/life-of-a-packet.md has the recognition as a table.
 */
#include "protocols.h"

#include <epan/prefs.h>

#include "common/conversation.h"
#include "common/items.h"
#include "common/menus/decode_as.h"
#include "common/menus/export.h"
#include "common/recognition/recognition.h"
#include "internal.h"

/* Evidence of a datagram that another heuristic shall not accept. */
#define HELD_BITS 16U

static dissector_handle_t enet_handle;
static gw_heuristic over_udp;

/* ---- entry points --------------------------------------------------------------------------------------- */

/* Chosen by Decode As or the port preference: dissects every payload. */
static int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return enet_dissect(tvb, pinfo, parent, ENET_SELECTED);
}

/* For recognized conversations: declines datagrams that their connection cannot have sent. */
static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return enet_dissect(tvb, pinfo, parent, ENET_PINNED);
}

/* For damaged datagrams: those of a recognized conversation that dissect_pinned() declined, as no correct sender writes
 * them, but whose bytes after the header resemble valid datagrams that the same side sent before. dissect_if_damaged()
 * has compared them, and this is called if no other dissector accepts the datagram. Shows it with its fault. */
static int dissect_damaged(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return enet_dissect(tvb, pinfo, parent, ENET_DAMAGED);
}

/* ---- recognition ---------------------------------------------------------------------------------------- */

/* Added for a datagram that continues a connection from another address: peer id and session 14, sent time 6, and a
 * number of 16 bits that is one of 32, if it has one. */
#define CONTINUED_BITS 31

/* For conversations without any evidence: the readings whose decompression failed. Each is tried once. */
static wmem_map_t *failed_readings;

/* Sets `recognition` to the evidence of the datagram alone, and CONTINUED_BITS more if it continues a connection of
 * another address; false if it is not possible: no sender of ENet sends it. The tests and their odds are in
 * codecs/enet/recognize.c. */
static bool recognize(tvbuff_t *tvb, packet_info *pinfo, gw_recognition *recognition)
{
    const bool has_evidence = gw_heuristic_has_series(&over_udp, pinfo);
    /* Readings (a compression mode, with or without a checksum: a bit each) whose decompression failed for the
     * conversation are not tried again, unless it has some evidence: a series, which is consecutive datagrams that may
     * be ENet, and whose evidence adds up. */
    const conversation_t *conversation =
        !has_evidence && wmem_map_size(failed_readings) ? gw_conversation_lookup(pinfo) : NULL;
    const uint32_t failed = conversation ? GPOINTER_TO_UINT(wmem_map_lookup(failed_readings, conversation)) : 0;
    const enet_choice known = { .compression = ENET_AUTOMATIC, .failed = failed };
    const gw_demand nothing = { .visible = false };
    const enet_source source = { pinfo, tvb, &nothing };
    const enet_commands opened = enet_open_commands(&source, &known);
    *recognition = opened.recognition;
    if (!recognition->possible) {
        if (opened.failed && !has_evidence && gw_is_first_pass(pinfo))
            wmem_map_insert(failed_readings, gw_conversation_of(pinfo), GUINT_TO_POINTER(failed | opened.failed));
        return false;
    }
    /* The datagram may continue a connection from another address. */
    if (enet_connection_count() && gw_is_first_pass(pinfo) && opened.reading) {
        enet_facts *facts = &opened.reading->facts;
        facts->wire_hash = gw_hash_bytes(gw_bytes_of(tvb), tvb_captured_length(tvb));
        facts->wire_length = tvb_reported_length(tvb);
        if (enet_keep_continued(pinfo, &opened.header, facts))
            recognition->bits += CONTINUED_BITS;
    }
    return true;
}

/* Whether a byte may begin a stream of compressed commands: none, some commands, or with FastLZ for some second
 * bytes. */
typedef enum first_byte { FIRST_OF_NONE, FIRST_OF_SOME, FIRST_OF_FASTLZ } first_byte;

/* first_byte, by the presence of a sent time and the byte; set at registration. */
static uint8_t first_bytes[2][UINT8_MAX + 1];

/* True if the bytes at `at`, after the header, may begin compressed commands. The top bit of the first byte shows
 * whether there is a sent time. FastLZ begins with a literal run, whose first byte is that of the first command. */
static inline bool may_begin_stream(const uint8_t *bytes, uint32_t length, uint32_t at)
{
    if (length <= at + 1)
        return false;
    uint8_t first = first_bytes[bytes[0] >> 7][bytes[at]];
    return first == FIRST_OF_SOME || (first == FIRST_OF_FASTLZ && gw_enet_is_type(bytes[at + 1]));
}

/* True if the commands may be compressed, in any mode, after a header without or with a checksum. If false,
 * enet_open_commands() does not find the datagram possible either. Most datagrams of other protocols are declined for
 * two bytes, without a call. */
static inline bool may_be_compressed(const uint8_t *bytes, uint32_t length)
{
    /* The lengths of the header without and with a checksum. */
    bool sent_time = bytes[0] & GW_ENET_SENT_TIME_BIT >> 8;
    uint32_t plain_header = sent_time ? 4 : 2, checked_header = plain_header + GW_ENET_CHECKSUM_SIZE;
    return (may_begin_stream(bytes, length, plain_header) &&
            enet_may_be_stream(sent_time, bytes + plain_header, length - plain_header)) ||
           (may_begin_stream(bytes, length, checked_header) &&
            enet_may_be_stream(sent_time, bytes + checked_header, length - checked_header));
}

/* True if the datagram was captured as a whole and is a CONNECT of a format other than ENet 1.3. The port to which it
 * was sent is not used (0), nor the options that the call sets. Not inlined: few datagrams have such a length. */
G_GNUC_NO_INLINE
static bool is_connect(tvbuff_t *tvb, const uint8_t *bytes, unsigned captured)
{
    gw_enet_options options;
    return captured == tvb_reported_length(tvb) && gw_enet_format_of_connect(bytes, captured, 0, &options);
}

/* Dissects as damaged a datagram of a known conversation that the pinned dissector declined, if its header is that of
 * its connection, and the bytes after it (`rest`) resemble those of valid datagrams that the same side sent before (the
 * rule is in common/recognition/damaged.h); false otherwise, and at once if the file has no such valid datagrams so
 * far. A conversation has one stream of datagrams, number 0. */
static bool dissect_if_damaged(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    tvbuff_t *rest = gw_damaged_has_samples(&enet_damaged) ? enet_find_rest(tvb, pinfo) : NULL;
    return rest && gw_damaged_find(&enet_damaged, pinfo, rest, 0) &&
           gw_damaged_dissect(tvb, pinfo, tree, data, dissect_damaged) != 0;
}

/* Dissects a datagram that may be ENet, and that HiPerConTracer's heuristic would accept, as data; false for all
 * others.
 *
 * Since 4.4, HiPerConTracer's heuristic accepts a payload of 16 bytes or more, the fifth of them not 0 (a TTL), whose
 * second eight bytes are a time from 2016 to 2099: 2^-13 of random payloads, but all reliable messages of 4 to 13
 * bytes, whose lengths are in the first bytes of this time. UDP asks the heuristic that accepted a packet on the first
 * pass alone on the second one. A datagram with evidence for ENet, 16 bits or more, is shown as data until the evidence
 * is sufficient, instead of as HiPerConTracer, for which there is less. */
static bool dissect_as_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_recognition *recognition)
{
    /* In microseconds since 1970. The times of HiPerConTracer count from `epoch` on. */
    const uint64_t epoch = UINT64_C(212803200000000), earliest = UINT64_C(1451602800000000),
                   latest = UINT64_C(4102441199999999);
    if (!recognition->possible || recognition->bits < HELD_BITS)
        return false;
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name("hipercontracer_udp");
    if (!entry || !entry->enabled || tvb_captured_length(tvb) < 16 || !tvb_get_uint8(tvb, 4))
        return false;
    uint64_t time = tvb_get_ntoh64(tvb, 8);
    if (time < earliest - epoch || time > latest - epoch)
        return false;
    /* Without the layer that was added for this protocol when its heuristic was called. */
    wmem_list_remove_frame(pinfo->layers, wmem_list_tail(pinfo->layers));
    call_data_dissector(tvb, pinfo, tree);
    return true;
}

/* Dissects the datagram if it has sufficient evidence for ENet, alone or together with the series of its
 * conversation's datagrams before it, or if its conversation is known; false: it is declined. `possible`: the first
 * bytes do not exclude ENet; if they do, the datagram may still end a series, or be a damaged one. Not inlined, so
 * that a packet that is declined does not pay for it. */
G_GNUC_NO_INLINE
static bool dissect_if_recognized(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool possible)
{
    gw_recognition recognition = { 0 };
    if (possible)
        recognize(tvb, pinfo, &recognition);
    if (gw_heuristic_accepts(&over_udp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return enet_dissect(tvb, pinfo, tree, ENET_RECOGNIZED) != 0;
    /* The conversation was recognized as ENet, but another dissector was pinned to it later (for example in another
     * VLAN). */
    if (possible && enet_connection_count() && gw_conversation_find(pinfo, proto_enet) &&
        enet_dissect(tvb, pinfo, tree, ENET_PINNED))
        return true;
    return dissect_if_damaged(tvb, pinfo, tree, data) || dissect_as_data(tvb, pinfo, tree, &recognition);
}

/* The heuristic for UDP payloads whose conversation has no dissector, or one that declined them. */
static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* A look at the length and the first bytes, with which most packets of other protocols are declined: each call
     * counts. Possible are plain commands of ENet 1.3 by their types and lengths, compressed commands, of any bytes if
     * a preference sets their mode, and a CONNECT of another format. */
    const unsigned captured = tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)captured);
    bool possible = false;
    if (gw_enet_may_begin(bytes, captured))
        possible = !(bytes[0] & GW_ENET_COMPRESSED_BIT >> 8)
                       ? gw_enet_has_shape(bytes, captured, tvb_reported_length(tvb))
                       : enet_compression_choice != ENET_AUTOMATIC || may_be_compressed(bytes, captured);
    if (!possible && gw_enet_has_length_of_connect(captured))
        possible = is_connect(tvb, bytes, captured);
    /* Otherwise the packet may end a series of datagrams with too little evidence so far, or be a damaged datagram. */
    if (!possible && gw_heuristic_is_idle(&over_udp) && !gw_damaged_has_samples(&enet_damaged))
        return false;
    /* dissect_candidate() was called for the packet before, as its conversation's dissector, and has declined it. */
    if (gw_candidates_were_asked(pinfo))
        return false;
    return dissect_if_recognized(tvb, pinfo, tree, data, possible);
}

/* The heuristic as a dissector: for conversations to which it is assigned before there is sufficient evidence. */
static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_over_udp(tvb, pinfo, tree, data) ? (int)tvb_captured_length(tvb) : 0;
}

/* The heuristic for the decrypted data of DTLS. DTLS is the conversation's dissector, so that ENet cannot be pinned:
 * that a conversation is ENet's is known by ENet's data of it, and a datagram of it is only declined if the connection
 * cannot have sent it and it is not a damaged one. Any other datagram needs sufficient evidence by itself. */
static ws_bool dissect_over_dtls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    if (gw_conversation_find(pinfo, proto_enet))
        return enet_dissect(tvb, pinfo, tree, ENET_PINNED) != 0 || dissect_if_damaged(tvb, pinfo, tree, data);
    if (!recognize(tvb, pinfo, &recognition) || recognition.bits < GW_RECOGNIZED_ALONE)
        return false;
    enet_dissect(tvb, pinfo, tree, ENET_RECOGNIZED);
    return true;
}

/* ---- registration --------------------------------------------------------------------------------------- */

static const enum_val_t compression_values[] = {
    { "automatic", "Automatic: the first method that decompresses without an error", ENET_AUTOMATIC },
    { "none", "None", ENET_NOT_COMPRESSED },
    { "range_coder", "Range coder", ENET_RANGE_CODER },
    { "fastlz", "FastLZ", ENET_FASTLZ },
    { "zlib", "zlib", ENET_ZLIB },
    { "zstd", "Zstandard", ENET_ZSTANDARD },
    { NULL, NULL, 0 },
};

static const enum_val_t checksum_values[] = {
    { "automatic", "Automatic: only if the datagram cannot be read without it", ENET_CHECKSUM_AUTOMATIC },
    { "never", "Never", ENET_CHECKSUM_NEVER },
    { "always", "Always", ENET_CHECKSUM_ALWAYS },
    { NULL, NULL, 0 },
};

/* Registers the preferences for compression, checksums and format. */
static void register_preferences(void)
{
    static enum_val_t format_values[GW_ENET_FORMATS + 2];
    format_values[0] = (enum_val_t){ "automatic", "Automatic: by the CONNECT, or ENet 1.3", ENET_FORMAT_AUTOMATIC };
    for (int i = 0; i < GW_ENET_FORMATS; i++)
        format_values[i + 1] = (enum_val_t){ gw_enet_formats[i].key, gw_enet_formats[i].name, i };
    module_t *module = prefs_register_protocol(proto_enet, NULL);
    prefs_register_enum_preference(
        module, "compression", "Compression",
        "Compression of commands. Datagrams do not indicate it; both hosts must use the same.",
        &enet_compression_choice, compression_values, false);
    prefs_register_enum_preference(
        module, "checksum", "Checksums",
        "Whether datagrams have a CRC-32. Datagrams do not indicate it; both hosts must use the same setting.",
        &enet_checksum_choice, checksum_values, false);
    prefs_register_enum_preference(
        module, "format", "Format",
        "Version or fork of ENet whose format datagrams have, as long as a CONNECT has not shown another one.",
        &enet_format_choice, format_values, false);
}

/* Registers ENet with its dissectors, fields, tables and preferences. UDP conversations with some evidence are
 * candidates: until it is sufficient, no other heuristic keeps their datagrams from ENet's. */
void proto_register_enet(void)
{
    proto_enet = proto_register_protocol("ENet", "ENet", "enet");
    enet_handle = register_dissector("enet", dissect_enet, proto_enet);
    gw_damaged_init(&enet_damaged);
    gw_heuristic_init(&over_udp, create_dissector_handle(dissect_pinned, proto_enet));
    over_udp.candidates = true;
    gw_candidates_register("enet_udp", dissect_candidate, proto_enet);
    failed_readings = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    /* The table for may_begin_stream(). The first byte that the range coder yields is equal to the stream's own first
     * byte, or one less: see gw_enet_range_first(). */
    for (unsigned sent_time = 0; sent_time < 2; sent_time++)
        for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
            bool some = gw_enet_may_begin_with(sent_time, (uint8_t)byte) ||
                        gw_enet_may_begin_with(sent_time, (uint8_t)(byte - 1)) || byte == ENET_ZLIB_FIRST ||
                        byte == ENET_ZSTANDARD_FIRST;
            first_bytes[sent_time][byte] = some                             ? FIRST_OF_SOME
                                           : byte < ENET_FASTLZ_LEVELS << 5 ? FIRST_OF_FASTLZ
                                                                            : FIRST_OF_NONE;
        }
    enet_export_tap = gw_export_register("ENet");
    enet_register_fields();
    enet_register_handover();
    enet_register_statistics();
    enet_register_analysis();
    register_preferences();
}

/* Registers ENet with the protocols that carry it, and the dissectors of its messages for Decode As. */
void proto_reg_handoff_enet(void)
{
    heur_dissector_add("udp", dissect_over_udp, "ENet over UDP", "enet_udp", proto_enet, HEURISTIC_ENABLE);
    heur_dissector_add("dtls", dissect_over_dtls, "ENet over DTLS", "enet_dtls", proto_enet, HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
    gw_add_formats(ENET_PORT_TABLE);
}
