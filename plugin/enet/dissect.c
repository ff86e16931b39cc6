/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it, adds its items, analyzes it, shows the results in tree and Info column, and passes its
 * messages on.
 */
#include "internal.h"

#include "common/columns.h"
#include "common/conversation.h"
#include "common/export.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/payloads.h"

#define UDP_HEADER    8
#define UDP_LENGTH_AT 4

#define COLUMN_SIZE (ENET_LINE_SIZE + 200) /* with prefix and fault */

int enet_export_tap = -1;

typedef struct enet_datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the UDP payload */
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

/* ---- columns and titles --------------------------------------------------------------------------------- */

static void add_line(const enet_datagram *datagram, const char *words)
{
    packet_info *pinfo = datagram->pinfo;
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
    proto_item *item = gw_add_protocol(datagram->parent, pinfo, proto_enet, tvb, 0, (int)tvb_captured_length(tvb));
    datagram->items.protocol = proto_item_add_subtree(item, enet_ett.protocol);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* In the modes that are known for the packet or its conversation. All other formats are tried only where a user has selected
 * ENet, and nothing indicates the format. True for the format of ENet 1.0 and Photon, which is not decoded. */
static bool open_datagram(enet_datagram *datagram, bool selected)
{
    enet_choice known = { .compression = ENET_AUTOMATIC };
    datagram->pair = enet_find_modes(datagram->pinfo, datagram->key, &known);
    bool may_be_other = selected && enet_format_choice == ENET_FORMAT_AUTOMATIC &&
                        enet_checksum_choice != ENET_CHECKSUM_ALWAYS && !known.has_evidence;
    if (may_be_other && !known.formats.is_known)
        known.formats.others = (UINT32_C(1) << GW_ENET_FORMATS) - 1;
    datagram->opened = enet_open_commands(&datagram->source, &known);
    return may_be_other && !datagram->opened.recognition.bits &&
           gw_enet_is_photon(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb),
                             tvb_reported_length(datagram->tvb));
}

/* Commands have been read when the datagram was opened; the header of decompressed ones has not. */
static void read_datagram(enet_datagram *datagram)
{
    tvbuff_t *tvb = datagram->tvb;
    const enet_commands *opened = &datagram->opened;
    const gw_enet_options options = { .format = opened->format,
                                      .checksum = opened->checksum,
                                      .port = enet_port_of(datagram->pinfo) };
    enet_reading *first = opened->bytes ? NULL : opened->reading;
    if (!first)
        first = enet_read(&datagram->source, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    enet_tree_add(&datagram->items, opened, first);

    const gw_enet_header *header = &first->reader.header;
    enet_facts *facts = opened->bytes ? &opened->reading->facts : &first->facts;
    datagram->reading = opened->bytes ? opened->reading : first;
    datagram->facts = facts;
    facts->header = *header;
    facts->format = opened->format;
    facts->wire_hash = datagram->hash;
    facts->wire_length = tvb_reported_length(tvb);
    facts->mode = opened->mode;
    facts->checksum = opened->checksum;
    facts->evidence = opened->recognition.bits > 0;
    facts->bytes = gw_bytes_of(datagram->items.tvb);

    /* The line has the length of commands that cannot be read. */
    gw_text *line = &datagram->reading->line;
    uint32_t unread = tvb_captured_length(tvb) - MIN(header->length, tvb_captured_length(tvb));
    if (datagram->items.tvb != tvb) {
        facts->unpacked_length = opened->length;
    } else if (first->reader.fault.fault_class == GW_FAULT_NONE && unread && line->buffer &&
               (header->is_encrypted || header->is_compressed)) {
        gw_text_string(line, header->is_encrypted ? "Encrypted len=" : "Compressed len=");
        gw_text_unsigned(line, unread);
    }
}

/* ---- analyzing ------------------------------------------------------------------------------------------ */

static enet_raw raw_of(const enet_datagram *datagram)
{
    const enet_facts *facts = datagram->facts;
    const gw_enet_header *header = &facts->header;
    tvbuff_t *plain = datagram->items.tvb;
    uint32_t before = facts->checksum ? header->checksum_at : header->length;
    uint32_t offset = datagram->opened.bytes ? 0 : before + (facts->checksum ? facts->format->checksum_size : 0);
    enet_raw raw = { .kind = (gw_enet_checksum_kind)facts->format->checksum, .checksum = header->checksum };
    raw.covered.before = gw_bytes_of(datagram->tvb);
    raw.covered.before_length = before;
    raw.whole =
        facts->mode != ENET_AUTOMATIC && !header->is_encrypted && !gw_is_incomplete(datagram->pinfo, datagram->tvb);
    raw.covered.after_length = tvb_captured_length(plain) - offset;
    if (raw.covered.after_length)
        raw.covered.after = tvb_get_ptr(plain, (int)offset, (int)raw.covered.after_length);
    return raw;
}

/* For File > Export PDUs to File, and tshark -U ENet: the datagram as it was before compression, and without its checksum;
 * unchanged if it could not be decompressed. */
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

/* Without fields and analysis: the format has others. */
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

static void dissect_datagram(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    unsigned first_finding = gw_count_findings(pinfo);
    begin_display(datagram);
    read_datagram(datagram);
    const enet_facts *facts = datagram->facts;
    if (datagram->reading->reader.fault.code != GW_ENET_FAULT_HEADER_TRUNCATED) {
        const enet_raw raw = raw_of(datagram);
        datagram->findings = enet_analyze(pinfo, datagram->key, datagram->pair, facts, &raw);
        export_datagram(datagram, &raw);
    }
    enet_findings_add(&datagram->items, facts, datagram->findings);
    if (enet_is_port_unreachable(pinfo, datagram->tvb)) {
        const enet_connection *closed = enet_analyze_closed_port(pinfo);
        if (closed)
            enet_add_closed_port(&datagram->items, closed);
    }
    enet_hand_over_disconnects(&datagram->items, facts, datagram->findings);
    const char *words = gw_finding_words(pinfo, first_finding);
    if (datagram->demand.line)
        add_line(datagram, words);
    enet_bytes *bytes = enet_count(pinfo, facts, datagram->findings);
    /* The lines of the messages' dissectors replace ENet's, except for findings such as retransmissions. */
    const enet_info info = { datagram->info_before, words, bytes };
    enet_hand_over(&datagram->items, facts, datagram->findings, datagram->parent, &info);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

/* An ICMP error may quote the beginning of a datagram only, whose length is in the header of UDP. */
static tvbuff_t *as_sent(tvbuff_t *tvb, const packet_info *pinfo)
{
    tvbuff_t *source = tvb_get_ds_tvb(tvb);
    int offset = tvb_raw_offset(tvb);
    if (!gw_is_quoted(pinfo) || pinfo->ptype != PT_UDP || offset < UDP_HEADER)
        return tvb;
    int length = tvb_get_ntohs(source, offset - UDP_HEADER + UDP_LENGTH_AT) - UDP_HEADER;
    if (length <= (int)tvb_reported_length(tvb))
        return tvb;
    return tvb_new_subset_length_caplen(source, offset, (int)tvb_captured_length(tvb), length);
}

int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason)
{
    if (!tvb_captured_length(tvb))
        return 0;
    tvb = as_sent(tvb, pinfo);
    enet_datagram datagram = { .pinfo = pinfo, .tvb = tvb, .parent = parent };
    datagram.demand = gw_demand_of(pinfo, parent, proto_enet);
    datagram.source = (enet_source){ pinfo, tvb, &datagram.demand };
    /* A frame may have several datagrams, of which some were declined: findings are found by the bytes and their offset. */
    datagram.hash = enet_hash(gw_bytes_of(tvb), tvb_captured_length(tvb));
    datagram.key = (uint32_t)datagram.hash ^ (uint32_t)tvb_raw_offset(tvb);
    bool is_photon = open_datagram(&datagram, reason == ENET_SELECTED);
    /* In a recognized conversation, datagrams that the connection cannot have sent are left to other dissectors. */
    if (reason == ENET_PINNED && !enet_may_have_sent(&datagram.source, datagram.key, datagram.pair, &datagram.opened))
        return 0;
    if (is_photon)
        add_photon(&datagram);
    else
        dissect_datagram(&datagram);
    if (reason == ENET_RECOGNIZED || reason == ENET_PINNED)
        enet_keep_example(&datagram.source, datagram.pair, &datagram.opened);
    return (int)tvb_captured_length(tvb);
}
