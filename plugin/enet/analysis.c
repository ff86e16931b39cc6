/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The findings of each datagram: written on the first pass, in the order in which ENet's receiver works, and archived for
 * later passes.
 */
#include "internal.h"

#include "common/conversation.h"

struct enet_capture enet_capture;

#define COMMANDS_MASK ((1U << 14) - 1) /* enet_summary.commands */

/* Findings of a datagram with so many commands, in the allocator's scope, all still empty. The summary has the low bits
 * of their number: find_findings() compares them, as crafted bytes may have the key of another datagram. */
static enet_findings *new_findings(wmem_allocator_t *pool, uint32_t commands)
{
    enet_findings *findings = wmem_alloc0(pool, sizeof *findings + commands * sizeof *findings->commands);
    findings->count = commands;
    findings->summary.commands = commands & COMMANDS_MASK;
    return findings;
}

/* ---- the archive ---------------------------------------------------------------------------------------- */

/* A game has hundreds of datagrams a second, and most commands have no findings: a datagram takes 16 bytes, and each of
 * its findings 8, or 16 with a value. */

typedef struct archived_datagram {
    uint32_t connection; /* its number */
    enet_summary summary;
} archived_datagram;

typedef enum archived_kind {
    /* Of the command. */
    ARCHIVED_RECORD,  /* `number`: of the record; `detail`: which of its transmissions, or NO_SEND */
    ARCHIVED_FLAGS,   /* `number`: flags */
    ARCHIVED_MISSING, /* `number`: how many before it */
    ARCHIVED_RESEND,  /* `number`: of the retransmission */
    ARCHIVED_REUSED,  /* `number`: frame that had its number first; `detail`: was_acked */
    ARCHIVED_MESSAGE, /* of the fragment: a value; `detail`: the fragment completes it */
    /* Of the datagram: the first three have a value. */
    ARCHIVED_CHECKSUM, /* the value; `number`: the connect id */
    ARCHIVED_SILENCE,  /* before the datagram: the value, in seconds; `number`: nanoseconds */
    ARCHIVED_PAUSE,    /* before the datagram: the value */
    ARCHIVED_DROPPED,  /* this command and all after it; before it, only commands that are too far ahead are dropped */
    ARCHIVED_COPY      /* `number`: frame of the datagram that this one is a copy of */
} archived_kind;

/* A finding, which one unit with its value follows if it is of a kind that has one. */
typedef union archived_unit {
    struct {
        uint8_t kind; /* archived_kind */
        uint8_t detail;
        uint16_t command; /* its index */
        uint32_t number;
    };
    const enet_reassembly *message;
    const enet_pause *pause;
    uint64_t value;
} archived_unit;

/* A transmission after the most that a record has. */
#define NO_SEND UINT8_MAX

/* Units of a command: its record, flags, missing, resend, number, and message with its value. Of a datagram: its
 * checksum, silence and pause, each with its value, copy and dropped commands. */
#define MOST_OF_COMMAND  7U
#define MOST_OF_DATAGRAM 8U

typedef struct archived_list {
    archived_unit *units;
    uint32_t count;
} archived_list;

/* True if a unit with the value follows a finding of this kind. */
static bool has_value(uint8_t kind)
{
    return kind >= ARCHIVED_MESSAGE && kind <= ARCHIVED_PAUSE;
}

/* Adds a finding to the list, for which its caller has made room, and returns it: the caller sets `detail`, and its
 * value in the unit after it. `command`: its index; 0 for findings of the datagram. */
static archived_unit *archive_finding(archived_list *list, archived_kind kind, uint32_t command, uint32_t number)
{
    archived_unit *added = &list->units[list->count];
    *added = (archived_unit){ { .kind = (uint8_t)kind, .command = (uint16_t)command, .number = number } };
    list->count += has_value(added->kind) ? 2 : 1;
    return added;
}

/* Archives the findings that a command has: its record, its flags with their numbers, the frame of the earlier command
 * with its number, and its message. They take MOST_OF_COMMAND units at most, for which the list has room. */
static void archive_command(archived_list *list, const enet_finding *finding, uint32_t index)
{
    if (finding->record) {
        archived_unit *archived = archive_finding(list, ARCHIVED_RECORD, index, finding->record_number);
        const enet_send *send = &finding->record->first;
        /* The transmission, as its number in the record's list: the list may be longer by the next pass, but it keeps
         * its order. */
        for (; send && send != finding->send; send = enet_next_send(send))
            archived->detail++;
        archived->detail = send ? archived->detail : NO_SEND;
    }
    if (finding->flags)
        archive_finding(list, ARCHIVED_FLAGS, index, finding->flags);
    if (finding->missing)
        archive_finding(list, ARCHIVED_MISSING, index, finding->missing);
    if (finding->resend)
        archive_finding(list, ARCHIVED_RESEND, index, finding->resend);
    if (finding->used_in)
        archive_finding(list, ARCHIVED_REUSED, index, finding->used_in)->detail = finding->was_acked;
    if (finding->message) {
        archived_unit *archived = archive_finding(list, ARCHIVED_MESSAGE, index, 0);
        archived->detail = finding->completes;
        archived[1].message = finding->message;
    }
}

/* Archives the findings of a datagram for later passes: those that have a value, as one list with room for
 * MOST_OF_DATAGRAM of the datagram and MOST_OF_COMMAND of each command. `key`: of the datagram in its frame. */
static void keep_findings(packet_info *pinfo, uint32_t key, const enet_findings *findings)
{
    size_t most = (size_t)MOST_OF_COMMAND * findings->count + MOST_OF_DATAGRAM;
    archived_list list = { .units = wmem_alloc(pinfo->pool, most * sizeof(archived_unit)) };
    if (findings->connect_id_known)
        archive_finding(&list, ARCHIVED_CHECKSUM, 0, findings->connect_id)[1].value = findings->checksum;
    if (findings->silent)
        archive_finding(&list, ARCHIVED_SILENCE, 0, (uint32_t)findings->silence.nsecs)[1].value =
            (uint64_t)findings->silence.secs;
    if (findings->pause)
        archive_finding(&list, ARCHIVED_PAUSE, 0, 0)[1].pause = findings->pause;
    if (findings->duplicate_of)
        archive_finding(&list, ARCHIVED_COPY, 0, findings->duplicate_of);
    /* The commands after the last one that the receiver executes. */
    uint32_t executed = findings->count;
    while (executed && findings->commands[executed - 1].dropped)
        executed--;
    if (executed < findings->count)
        archive_finding(&list, ARCHIVED_DROPPED, executed, 0);
    for (uint32_t i = 0; i < findings->count; i++)
        archive_command(&list, &findings->commands[i], i);

    size_t size = list.count * sizeof(archived_unit);
    archived_datagram *archived = gw_archive_add(&enet_capture.findings, pinfo, key, sizeof *archived + size);
    *archived = (archived_datagram){ findings->connection->number, findings->summary };
    memcpy(archived + 1, list.units, size);
}

/* Sets the findings, which were empty, to the value of one archived finding, whose value follows it if it has one: the
 * inverse of archive_command() and keep_findings(). */
static void restore_finding(enet_findings *findings, const archived_unit *archived)
{
    /* The kinds up to ARCHIVED_MESSAGE are of a command. Crafted bytes may have the key of another datagram: then
     * the archived index may be after the commands. */
    if (archived->kind <= ARCHIVED_MESSAGE && archived->command >= findings->count)
        return;
    enet_finding *finding = &findings->commands[archived->command];
    switch (archived->kind) {
    case ARCHIVED_RECORD:
        finding->record = enet_record_at(archived->number);
        finding->record_number = archived->number;
        finding->send = archived->detail == NO_SEND ? NULL : &finding->record->first;
        for (unsigned i = 0; finding->send && i < archived->detail; i++)
            finding->send = enet_next_send(finding->send);
        break;
    case ARCHIVED_FLAGS:
        finding->flags = (uint16_t)archived->number;
        finding->dropped |= (archived->number & ENET_TOO_FAR_AHEAD) != 0;
        break;
    case ARCHIVED_MISSING:
        finding->missing = archived->number;
        break;
    case ARCHIVED_RESEND:
        finding->resend = archived->number;
        break;
    case ARCHIVED_REUSED:
        finding->used_in = archived->number;
        finding->was_acked = archived->detail;
        break;
    case ARCHIVED_MESSAGE:
        finding->message = archived[1].message;
        finding->completes = archived->detail;
        break;
    case ARCHIVED_DROPPED:
        for (uint32_t i = archived->command; i < findings->count; i++)
            findings->commands[i].dropped = true;
        break;
    case ARCHIVED_CHECKSUM:
        findings->connect_id_known = true;
        findings->connect_id = archived->number;
        findings->checksum = archived[1].value;
        break;
    case ARCHIVED_SILENCE:
        findings->silent = true;
        findings->silence = (nstime_t){ (time_t)archived[1].value, (int)archived->number };
        break;
    case ARCHIVED_PAUSE:
        findings->pause = archived[1].pause;
        break;
    default:
        findings->duplicate_of = archived->number;
    }
}

/* On later passes: restores the archived findings of the datagram with these facts; NULL: none are archived, or they
 * are of another datagram with the same key. */
static enet_findings *find_findings(packet_info *pinfo, uint32_t key, const enet_facts *facts)
{
    size_t size;
    const archived_datagram *archived = gw_archive_find(&enet_capture.findings, pinfo, key, &size);
    if (!archived || archived->summary.commands != (facts->count & COMMANDS_MASK))
        return NULL;
    enet_findings *findings = new_findings(pinfo->pool, facts->count);
    const archived_unit *list = (const archived_unit *)(const void *)(archived + 1);
    findings->connection = *(enet_connection **)wmem_array_index(enet_capture.connections, archived->connection);
    findings->summary = archived->summary;
    for (size_t i = 0; i < (size - sizeof *archived) / sizeof *list; i += has_value(list[i].kind) ? 2 : 1)
        restore_finding(findings, &list[i]);

    /* Unsequenced messages that were missing before a message, and arrived after it, were not lost: see
     * keep_unsequenced(). */
    for (uint32_t i = 0; i < facts->count; i++) {
        enet_finding *finding = &findings->commands[i];
        const uint64_t group = enet_arrived_key(pinfo->num, facts->commands[i].sub_sequence);
        if (facts->commands[i].number != GW_ENET_SEND_UNSEQUENCED || !(finding->flags & ENET_LOST))
            continue;
        finding->missing -=
            MIN(finding->missing, GPOINTER_TO_UINT(wmem_map_lookup(enet_capture.late_arrivals, &group)));
        if (!finding->missing)
            finding->flags &= (uint16_t)~ENET_LOST;
    }
    return findings;
}

/* On later passes: sets `choice`, which may be NULL, to the modes with which the first pass read the datagram. False,
 * and `choice` is unchanged, if its findings are not archived. */
bool enet_find_archived_modes(packet_info *pinfo, uint32_t key, enet_choice *choice)
{
    const archived_datagram *archived =
        gw_is_later_pass(pinfo) ? gw_archive_find(&enet_capture.findings, pinfo, key, NULL) : NULL;
    if (archived && choice)
        *choice =
            (enet_choice){ .compression = (enet_compression)archived->summary.compression,
                           .checksum = archived->summary.has_checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER,
                           .formats = { .first = archived->summary.format, .is_known = true },
                           .has_evidence = true };
    return archived != NULL;
}

/* On later passes, for a datagram that has no archived findings, since it was captured before its conversation was
 * recognized: findings that have only its connection, the first one of its addresses. NULL if the datagram cannot be of
 * that connection: it has another header, does not begin after the datagram, or begins with a CONNECT, before which a
 * connection has no datagrams. */
static enet_findings *find_later_connection(packet_info *pinfo, const enet_facts *facts)
{
    uint8_t side = gw_sender_side(pinfo);
    const enet_pair *pair = gw_conversation_find(pinfo, proto_enet);
    const enet_connection *first = pair ? pair->first : NULL;
    if (!first || first->first_frame <= pinfo->num || first->connect_frame ||
        !enet_has_header(first, side, &facts->header))
        return NULL;
    enet_findings *findings = new_findings(pinfo->pool, facts->count);
    findings->connection = first;
    findings->summary.side = side & 1U;
    return findings;
}

/* ---- analyzing ------------------------------------------------------------------------------------------ */

/* Sets the findings about the datagram as a whole (the silence before it, a repeated nonce, and whether it is a copy),
 * and keeps its time, nonce and bytes for the next datagrams of its sender, and whether the sender has sent commands
 * that cannot be read: then no losses are reported. `facts`: with the commands that the receiver executes. */
static void keep_datagram(packet_info *pinfo, enet_direction *sender, const enet_facts *facts, enet_findings *findings)
{
    const gw_enet_header *header = &facts->header;
    if (sender->has_sent) {
        nstime_delta(&findings->silence, &pinfo->abs_ts, &sender->last_time);
        findings->silent = findings->silence.secs >= ENET_SHORTEST_TIMEOUT_S;
    }
    /* The server drops a datagram with the nonce of the one before, except from peers that it does not know yet. */
    if (header->nonce && header->has_peer) {
        findings->summary.nonce_repeated = header->nonce == sender->nonce;
        sender->nonce = header->nonce;
    }
    sender->has_sent = true;
    sender->has_unread |= header->is_encrypted || facts->mode == ENET_AUTOMATIC;
    sender->last_time = pinfo->abs_ts;
    /* A datagram with a command that is numbered is never sent twice by ENet. Acknowledgements alone may be equal. */
    if (enet_has_only_acks(facts))
        return;
    const enet_seen_key datagram =
        enet_seen_key_of(findings->connection, findings->summary.side, ENET_SEEN_DATAGRAM, enet_datagram_key(facts));
    const enet_seen *seen = enet_keep_recent(&datagram, &(enet_seen){ .frame = pinfo->num });
    findings->duplicate_of = seen ? seen->frame : 0;
}

/* On the first pass analyzes the datagram, keeps what later datagrams are compared with, and archives the findings; on
 * later passes restores them. NULL: the datagram is one that an ICMP error quotes, or its connection is not known. */
const enet_findings *enet_analyze(packet_info *pinfo, uint32_t key, enet_pair *pair, const enet_facts *facts,
                                  const enet_raw *raw)
{
    enet_findings *findings;
    if (gw_is_quoted(pinfo))
        return NULL;
    if (gw_is_later_pass(pinfo)) {
        findings = find_findings(pinfo, key, facts);
        return findings ? findings : find_later_connection(pinfo, facts);
    }
    if (!pair)
        pair = gw_conversation_obtain(pinfo, proto_enet, sizeof *pair);
    findings = new_findings(pinfo->pool, facts->count);
    findings->summary.side = gw_sender_side(pinfo) & 1U;
    findings->summary.compression = facts->mode & 0xFU;
    findings->summary.has_checksum = facts->checksum;
    findings->summary.format = (uint8_t)(facts->format - gw_enet_formats);

    /* Its connection, and the first commands, which the receiver executes: only these change what is kept. */
    enet_facts executed;
    enet_connection *connection = enet_keep_connection(pair, pinfo, facts, raw, findings, &executed);
    enet_direction *sender = &connection->directions[findings->summary.side];
    keep_datagram(pinfo, sender, &executed, findings);
    enet_keep_commands(pinfo, connection, &executed, findings);
    for (uint32_t i = executed.count; i < facts->count; i++)
        findings->commands[i].dropped = true;

    /* If the capture has not all of the datagram, it may have had commands after the last one that was captured:
     * from then on no lost messages are reported (set_lost()). */
    const enet_command *last = facts->count ? &facts->commands[facts->count - 1] : NULL;
    bool is_read = facts->mode != ENET_AUTOMATIC && !facts->header.is_encrypted;
    sender->is_cut |= is_read && !raw->whole && last && gw_span_end(last->payload) < facts->wire_length;
    keep_findings(pinfo, key, findings);
    return findings;
}

/* When a file is opened or closed: the arrays were in the memory of the file before, which is freed. */
static void forget_arrays(void)
{
    enet_capture.connections = NULL;
    enet_capture.records = NULL;
    enet_capture.record_count = 0;
    enet_capture.channel_count = 0;
    enet_capture.recent = NULL;
    enet_capture.recent_room = 0;
    enet_capture.recent_count = 0;
}

/* Creates the maps of enet_capture, which are emptied with each file, as its tables are. */
void enet_register_analysis(void)
{
    wmem_allocator_t *epan = wmem_epan_scope(), *file = wmem_file_scope();
    enet_capture.late_arrivals = wmem_map_new_autoreset(epan, file, g_int64_hash, g_int64_equal);
    enet_capture.continued = wmem_map_new_autoreset(epan, file, g_direct_hash, g_direct_equal);
    register_init_routine(forget_arrays);
}
