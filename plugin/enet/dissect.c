/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it, decides whether a known connection can have sent it, adds its items, analyzes it, shows the
 * results in tree and Info column, and passes its messages on.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/export.h"
#include "common/recognition/payloads.h"

#define UDP_HEADER    8
#define UDP_LENGTH_AT 4

#define COLUMN_SIZE (ENET_LINE_SIZE + 200) /* with prefix and fault */

/* Evidence with which a datagram is accepted although its peer id, session or compression is another. */
#define OTHER_SENDER_BITS 16

#define FIRST_EXAMPLES   64U /* all of which are stored */
#define EXAMPLE_INTERVAL 16U

/* Bits of evidence of the header, which is compared with the connection's: 16 without the two flags. */
#define HEADER_BITS 14

/* Needed by an example for damaged datagrams: GW_DAMAGED_SAMPLE_BITS with the bits of the header. */
#define EXAMPLE_BITS (GW_DAMAGED_SAMPLE_BITS - HEADER_BITS)

gw_damaged enet_damaged;

int enet_export_tap = -1;

typedef struct enet_datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;        /* the UDP payload */
    const uint8_t *bytes; /* `captured` of it */
    uint32_t captured;
    bool is_cut;        /* by the capture or by IP */
    proto_tree *parent; /* above ENet's own */
    gw_demand demand;
    enet_source source;
    uint64_t hash;   /* of the bytes: detects copies among the latest datagrams of the same side */
    uint32_t key;    /* of its findings */
    enet_pair *pair; /* NULL: not known yet, or not sought */
    enet_commands opened;
    enet_reading *reading; /* of the commands; of the datagram, if they cannot be read */
    enet_facts *facts;     /* of this reading */
    enet_items items;
    const enet_findings *findings; /* NULL: not analyzed */
    size_t info_before;            /* length of the Info column's text of the datagrams before this one in its frame */
} enet_datagram;

/* ---- the connection of a datagram ------------------------------------------------------------------------ */

/* Sets `choice` to the compression, checksums and formats of the conversation so far or, on later passes, to those with
 * which the datagram was read on the first pass; unchanged if they are not known. `key`: of the datagram, by which its
 * findings are archived. Creates nothing. Returns the connections of the packet's two addresses (a pair); NULL if there
 * are none, and on later passes if the datagram has findings: then these are restored, and no pair is needed. */
static enet_pair *find_modes(packet_info *pinfo, uint32_t key, enet_choice *choice)
{
    if (enet_find_archived_modes(pinfo, key, choice))
        return NULL;
    enet_pair *pair = gw_conversation_find(pinfo, proto_enet);
    if (!pair)
        return NULL;
    if (pair->modes_known)
        *choice = (enet_choice){ .compression = (enet_compression)pair->compression,
                                 .checksum = (enet_checksums)pair->checksum };
    choice->formats = pair->formats[gw_sender_side(pinfo)];
    choice->has_evidence = pair->evidence_in && pair->evidence_in <= pinfo->num;
    return pair;
}

/* A datagram of which it is decided whether a known connection can have sent it. */
typedef struct enet_arrival {
    const enet_datagram *datagram;
    const enet_commands *opened; /* of the datagram */
    gw_enet_beginning beginning;
} enet_arrival;

/* True if the header has the peer id and session that the side's datagrams have in the last connection, or in an
 * earlier one whose late datagrams may still arrive. If the side's peer id in the last connection is not known yet, any
 * is possible. False for a header without a peer. */
static bool knows_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header)
{
    const enet_connection *last = pair->last;
    if (!last || !header->has_peer)
        return false;
    return last->peer[side] == ENET_UNKNOWN_PEER || enet_find_by_header(pair, side, header);
}

/* True if the datagram was read with the compression and checksum setting of the conversation's latest datagrams, or
 * these are not known. Plain datagrams are possible with any compression. */
static bool has_known_modes(const enet_pair *pair, const enet_commands *opened)
{
    if (!pair->modes_known)
        return true;
    if (pair->compression > ENET_NOT_COMPRESSED && opened->mode > ENET_NOT_COMPRESSED &&
        opened->mode != (enet_compression)pair->compression)
        return false;
    /* The format sets whether there is a checksum, not the application. */
    bool is_fixed = opened->format->checksum_always || opened->format->checksum == GW_ENET_CHECKSUM_NONE;
    return is_fixed || opened->checksum == (pair->checksum == ENET_CHECKSUM_ALWAYS);
}

/* True if bytes that are not known to be commands of the connection may be ENet's: their first command is one that
 * senders write, or all commands can be read. If they are compressed, neither the header and the sent time, nor the
 * commands, may be zero, as they are in a QUIC initial or an acknowledgement of RakNet. */
static bool is_like_enet(const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->opened->header;
    const enet_reading *reading = arrival->opened->reading;
    if (!header->is_compressed)
        return arrival->beginning.is_written || (reading && reading->reader.fault.fault_class == GW_FAULT_NONE);
    bool has_nonzero = false;
    for (uint32_t i = header->length; i < arrival->datagram->captured && !has_nonzero; i++)
        has_nonzero = arrival->datagram->bytes[i];
    return has_nonzero && (!header->has_sent_time || header->peer || header->session || header->sent_time);
}

/* True if the last connection's `side` can have sent the datagram, whose commands were read: by strong evidence alone,
 * by some evidence with the known header and modes, or as an acknowledgement of captured commands. */
static bool may_have_sent_commands(const enet_pair *pair, uint8_t side, const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->opened->header;
    const enet_connection *last = pair->last;
    const enet_reading *reading = arrival->opened->reading;
    uint32_t bits = arrival->opened->recognition.bits;
    if (bits >= OTHER_SENDER_BITS)
        return true;
    /* Numbers begin at 1: 0 is acknowledged only after 65,535. */
    bool is_wrong_ack = arrival->beginning.acks_zero && !last->directions[enet_other(side)].near_wrap;
    if (bits && !is_wrong_ack && knows_header(pair, side, header) && has_known_modes(pair, arrival->opened))
        return true;
    /* A server may acknowledge CONNECT before it answers: then its session and clock are not known yet, and only the
     * peer id is compared. */
    bool is_known_peer = last->peer[side] == ENET_UNKNOWN_PEER || last->peer[side] == header->peer;
    return header->has_peer && is_known_peer && reading && is_like_enet(arrival) &&
           enet_is_answer(last, side, &reading->facts);
}

/* True if the pair's `side` can have sent a datagram whose commands are no evidence: malformed, unusual, compressed or
 * encrypted ones. It must have the header of the connection, unless it has no peer, and its sent time must fit the
 * clock. */
static bool may_have_sent_unread(const enet_pair *pair, const packet_info *pinfo, uint8_t side,
                                 const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->opened->header;
    const enet_commands *opened = arrival->opened;
    /* The commands can be read to the end of the datagram, though they break a rule: so they have no bits. */
    bool is_unusual = opened->recognition.possible && !opened->recognition.bits && has_known_modes(pair, opened);
    if (!header->has_peer)
        return is_unusual;
    if (!knows_header(pair, side, header))
        return false;
    /* Encrypted, with no other of the further flags. */
    if (header->is_encrypted && header->extended == opened->format->encrypted_bit)
        return true;
    bool in_time = !header->has_sent_time || enet_is_in_time(&pair->clocks[side], pinfo, header->sent_time);
    if (!in_time || !is_like_enet(arrival))
        return false;
    if (!header->is_compressed)
        return arrival->beginning.has_command && (header->has_sent_time || is_unusual);
    /* Compressed commands that could not be read: in the known mode, only if the capture cut them. In an unknown
     * mode, if the datagram has a sent time, or after one that had (other_compression). */
    if (pair->compression > ENET_NOT_COMPRESSED)
        return arrival->datagram->is_cut;
    return header->has_sent_time || pair->other_compression;
}

/* True if the connection can have sent this datagram, according to its earlier datagrams: the sender's peer id and
 * session, the mode of compression, checksums, and the sender's clock. On later passes, the result of the first. */
static bool may_have_sent(const enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    enet_pair *pair = datagram->pair;
    const enet_commands *opened = &datagram->opened;
    const uint8_t side = gw_sender_side(pinfo);
    bool possible = opened->recognition.possible;
    const gw_enet_options options = { .format = opened->format,
                                      .checksum = opened->checksum,
                                      .port = enet_port_of(pinfo) };
    const gw_enet_header *header = &opened->header;
    enet_arrival arrival = { .datagram = datagram, .opened = opened };
    if (!gw_enet_peek(datagram->bytes, datagram->captured, &options, header, &arrival.beginning))
        return false;
    /* An ICMP error may quote the beginning of a datagram, without the fields of its first command or compressed. */
    if (gw_is_quoted(pinfo))
        return possible || (datagram->is_cut && pair && knows_header(pair, side, header) &&
                            (header->is_compressed || arrival.beginning.has_command));
    if (gw_is_later_pass(pinfo))
        return enet_find_archived_modes(pinfo, datagram->key, NULL);
    if (!pair || !pair->last)
        return possible;
    if (possible && may_have_sent_commands(pair, side, &arrival))
        return true;
    if (!may_have_sent_unread(pair, pinfo, side, &arrival))
        return false;
    /* Keeps that a datagram in an unknown compression was accepted. The first one must have a sent time; later ones may
     * have none. */
    pair->other_compression |= header->is_compressed && header->has_sent_time && !header->is_encrypted;
    return true;
}

/* ---- damaged datagrams ---------------------------------------------------------------------------------- */

/* The bytes after the header; NULL: there are none, or they are compressed. */
static tvbuff_t *rest_of(tvbuff_t *tvb, const gw_enet_header *header)
{
    bool has_rest = tvb_captured_length(tvb) > header->length && !header->is_compressed;
    return has_rest ? tvb_new_subset_remaining(tvb, header->length) : NULL;
}

/* The bytes after the header, which dissect_if_damaged() compares with those of earlier datagrams, if the conversation
 * is known and the header is one of its connection; NULL: otherwise, or nothing follows. The header is read in the
 * conversation's format and checksum setting: find_modes() with key 0 finds no datagram's archived findings. */
tvbuff_t *enet_find_rest(tvbuff_t *tvb, packet_info *pinfo)
{
    enet_choice choice = { .compression = ENET_AUTOMATIC };
    const enet_pair *pair = find_modes(pinfo, 0, &choice);
    const gw_enet_options options = { .format = &gw_enet_formats[choice.formats.first],
                                      .checksum = choice.checksum == ENET_CHECKSUM_ALWAYS };
    gw_enet_header header;
    if (!pair || !gw_enet_read_header(gw_bytes_of(tvb), tvb_captured_length(tvb), &options, &header) ||
        !knows_header(pair, gw_sender_side(pinfo), &header))
        return NULL;
    return rest_of(tvb, &header);
}

/* For gw_damaged_keep(): keep_example() has found the evidence sufficient. */
static uint32_t weigh_example(tvbuff_t *tvb _U_, const void *data _U_)
{
    return GW_DAMAGED_SAMPLE_BITS;
}

/* Stores the bytes after the header of a datagram with evidence: damaged datagrams of its side are compared with them.
 * With the bits of the header, which must have a peer, EXAMPLE_BITS of the commands are sufficient. A conversation has
 * one stream (0). First pass only. */
static void keep_example(const enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    const enet_commands *opened = &datagram->opened;
    if (!gw_is_first_pass(pinfo) || !opened->header.has_peer || opened->recognition.bits < EXAMPLE_BITS)
        return;
    /* Many datagrams of a connection repeat themselves: after the first ones, one in 16 is stored. Without a pair,
     * this is the first one of the conversation. */
    uint32_t number = datagram->pair ? datagram->pair->examples[gw_sender_side(pinfo)]++ : 0;
    if (number >= FIRST_EXAMPLES && number % EXAMPLE_INTERVAL)
        return;
    tvbuff_t *rest = rest_of(datagram->tvb, &opened->header);
    if (rest)
        gw_damaged_keep(&enet_damaged, pinfo, rest, 0, weigh_example, NULL);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Clears the Info column after the text of the datagrams before, and begins ENet's subtree, if there is a tree. */
static void begin_display(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    tvbuff_t *tvb = datagram->tvb;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
    col_clear(pinfo->cinfo, COL_INFO);
    datagram->info_before = gw_columns_length(pinfo);
    datagram->items = (enet_items){ .pinfo = pinfo, .demand = &datagram->demand, .datagram = tvb, .tvb = tvb };
    if (!datagram->parent)
        return;
    proto_item *item = gw_add_protocol(datagram->parent, pinfo, proto_enet, tvb, 0, (int)datagram->captured);
    datagram->items.protocol = proto_item_add_subtree(item, enet_ett.protocol);
}

/* Reads the datagram, with the modes that are known for it or its conversation as a start, into `opened`. All other
 * formats are tried only where a user has selected ENet (Decode As), and neither the preferences nor earlier datagrams
 * indicate the format. True for the format of ENet 1.0 and Photon, which is not decoded. */
static bool open_datagram(enet_datagram *datagram, bool selected)
{
    enet_choice known = { .compression = ENET_AUTOMATIC };
    datagram->pair = find_modes(datagram->pinfo, datagram->key, &known);
    bool may_be_other = selected && enet_format_choice == ENET_FORMAT_AUTOMATIC &&
                        enet_checksum_choice != ENET_CHECKSUM_ALWAYS && !known.has_evidence;
    if (may_be_other && !known.formats.is_known)
        known.formats.others = (UINT32_C(1) << GW_ENET_FORMATS) - 1;
    datagram->opened = enet_open_commands(&datagram->source, &known);
    return may_be_other && !datagram->opened.recognition.bits &&
           gw_enet_is_photon(datagram->bytes, datagram->captured, tvb_reported_length(datagram->tvb));
}

/* Adds the items of the datagram, and completes its reading and facts: those of the decompressed commands, if there are
 * any, else those of the datagram's own bytes. open_datagram() has read both, unless the datagram is too short for a
 * header. */
static void read_datagram(enet_datagram *datagram)
{
    tvbuff_t *tvb = datagram->tvb;
    const enet_commands *opened = &datagram->opened;
    const gw_enet_options options = { .format = opened->format,
                                      .checksum = opened->checksum,
                                      .port = enet_port_of(datagram->pinfo) };
    enet_reading *header_reading = opened->datagram;
    if (!header_reading)
        header_reading = enet_read(&datagram->source, datagram->bytes, datagram->captured, &options);
    enet_tree_add(&datagram->items, opened, header_reading);

    const gw_enet_header *header = &header_reading->reader.header;
    enet_facts *facts = opened->bytes ? &opened->reading->facts : &header_reading->facts;
    datagram->reading = opened->bytes ? opened->reading : header_reading;
    datagram->facts = facts;
    facts->header = *header;
    facts->format = opened->format;
    facts->wire_hash = datagram->hash;
    facts->wire_length = tvb_reported_length(tvb);
    facts->mode = opened->mode;
    facts->checksum = opened->checksum;
    facts->evidence = opened->recognition.bits > 0;
    facts->bytes = opened->bytes ? opened->bytes : datagram->bytes;

    /* The line has the length of commands that are compressed or encrypted, and so could not be read. */
    gw_text *line = &datagram->reading->line;
    const uint32_t unread = datagram->captured - MIN(header->length, datagram->captured);
    if (datagram->items.tvb != tvb) {
        facts->unpacked_length = opened->length;
    } else if (header_reading->reader.fault.fault_class == GW_FAULT_NONE && unread && line->buffer &&
               (header->is_encrypted || header->is_compressed)) {
        gw_text_string(line, header->is_encrypted ? "Encrypted len=" : "Compressed len=");
        gw_text_unsigned(line, unread);
    }
}

/* ---- analyzing ------------------------------------------------------------------------------------------ */

/* The checksum of the datagram and the bytes that it covers: of the datagram, those before the checksum or, without
 * one, the header; then the commands, decompressed if they were compressed. They are whole if all were captured and
 * read. */
static enet_raw raw_of(const enet_datagram *datagram)
{
    const enet_facts *facts = datagram->facts;
    const gw_enet_header *header = &facts->header;
    tvbuff_t *plain = datagram->items.tvb;
    uint32_t before = facts->checksum ? header->checksum_at : header->length;
    uint32_t offset = datagram->opened.bytes ? 0 : before + (facts->checksum ? facts->format->checksum_size : 0);
    enet_raw raw = { .kind = (gw_enet_checksum_kind)facts->format->checksum, .checksum = header->checksum };
    raw.covered.before = datagram->bytes;
    raw.covered.before_length = before;
    raw.whole = facts->mode != ENET_AUTOMATIC && !header->is_encrypted && !datagram->is_cut;
    raw.covered.after_length = tvb_captured_length(plain) - offset;
    if (raw.covered.after_length)
        raw.covered.after = facts->bytes + offset;
    return raw;
}

/* For File > Export PDUs to File, and tshark -U ENet: the datagram as it was before compression, and without its
 * checksum; unchanged if it could not be decompressed, or is not in the format of ENet 1.3. */
static void export_datagram(const enet_datagram *datagram, const enet_raw *raw)
{
    packet_info *pinfo = datagram->pinfo;
    const enet_facts *facts = datagram->facts;
    const gw_enet_covered *covered = &raw->covered;
    tvbuff_t *tvb = datagram->tvb;
    if (!gw_export_is_wanted(enet_export_tap) || gw_is_quoted(pinfo))
        return;
    if (facts->format == &gw_enet_formats[GW_ENET_1_3] && raw->whole &&
        (facts->checksum || facts->header.is_compressed)) {
        /* The header without the flag for compression, then the commands. */
        uint32_t length = (uint32_t)(covered->before_length + covered->after_length);
        uint8_t *bytes = wmem_alloc(pinfo->pool, length);
        memcpy(bytes, covered->before, covered->before_length);
        bytes[0] &= (uint8_t) ~(GW_ENET_COMPRESSED_BIT >> 8);
        if (covered->after_length)
            memcpy(bytes + covered->before_length, covered->after, covered->after_length);
        tvb = tvb_new_child_real_data(tvb, bytes, length, (int)length);
    }
    gw_export(enet_export_tap, pinfo, "enet", tvb);
}

/* ---- dissecting ----------------------------------------------------------------------------------------- */

/* Shows a datagram in the format of ENet 1.0 or Photon, without fields and analysis, which are for other formats. */
static void add_photon(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    const char *name = "ENet 1.0 or Photon";
    unsigned first_finding = gw_count_findings(pinfo);
    begin_display(datagram);
    proto_tree *tree = datagram->items.protocol;
    proto_item_append_text(proto_tree_get_parent(tree), ", format of %s", name);
    proto_item *item = proto_tree_add_item(tree, enet_hf.undecoded, datagram->tvb, 0, -1, ENC_NA);
    gw_add_finding_format(pinfo, item, &enet_ei.other_version,
                          "Format of %s, which is not compatible with ENet 1.3: not decoded", name);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s%sFormat of %s", enet_separator(datagram->info_before),
                 gw_finding_words(pinfo, first_finding), name);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

/* Reads the datagram, analyzes it, adds its items and findings, writes its line, and passes its messages on. */
static void dissect_datagram(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    /* Only a line has the words of the findings: on the first of two passes there is none. */
    bool has_line = datagram->demand.line;
    const unsigned first_finding = has_line ? gw_count_findings(pinfo) : 0;
    begin_display(datagram);
    read_datagram(datagram);
    const enet_facts *facts = datagram->facts;
    if (datagram->reading->reader.fault.code != GW_ENET_FAULT_HEADER_TRUNCATED) {
        const enet_raw raw = raw_of(datagram);
        datagram->findings = enet_analyze(pinfo, datagram->key, datagram->pair, facts, &raw);
        export_datagram(datagram, &raw);
    }
    /* Before the line, which begins with the words of the findings. */
    enet_findings_add(&datagram->items, facts, datagram->findings, enet_analyze_closed_port(pinfo, datagram->tvb));
    enet_hand_over_disconnects(&datagram->items, facts, datagram->findings);
    const char *words = has_line ? gw_finding_words(pinfo, first_finding) : "";
    if (has_line) {
        const char *line = datagram->reading->line.buffer;
        gw_text text; /* in packet scope, because the column refers to it */
        gw_text_init(&text, wmem_alloc(pinfo->pool, COLUMN_SIZE), COLUMN_SIZE);
        gw_text_string(&text, enet_separator(datagram->info_before));
        gw_text_string(&text, words);
        gw_text_string(&text, line);
        gw_add_fault_to_line(&text, pinfo, datagram->tvb, &datagram->reading->reader.fault, &gw_enet_faults);
        col_set_str(pinfo->cinfo, COL_INFO, text.buffer);
        if (datagram->demand.label)
            gw_append_line(proto_tree_get_parent(datagram->items.protocol), pinfo, proto_enet, words, line);
    }
    enet_bytes *bytes = enet_count(pinfo, facts, datagram->findings);
    /* The lines of the messages' dissectors replace ENet's, except for findings such as retransmissions. */
    const enet_info info = { datagram->info_before, words, bytes };
    enet_hand_over(&datagram->items, facts, datagram->findings, datagram->parent, &info);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

/* Dissects one datagram; 0 if it is empty, or declined: ENET_PINNED, and its connection cannot have sent it. */
int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason)
{
    tvbuff_t *source = tvb_get_ds_tvb(tvb);
    const int offset = tvb_raw_offset(tvb), captured = (int)tvb_captured_length(tvb);
    if (!captured)
        return 0;
    /* An ICMP error may quote the beginning of a datagram only, whose length is in the header of UDP. */
    if (gw_is_quoted(pinfo) && pinfo->ptype == PT_UDP && offset >= UDP_HEADER) {
        int sent = tvb_get_ntohs(source, offset - UDP_HEADER + UDP_LENGTH_AT) - UDP_HEADER;
        if (sent > (int)tvb_reported_length(tvb))
            tvb = tvb_new_subset_length_caplen(source, offset, captured, sent);
    }
    enet_datagram datagram = { .pinfo = pinfo,
                               .tvb = tvb,
                               .bytes = gw_bytes_of(tvb),
                               .captured = (uint32_t)captured,
                               .is_cut = gw_is_incomplete(pinfo, tvb),
                               .parent = parent };
    datagram.demand = gw_demand_of(pinfo, parent, proto_enet);
    datagram.source = (enet_source){ pinfo, tvb, &datagram.demand };
    /* A frame may have several datagrams, of which some were declined: findings are found by the bytes and their
     * offset. */
    datagram.hash = gw_hash_bytes(datagram.bytes, datagram.captured);
    datagram.key = (uint32_t)datagram.hash ^ (uint32_t)offset;
    bool is_photon = open_datagram(&datagram, reason == ENET_SELECTED);
    /* In a recognized conversation, datagrams that the connection cannot have sent are left to other dissectors. */
    if (reason == ENET_PINNED && !may_have_sent(&datagram))
        return 0;
    if (is_photon)
        add_photon(&datagram);
    else
        dissect_datagram(&datagram);
    /* Datagrams that are damaged, or that only the user has selected as ENet, are no examples. */
    if (reason == ENET_RECOGNIZED || reason == ENET_PINNED)
        keep_example(&datagram);
    return captured;
}
