/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each library in the way its own documentation shows for this work: libcbor's streaming decoder with
 * callbacks, msgpack-c's unpacker with a walk over what it built, msgpuck's encoder into a buffer.
 */
#include "jobs.h"

#include <cbor.h>
#include <gamewire/bytes.h>
#include <msgpack.h>
#include <msgpuck.h>

/* The same work as our decoders': libcbor and msgpack-c leave the check to their callers. */
static void check_utf8(const uint8_t *text, size_t length)
{
    if (gw_utf8_prefix(text, (uint32_t)length) != length)
        job_failed("a text that is not UTF-8");
}

/* ---- libcbor ------------------------------------------------------------------------------------------ */

typedef struct cbor_count {
    size_t nodes;
    uint64_t seen;
} cbor_count;

static void see(void *context, uint64_t value)
{
    cbor_count *count = context;
    count->nodes++;
    count->seen += value;
}

static void on_uint8(void *context, uint8_t value)
{
    see(context, value);
}

static void on_uint16(void *context, uint16_t value)
{
    see(context, value);
}

static void on_uint32(void *context, uint32_t value)
{
    see(context, value);
}

static void on_float(void *context, float value)
{
    see(context, (uint64_t)(int64_t)value);
}

static void on_double(void *context, double value)
{
    see(context, (uint64_t)(int64_t)value);
}

static void on_bool(void *context, bool value)
{
    see(context, value);
}

static void on_string(void *context, cbor_data text, size_t length)
{
    (void)text;
    see(context, length);
}

static void on_checked_string(void *context, cbor_data text, size_t length)
{
    check_utf8(text, length);
    see(context, length);
}

static void on_container(void *context, size_t members)
{
    see(context, members);
}

static struct cbor_callbacks callbacks(cbor_string_callback on_text)
{
    struct cbor_callbacks all = cbor_empty_callbacks;
    all.uint8 = all.negint8 = on_uint8;
    all.uint16 = all.negint16 = on_uint16;
    all.uint32 = all.negint32 = on_uint32;
    all.float4 = on_float;
    all.float8 = on_double;
    all.boolean = on_bool;
    all.string = on_text;
    all.array_start = all.map_start = on_container;
    return all;
}

static size_t decode(const job_input *input, cbor_string_callback on_text)
{
    const struct cbor_callbacks on = callbacks(on_text);
    cbor_count count = { 0, 0 };
    document next;
    size_t position = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        for (size_t at = 0; at < next.length;) {
            struct cbor_decoder_result result = cbor_stream_decode(next.bytes + at, next.length - at, &on, &count);
            if (result.status != CBOR_DECODER_FINISHED)
                job_failed("decode_libcbor");
            at += result.read;
        }
    }
    job_sink += count.seen;
    return count.nodes;
}

size_t decode_libcbor(const job_input *input)
{
    return decode(input, on_string);
}

size_t decode_libcbor_utf8(const job_input *input)
{
    return decode(input, on_checked_string);
}

/* ---- msgpack-c ---------------------------------------------------------------------------------------- */

static void see_text(const msgpack_object_str *text, uint64_t *seen)
{
    *seen += text->size;
}

static void see_checked_text(const msgpack_object_str *text, uint64_t *seen)
{
    check_utf8((const uint8_t *)text->ptr, text->size);
    *seen += text->size;
}

typedef void (*text_function)(const msgpack_object_str *text, uint64_t *seen);

static size_t walk(const msgpack_object *object, text_function on_text, uint64_t *seen)
{
    size_t nodes = 1;
    switch (object->type) {
    case MSGPACK_OBJECT_ARRAY:
        for (uint32_t i = 0; i < object->via.array.size; i++)
            nodes += walk(&object->via.array.ptr[i], on_text, seen);
        break;
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            nodes += walk(&object->via.map.ptr[i].key, on_text, seen);
            nodes += walk(&object->via.map.ptr[i].val, on_text, seen);
        }
        break;
    case MSGPACK_OBJECT_STR:
        on_text(&object->via.str, seen);
        break;
    default:
        *seen += object->via.u64;
    }
    return nodes;
}

static size_t unpack(const job_input *input, text_function on_text)
{
    msgpack_unpacked unpacked;
    document next;
    size_t position = 0, nodes = 0;
    uint64_t seen = 0;

    msgpack_unpacked_init(&unpacked);
    while (corpus_next(&input->documents, &position, &next)) {
        size_t at = 0;
        const char *bytes = (const char *)next.bytes;
        if (msgpack_unpack_next(&unpacked, bytes, next.length, &at) != MSGPACK_UNPACK_SUCCESS)
            job_failed("decode_msgpack_c");
        nodes += walk(&unpacked.data, on_text, &seen);
    }
    msgpack_unpacked_destroy(&unpacked);
    job_sink += seen;
    return nodes;
}

size_t decode_msgpack_c(const job_input *input)
{
    return unpack(input, see_text);
}

size_t decode_msgpack_c_utf8(const job_input *input)
{
    return unpack(input, see_checked_text);
}

/* ---- msgpuck ------------------------------------------------------------------------------------------ */

static char *put_value(char *at, const tape_value *value)
{
    switch ((tape_kind)value->kind) {
    case TAPE_BOOL:
        return mp_encode_bool(at, value->of.boolean);
    case TAPE_INT:
        return value->of.integer < 0 ? mp_encode_int(at, value->of.integer)
                                     : mp_encode_uint(at, (uint64_t)value->of.integer);
    case TAPE_FLOAT:
        return mp_encode_float(at, (float)value->of.real);
    case TAPE_DOUBLE:
        return mp_encode_double(at, value->of.real);
    case TAPE_TEXT:
        return mp_encode_str(at, value->of.text, value->count);
    case TAPE_ARRAY:
        return mp_encode_array(at, value->count);
    case TAPE_DICTIONARY:
        return mp_encode_map(at, value->count);
    case TAPE_END:
        break;
    }
    return at;
}

/* It knows no end of its buffer; nothing is longer here than the same value in Godot's format, which fits. */
size_t encode_msgpuck(const job_input *input)
{
    const tape_value *value = input->values.values;
    const tape_value *end = value + input->values.length;
    size_t nodes = 0;

    for (; value < end; value++) {
        char *at = (char *)input->room;
        for (; value->kind != TAPE_END; value++, nodes++)
            at = put_value(at, value);
        job_sink += (uint64_t)(at - (char *)input->room);
    }
    return nodes;
}
