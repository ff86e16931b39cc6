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
#include "common/spans.h"

#define UDP_HEADER    8
#define UDP_LENGTH_AT 4

#define COLUMN_SIZE (ENET_LINE_SIZE + 200) /* with prefix and fault */

int enet_compression_choice = ENET_AUTOMATIC;
int enet_checksum_choice = ENET_CHECKSUM_AUTOMATIC;
int enet_format_choice = ENET_FORMAT_AUTOMATIC;
gw_damaged enet_damaged;

/* Bits of evidence of the header, which is compared with the connection's: 16, less those of the flags. */
#define HEADER_BITS 14

/* Of an example for damaged datagrams: GW_DAMAGED_SAMPLE_BITS with those of the header. */
#define EXAMPLE_BITS (GW_DAMAGED_SAMPLE_BITS - HEADER_BITS)

typedef struct enet_datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the UDP payload */
    tvbuff_t *plain;    /* its commands: tvb, or what it decompresses to */
    proto_tree *parent; /* above ENet's own */
    proto_tree *tree;
    uint64_t wire_hash;
    uint32_t key; /* of its findings */
    enet_source source;
    enet_commands opened;
    enet_reading *reading; /* of the commands; of the datagram, if they cannot be read */
    enet_facts *facts;     /* its facts */
    gw_fault fault;        /* where reading ended; class GW_FAULT_NONE: at the end */
    enet_pair *pair;       /* NULL: not known yet, or not sought */
    gw_demand demand;
    size_t info_before; /* length of the Info column's text of the datagrams before this one in its frame */
    enet_tree shown;
    const enet_findings *findings; /* NULL: not analyzed */
    bool is_photon;                /* which is not decoded */
} enet_datagram;

static bool is_cut(const enet_datagram *datagram)
{
    return gw_is_incomplete(datagram->pinfo, datagram->tvb);
}

/* ---- columns and titles --------------------------------------------------------------------------------- */

/* The most important of what the analysis found. */
static const char *prefix_of(const enet_facts *facts, const enet_findings *findings)
{
    static const struct {
        uint32_t flag;
        const char *prefix;
    } prefixes[] = {
        { ENET_DUPLICATE, "[Duplicate] " },
        { ENET_NUMBER_REUSED, "[Number used before] " },
        { ENET_SPURIOUS, "[Spurious retransmission] " },
        { ENET_RETRANSMISSION, "[Retransmission] " },
        { ENET_OUT_OF_ORDER, "[Out of order] " },
        { ENET_TOO_FAR_AHEAD, "[Too far ahead] " },
        { ENET_GAP, "[Previous command not captured] " },
        { ENET_DUPLICATE_ACK, "[Duplicate ack] " },
        { ENET_WINDOW_FULL, "[Window full] " },
    };
    uint32_t flags = 0;
    if (findings && findings->stale)
        return "[Stale] ";
    for (uint32_t i = 0; findings && i < facts->count; i++)
        flags |= findings->commands[i].flags;
    for (size_t i = 0; i < array_length(prefixes); i++)
        if (flags & prefixes[i].flag)
            return prefixes[i].prefix;
    return "";
}

/* In packet scope, because the column refers to it. */
static const char *column_of(const enet_datagram *datagram, const char *prefix, const char *line)
{
    const packet_info *pinfo = datagram->pinfo;
    gw_text text;
    gw_text_init(&text, wmem_alloc(pinfo->pool, COLUMN_SIZE), COLUMN_SIZE);
    gw_text_string(&text, gw_columns_separator(datagram->info_before));
    gw_text_string(&text, prefix);
    gw_text_string(&text, line);
    gw_add_fault_to_line(&text, pinfo, datagram->tvb, &datagram->fault, &gw_enet_faults);
    return text.buffer;
}

static void add_line(const enet_datagram *datagram)
{
    const char *line = datagram->reading->line.buffer;
    const char *prefix = prefix_of(datagram->facts, datagram->findings);
    col_set_str(datagram->pinfo->cinfo, COL_INFO, column_of(datagram, prefix, line));
    if (datagram->demand.label)
        gw_append_line(proto_tree_get_parent(datagram->tree), datagram->pinfo, proto_enet, prefix, line);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

enet_choice enet_preferred(enet_choice known)
{
    if (enet_compression_choice != ENET_AUTOMATIC) {
        known.compression = (enet_compression)enet_compression_choice;
        known.only = true;
    }
    if (enet_checksum_choice != ENET_CHECKSUM_AUTOMATIC) {
        known.checksum = (enet_checksums)enet_checksum_choice;
        known.checksum_only = true;
    }
    if (enet_format_choice != ENET_FORMAT_AUTOMATIC && !known.formats.is_known) {
        uint8_t reply = gw_enet_formats[enet_format_choice].reply;
        known.formats = (enet_formats){ .first = (uint8_t)enet_format_choice,
                                        .is_chosen = true,
                                        .others = reply == enet_format_choice ? 0 : UINT32_C(1) << reply };
    }
    return known;
}

/* Only where a user has selected ENet, and nothing indicates the format. */
static bool may_be_other_format(const enet_datagram *datagram, const enet_choice *known)
{
    return enet_format_choice == ENET_FORMAT_AUTOMATIC && enet_checksum_choice != ENET_CHECKSUM_ALWAYS &&
           !enet_has_evidence(datagram->pinfo, datagram->pair, known);
}

static bool is_connect_of(const enet_datagram *datagram, gw_enet_options *options)
{
    bool is_whole = !is_cut(datagram);
    return is_whole && gw_enet_format_of_connect(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb),
                                                 enet_port_of(datagram->pinfo), options);
}

/* With the preferences, and the modes known for the packet or its conversation. A CONNECT says the format itself. */
static void open_datagram(enet_datagram *datagram, bool selected)
{
    gw_enet_options options;
    enet_choice known = { .compression = ENET_AUTOMATIC };
    datagram->pair = enet_find_modes(datagram->pinfo, proto_enet, datagram->key, &known);
    enet_choice choice = enet_preferred(known);
    bool is_later = gw_is_later_pass(datagram->pinfo) && known.formats.is_known;
    bool may_be_other = selected && may_be_other_format(datagram, &known);
    if (!is_later && enet_format_choice == ENET_FORMAT_AUTOMATIC && is_connect_of(datagram, &options))
        choice.formats = (enet_formats){ .first = (uint8_t)(options.format - gw_enet_formats), .is_known = true };
    else if (may_be_other && !known.formats.is_known)
        choice.formats.others = (UINT32_C(1) << GW_ENET_FORMATS) - 1;
    enet_open_commands(&datagram->source, &choice, &datagram->opened);
    if (may_be_other && !datagram->opened.recognition.bits)
        datagram->is_photon = gw_enet_is_photon(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb),
                                                tvb_reported_length(datagram->tvb));
}

static gw_enet_options options_of(const enet_datagram *datagram)
{
    return (gw_enet_options){ .format = datagram->opened.format,
                              .checksum = datagram->opened.checksum,
                              .port = enet_port_of(datagram->pinfo) };
}

/* In a recognized conversation, datagrams that the connection cannot have sent are left to other dissectors. */
static bool may_be_enet(const enet_datagram *datagram)
{
    const gw_enet_options options = options_of(datagram);
    enet_arrival arrival = { .whole = !is_cut(datagram), .opened = &datagram->opened };
    const uint8_t *bytes = gw_bytes_of(datagram->tvb);
    uint32_t captured = tvb_captured_length(datagram->tvb);
    if (!gw_enet_peek(bytes, captured, &options, &arrival.beginning))
        return false;
    arrival.is_sound = enet_is_sound(bytes, captured, &arrival);
    return enet_may_have_sent(datagram->pinfo, datagram->key, datagram->pair, &arrival);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* `text`: of commands that cannot be read. */
static void print_unread(const enet_datagram *datagram, const char *text, uint32_t length)
{
    gw_text *line = &datagram->reading->line;
    if (!line->buffer)
        return;
    gw_text_string(line, text);
    gw_text_unsigned(line, length);
}

/* The bytes after the header. */
static void add_compressed(enet_datagram *datagram, uint32_t before, uint32_t packed)
{
    const enet_commands *opened = &datagram->opened;
    if (opened->bytes) {
        datagram->plain = tvb_new_child_real_data(datagram->tvb, opened->bytes, opened->length, (int)opened->length);
        datagram->facts->unpacked_length = opened->length;
        enet_tree_add_decompressed(&datagram->shown, opened, datagram->plain, packed);
        return;
    }
    enet_tree_add_compressed(&datagram->shown, before, is_cut(datagram));
    print_unread(datagram, "Compressed len=", packed);
}

/* What the reader has not seen: compressed commands, and those that the capture lacks. */
static void add_rest(enet_datagram *datagram, const gw_enet_header *header)
{
    uint32_t captured = tvb_captured_length(datagram->tvb), before = header->length;
    if (header->is_encrypted && captured > before)
        print_unread(datagram, "Encrypted len=", captured - before);
    if (header->is_compressed && !header->is_encrypted && captured > before)
        add_compressed(datagram, before, captured - before);
    else if (is_cut(datagram))
        enet_tree_add_cut(&datagram->shown);
}

static void complete_facts(const enet_datagram *datagram, const gw_enet_header *header)
{
    enet_facts *facts = datagram->facts;
    const enet_commands *opened = &datagram->opened;
    facts->header = *header;
    facts->format = opened->format;
    facts->sent_time = header->sent_time;
    facts->wire_hash = datagram->wire_hash;
    facts->wire_length = tvb_reported_length(datagram->tvb);
    facts->mode = opened->mode;
    facts->checksum = opened->checksum;
    facts->evidence = opened->recognition.bits > 0;
}

/* Commands have been read when the datagram was opened. */
static void read_datagram(enet_datagram *datagram)
{
    const gw_enet_options options = options_of(datagram);
    enet_commands *opened = &datagram->opened;
    enet_reading *header = opened->bytes ? NULL : opened->reading;
    if (!header)
        header = enet_read(&datagram->source, gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb), &options);
    datagram->reading = opened->bytes ? opened->reading : header;
    datagram->facts = &datagram->reading->facts;
    datagram->fault = datagram->reading->reader.fault;
    complete_facts(datagram, &header->reader.header);
    enet_tree_init(&datagram->shown, &datagram->source, datagram->tree);
    enet_tree_add(&datagram->shown, header);
    if (header->reader.fault.fault_class == GW_FAULT_NONE)
        add_rest(datagram, &header->reader.header);
    datagram->facts->bytes = gw_bytes_of(datagram->plain);
}

/* ---- File > Export PDUs to File, and tshark -U ENet ----------------------------------------------------- */

static int export_tap = -1;

void enet_register_export(void)
{
    export_tap = gw_export_register("ENet");
}

/* The header without the flag for compression, then the commands. */
static tvbuff_t *write_plain(packet_info *pinfo, tvbuff_t *datagram, const enet_raw *raw)
{
    const gw_enet_covered *covered = &raw->covered;
    uint32_t length = (uint32_t)(covered->before_length + covered->after_length);
    uint8_t *bytes = wmem_alloc(pinfo->pool, length);
    memcpy(bytes, covered->before, covered->before_length);
    bytes[0] &= (uint8_t) ~(GW_ENET_COMPRESSED_BIT >> 8);
    if (covered->after_length)
        memcpy(bytes + covered->before_length, covered->after, covered->after_length);
    return tvb_new_child_real_data(datagram, bytes, length, (int)length);
}

/* As it was before compression, and without its checksum; unchanged if it could not be decompressed. */
static void export_datagram(packet_info *pinfo, tvbuff_t *datagram, const enet_facts *facts, const enet_raw *raw)
{
    if (!gw_export_is_wanted(export_tap) || gw_is_quoted(pinfo))
        return;
    bool is_1_3 = facts->format == &gw_enet_formats[GW_ENET_1_3];
    bool changes = is_1_3 && raw->whole && (facts->checksum || facts->header.is_compressed);
    gw_export(export_tap, pinfo, "enet", changes ? write_plain(pinfo, datagram, raw) : datagram);
}

/* ---- analyzing ------------------------------------------------------------------------------------------ */

/* A frame may have several datagrams, of which some were declined: the key of the findings is that of the bytes at
 * their offset. The hash also detects copies among the latest datagrams of the same side. */
static void hash_wire(enet_datagram *datagram)
{
    datagram->wire_hash = enet_hash(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb));
    datagram->key = (uint32_t)datagram->wire_hash ^ (uint32_t)tvb_raw_offset(datagram->tvb);
}

static enet_raw raw_of(const enet_datagram *datagram)
{
    const enet_facts *facts = datagram->facts;
    const gw_enet_header *header = &facts->header;
    const uint8_t *bytes = gw_bytes_of(datagram->tvb);
    uint32_t before = facts->checksum ? header->checksum_at : header->length;
    uint32_t after = before + (facts->checksum ? facts->format->checksum_size : 0);
    enet_raw raw = { .kind = (gw_enet_checksum_kind)facts->format->checksum, .checksum = header->checksum };
    raw.covered.before = bytes;
    raw.covered.before_length = before;
    raw.whole = facts->mode != ENET_AUTOMATIC && !header->is_encrypted && !is_cut(datagram);
    uint32_t offset = datagram->opened.bytes ? 0 : after;
    raw.covered.after_length = tvb_captured_length(datagram->plain) - offset;
    raw.covered.after =
        raw.covered.after_length ? tvb_get_ptr(datagram->plain, (int)offset, (int)raw.covered.after_length) : NULL;
    return raw;
}

static void analyze(enet_datagram *datagram)
{
    if (datagram->fault.code == GW_ENET_FAULT_HEADER_TRUNCATED)
        return;
    enet_raw raw = raw_of(datagram);
    datagram->findings =
        enet_analyze(datagram->pinfo, proto_enet, datagram->key, datagram->pair, datagram->facts, &raw);
    if (!datagram->findings)
        datagram->findings = enet_find_findings_before(datagram->pinfo, proto_enet, datagram->facts);
    export_datagram(datagram->pinfo, datagram->tvb, datagram->facts, &raw);
}

/* ---- dissecting ----------------------------------------------------------------------------------------- */

static void add_protocol(enet_datagram *datagram)
{
    if (!datagram->parent)
        return;
    proto_item *item = gw_add_protocol(datagram->parent, datagram->pinfo, proto_enet, datagram->tvb, 0,
                                       (int)tvb_captured_length(datagram->tvb));
    datagram->tree = proto_item_add_subtree(item, enet_ett.protocol);
}

static void begin_display(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
    col_clear(pinfo->cinfo, COL_INFO);
    datagram->info_before = gw_columns_length(pinfo);
    add_protocol(datagram);
}

/* Without fields and analysis, which would be those of another format. */
static void add_photon(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    const char *name = "ENet 1.0 or Photon";
    begin_display(datagram);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s[Format of %s]", gw_columns_separator(datagram->info_before), name);
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item_append_text(proto_tree_get_parent(datagram->tree), ", format of %s", name);
    enet_tree_add_other_version(pinfo, datagram->tree, datagram->tvb, name);
}

static void dissect_datagram(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    begin_display(datagram);
    read_datagram(datagram);
    analyze(datagram);
    enet_findings_add(&datagram->shown, datagram->facts, datagram->findings);
    if (datagram->demand.line)
        add_line(datagram);
    enet_shares *shares = enet_count(pinfo, datagram->facts, datagram->findings);
    /* The lines of the messages' dissectors replace ENet's, except for findings such as retransmissions. */
    const enet_info info = { datagram->info_before, prefix_of(datagram->facts, datagram->findings), shares };
    enet_hand_over(&datagram->shown, datagram->facts, datagram->findings, datagram->parent, &info);
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

static tvbuff_t *rest_of(tvbuff_t *tvb, const gw_enet_header *header)
{
    bool has_rest = tvb_captured_length(tvb) > header->length && !header->is_compressed;
    return has_rest ? tvb_new_subset_remaining(tvb, header->length) : NULL;
}

tvbuff_t *enet_find_rest(tvbuff_t *tvb, packet_info *pinfo)
{
    enet_choice choice = { .compression = ENET_AUTOMATIC };
    const enet_pair *pair = enet_find_modes(pinfo, proto_enet, 0, &choice);
    const gw_enet_options options = { .format = &gw_enet_formats[choice.formats.first],
                                      .checksum = choice.checksum == ENET_CHECKSUM_ALWAYS };
    gw_enet_header header;
    if (!pair || !gw_enet_read_header(gw_bytes_of(tvb), tvb_captured_length(tvb), &options, &header) ||
        !enet_knows_header(pair, gw_sender_side(pinfo), &header))
        return NULL;
    return rest_of(tvb, &header);
}

static uint32_t weigh_example(tvbuff_t *tvb _U_)
{
    return GW_DAMAGED_SAMPLE_BITS;
}

/* Damaged datagrams are compared with those of a known connection that have evidence. */
static void keep_for_damaged(const enet_datagram *datagram)
{
    const gw_enet_header *header = &datagram->facts->header;
    if (!gw_is_first_pass(datagram->pinfo) || !header->has_peer || datagram->opened.recognition.bits < EXAMPLE_BITS ||
        (datagram->pair && !enet_keep_example(datagram->pair, gw_sender_side(datagram->pinfo))))
        return;
    tvbuff_t *rest = rest_of(datagram->tvb, header);
    if (rest)
        gw_damaged_keep(&enet_damaged, datagram->pinfo, rest, 0, weigh_example);
}

int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason)
{
    if (!tvb_captured_length(tvb))
        return 0;
    tvb = as_sent(tvb, pinfo);
    enet_datagram datagram = { .pinfo = pinfo, .tvb = tvb, .plain = tvb, .parent = parent };
    datagram.demand = gw_demand_of(pinfo, parent, proto_enet);
    datagram.source = (enet_source){ pinfo, tvb, &datagram.demand };
    hash_wire(&datagram);
    open_datagram(&datagram, reason == ENET_SELECTED);
    if (reason == ENET_PINNED && !may_be_enet(&datagram))
        return 0;
    if (datagram.is_photon)
        add_photon(&datagram);
    else
        dissect_datagram(&datagram);
    if (reason == ENET_RECOGNIZED || reason == ENET_PINNED)
        keep_for_damaged(&datagram);
    return (int)tvb_captured_length(tvb);
}
