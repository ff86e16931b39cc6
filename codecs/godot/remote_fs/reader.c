/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads one direction of a connection, from any place whose state is known.
 */
#include <gamewire/bytes.h>
#include <gamewire/godot_remote_fs.h>

#include <string.h>

#define MAGIC_LENGTH 4U

/* The next item. A game begins with its magic number and continues up to STEP_LIST; an editor begins with the number of
 * files and continues with STEP_PATH. STEP_BEGIN is 0, the state of a new direction. */
enum step {
    STEP_BEGIN,
    STEP_VERSION,
    STEP_PASSWORD,
    STEP_TAG_COUNT,
    STEP_TAG,
    STEP_LIST_SIZE,
    STEP_LIST_LENGTH,
    STEP_LIST,
    STEP_PATH,
    STEP_MODIFIED,
    STEP_FILE_SIZE,
    STEP_CONTENT,
    STEP_END,
    STEP_DONE
};

/* Starts at options->offset, in options->state: without one, at the beginning of a direction. */
void gw_godot_remote_fs_init(gw_godot_remote_fs_reader *reader, const uint8_t *bytes, size_t length,
                             const gw_godot_remote_fs_options *options)
{
    static const gw_godot_remote_fs_options usual = { .offset = 0 };
    if (!options)
        options = &usual;
    *reader = (gw_godot_remote_fs_reader){ .bytes = bytes };
    if (options->state)
        reader->state = *options->state;
    if (length > GW_LONGEST_INPUT) {
        reader->fault.code = GW_GODOT_REMOTE_FS_FAULT_TOO_LONG;
        reader->fault.fault_class = GW_FAULT_LIMIT;
        return;
    }
    reader->length = (uint32_t)length;
    reader->offset = options->offset < reader->length ? options->offset : reader->length;
}

/* Ends the reading with a fault at the reader's offset. */
static gw_next fail(gw_godot_remote_fs_reader *reader, uint32_t code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_remote_fs_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* The number of bytes from the reader's offset to the end of the input. */
static uint32_t left(const gw_godot_remote_fs_reader *reader)
{
    return reader->length - reader->offset;
}

/* Fills the event of a value at the reader's offset, and advances the reader after it. `header`: the bytes before its
 * payload, 4 for the length of a text, else 0; `length`: those of the payload. The caller has tested that the input
 * contains them. Returns GW_NEXT_EVENT. */
static gw_next consume(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event, unsigned role,
                       uint32_t header, uint32_t length)
{
    event->kind = GW_VALUE;
    event->role = (uint8_t)role;
    event->header = (gw_span){ reader->offset, header };
    event->payload = (gw_span){ reader->offset + header, length };
    reader->offset += header + length;
    event->padding.offset = reader->offset;
    return GW_NEXT_EVENT;
}

/* Reads a little-endian number of 4 or 8 bytes. */
static gw_next read_number(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event, unsigned role,
                           uint32_t size)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    if (left(reader) < size)
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, size - left(reader));
    event->number = gw_le32(bytes);
    if (size == sizeof(uint64_t))
        event->number |= (uint64_t)gw_le32(bytes + 4) << 32;
    return consume(reader, event, role, 0, size);
}

/* Reads four letters, which must be `letters`: others are the fault `fault`, even if fewer than four are in the input,
 * as the engine sends each letter of "GRFS" in a segment of its own. */
static gw_next read_letters(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event, unsigned role,
                            const char *letters, uint32_t fault)
{
    uint32_t length = left(reader) < MAGIC_LENGTH ? left(reader) : MAGIC_LENGTH;
    if (memcmp(reader->bytes + reader->offset, letters, length) != 0)
        return fail(reader, fault, 0);
    if (length < MAGIC_LENGTH)
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, MAGIC_LENGTH - length);
    return consume(reader, event, role, 0, MAGIC_LENGTH);
}

/* Reads a text with its length before it. */
static gw_next read_text(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event, unsigned role)
{
    if (left(reader) < sizeof(uint32_t))
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, sizeof(uint32_t) - left(reader));
    uint32_t length = gw_le32(reader->bytes + reader->offset), there = left(reader) - (uint32_t)sizeof(uint32_t);
    if (length > GW_GODOT_REMOTE_FS_LONGEST_TEXT)
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_TEXT_TOO_LONG, 0);
    if (there < length)
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, length - there);
    event->index = reader->state.index;
    return consume(reader, event, role, sizeof(uint32_t), length);
}

/* Reads a password of fixed size, which ends at its first zero byte; the rest is padding, which is odd unless it is
 * zero. */
static gw_next read_password(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    if (left(reader) < GW_GODOT_REMOTE_FS_PASSWORD)
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, GW_GODOT_REMOTE_FS_PASSWORD - left(reader));
    uint32_t length = 0;
    while (length < GW_GODOT_REMOTE_FS_PASSWORD && bytes[length])
        length++;
    for (uint32_t i = length; i < GW_GODOT_REMOTE_FS_PASSWORD; i++)
        if (bytes[i])
            event->odd = GW_GODOT_REMOTE_FS_ODD_PASSWORD;
    consume(reader, event, GW_GODOT_REMOTE_FS_ROLE_PASSWORD, 0, length);
    event->padding.length = GW_GODOT_REMOTE_FS_PASSWORD - length;
    reader->offset += event->padding.length;
    return GW_NEXT_EVENT;
}

/* Reads the bytes of the list or of a file that are in the input, up to state->remain, the number that is left of it.
 * They are returned in parts, as they arrive, because a file may be larger than the input of one call. event->number:
 * how many bytes of the list or file are still to come. */
static gw_next read_part(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event, unsigned role)
{
    gw_godot_remote_fs_state *state = &reader->state;
    uint32_t length = left(reader) < state->remain ? left(reader) : (uint32_t)state->remain;
    consume(reader, event, role, 0, length);
    event->kind = GW_OPAQUE;
    event->index = state->index;
    event->number = state->remain -= length;
    return GW_NEXT_EVENT;
}

/* Sets the next step: the size of the file with this index or, after the last one, the end. */
static void begin_file(gw_godot_remote_fs_state *state, uint32_t index)
{
    state->index = index;
    state->step = index < state->sent ? STEP_FILE_SIZE : STEP_END;
}

/* Begins a list of `count` texts with the step `first`; without texts, the step is `after`. */
static void begin_texts(gw_godot_remote_fs_state *state, uint64_t count, enum step first, enum step after)
{
    state->count = (uint32_t)count;
    state->index = 0;
    state->step = (uint8_t)(count ? first : after);
}

/* Reads the next item that a game sends: magic number, version, password, tags, and the compressed list of the files
 * that it has cached, with its size before and its length after compression. Steps that end in `break` are followed by
 * the next one of the enumeration. */
static gw_next read_game_item(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event)
{
    gw_godot_remote_fs_state *state = &reader->state;
    gw_next next;
    switch (state->step) {
    case STEP_BEGIN:
        next =
            read_letters(reader, event, GW_GODOT_REMOTE_FS_ROLE_MAGIC, "GRFS", GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID);
        break;
    case STEP_VERSION:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_VERSION, sizeof(uint32_t));
        event->odd = event->number == GW_GODOT_REMOTE_FS_VERSION ? 0 : GW_GODOT_REMOTE_FS_ODD_VERSION;
        break;
    case STEP_PASSWORD:
        next = read_password(reader, event);
        break;
    case STEP_TAG_COUNT:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_TAG_COUNT, sizeof(uint32_t));
        if (next == GW_NEXT_EVENT)
            begin_texts(state, event->number, STEP_TAG, STEP_LIST_SIZE);
        return next;
    case STEP_TAG:
        next = read_text(reader, event, GW_GODOT_REMOTE_FS_ROLE_TAG);
        if (next == GW_NEXT_EVENT && ++state->index == state->count)
            state->step = STEP_LIST_SIZE;
        return next;
    case STEP_LIST_SIZE:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_LIST_SIZE, sizeof(uint32_t));
        if (next == GW_NEXT_EVENT)
            state->step = event->number ? STEP_LIST_LENGTH : STEP_DONE;
        return next;
    case STEP_LIST_LENGTH:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_LIST_LENGTH, sizeof(uint32_t));
        state->remain = event->number; /* 0 if the number is truncated */
        if (next == GW_NEXT_EVENT)
            state->step = event->number ? STEP_LIST : STEP_DONE;
        return next;
    case STEP_LIST:
        next = read_part(reader, event, GW_GODOT_REMOTE_FS_ROLE_LIST);
        state->step = state->remain ? STEP_LIST : STEP_DONE;
        return next;
    default:
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_TRAILING, 0);
    }
    if (next == GW_NEXT_EVENT)
        state->step++;
    return next;
}

/* Reads the next item that an editor sends: the number of files, all paths with their times of modification, then size
 * and content of each file that was not removed, and "GEND". state->sent is the number of files that were not
 * removed, which have a size and a content. */
static gw_next read_editor_item(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event)
{
    gw_godot_remote_fs_state *state = &reader->state;
    gw_next next;
    switch (state->step) {
    case STEP_BEGIN:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_FILE_COUNT, sizeof(uint32_t));
        if (next == GW_NEXT_EVENT)
            begin_texts(state, event->number, STEP_PATH, STEP_END);
        return next;
    case STEP_PATH:
        next = read_text(reader, event, GW_GODOT_REMOTE_FS_ROLE_PATH);
        if (next == GW_NEXT_EVENT)
            state->step = STEP_MODIFIED;
        return next;
    case STEP_MODIFIED:
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_MODIFIED, sizeof(uint64_t));
        if (next != GW_NEXT_EVENT)
            return next;
        event->index = state->index++;
        state->sent += event->number != 0; /* a removed file has time 0 and no content */
        state->step = STEP_PATH;
        if (state->index == state->count)
            begin_file(state, 0);
        return next;
    case STEP_FILE_SIZE:
        /* Or the end, if the editor has not found the remaining files: then these four bytes end the input, while a
         * size has eight. */
        if (left(reader) == MAGIC_LENGTH && !memcmp(reader->bytes + reader->offset, "GEND", MAGIC_LENGTH)) {
            state->step = STEP_DONE;
            event->odd = GW_GODOT_REMOTE_FS_ODD_FEWER;
            return consume(reader, event, GW_GODOT_REMOTE_FS_ROLE_END, 0, MAGIC_LENGTH);
        }
        next = read_number(reader, event, GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE, sizeof(uint64_t));
        if (next != GW_NEXT_EVENT)
            return next;
        event->index = state->index;
        state->remain = event->number;
        state->step = STEP_CONTENT;
        /* An empty file has no content. */
        if (!state->remain)
            begin_file(state, state->index + 1);
        return next;
    case STEP_CONTENT:
        next = read_part(reader, event, GW_GODOT_REMOTE_FS_ROLE_CONTENT);
        if (!state->remain)
            begin_file(state, state->index + 1);
        return next;
    case STEP_END:
        next = read_letters(reader, event, GW_GODOT_REMOTE_FS_ROLE_END, "GEND", GW_GODOT_REMOTE_FS_FAULT_END_INVALID);
        if (next == GW_NEXT_EVENT)
            state->step = STEP_DONE;
        return next;
    default:
        return fail(reader, GW_GODOT_REMOTE_FS_FAULT_TRAILING, 0);
    }
}

/* Reads the next item, or the part of a file or list that is in the input. state.side determines the sender, and with
 * it the order of the items. */
gw_next gw_godot_remote_fs_next(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event)
{
    *event = (gw_godot_remote_fs_event){ 0 };
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    if (!left(reader))
        return GW_NEXT_END;
    return reader->state.side == GW_GODOT_REMOTE_FS_GAME ? read_game_item(reader, event)
                                                         : read_editor_item(reader, event);
}

/* True if the bytes may be the first ones of a game. The magic number and the version, eight bytes with one value
 * each, are 64 bits of evidence. No other protocol is known to begin with them. Fewer bytes are possible, without
 * evidence. The format has one variant: bit 0 of recognition->readings. */
bool gw_godot_remote_fs_recognize(const uint8_t *bytes, size_t captured, gw_recognition *recognition)
{
    static const uint8_t beginning[] = { 'G', 'R', 'F', 'S', GW_GODOT_REMOTE_FS_VERSION, 0, 0, 0 };
    size_t length = captured < sizeof beginning ? captured : sizeof beginning;
    *recognition = (gw_recognition){ 0 };
    if (!length || memcmp(bytes, beginning, length) != 0)
        return false;
    recognition->possible = true;
    recognition->readings = 1;
    recognition->bits = length == sizeof beginning ? 64 : 0;
    return true;
}
