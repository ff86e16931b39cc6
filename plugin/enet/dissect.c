/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: decompresses it, reads it into items, facts and the Info column, analyzes it, shows the
 * results and passes its messages on.
 */
#include "dissect.h"

#include "analysis.h"
#include "common/columns.h"
#include "common/fault.h"
#include "common/spans.h"
#include "export.h"
#include "fields.h"
#include "findings.h"
#include "handover.h"
#include "membership.h"
#include "statistics.h"
#include "tree.h"

#define INFO_SIZE   400
#define COLUMN_SIZE (INFO_SIZE + 200) /* with prefix and fault */

int enet_compression_choice = ENET_AUTOMATIC;
int enet_checksum_choice = ENET_CHECKSUM_AUTOMATIC;

typedef struct enet_datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the UDP payload */
    tvbuff_t *plain;    /* its commands: tvb, or what it decompresses to */
    proto_tree *parent; /* above ENet's own */
    proto_tree *tree;
    uint32_t key; /* of its findings */
    enet_commands opened;
    enet_pair *pair; /* NULL: not known yet, or not sought */
    gw_enet_reader reader;
    gw_fault fault; /* where reading ended; class GW_FAULT_NONE: at the end */
    gw_demand demand;
    size_t info_before; /* length of the Info column's text of the datagrams before this one in its frame */
    gw_text *line;      /* NULL when it is not used */
    enet_tree shown;
    enet_facts facts;
    const enet_findings *findings; /* NULL: not analyzed */
    gw_enet_version version;       /* another than 1.3, of a datagram that is not read as 1.3 */
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
        { ENET_DUPLICATE, "[Duplicate] " },           { ENET_SPURIOUS, "[Spurious retransmission] " },
        { ENET_RETRANSMISSION, "[Retransmission] " }, { ENET_OUT_OF_ORDER, "[Out of order] " },
        { ENET_TOO_FAR_AHEAD, "[Too far ahead] " },   { ENET_GAP, "[Previous command not captured] " },
        { ENET_DUPLICATE_ACK, "[Duplicate ack] " },   { ENET_WINDOW_FULL, "[Window full] " },
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
    const gw_fault *fault = &datagram->fault;
    gw_text text;
    gw_text_init(&text, wmem_alloc(pinfo->pool, COLUMN_SIZE), COLUMN_SIZE);
    gw_text_string(&text, datagram->info_before ? "; " : "");
    gw_text_string(&text, prefix);
    gw_text_string(&text, line);
    if (fault->fault_class != GW_FAULT_NONE && !gw_fault_is_cut(pinfo, datagram->tvb, fault)) {
        gw_text_string(&text, *line ? " [" : "[");
        gw_text_string(&text, gw_enet_fault_text(fault->code));
        gw_text_char(&text, ']');
    }
    return text.buffer;
}

static void add_line(const enet_datagram *datagram, const char *line)
{
    const char *prefix = prefix_of(&datagram->facts, datagram->findings);
    col_set_str(datagram->pinfo->cinfo, COL_INFO, column_of(datagram, prefix, line));
    if (datagram->demand.label)
        proto_item_append_text(proto_tree_get_parent(datagram->tree), ", %s%s", prefix, line);
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
    return known;
}

/* Only where a user has selected ENet, and nothing indicates ENet 1.3. */
static bool may_be_other_version(const enet_datagram *datagram, const enet_choice *known)
{
    return !datagram->opened.recognition.bits && enet_checksum_choice != ENET_CHECKSUM_ALWAYS &&
           !enet_has_evidence(datagram->pinfo, datagram->pair, known);
}

/* With the preferences, and the modes known for the packet or its conversation. */
static void open_datagram(enet_datagram *datagram, bool selected)
{
    enet_choice known = { .compression = ENET_AUTOMATIC };
    datagram->pair = enet_find_modes(datagram->pinfo, proto_enet, datagram->key, &known);
    enet_choice choice = enet_preferred(known);
    enet_open_commands(datagram->tvb, datagram->pinfo, &choice, &datagram->opened);
    if (selected && may_be_other_version(datagram, &known))
        datagram->version = gw_enet_version_of(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb),
                                               tvb_reported_length(datagram->tvb));
}

/* True if a known command number is at this offset, with any flags. */
static bool begins_with_command(tvbuff_t *tvb, uint32_t at)
{
    uint8_t first = tvb_bytes_exist(tvb, (int)at, 1) ? tvb_get_uint8(tvb, (int)at) : 0;
    return !(first & GW_ENET_UNUSED_FLAGS) && gw_enet_command_of(first & GW_ENET_NUMBER_MASK);
}

/* In a recognized conversation, datagrams that the connection cannot have sent are left to other dissectors. */
static bool may_be_enet(const enet_datagram *datagram)
{
    tvbuff_t *tvb = datagram->tvb;
    const enet_commands *opened = &datagram->opened;
    if (tvb_captured_length(tvb) < GW_ENET_SMALLEST_HEADER)
        return false;
    enet_arrival arrival = { .header = tvb_get_ntohs(tvb, 0), .whole = !is_cut(datagram), .opened = opened };
    uint32_t before = gw_enet_header_length(arrival.header, opened->checksum);
    if (!tvb_bytes_exist(tvb, (int)before, 1))
        return false;
    if (arrival.header & GW_ENET_SENT_TIME_BIT)
        arrival.sent_time = tvb_get_ntohs(tvb, GW_ENET_SMALLEST_HEADER);
    arrival.begins_with_command = begins_with_command(tvb, before);
    if (!(arrival.header & GW_ENET_COMPRESSED_BIT) && tvb_bytes_exist(tvb, (int)before, 6))
        arrival.acks_zero =
            tvb_get_uint8(tvb, (int)before) == GW_ENET_ACKNOWLEDGE && !tvb_get_ntohs(tvb, (int)before + 4);
    return enet_may_have_sent(datagram->pinfo, proto_enet, datagram->key, datagram->pair, &arrival);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static void print_command(const enet_datagram *datagram)
{
    gw_text_string(datagram->line, datagram->facts.count > 1 ? ", " : "");
    gw_enet_print_command(datagram->line, &datagram->reader.command);
}

/* The numbers of a command count although the capture has not all of its payload. */
static void add_cut_command(enet_datagram *datagram)
{
    enet_facts_add_cut(&datagram->facts, datagram->pinfo, &datagram->reader);
    enet_tree_close_command(&datagram->shown);
    if (datagram->line)
        print_command(datagram);
}

/* To the end or to a fault. */
static void read_events(enet_datagram *datagram)
{
    gw_enet_event event;
    gw_next next;
    while ((next = gw_enet_next(&datagram->reader, &event)) == GW_NEXT_EVENT) {
        enet_facts_add(&datagram->facts, datagram->pinfo, &datagram->reader, &event);
        enet_tree_add(&datagram->shown, &event);
        if (datagram->line && event.kind == GW_CLOSE)
            print_command(datagram);
    }
    if (next != GW_NEXT_FAULT)
        return;
    datagram->fault = datagram->reader.fault;
    enet_tree_add_fault(&datagram->shown);
    if (datagram->fault.code == GW_ENET_FAULT_PAYLOAD_TRUNCATED &&
        gw_fault_is_cut(datagram->pinfo, datagram->tvb, &datagram->fault))
        add_cut_command(datagram);
}

static void read_decompressed(enet_datagram *datagram, uint32_t packed)
{
    const enet_commands *opened = &datagram->opened;
    const gw_enet_options options = {
        .commands_only = true,
        .padded = opened->mode == ENET_FASTLZ,
        .header = datagram->facts.header,
    };
    datagram->facts.unpacked_length = opened->length;
    datagram->plain = tvb_new_child_real_data(datagram->tvb, opened->bytes, opened->length, (int)opened->length);
    enet_tree_add_decompressed(&datagram->shown, opened, datagram->plain, packed);
    gw_enet_init(&datagram->reader, opened->bytes, opened->length, &options);
    read_events(datagram);
}

/* The bytes after the header, `packed` of them. */
static void read_compressed(enet_datagram *datagram, uint32_t before, uint32_t packed)
{
    if (datagram->opened.bytes) {
        read_decompressed(datagram, packed);
        return;
    }
    enet_tree_add_compressed(&datagram->shown, before, is_cut(datagram));
    if (datagram->line) {
        gw_text_string(datagram->line, "Compressed len=");
        gw_text_unsigned(datagram->line, packed);
    }
}

/* What the reader has not seen: compressed commands, and those that the capture lacks. */
static void read_rest(enet_datagram *datagram, uint32_t captured)
{
    uint32_t before = gw_enet_header_length(datagram->facts.header, datagram->facts.checksum);
    if (datagram->facts.header & GW_ENET_COMPRESSED_BIT && captured > before)
        read_compressed(datagram, before, captured - before);
    else if (is_cut(datagram))
        enet_tree_add_cut(&datagram->shown);
}

static void read_datagram(enet_datagram *datagram)
{
    unsigned captured = tvb_captured_length(datagram->tvb);
    const gw_enet_options options = { .checksum = datagram->opened.checksum };
    gw_enet_init(&datagram->reader, gw_bytes_of(datagram->tvb), captured, &options);
    enet_tree_init(&datagram->shown, datagram->pinfo, datagram->tree, &datagram->demand, datagram->tvb,
                   &datagram->reader);
    /* The first event sets the header. */
    read_events(datagram);
    datagram->facts.header = datagram->reader.header;
    datagram->facts.sent_time = (uint16_t)datagram->reader.sent_time;
    datagram->facts.mode = datagram->opened.mode;
    datagram->facts.checksum = datagram->opened.checksum;
    datagram->facts.evidence = datagram->opened.recognition.bits > 0;
    if (datagram->fault.fault_class == GW_FAULT_NONE)
        read_rest(datagram, captured);
    datagram->facts.bytes = gw_bytes_of(datagram->plain);
}

/* ---- analyzing ------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / the golden ratio */
    return hash ^ hash >> 32;
}

/* Eight bytes at a time. */
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

/* A frame may have several datagrams, of which some were declined: the key of the findings is that of the bytes at
 * their offset. The hash also detects copies among the latest datagrams of the same side. */
static void hash_wire(enet_datagram *datagram)
{
    datagram->facts.wire_length = tvb_reported_length(datagram->tvb);
    datagram->facts.wire_hash = hash_of(gw_bytes_of(datagram->tvb), tvb_captured_length(datagram->tvb));
    datagram->key = datagram->facts.wire_hash ^ (uint32_t)tvb_raw_offset(datagram->tvb);
}

static enet_raw raw_of(const enet_datagram *datagram)
{
    const enet_facts *facts = &datagram->facts;
    enet_raw raw = { .header_length = gw_enet_header_length(facts->header, false) };
    uint32_t offset = datagram->opened.bytes ? 0 : gw_enet_header_length(facts->header, facts->checksum);
    raw.header = gw_bytes_of(datagram->tvb);
    raw.checksum = facts->checksum ? tvb_get_ntohl(datagram->tvb, (int)raw.header_length) : 0;
    raw.whole = facts->mode != ENET_AUTOMATIC && !is_cut(datagram);
    raw.plain_length = tvb_captured_length(datagram->plain) - offset;
    raw.plain = raw.plain_length ? tvb_get_ptr(datagram->plain, (int)offset, (int)raw.plain_length) : NULL;
    return raw;
}

static void analyze(enet_datagram *datagram)
{
    if (datagram->fault.code == GW_ENET_FAULT_HEADER_TRUNCATED)
        return;
    enet_raw raw = raw_of(datagram);
    datagram->findings =
        enet_analyze(datagram->pinfo, proto_enet, datagram->key, datagram->pair, &datagram->facts, &raw);
    if (!datagram->findings)
        datagram->findings = enet_find_findings_before(datagram->pinfo, proto_enet, &datagram->facts);
    enet_export(datagram->pinfo, datagram->tvb, &datagram->facts, &raw);
}

/* ---- dissecting ----------------------------------------------------------------------------------------- */

static void add_protocol(enet_datagram *datagram)
{
    if (!datagram->parent)
        return;
    proto_item *item = proto_tree_add_item(datagram->parent, proto_enet, datagram->tvb, 0,
                                           (int)tvb_captured_length(datagram->tvb), ENC_NA);
    datagram->tree = proto_item_add_subtree(item, enet_ett.protocol);
}

static void begin_display(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
    col_clear(pinfo->cinfo, COL_INFO);
    datagram->info_before = gw_columns_length(pinfo);
    datagram->demand = gw_demand_of(pinfo, datagram->parent, proto_enet);
    add_protocol(datagram);
}

/* Without fields and analysis, which would be those of another format. */
static void add_other_version(enet_datagram *datagram)
{
    packet_info *pinfo = datagram->pinfo;
    const char *name = gw_enet_version_text(datagram->version);
    begin_display(datagram);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s[Format of %s]", datagram->info_before ? "; " : "", name);
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item_append_text(proto_tree_get_parent(datagram->tree), ", format of %s", name);
    enet_tree_add_other_version(pinfo, datagram->tree, datagram->tvb, name);
}

static void dissect_datagram(enet_datagram *datagram)
{
    char line[INFO_SIZE];
    gw_text text;
    packet_info *pinfo = datagram->pinfo;
    begin_display(datagram);
    gw_text_init(&text, line, sizeof line);
    if (datagram->demand.line)
        datagram->line = &text;
    read_datagram(datagram);
    analyze(datagram);
    enet_findings_add(&datagram->shown, &datagram->facts, datagram->findings);
    if (datagram->line)
        add_line(datagram, line);
    enet_count(pinfo, &datagram->facts, datagram->findings);
    /* The lines of the messages' dissectors replace ENet's, except for findings such as retransmissions. */
    const enet_info info = { datagram->info_before, prefix_of(&datagram->facts, datagram->findings) };
    enet_hand_over(&datagram->shown, &datagram->facts, datagram->findings, datagram->parent, &info);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason)
{
    if (!tvb_captured_length(tvb))
        return 0;
    enet_datagram datagram = { .pinfo = pinfo, .tvb = tvb, .plain = tvb, .parent = parent };
    hash_wire(&datagram);
    open_datagram(&datagram, reason == ENET_SELECTED);
    if (reason == ENET_PINNED && !may_be_enet(&datagram))
        return 0;
    if (datagram.version != GW_ENET_VERSION_UNKNOWN)
        add_other_version(&datagram);
    else
        dissect_datagram(&datagram);
    return (int)tvb_captured_length(tvb);
}
