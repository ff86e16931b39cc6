/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the record of names, which a recording of Godot's multiplayer contains; see godot_names.h.
 */
#include <gamewire/bytes.h>
#include <gamewire/godot_names.h>

#define ENTRY_HEAD 3U
#define TEXT_HEAD  2U

static const gw_fault_row faults[GW_GODOT_NAMES_FAULTS] = {
    [GW_GODOT_NAMES_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_NAMES_FAULT_EMPTY] = { GW_FAULT_TRUNCATED, "The record of names is empty", NULL },
    [GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "The record of names is of another version",
                                               NULL },
    [GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED] = { GW_FAULT_TRUNCATED, "The record ends inside an entry of names", NULL },
    [GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED] = { GW_FAULT_MALFORMED, "A name is longer than its entry", NULL },
    [GW_GODOT_NAMES_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

const gw_fault_table gw_godot_names_faults = { faults, GW_GODOT_NAMES_FAULTS, NULL, 0 };

/* The word for the kind of an entry in the record of names, as in the tables of the plugin; NULL: unknown. */
const char *gw_godot_names_kind_name(gw_godot_names_kind kind)
{
    static const char *const names[GW_GODOT_NAMES_KINDS] = {
        [GW_GODOT_NAMES_METHODS] = "methods", [GW_GODOT_NAMES_SPAWN] = "spawn",   [GW_GODOT_NAMES_SYNC] = "sync",
        [GW_GODOT_NAMES_DELTA] = "delta",     [GW_GODOT_NAMES_SCENES] = "scenes", [GW_GODOT_NAMES_PLAYER] = "player",
    };
    return kind < GW_GODOT_NAMES_KINDS ? names[kind] : NULL;
}

/* Starts reading after the version. An input that is empty, too long, or of another version is a fault. */
void gw_godot_names_init(gw_godot_names_reader *reader, const uint8_t *bytes, size_t length)
{
    *reader = (gw_godot_names_reader){ .bytes = bytes };
    if (length > GW_LONGEST_INPUT) {
        gw_set_fault(&reader->fault, &gw_godot_names_faults, GW_GODOT_NAMES_FAULT_TOO_LONG, 0, 0);
        return;
    }
    reader->length = (uint32_t)length;
    if (!length)
        gw_set_fault(&reader->fault, &gw_godot_names_faults, GW_GODOT_NAMES_FAULT_EMPTY, 0, 1);
    else if (bytes[0] != GW_GODOT_NAMES_VERSION)
        gw_set_fault(&reader->fault, &gw_godot_names_faults, GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN, 0, 0);
    else
        reader->offset = 1;
}

/* Ends the reading with a fault at the reader's offset; returns GW_NEXT_FAULT. */
static gw_next fail(gw_godot_names_reader *reader, uint32_t code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_names_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* Opens the next entry; no entry is open. One of an unknown kind closes at once: its texts are skipped. */
static gw_next open_entry(gw_godot_names_reader *reader, gw_godot_names_event *event)
{
    uint32_t left = reader->length - reader->offset;
    if (!left)
        return GW_NEXT_END;
    if (left < ENTRY_HEAD)
        return fail(reader, GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, ENTRY_HEAD - left);
    uint8_t kind = reader->bytes[reader->offset];
    uint32_t size = gw_le16(reader->bytes + reader->offset + 1);
    if (size > left - ENTRY_HEAD)
        return fail(reader, GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, size - (left - ENTRY_HEAD));
    reader->kind = kind < GW_GODOT_NAMES_KINDS ? kind : GW_GODOT_NAMES_UNKNOWN;
    reader->entry = (gw_span){ reader->offset, ENTRY_HEAD + size };
    reader->end = gw_span_end(reader->entry);
    reader->texts = 0;
    event->kind = GW_OPEN;
    event->entry = reader->kind;
    event->index = reader->entries++;
    event->header = (gw_span){ reader->offset, ENTRY_HEAD };
    event->payload = (gw_span){ reader->offset + ENTRY_HEAD, size };
    reader->offset = reader->kind == GW_GODOT_NAMES_UNKNOWN ? reader->end : reader->offset + ENTRY_HEAD;
    return GW_NEXT_EVENT;
}

/* The next event of the record of names: opens an entry (names of one kind), reads its next text, or closes it at its
 * end. reader->end is that of the open entry, 0 if none is open. */
gw_next gw_godot_names_next(gw_godot_names_reader *reader, gw_godot_names_event *event)
{
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    *event = (gw_godot_names_event){ .kind = GW_VALUE };
    if (!reader->end) /* no entry is open */
        return open_entry(reader, event);
    event->entry = reader->kind;
    if (reader->offset == reader->end) {
        event->kind = GW_CLOSE;
        event->index = reader->entries - 1;
        event->header = (gw_span){ reader->entry.offset, ENTRY_HEAD };
        event->payload = reader->entry;
        reader->end = 0;
        return GW_NEXT_EVENT;
    }
    uint32_t left = reader->end - reader->offset;
    uint32_t length = left < TEXT_HEAD ? 0 : gw_le16(reader->bytes + reader->offset);
    if (left < TEXT_HEAD || length > left - TEXT_HEAD)
        return fail(reader, GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED, 0);
    event->index = reader->texts++;
    event->header = (gw_span){ reader->offset, TEXT_HEAD };
    event->payload = (gw_span){ reader->offset + TEXT_HEAD, length };
    reader->offset += TEXT_HEAD + length;
    return GW_NEXT_EVENT;
}
