/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Findings, packed for the log of frames: those of the datagram, then a list of what its commands have.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/frame_log.h"

typedef struct archived_datagram {
    uint32_t connection; /* its number */
    unsigned format : 8;
    unsigned compression : 4;
    unsigned has_checksum : 1;
    unsigned side : 1;
    unsigned stale : 1;
    unsigned nonce_repeated : 1;
    unsigned client_known : 1;
    unsigned established : 1;
    unsigned commands : 14; /* the low bits of their number: crafted bytes may have the key of other ones */
} archived_datagram;

#define COMMANDS_MASK ((1U << 14) - 1)

typedef enum archived_kind {
    ARCHIVED_RECORD,   /* of the command; `number`: in flight */
    ARCHIVED_FLAGS,    /* of the command: `number`; `value`: missing, and in the upper half, resend */
    ARCHIVED_DROPPED,  /* this command and those after it; others only if they are too far ahead */
    ARCHIVED_REUSED,   /* of the command; `number`: frame that had its number first */
    ARCHIVED_MESSAGE,  /* of the fragment */
    ARCHIVED_CHECKSUM, /* of the datagram: `value`; `number`: the connect id */
    ARCHIVED_SILENCE,  /* before the datagram: `value` seconds, `number` nanoseconds */
    ARCHIVED_COPY      /* `number`: frame of the datagram that this one is a copy of */
} archived_kind;

typedef struct archived_finding {
    uint8_t kind; /* archived_kind */
    uint8_t
        detail; /* of a record: which transmission; of a message: this fragment completes it; of a number: was_acked */
    uint16_t command; /* its index */
    uint32_t number;
    union {
        enet_record *record;
        const enet_reassembly *message;
        uint64_t value;
    };
} archived_finding;

/* More than are kept of a record. */
#define NO_SEND UINT8_MAX

/* Of one command: record, flags, number and message. Of the datagram: checksum, silence, copy and dropped commands. */
#define MOST_OF_COMMAND  4U
#define MOST_OF_DATAGRAM 4U

static gw_frame_log datagrams;

/* enet_keep_arrived(): frame << 16 | group -> how many. */
static wmem_map_t *arrived;

void enet_register_archive(void)
{
    gw_frame_log_init(&datagrams);
    arrived = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_int64_hash, g_int64_equal);
}

/* ---- keeping -------------------------------------------------------------------------------------------- */

typedef struct archived_list {
    archived_finding *findings;
    uint32_t count;
} archived_list;

static archived_finding *add(archived_list *list, archived_kind kind, uint32_t command, uint32_t number)
{
    archived_finding *added = &list->findings[list->count++];
    *added = (archived_finding){ .kind = (uint8_t)kind, .command = (uint16_t)command, .number = number };
    return added;
}

static uint8_t index_of_send(const enet_finding *finding)
{
    uint8_t index = 0;
    for (const enet_send *send = &finding->record->first; send; send = send->next, index++)
        if (send == finding->send)
            return index;
    return NO_SEND;
}

static void add_command(archived_list *list, const enet_finding *finding, uint32_t index)
{
    if (finding->record) {
        archived_finding *archived = add(list, ARCHIVED_RECORD, index, finding->in_flight);
        archived->record = finding->record;
        archived->detail = index_of_send(finding);
    }
    if (finding->flags)
        add(list, ARCHIVED_FLAGS, index, finding->flags)->value = finding->missing | (uint64_t)finding->resend << 32;
    if (finding->used_in)
        add(list, ARCHIVED_REUSED, index, finding->used_in)->detail = finding->was_acked;
    if (finding->message) {
        archived_finding *archived = add(list, ARCHIVED_MESSAGE, index, 0);
        archived->message = finding->message;
        archived->detail = finding->completes;
    }
}

static void add_datagram(archived_list *list, const enet_findings *findings)
{
    if (findings->connect_id_known)
        add(list, ARCHIVED_CHECKSUM, 0, findings->connect_id)->value = findings->checksum;
    if (findings->silent)
        add(list, ARCHIVED_SILENCE, 0, (uint32_t)findings->silence.nsecs)->value = (uint64_t)findings->silence.secs;
    if (findings->duplicate_of)
        add(list, ARCHIVED_COPY, 0, findings->duplicate_of);
    uint32_t executed = findings->count;
    while (executed && findings->commands[executed - 1].dropped)
        executed--;
    if (executed < findings->count)
        add(list, ARCHIVED_DROPPED, executed, 0);
}

void enet_keep_findings(packet_info *pinfo, uint32_t key, const enet_findings *findings)
{
    size_t most = (size_t)MOST_OF_COMMAND * findings->count + MOST_OF_DATAGRAM;
    archived_list list = { .findings = wmem_alloc(pinfo->pool, most * sizeof(archived_finding)) };
    add_datagram(&list, findings);
    for (uint32_t i = 0; i < findings->count; i++)
        add_command(&list, &findings->commands[i], i);
    size_t size = list.count * sizeof(archived_finding);
    archived_datagram *archived = gw_frame_log_add(&datagrams, pinfo, key, sizeof *archived + size);
    *archived = (archived_datagram){ .connection = findings->connection->number,
                                     .format = findings->format,
                                     .compression = findings->compression,
                                     .has_checksum = findings->has_checksum,
                                     .side = findings->side,
                                     .stale = findings->stale,
                                     .nonce_repeated = findings->nonce_repeated,
                                     .client_known = findings->client_known,
                                     .established = findings->established,
                                     .commands = findings->count & COMMANDS_MASK };
    memcpy(archived + 1, list.findings, size);
}

void enet_keep_arrived(uint32_t frame, uint16_t group)
{
    const uint64_t key = (uint64_t)frame << 16 | group;
    unsigned before = GPOINTER_TO_UINT(wmem_map_lookup(arrived, &key));
    uint64_t *kept = wmem_new(wmem_file_scope(), uint64_t);
    *kept = key;
    wmem_map_insert(arrived, kept, GUINT_TO_POINTER(before + 1));
}

/* ---- finding -------------------------------------------------------------------------------------------- */

static const enet_send *send_at(const enet_record *record, uint8_t index)
{
    const enet_send *send = index == NO_SEND ? NULL : &record->first;
    while (send && index--)
        send = send->next;
    return send;
}

static void find_command(enet_finding *finding, const archived_finding *archived)
{
    switch (archived->kind) {
    case ARCHIVED_RECORD:
        finding->record = archived->record;
        finding->send = send_at(archived->record, archived->detail);
        finding->in_flight = archived->number;
        break;
    case ARCHIVED_FLAGS:
        finding->flags = (uint16_t)archived->number;
        finding->dropped |= (archived->number & ENET_TOO_FAR_AHEAD) != 0;
        finding->missing = (uint32_t)archived->value;
        finding->resend = (uint32_t)(archived->value >> 32);
        break;
    case ARCHIVED_REUSED:
        finding->used_in = archived->number;
        finding->was_acked = archived->detail;
        break;
    case ARCHIVED_MESSAGE:
        finding->message = archived->message;
        finding->completes = archived->detail;
        break;
    default:
        break;
    }
}

static void find_datagram(enet_findings *findings, const archived_finding *archived)
{
    switch (archived->kind) {
    case ARCHIVED_DROPPED:
        for (uint32_t i = archived->command; i < findings->count; i++)
            findings->commands[i].dropped = true;
        break;
    case ARCHIVED_CHECKSUM:
        findings->connect_id_known = true;
        findings->connect_id = archived->number;
        findings->checksum = archived->value;
        break;
    case ARCHIVED_SILENCE:
        findings->silent = true;
        findings->silence = (nstime_t){ (time_t)archived->value, (int)archived->number };
        break;
    case ARCHIVED_COPY:
        findings->duplicate_of = archived->number;
        break;
    default:
        break;
    }
}

static const archived_datagram *find(packet_info *pinfo, uint32_t key, size_t *size)
{
    return gw_is_later_pass(pinfo) ? gw_frame_log_find(&datagrams, pinfo, key, size) : NULL;
}

static void subtract_arrived(uint32_t frame, const enet_command *command, enet_finding *finding)
{
    const uint64_t key = (uint64_t)frame << 16 | (uint16_t)command->sub_sequence;
    if (command->number != GW_ENET_SEND_UNSEQUENCED || !(finding->flags & ENET_LOST))
        return;
    finding->missing -= MIN(finding->missing, GPOINTER_TO_UINT(wmem_map_lookup(arrived, &key)));
    if (!finding->missing)
        finding->flags &= (uint16_t)~ENET_LOST;
}

const enet_findings *enet_find_findings(packet_info *pinfo, uint32_t key, const enet_facts *facts)
{
    size_t size;
    const uint32_t commands = facts->count;
    const archived_datagram *archived = find(pinfo, key, &size);
    if (!archived || archived->commands != (commands & COMMANDS_MASK))
        return NULL;
    enet_findings *findings = enet_new_findings(pinfo->pool, commands);
    const archived_finding *list = (const archived_finding *)(const void *)(archived + 1);
    findings->connection = enet_connection_of(archived->connection);
    findings->format = archived->format;
    findings->compression = archived->compression;
    findings->has_checksum = archived->has_checksum;
    findings->side = archived->side;
    findings->stale = archived->stale;
    findings->nonce_repeated = archived->nonce_repeated;
    findings->client_known = archived->client_known;
    findings->established = archived->established;
    for (size_t i = 0; i < (size - sizeof *archived) / sizeof *list; i++) {
        find_datagram(findings, &list[i]);
        if (list[i].command < commands)
            find_command(&findings->commands[list[i].command], &list[i]);
    }
    for (uint32_t i = 0; i < commands; i++)
        subtract_arrived(pinfo->num, &facts->commands[i], &findings->commands[i]);
    return findings;
}

bool enet_find_archived_modes(packet_info *pinfo, uint32_t key, enet_choice *choice)
{
    const archived_datagram *archived = find(pinfo, key, NULL);
    if (archived && choice)
        *choice = (enet_choice){ .compression = (enet_compression)archived->compression,
                                 .checksum = archived->has_checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER,
                                 .formats = { .first = archived->format, .is_known = true } };
    return archived != NULL;
}
