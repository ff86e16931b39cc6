/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: decompresses it, reads it into items, facts and the Info column, analyzes it, shows the
 * results and passes its messages on.
 */
#include "message.h"

#include "analysis.h"
#include "common/columns.h"
#include "common/fault.h"
#include "common/spans.h"
#include "export.h"
#include "fields.h"
#include "findings.h"
#include "handover.h"
#include "recognition.h"
#include "statistics.h"
#include "tree.h"

#define INFO_SIZE   400
#define COLUMN_SIZE (INFO_SIZE + 200) /* with prefix and fault */

int enet_compression_choice = ENET_AUTOMATIC;
int enet_checksum_choice = ENET_CHECKSUM_AUTOMATIC;

static int proto_enet = -1;

void enet_register_messages(int protocol)
{
    proto_enet = protocol;
}

typedef struct datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the UDP payload */
    tvbuff_t *plain;    /* its commands: tvb, or what it decompresses to */
    proto_tree *parent; /* above ENet's own */
    proto_tree *tree;
    uint32_t key; /* of its notes */
    enet_commands opened;
    enet_pair *pair; /* NULL: not known yet, or not sought */
    gw_enet_reader reader;
    gw_fault fault; /* where reading ended; class GW_FAULT_NONE: at the end */
    gw_demand demand;
    size_t info_before; /* length of the Info column's text of the datagrams before this one in its frame */
    gw_text *line;      /* NULL when it is not used */
    enet_tree shown;
    enet_facts facts;
    const enet_notes *notes; /* NULL: not analyzed */
    gw_enet_version version; /* another than 1.3, of a datagram that is not read as 1.3 */
} datagram;

static bool is_cut(const datagram *of)
{
    return gw_is_incomplete(of->pinfo, of->tvb);
}

/* ---- columns and titles --------------------------------------------------------------------------------- */

/* The most important of what the analysis found. */
static const char *prefix_of(const enet_facts *facts, const enet_notes *notes)
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
    if (notes && notes->stale)
        return "[Stale] ";
    for (uint32_t i = 0; notes && i < facts->count; i++)
        findings |= notes->commands[i].findings;
    for (size_t i = 0; i < array_length(prefixes); i++)
        if (findings & prefixes[i].finding)
            return prefixes[i].prefix;
    return "";
}

/* In packet scope, because the column refers to it. */
static const char *column_of(const datagram *of, const char *prefix, const char *line)
{
    const packet_info *pinfo = of->pinfo;
    const gw_fault *fault = &of->fault;
    gw_text text;
    gw_text_init(&text, wmem_alloc(pinfo->pool, COLUMN_SIZE), COLUMN_SIZE);
    gw_text_string(&text, of->info_before ? "; " : "");
    gw_text_string(&text, prefix);
    gw_text_string(&text, line);
    if (fault->fault_class != GW_FAULT_NONE && !gw_fault_is_cut(pinfo, of->tvb, fault)) {
        gw_text_string(&text, *line ? " [" : "[");
        gw_text_string(&text, gw_enet_fault_text(fault->code));
        gw_text_char(&text, ']');
    }
    return text.buffer;
}

static void show_line(const datagram *of, const char *line)
{
    const char *prefix = prefix_of(&of->facts, of->notes);
    col_set_str(of->pinfo->cinfo, COL_INFO, column_of(of, prefix, line));
    if (of->demand.label)
        proto_item_append_text(proto_tree_get_parent(of->tree), ", %s%s", prefix, line);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

enet_choice enet_preferred(enet_choice learned)
{
    if (enet_compression_choice != ENET_AUTOMATIC) {
        learned.compression = (enet_compression)enet_compression_choice;
        learned.only = true;
    }
    if (enet_checksum_choice != ENET_CHECKSUM_AUTOMATIC) {
        learned.checksum = (enet_checksums)enet_checksum_choice;
        learned.checksum_only = true;
    }
    return learned;
}

/* Only where a user has selected ENet, and nothing indicates ENet 1.3. */
static bool may_be_other_version(const datagram *of, const enet_choice *learned)
{
    return !of->opened.recognition.bits && enet_checksum_choice != ENET_CHECKSUM_ALWAYS &&
           !enet_has_evidence(of->pinfo, of->pair, learned);
}

/* With the preferences, and the modes known for the packet or its conversation. */
static void open_datagram(datagram *of, bool selected)
{
    enet_choice learned = { .compression = ENET_AUTOMATIC };
    of->pair = enet_learned(of->pinfo, proto_enet, of->key, &learned);
    enet_choice choice = enet_preferred(learned);
    enet_open_commands(of->tvb, of->pinfo, &choice, &of->opened);
    if (selected && may_be_other_version(of, &learned))
        of->version =
            gw_enet_version_of(gw_bytes_of(of->tvb), tvb_captured_length(of->tvb), tvb_reported_length(of->tvb));
}

/* Whatever its flags are. */
static bool begins_with_command(tvbuff_t *tvb, uint32_t at)
{
    uint8_t first = tvb_bytes_exist(tvb, (int)at, 1) ? tvb_get_uint8(tvb, (int)at) : 0;
    return !(first & GW_ENET_UNUSED_FLAGS) && gw_enet_command_of(first & GW_ENET_NUMBER_MASK);
}

/* In a recognized conversation, datagrams that the connection cannot have sent are left to other dissectors. */
static bool may_be_enet(const datagram *of)
{
    tvbuff_t *tvb = of->tvb;
    const enet_commands *opened = &of->opened;
    if (tvb_captured_length(tvb) < GW_ENET_SMALLEST_HEADER)
        return false;
    enet_arrival arrival = { .header = tvb_get_ntohs(tvb, 0), .whole = !is_cut(of), .opened = opened };
    uint32_t before = gw_enet_header_length(arrival.header, opened->checksum);
    if (!tvb_bytes_exist(tvb, (int)before, 1))
        return false;
    if (arrival.header & GW_ENET_SENT_TIME_BIT)
        arrival.sent_time = tvb_get_ntohs(tvb, GW_ENET_SMALLEST_HEADER);
    arrival.begins_with_command = begins_with_command(tvb, before);
    if (!(arrival.header & GW_ENET_COMPRESSED_BIT) && tvb_bytes_exist(tvb, (int)before, 6))
        arrival.acks_zero =
            tvb_get_uint8(tvb, (int)before) == GW_ENET_ACKNOWLEDGE && !tvb_get_ntohs(tvb, (int)before + 4);
    return enet_may_have_sent(of->pinfo, proto_enet, of->key, of->pair, &arrival);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static void print_command(const datagram *of)
{
    gw_text_string(of->line, of->facts.count > 1 ? ", " : "");
    gw_enet_print_command(of->line, &of->reader.command);
}

/* The numbers of a command count although the capture has not all of its payload. */
static void add_cut_command(datagram *of)
{
    enet_facts_add_cut(&of->facts, of->pinfo, &of->reader);
    enet_tree_close_command(&of->shown);
    if (of->line)
        print_command(of);
}

/* To the end or to a fault. */
static void read_events(datagram *of)
{
    gw_enet_event event;
    gw_next next;
    while ((next = gw_enet_next(&of->reader, &event)) == GW_NEXT_EVENT) {
        enet_facts_add(&of->facts, of->pinfo, &of->reader, &event);
        enet_tree_add(&of->shown, &event);
        if (of->line && event.kind == GW_CLOSE)
            print_command(of);
    }
    if (next != GW_NEXT_FAULT)
        return;
    of->fault = of->reader.fault;
    enet_tree_add_fault(&of->shown);
    if (of->fault.code == GW_ENET_FAULT_PAYLOAD_TRUNCATED && gw_fault_is_cut(of->pinfo, of->tvb, &of->fault))
        add_cut_command(of);
}

static void read_decompressed(datagram *of, uint32_t packed)
{
    const enet_commands *opened = &of->opened;
    const gw_enet_options options = {
        .commands_only = true,
        .padded = opened->mode == ENET_FASTLZ,
        .header = of->facts.header,
    };
    of->facts.unpacked_length = opened->length;
    of->plain = tvb_new_child_real_data(of->tvb, opened->bytes, opened->length, (int)opened->length);
    enet_tree_add_decompressed(&of->shown, opened, of->plain, packed);
    gw_enet_init(&of->reader, opened->bytes, opened->length, &options);
    read_events(of);
}

/* The bytes after the header, `packed` of them. */
static void read_compressed(datagram *of, uint32_t before, uint32_t packed)
{
    if (of->opened.bytes) {
        read_decompressed(of, packed);
        return;
    }
    enet_tree_add_compressed(&of->shown, before, is_cut(of));
    if (of->line) {
        gw_text_string(of->line, "Compressed len=");
        gw_text_unsigned(of->line, packed);
    }
}

/* What the reader has not seen: compressed commands, and those that the capture lacks. */
static void read_rest(datagram *of, uint32_t captured)
{
    uint32_t before = gw_enet_header_length(of->facts.header, of->facts.checksum);
    if (of->facts.header & GW_ENET_COMPRESSED_BIT && captured > before)
        read_compressed(of, before, captured - before);
    else if (is_cut(of))
        enet_tree_add_cut(&of->shown);
}

static void read_datagram(datagram *of)
{
    unsigned captured = tvb_captured_length(of->tvb);
    const gw_enet_options options = { .checksum = of->opened.checksum };
    gw_enet_init(&of->reader, gw_bytes_of(of->tvb), captured, &options);
    enet_tree_init(&of->shown, of->pinfo, of->tree, &of->demand, of->tvb, &of->reader);
    /* The first event sets the header. */
    read_events(of);
    of->facts.header = of->reader.header;
    of->facts.sent_time = (uint16_t)of->reader.sent_time;
    of->facts.mode = of->opened.mode;
    of->facts.checksum = of->opened.checksum;
    of->facts.evidence = of->opened.recognition.bits > 0;
    if (of->fault.fault_class == GW_FAULT_NONE)
        read_rest(of, captured);
    of->facts.bytes = gw_bytes_of(of->plain);
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

/* A frame may have several datagrams, of which some were declined: the key of the notes is that of the bytes at their
 * offset. The hash also detects copies among the latest datagrams of the same side. */
static void note_wire(datagram *of)
{
    of->facts.wire_length = tvb_reported_length(of->tvb);
    of->facts.wire_hash = hash_of(gw_bytes_of(of->tvb), tvb_captured_length(of->tvb));
    of->key = of->facts.wire_hash ^ (uint32_t)tvb_raw_offset(of->tvb);
}

static enet_raw raw_of(const datagram *of)
{
    const enet_facts *facts = &of->facts;
    enet_raw raw = { .header_length = gw_enet_header_length(facts->header, false) };
    uint32_t offset = of->opened.bytes ? 0 : gw_enet_header_length(facts->header, facts->checksum);
    raw.header = gw_bytes_of(of->tvb);
    raw.checksum = facts->checksum ? tvb_get_ntohl(of->tvb, (int)raw.header_length) : 0;
    raw.whole = facts->mode != ENET_AUTOMATIC && !is_cut(of);
    raw.plain_length = tvb_captured_length(of->plain) - offset;
    raw.plain = raw.plain_length ? tvb_get_ptr(of->plain, (int)offset, (int)raw.plain_length) : NULL;
    return raw;
}

static void analyze(datagram *of)
{
    if (of->fault.code == GW_ENET_FAULT_HEADER_TRUNCATED)
        return;
    enet_raw raw = raw_of(of);
    of->notes = enet_analyze(of->pinfo, proto_enet, of->key, of->pair, &of->facts, &raw);
    if (!of->notes)
        of->notes = enet_notes_before(of->pinfo, proto_enet, &of->facts);
    enet_export(of->pinfo, of->tvb, &of->facts, &raw);
}

/* ---- dissecting ----------------------------------------------------------------------------------------- */

static void add_protocol(datagram *of)
{
    if (!of->parent)
        return;
    proto_item *item =
        proto_tree_add_item(of->parent, proto_enet, of->tvb, 0, (int)tvb_captured_length(of->tvb), ENC_NA);
    of->tree = proto_item_add_subtree(item, enet_ett.protocol);
}

static void begin_display(datagram *of)
{
    packet_info *pinfo = of->pinfo;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
    col_clear(pinfo->cinfo, COL_INFO);
    of->info_before = gw_columns_length(pinfo);
    of->demand = gw_demand_of(pinfo, of->parent, proto_enet);
    add_protocol(of);
}

/* Without fields and analysis, which would be those of another format. */
static void show_other_version(datagram *of)
{
    packet_info *pinfo = of->pinfo;
    const char *name = gw_enet_version_text(of->version);
    begin_display(of);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s[Format of %s]", of->info_before ? "; " : "", name);
    col_set_fence(pinfo->cinfo, COL_INFO);
    proto_item_append_text(proto_tree_get_parent(of->tree), ", format of %s", name);
    enet_tree_add_other_version(pinfo, of->tree, of->tvb, name);
}

static void dissect_datagram(datagram *of)
{
    char line[INFO_SIZE];
    gw_text text;
    packet_info *pinfo = of->pinfo;
    begin_display(of);
    gw_text_init(&text, line, sizeof line);
    if (of->demand.line)
        of->line = &text;
    read_datagram(of);
    analyze(of);
    enet_findings_add(&of->shown, &of->facts, of->notes);
    if (of->line)
        show_line(of, line);
    enet_count(pinfo, &of->facts, of->notes);
    /* The lines of the messages' dissectors replace ENet's, except for findings such as retransmissions. */
    const enet_info info = { of->info_before, prefix_of(&of->facts, of->notes) };
    enet_hand_over(&of->shown, &of->facts, of->notes, of->parent, &info);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason)
{
    if (!tvb_captured_length(tvb))
        return 0;
    datagram of = { .pinfo = pinfo, .tvb = tvb, .plain = tvb, .parent = parent };
    note_wire(&of);
    open_datagram(&of, reason == ENET_SELECTED);
    if (reason == ENET_PINNED && !may_be_enet(&of))
        return 0;
    if (of.version != GW_ENET_VERSION_UNKNOWN)
        show_other_version(&of);
    else
        dissect_datagram(&of);
    return (int)tvb_captured_length(tvb);
}
