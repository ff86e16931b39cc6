/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values without members: bytes in, meaning out.
 */
#include "reading.h"

#include <math.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

static int64_t integer_of(gw_godot_generation generation, const char *hex)
{
    const gw_godot_event *event = read_value(generation, hex);
    assert_int_equal(event->type, GW_GODOT_INT);
    return event->number;
}

static double real_of(gw_godot_generation generation, const char *hex)
{
    const gw_godot_event *event = read_value(generation, hex);
    assert_int_equal(event->type, GW_GODOT_FLOAT);
    return event->real;
}

static const gw_godot_generation generations[] = { GW_GODOT_2, GW_GODOT_3, GW_GODOT_4 };

TEST(nil_is_only_a_header)
{
    for (unsigned i = 0; i < COUNT_OF(generations); i++) {
        const gw_godot_event *event = read_value(generations[i], "00000000");
        assert_int_equal(event->type, GW_GODOT_NIL);
        assert_int_equal(event->payload.length, 0);
        assert_int_equal(seen.count, 1);
    }
}

TEST(bool_is_a_word)
{
    assert_int_equal(read_value(GW_GODOT_2, "01000000 00000000")->number, 0);
    assert_int_equal(read_value(GW_GODOT_3, "01000000 01000000")->number, 1);
    assert_int_equal(read_value(GW_GODOT_4, "01000000 01000000")->type, GW_GODOT_BOOL);
}

TEST(any_nonzero_bool_is_true)
{
    assert_int_equal(read_value(GW_GODOT_4, "01000000 00000100")->number, 1);
}

TEST(int_of_32_bits_is_signed)
{
    for (unsigned i = 0; i < COUNT_OF(generations); i++) {
        assert_int_equal(integer_of(generations[i], "02000000 05000000"), 5);
        assert_int_equal(integer_of(generations[i], "02000000 ffffffff"), -1);
        assert_int_equal(integer_of(generations[i], "02000000 00000080"), INT32_MIN);
    }
}

TEST(int_of_64_bits_has_bit_16)
{
    assert_int_equal(integer_of(GW_GODOT_3, "02000100 0000008000000000"), 2147483648);
    assert_int_equal(integer_of(GW_GODOT_4, "02000100 0000000000000080"), INT64_MIN);
    assert_int_equal(seen.events[0].odd, 0);
}

TEST(godot_3_0_sends_every_int_in_64_bits)
{
    assert_int_equal(integer_of(GW_GODOT_3, "02000100 0500000000000000"), 5);
    assert_int_equal(seen.events[0].odd, GW_GODOT_ODD_WIDE);
}

TEST(float_of_32_bits)
{
    for (unsigned i = 0; i < COUNT_OF(generations); i++)
        assert_true(real_of(generations[i], "03000000 0000003f") == 0.5);
}

TEST(float_of_64_bits_has_bit_16)
{
    assert_true(real_of(GW_GODOT_3, "03000100 9a9999999999b93f") == 0.1);
    assert_true(real_of(GW_GODOT_4, "03000100 9a9999999999b93f") == 0.1);
    assert_int_equal(seen.events[0].odd, 0);
}

TEST(nan_is_always_64_bit_and_not_odd)
{
    assert_true(isnan(real_of(GW_GODOT_4, "03000100 000000000000f87f")));
    assert_int_equal(seen.events[0].odd, 0);
}

TEST(float_that_fits_32_bits_is_odd_in_64_bits)
{
    assert_odd(GW_GODOT_4, "03000100 000000000000e03f", GW_GODOT_ODD_WIDE);
    assert_odd(GW_GODOT_4, "03000100 000000000000f07f", GW_GODOT_ODD_WIDE);
    assert_odd(GW_GODOT_4, "03000100 0000000000000080", GW_GODOT_ODD_WIDE);
}

/* ---- composites ---------------------------------------------------------------------------------------- */

static const char *const vector[] = { "x", "y", "z", "w" };
static const char *const rect[] = { "position.x", "position.y", "size.x", "size.y" };
static const char *const plane[] = { "normal.x", "normal.y", "normal.z", "d" };
static const char *const color[] = { "r", "g", "b", "a" };
static const char *const aabb[] = { "position.x", "position.y", "position.z", "size.x", "size.y", "size.z" };
static const char *const transform2d[] = { "x.x", "x.y", "y.x", "y.y", "origin.x", "origin.y" };
/* Row by row, contrary to the engine's documentation. */
static const char *const basis[] = { "x.x", "y.x", "z.x", "x.y", "y.y", "z.y", "x.z", "y.z", "z.z" };
static const char *const transform3d[] = {
    "basis.x.x", "basis.y.x", "basis.z.x", "basis.x.y", "basis.y.y", "basis.z.y",
    "basis.x.z", "basis.y.z", "basis.z.z", "origin.x",  "origin.y",  "origin.z"
};
/* Column by column. */
static const char *const projection[] = { "x.x", "x.y", "x.z", "x.w", "y.x", "y.y", "y.z", "y.w",
                                          "z.x", "z.y", "z.z", "z.w", "w.x", "w.y", "w.z", "w.w" };

static const struct composite {
    gw_godot_type type;
    int wire[5]; /* by generation; -1 if the generation does not have the type */
    uint32_t components;
    const char *const *names;
    bool integers;
    bool widens; /* has 64 bits in builds with double precision */
} composites[] = {
    { GW_GODOT_VECTOR2, { 0, 0, 5, 5, 5 }, 2, vector, false, true },
    { GW_GODOT_RECT2, { 0, 0, 6, 6, 7 }, 4, rect, false, true },
    { GW_GODOT_VECTOR3, { 0, 0, 7, 7, 9 }, 3, vector, false, true },
    { GW_GODOT_TRANSFORM2D, { 0, 0, 8, 8, 11 }, 6, transform2d, false, true },
    { GW_GODOT_PLANE, { 0, 0, 9, 9, 14 }, 4, plane, false, true },
    { GW_GODOT_QUATERNION, { 0, 0, 10, 10, 15 }, 4, vector, false, true },
    { GW_GODOT_AABB, { 0, 0, 11, 11, 16 }, 6, aabb, false, true },
    { GW_GODOT_BASIS, { 0, 0, 12, 12, 17 }, 9, basis, false, true },
    { GW_GODOT_TRANSFORM3D, { 0, 0, 13, 13, 18 }, 12, transform3d, false, true },
    { GW_GODOT_COLOR, { 0, 0, 14, 14, 20 }, 4, color, false, false },
    { GW_GODOT_VECTOR4, { 0, 0, -1, -1, 12 }, 4, vector, false, true },
    { GW_GODOT_PROJECTION, { 0, 0, -1, -1, 19 }, 16, projection, false, true },
    { GW_GODOT_VECTOR2I, { 0, 0, -1, -1, 6 }, 2, vector, true, false },
    { GW_GODOT_RECT2I, { 0, 0, -1, -1, 8 }, 4, rect, true, false },
    { GW_GODOT_VECTOR3I, { 0, 0, -1, -1, 10 }, 3, vector, true, false },
    { GW_GODOT_VECTOR4I, { 0, 0, -1, -1, 13 }, 4, vector, true, false },
};

/* The header, then 1.5, 2.5, 3.5 ... (or 1, 2, 3 ... as integers). */
static void read_composite(const struct composite *composite, gw_godot_generation generation, uint32_t flags)
{
    uint8_t bytes[4 + 16 * 8];
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_put_le32(&output, (uint32_t)composite->wire[generation] | flags);
    for (uint32_t i = 0; i < composite->components; i++) {
        if (composite->integers)
            gw_put_le32(&output, i + 1);
        else if (flags && composite->widens)
            gw_put_le_double(&output, i + 1.5);
        else
            gw_put_le_float(&output, (float)i + 1.5f);
    }
    read_bytes(generation, bytes, output.length);
    assert_int_equal(seen.last, GW_NEXT_END);
    assert_int_equal(seen.reader.offset, seen.length);
}

static void components_are_in_wire_order(const struct composite *composite)
{
    const gw_godot_event *event = &seen.events[0];
    assert_int_equal(event->type, composite->type);
    assert_int_equal(event->kind, GW_VALUE);
    assert_int_equal(event->payload.offset, 4);
    for (uint32_t i = 0; i < composite->components; i++) {
        if (composite->integers)
            assert_int_equal(gw_godot_integer_at(seen.bytes, event, i), i + 1);
        else
            assert_true(gw_godot_real_at(seen.bytes, event, i) == i + 1.5);
    }
}

TEST(composites_are_their_components_in_a_row)
{
    for (unsigned i = 0; i < COUNT_OF(composites); i++)
        for (unsigned g = 0; g < COUNT_OF(generations); g++) {
            if (composites[i].wire[generations[g]] < 0)
                continue;
            read_composite(&composites[i], generations[g], 0);
            components_are_in_wire_order(&composites[i]);
            assert_int_equal(gw_godot_component_size(&seen.events[0]), 4);
            assert_int_equal(seen.odd, 0);
        }
}

TEST(reals_of_double_precision_builds_have_bit_16)
{
    for (unsigned i = 0; i < COUNT_OF(composites); i++) {
        if (!composites[i].widens)
            continue;
        read_composite(&composites[i], GW_GODOT_4, GW_GODOT_FLAG_64);
        components_are_in_wire_order(&composites[i]);
        assert_int_equal(gw_godot_component_size(&seen.events[0]), 8);
        assert_true(gw_godot_is_wide(&seen.events[0]));
        assert_int_equal(seen.odd, 0);
    }
}

TEST(colors_and_integer_vectors_never_widen)
{
    for (unsigned i = 0; i < COUNT_OF(composites); i++) {
        if (composites[i].widens)
            continue;
        read_composite(&composites[i], GW_GODOT_4, GW_GODOT_FLAG_64);
        components_are_in_wire_order(&composites[i]);
        assert_int_equal(seen.odd, GW_GODOT_ODD_FLAGS);
    }
}

TEST(godot_3_ignores_bit_16_of_vectors)
{
    const gw_godot_event *event = read_value(GW_GODOT_3, "05000100 0000c03f 000010c0");
    assert_true(gw_godot_real_at(seen.bytes, event, 1) == -2.25);
    assert_int_equal(event->odd, GW_GODOT_ODD_FLAGS);
}

TEST(double_vector_as_decoded_by_a_single_precision_build)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "05000100 000000000000f83f 00000000000002c0");
    assert_true(gw_godot_real_at(seen.bytes, event, 0) == 1.5);
    assert_true(gw_godot_real_at(seen.bytes, event, 1) == -2.25);
}

TEST(components_have_names_in_wire_order)
{
    for (unsigned i = 0; i < COUNT_OF(composites); i++) {
        const struct composite *composite = &composites[i];
        assert_int_equal(gw_godot_components(composite->type), composite->components);
        assert_int_equal(gw_godot_components_are_integers(composite->type), composite->integers);
        for (uint32_t c = 0; c < composite->components; c++)
            assert_string_equal(gw_godot_component_name(composite->type, c), composite->names[c]);
        assert_null(gw_godot_component_name(composite->type, composite->components));
    }
}

TEST(scalars_have_one_component_without_a_name)
{
    assert_int_equal(gw_godot_components(GW_GODOT_INT), 1);
    assert_null(gw_godot_component_name(GW_GODOT_INT, 0));
    assert_int_equal(gw_godot_components(GW_GODOT_STRING), 0);
    assert_int_equal(gw_godot_components(GW_GODOT_TYPES), 0);
    assert_null(gw_godot_component_name(GW_GODOT_TYPES, 0));
    assert_false(gw_godot_components_are_integers(GW_GODOT_TYPES));
}

/* ---- texts --------------------------------------------------------------------------------------------- */

TEST(string_is_length_text_and_padding)
{
    for (unsigned i = 0; i < COUNT_OF(generations); i++) {
        const gw_godot_event *event = read_value(generations[i], "04000000 05000000 68656c6c6f 000000");
        assert_int_equal(event->type, GW_GODOT_STRING);
        assert_span(event->text, "hello");
        assert_int_equal(event->header.length, 8);
        assert_int_equal(event->payload.length, 5);
        assert_int_equal(event->padding.length, 3);
        assert_int_equal(event->odd, 0);
    }
}

TEST(string_with_a_length_divisible_by_4_has_no_padding)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "04000000 04000000 61626364");
    assert_span(event->text, "abcd");
    assert_int_equal(event->padding.length, 0);
}

TEST(empty_string_is_a_zero_length)
{
    assert_span(read_value(GW_GODOT_3, "04000000 00000000")->text, "");
}

TEST(string_name_is_a_text_of_godot_4)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "15000000 01000000 61000000");
    assert_int_equal(event->type, GW_GODOT_STRING_NAME);
    assert_span(event->text, "a");
}

TEST(godot_2_leaves_stale_bytes_in_padding)
{
    assert_odd(GW_GODOT_2, "04000000 02000000 6161fabf", GW_GODOT_ODD_STALE_PADDING);
    assert_span(seen.events[0].text, "aa");
    assert_odd(GW_GODOT_2, "16000000 01000000 41fabf00", GW_GODOT_ODD_STALE_PADDING);
}

/* ---- other types --------------------------------------------------------------------------------------- */

TEST(rid_of_godot_2_and_3_is_only_a_header)
{
    assert_int_equal(read_value(GW_GODOT_2, "11000000")->type, GW_GODOT_RID);
    assert_int_equal(read_value(GW_GODOT_3, "10000000")->type, GW_GODOT_RID);
}

TEST(rid_of_godot_4_is_a_64_bit_number)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "17000000 0000000016000000");
    assert_int_equal(event->type, GW_GODOT_RID);
    assert_int_equal(event->number, 94489280512);
}

TEST(callable_is_only_a_header)
{
    assert_int_equal(read_value(GW_GODOT_4, "19000000")->type, GW_GODOT_CALLABLE);
}

TEST(signal_is_a_name_and_an_object)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "1a000000 03000000 68697400 b405001b06000080");
    assert_int_equal(event->type, GW_GODOT_SIGNAL);
    assert_span(event->text, "hit");
    assert_true(event->number == (int64_t)UINT64_C(0x800000061b0005b4));
    assert_int_equal(event->payload.length, 12);
}

TEST(empty_signal_has_no_name_and_no_object)
{
    const gw_godot_event *event = read_value(GW_GODOT_4, "1a000000 00000000 0000000000000000");
    assert_span(event->text, "");
    assert_int_equal(event->number, 0);
}

TEST(image_of_godot_2_is_four_numbers_and_pixels)
{
    const char *hex = "0f000000 04000000 00000000 02000000 01000000 06000000 010203040506 0000";
    const gw_godot_event *event = read_value(GW_GODOT_2, hex);
    assert_int_equal(event->type, GW_GODOT_IMAGE);
    assert_int_equal(event->kind, GW_VALUE);
    assert_int_equal(event->count, 6);
    assert_int_equal(event->payload.offset, 24);
    assert_int_equal(event->padding.length, 2);
}

TEST(key_event_of_godot_2_is_its_header_and_two_words)
{
    const gw_godot_event *event = read_value(GW_GODOT_2, "13000000 01000000 00000000 14000000 02000000 41000000");
    assert_int_equal(event->type, GW_GODOT_INPUT_EVENT);
    assert_int_equal(event->payload.length, 8);
    assert_int_equal(event->payload.offset, 16);
}

TEST(other_events_of_godot_2_are_only_a_header)
{
    assert_int_equal(read_value(GW_GODOT_2, "13000000 08000000 00000000 0c000000")->payload.length, 0);
}

TEST(ranges_are_adjacent_and_cover_the_value)
{
    const gw_godot_event *event = read_value(GW_GODOT_3, "04000000 03000000 61626300");
    assert_int_equal(event->header.offset, 0);
    assert_int_equal(event->header_word, 4);
    assert_int_equal(gw_span_end(event->header), event->payload.offset);
    assert_int_equal(gw_span_end(event->payload), event->padding.offset);
    assert_int_equal(gw_span_end(event->padding), seen.length);
    assert_int_equal(event->role, GW_GODOT_ROLE_ROOT);
    assert_int_equal(event->depth, 0);
    assert_int_equal(event->index, 0);
}

TEST(without_options_a_value_is_of_godot_4)
{
    const uint8_t of_any[] = { 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    const uint8_t of_godot_4[] = { 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, of_any, sizeof of_any, NULL);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.type, GW_GODOT_VECTOR2);
    gw_godot_init(&reader, of_godot_4, sizeof of_godot_4, NULL);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.type, GW_GODOT_VECTOR2I);
}

TEST(reading_may_begin_at_any_offset)
{
    const uint8_t bytes[] = { 0xEE, 2, 0, 0, 0, 7, 0, 0, 0 };
    gw_godot_options options = { .generation = GW_GODOT_4, .offset = 1 };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, bytes, sizeof bytes, &options);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.header.offset, 1);
    assert_int_equal(event.payload.offset, 5);
    assert_int_equal(event.number, 7);
    options.offset = 10;
    gw_godot_init(&reader, bytes, sizeof bytes, &options);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.offset, sizeof bytes);
}

TEST(bytes_after_the_value_are_ignored)
{
    read_hex(GW_GODOT_4, "01000000 01000000 ffffffff");
    assert_int_equal(seen.last, GW_NEXT_END);
    assert_int_equal(seen.reader.offset, 8);
}
