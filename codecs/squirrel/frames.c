/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The nineteen frames and their heads:
 *
 *     u32 identifier | u8 player, if the type has one | i32 token, if the type has one | content
 *     u32 identifier | u32 sequence | u32 chunk | u32 chunks | u16 length | payload       split streams
 */
#include <gamewire/squirrel.h>

#define UP   true
#define DOWN false

#define VALUE  GW_SQUIRREL_CONTENT_VALUE
#define PAIR   GW_SQUIRREL_CONTENT_PAIR
#define SCRIPT GW_SQUIRREL_CONTENT_SCRIPT
#define CHUNK  GW_SQUIRREL_CONTENT_CHUNK

#define NOBODY GW_SQUIRREL_NO_PLAYER
#define TARGET GW_SQUIRREL_TARGET_PLAYER
#define SENDER GW_SQUIRREL_SENDER_PLAYER

#define BYTES  GW_SQUIRREL_BYTES_FIRST
#define COUNTS GW_SQUIRREL_COUNTS_FIRST

#define ANY     GW_SQUIRREL_RECEIVER_UNKNOWN
#define CLIENT  GW_SQUIRREL_RECEIVER_CLIENT
#define REPLIES GW_SQUIRREL_RECEIVER_REPLY
#define EXECS   GW_SQUIRREL_RECEIVER_EXEC

/* clang-format off */
/* In the order of the identifiers. The content of PeerExec and similar frames is read by the other client: the server
 * forwards it unchanged, except that the sender's number replaces the target's (disassembled). */
static const gw_squirrel_frame_type frame_types[GW_SQUIRREL_FRAME_COUNT] = {
    { "RemoteExecute", GW_SQUIRREL_REMOTE_EXECUTE, DOWN, NOBODY, false, true, VALUE, BYTES, CLIENT },
    { "RemoteExecuteSpecial", GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL, DOWN, NOBODY, true, true, VALUE, BYTES,
      CLIENT },
    { "Reply", GW_SQUIRREL_REPLY, UP, NOBODY, true, false, VALUE, COUNTS, REPLIES },
    { "CompileString", GW_SQUIRREL_COMPILE_STRING, DOWN, NOBODY, false, false, SCRIPT, BYTES, CLIENT },
    /* Not in any public script; a text, according to its name and use. Uncertain. */
    { "RPrint", GW_SQUIRREL_RPRINT, UP, NOBODY, false, false, SCRIPT, BYTES, ANY },
    { "PeerExec", GW_SQUIRREL_PEER_EXEC, UP, TARGET, false, true, VALUE, BYTES, CLIENT },
    { "SendResultToPeer", GW_SQUIRREL_SEND_RESULT_TO_PEER, UP, TARGET, true, false, VALUE, BYTES, CLIENT },
    { "ResultFromPeer", GW_SQUIRREL_RESULT_FROM_PEER, DOWN, SENDER, true, false, VALUE, BYTES, CLIENT },
    { "PeerExecSpecial", GW_SQUIRREL_PEER_EXEC_SPECIAL, UP, TARGET, true, true, VALUE, BYTES, CLIENT },
    { "PeerExecHere", GW_SQUIRREL_PEER_EXEC_HERE, DOWN, SENDER, false, true, VALUE, BYTES, CLIENT },
    { "PeerExecHere2", GW_SQUIRREL_PEER_EXEC_HERE2, DOWN, SENDER, true, true, VALUE, BYTES, CLIENT },
    { "SplitStream", GW_SQUIRREL_SPLIT_STREAM, UP, NOBODY, false, false, CHUNK, BYTES, ANY },
    { "SplitStreamFromServer", GW_SQUIRREL_SPLIT_STREAM_FROM_SERVER, DOWN, NOBODY, false, false, CHUNK,
      BYTES, ANY },
    { "ClientData", GW_SQUIRREL_CLIENT_DATA, UP, NOBODY, false, false, PAIR, BYTES, ANY },
    { "LoadNutFile", GW_SQUIRREL_LOAD_NUT_FILE, DOWN, NOBODY, true, false, SCRIPT, BYTES, CLIENT },
    { "NutFileLoaded", GW_SQUIRREL_NUT_FILE_LOADED, UP, NOBODY, true, false, VALUE, BYTES, ANY },
    { "Exec", GW_SQUIRREL_EXEC, UP, NOBODY, false, true, VALUE, BYTES, EXECS },
    { "ExecSpecial", GW_SQUIRREL_EXEC_SPECIAL, UP, NOBODY, true, true, VALUE, BYTES, EXECS },
    { "ResultFromServer", GW_SQUIRREL_RESULT_FROM_SERVER, DOWN, NOBODY, true, false, VALUE, BYTES, CLIENT }
};
/* clang-format on */

/* The type of the frame with this identifier; NULL: there is none. The identifiers are consecutive: the distance from
 * the first one is the index in the table. */
const gw_squirrel_frame_type *gw_squirrel_frame_type_of(uint32_t identifier)
{
    uint32_t index = identifier - GW_SQUIRREL_FIRST_FRAME;
    return index < GW_SQUIRREL_FRAME_COUNT ? &frame_types[index] : NULL;
}

/* Sets a fault of the head, which begins at offset 0. `needed`: the number of bytes that are missing. False, for the
 * caller to return. */
static bool fail(gw_fault *fault, gw_squirrel_fault code, size_t needed)
{
    gw_set_fault(fault, &gw_squirrel_faults, code, 0, needed);
    return false;
}

/* The oddities of a chunk's head. `payload`: number of bytes after the head in the input. */
static uint16_t odd_of_chunk(const gw_squirrel_frame *frame, size_t payload)
{
    uint16_t odd = 0;
    if (!frame->chunks)
        odd |= GW_SQUIRREL_CHUNK_NO_TOTAL;
    else if (frame->chunk >= frame->chunks)
        odd |= GW_SQUIRREL_CHUNK_BEYOND;
    if (frame->chunk_length != payload)
        odd |= GW_SQUIRREL_CHUNK_LENGTH;
    /* The real sender fills all chunks but the last one of a stream. */
    if (frame->chunk_length > GW_SQUIRREL_CHUNK_SIZE)
        odd |= GW_SQUIRREL_CHUNK_TOO_LONG;
    else if (frame->chunk_length < GW_SQUIRREL_CHUNK_SIZE && frame->chunks && frame->chunk < frame->chunks - 1)
        odd |= GW_SQUIRREL_CHUNK_SHORT;
    return odd;
}

/* Reads the identifier, and then the head that its type has: the four numbers of a chunk, or the player (u8) and the
 * token (i32), each if the type has it. frame->content is the offset after it. False with a fault if the head is
 * truncated or the identifier is unknown; frame->type is set if the identifier is known. */
bool gw_squirrel_read_frame(const uint8_t *bytes, size_t length, gw_squirrel_frame *frame, gw_fault *fault)
{
    memset(frame, 0, sizeof *frame);
    memset(fault, 0, sizeof *fault);
    if (length < 4)
        return fail(fault, GW_SQUIRREL_FAULT_HEAD_TRUNCATED, 4 - length);
    const gw_squirrel_frame_type *type = gw_squirrel_frame_type_of(gw_le32(bytes));
    frame->type = type;
    if (!type)
        return fail(fault, GW_SQUIRREL_FAULT_FRAME_UNKNOWN, 0);
    bool has_player = type->player != GW_SQUIRREL_NO_PLAYER;
    bool is_chunk = type->content == GW_SQUIRREL_CONTENT_CHUNK;
    frame->content = is_chunk ? GW_SQUIRREL_SPLIT_HEAD : 4u + has_player + (type->token ? 4u : 0u);
    if (length < frame->content)
        return fail(fault, GW_SQUIRREL_FAULT_HEAD_TRUNCATED, frame->content - length);
    if (is_chunk) {
        frame->sequence = gw_le32(bytes + 4);
        frame->chunk = gw_le32(bytes + 8);
        frame->chunks = gw_le32(bytes + 12);
        frame->chunk_length = gw_le16(bytes + 16);
        frame->chunk_odd = odd_of_chunk(frame, length - GW_SQUIRREL_SPLIT_HEAD);
        return true;
    }
    if (has_player)
        frame->player = bytes[GW_SQUIRREL_PLAYER_OFFSET];
    if (type->token)
        frame->token = (int32_t)gw_le32(bytes + GW_SQUIRREL_PLAYER_OFFSET + has_player);
    return true;
}

/* The options for reading the content of a frame, from the columns of its type. */
gw_squirrel_options gw_squirrel_frame_options(const gw_squirrel_frame *frame)
{
    /* A frame with a token and a value that need not be a command is an answer: the value may be an error. */
    gw_squirrel_options options = { .offset = frame->content,
                                    .content = frame->type->content,
                                    .reading = frame->type->reading,
                                    .receiver = frame->type->receiver,
                                    .error_at_top = frame->type->token &&
                                                    frame->type->content == GW_SQUIRREL_CONTENT_VALUE &&
                                                    !frame->type->command };
    return options;
}
