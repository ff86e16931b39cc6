/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Writes values, commands and heads of frames.
 */
#include <gamewire/squirrel.h>

#define LENGTH_OFFSET  1 /* of the u32 after a tag */
#define CONTENT_OFFSET 5

/* The tag alone. */
void gw_squirrel_write_null(gw_output *output)
{
    gw_put_u8(output, GW_SQUIRREL_NULL);
}

/* The tag and four bytes. */
void gw_squirrel_write_int32(gw_output *output, int32_t number)
{
    gw_put_u8(output, GW_SQUIRREL_INT32);
    gw_put_le32(output, (uint32_t)number);
}

/* The tag and two bytes. */
void gw_squirrel_write_int16(gw_output *output, int16_t number)
{
    gw_put_u8(output, GW_SQUIRREL_INT16);
    gw_put_le16(output, (uint16_t)number);
}

/* Writes an integer as release 1.1.6 does: as an int16 if it fits, else as an int32. */
void gw_squirrel_write_integer(gw_output *output, int32_t number)
{
    if (number >= INT16_MIN && number <= INT16_MAX)
        gw_squirrel_write_int16(output, (int16_t)number);
    else
        gw_squirrel_write_int32(output, number);
}

/* The tag and four bytes of IEEE 754. */
void gw_squirrel_write_float(gw_output *output, float number)
{
    gw_put_u8(output, GW_SQUIRREL_FLOAT);
    gw_put_le_float(output, number);
}

/* The tag and a byte, 0 or 1. */
void gw_squirrel_write_bool(gw_output *output, bool truth)
{
    gw_put_u8(output, GW_SQUIRREL_BOOL);
    gw_put_u8(output, truth);
}

/* A big-endian length and the bytes: strings and errors have the same form, after a tag. */
void gw_squirrel_write_script(gw_output *output, const void *bytes, uint16_t length)
{
    gw_put_be16(output, length);
    gw_put_bytes(output, bytes, length);
}

void gw_squirrel_write_string(gw_output *output, const void *bytes, uint16_t length)
{
    gw_put_u8(output, GW_SQUIRREL_STRING);
    gw_squirrel_write_script(output, bytes, length);
}

void gw_squirrel_write_error(gw_output *output, const void *bytes, uint16_t length)
{
    gw_put_u8(output, GW_SQUIRREL_ERROR);
    gw_squirrel_write_script(output, bytes, length);
}

/* The tag and its floats. */
static void put_components(gw_output *output, uint8_t tag, const float *components, int count)
{
    gw_put_u8(output, tag);
    for (int i = 0; i < count; i++)
        gw_put_le_float(output, components[i]);
}

void gw_squirrel_write_vector(gw_output *output, const float xyz[3])
{
    put_components(output, GW_SQUIRREL_VECTOR, xyz, 3);
}

void gw_squirrel_write_quaternion(gw_output *output, const float xyzw[4])
{
    put_components(output, GW_SQUIRREL_QUATERNION, xyzw, 4);
}

/* A blob begins as a counted container does; it has bytes in place of values. */
void gw_squirrel_write_blob(gw_output *output, const void *bytes, uint32_t length)
{
    gw_squirrel_write_counted(output, GW_SQUIRREL_BLOB, length);
    gw_put_bytes(output, bytes, length);
}

/* The tag and a count; the caller writes as many values. */
void gw_squirrel_write_counted(gw_output *output, uint8_t tag, uint32_t count)
{
    gw_put_u8(output, tag);
    gw_put_le32(output, count);
}

/* Begins a container or command, with a length of 0 until gw_squirrel_write_close(); returns the offset of its tag,
 * which is the argument of that function. */
size_t gw_squirrel_write_open(gw_output *output, uint8_t tag)
{
    size_t opened = output->length;
    gw_squirrel_write_counted(output, tag, 0);
    return opened;
}

/* Ends the container or command whose tag is at offset `opened`: sets its length to the number of bytes that were
 * written after its head. */
void gw_squirrel_write_close(gw_output *output, size_t opened)
{
    /* Bytes past the end of the output are counted but not stored: there may be no length to set. */
    if (opened + CONTENT_OFFSET <= output->size)
        gw_store_le32(output->bytes + opened + LENGTH_OFFSET, (uint32_t)(output->length - opened - CONTENT_OFFSET));
}

/* The identifier and the members that the type of the frame has. */
void gw_squirrel_write_frame_head(gw_output *output, const gw_squirrel_frame *frame)
{
    gw_put_le32(output, frame->type->identifier);
    if (frame->type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        gw_put_le32(output, frame->sequence);
        gw_put_le32(output, frame->chunk);
        gw_put_le32(output, frame->chunks);
        gw_put_le16(output, frame->chunk_length);
    }
    if (frame->type->player != GW_SQUIRREL_NO_PLAYER)
        gw_put_u8(output, frame->player);
    if (frame->type->token)
        gw_put_le32(output, (uint32_t)frame->token);
}
