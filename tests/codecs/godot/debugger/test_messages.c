/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The messages of the remote debugger, built member by member: the line of each, and its faults.
 */
#include "reading.h"

/* A message that is being built: its Variants, each written as by the engines. */
typedef struct built {
    uint8_t bytes[1 << 16];
    size_t length;
} built;

static void put_word(built *message, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        message->bytes[message->length++] = (uint8_t)(word >> 8 * i);
}

static void put_int(built *message, int32_t number)
{
    put_word(message, 2);
    put_word(message, (uint32_t)number);
}

static void put_text(built *message, const char *text)
{
    size_t length = strlen(text);
    put_word(message, 4);
    put_word(message, (uint32_t)length);
    memcpy(message->bytes + message->length, text, length);
    memset(message->bytes + message->length + length, 0, 4);
    message->length += (length + 3) / 4 * 4;
}

/* Godot 4: [name, 1, [count values]], with the length as a prefix. */
static void begin_4(built *message, const char *name, uint32_t count)
{
    message->length = 4;
    put_word(message, 28);
    put_word(message, 3);
    put_text(message, name);
    put_int(message, 1);
    put_word(message, 28);
    put_word(message, count);
}

static void end_frame(built *message, size_t start)
{
    size_t length = message->length;
    message->length = start;
    put_word(message, (uint32_t)(length - start - 4));
    message->length = length;
}

/* Godot 3: each value in a separate frame. */
static void put_framed_int(built *message, int32_t number)
{
    put_word(message, 8);
    put_int(message, number);
}

static void put_framed_text(built *message, const char *text)
{
    size_t start = message->length;
    message->length += 4;
    put_text(message, text);
    end_frame(message, start);
}

static void begin_3(built *message, const char *name, int32_t count)
{
    message->length = 0;
    put_framed_text(message, name);
    put_framed_int(message, count);
}

static gw_godot_debugger_summary summary_of(const built *message)
{
    gw_godot_debugger_summary summary;
    bool whole = gw_godot_debugger_validate(message->bytes, message->length, NULL, &summary);
    assert_int_equal(whole, !summary.fault.fault_class);
    return summary;
}

static void assert_line(const built *message, const char *line)
{
    char buffer[256];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_debugger_print(&text, message->bytes, message->length, NULL);
    assert_string_equal(buffer, line);
}

/* The fault of a malformed message: more bytes do not help. */
static uint32_t fault_of(const built *message)
{
    gw_fault fault = summary_of(message).fault;
    assert_int_equal(fault.needed, 0);
    return fault.code;
}

TEST(a_head_of_godot_4_is_a_text_a_thread_and_an_array)
{
    static built message;
    /* [name, 1, [], 1] */
    begin_4(&message, "set_pid", 0);
    put_int(&message, 1);
    end_frame(&message, 0);
    message.bytes[8] = 4;
    assert_int_equal(fault_of(&message), GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID);
    /* [name] */
    message.length = 4;
    put_word(&message, 28);
    put_word(&message, 1);
    put_text(&message, "set_pid");
    end_frame(&message, 0);
    assert_int_equal(fault_of(&message), GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID);
    /* [name, "1", []], [name, 1, {}] and [name, 1, 2] */
    for (unsigned which = 0; which < 3; which++) {
        message.length = 4;
        put_word(&message, 28);
        put_word(&message, 3);
        put_text(&message, "set_pid");
        if (which == 0)
            put_text(&message, "1");
        else
            put_int(&message, 1);
        put_word(&message, which == 0 ? 28 : which == 1 ? 27 : 2);
        put_word(&message, 0);
        end_frame(&message, 0);
        assert_int_equal(fault_of(&message), GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID);
    }
    /* [7, 1, []] */
    message.length = 4;
    put_word(&message, 28);
    put_word(&message, 1);
    put_int(&message, 7);
    end_frame(&message, 0);
    assert_int_equal(fault_of(&message), GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID);
    /* Bytes after the Array, inside the frame. */
    begin_4(&message, "set_pid", 0);
    put_word(&message, 0);
    end_frame(&message, 0);
    assert_int_equal(fault_of(&message), GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID);
}

TEST(a_name_may_be_a_string_name)
{
    static built message;
    begin_4(&message, "set_pid", 1);
    put_int(&message, 7);
    end_frame(&message, 0);
    message.bytes[12] = 21;
    assert_line(&message, "set_pid: 7");
}

TEST(bytes_that_cannot_begin_a_message)
{
    static const struct {
        const char *hex;
        bool bare;
        uint32_t code;
    } samples[] = {
        { "1c0000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "04000000 04000000 61626364", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "02000000 01000000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "08000000 02000000 01000000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "0c000000 04000000 02000000 61620000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "0c000000 04000000 04000000 6120623f", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "0c000000 04000000 05000000 61626364", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "03000000 04000000 04000000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "09000000 04000000 04000000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "08000000 04010000 04000000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        { "08000000 00001000 04000000", false, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID },
        /* A name, but then no count. */
        { "14000000 04000000 0a000000 64656275675f657869740000 0c000000 04000000 01000000 61000000", false,
          GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "14000000 04000000 0a000000 64656275675f657869740000 08000000 02000100 01000000", false,
          GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN },
        { "14000000 04000000 0a000000 64656275675f657869740000 08000000 02000000 41420f00", false,
          GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(samples[i].hex);
        const gw_godot_debugger_options options = { .form = samples[i].bare ? GW_GODOT_DEBUGGER_BARE
                                                                            : GW_GODOT_DEBUGGER_STREAM,
                                                    .is_synchronized = true };
        gw_godot_debugger_summary summary;
        assert_false(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
        if (summary.fault.code != samples[i].code)
            print_error("%s: %s\n", samples[i].hex, gw_fault_text(&gw_godot_debugger_faults, summary.fault.code));
        assert_int_equal(summary.fault.code, samples[i].code);
    }
}

TEST(input_beyond_two_gigabytes_is_rejected)
{
    static const uint8_t byte;
    gw_godot_debugger_summary summary;
    assert_false(gw_godot_debugger_validate(&byte, (size_t)INT32_MAX + 1, NULL, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_DEBUGGER_FAULT_TOO_LONG);
}

TEST(without_options_a_message_is_read_from_its_beginning)
{
    test_message message = message_of(EXIT_3);
    gw_godot_debugger_summary summary;
    assert_true(gw_godot_debugger_validate(message.bytes, message.length, NULL, &summary));
    assert_int_equal(summary.length, message.length);
}

TEST(reading_may_start_at_any_offset)
{
    test_message message = message_of(EXIT_3 EXIT_3);
    gw_godot_debugger_options options = { .offset = (uint32_t)message.length / 2, .is_synchronized = true };
    gw_godot_debugger_summary summary;
    assert_true(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
    assert_int_equal(summary.length, message.length / 2);
    options.offset = 1000;
    assert_false(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED);
}

TEST(after_the_end_there_are_no_events)
{
    test_message message = message_of(EXIT_3);
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT)
        ;
    assert_int_equal(gw_godot_debugger_next(&reader, &event), GW_NEXT_END);
}

/* The meaning depends on the sender. */
TEST(the_meaning_of_some_messages_depends_on_the_sender)
{
    static built message;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_options options = { .is_synchronized = true };
    begin_4(&message, "request_quit", 0);
    end_frame(&message, 0);
    for (unsigned side = 0; side < 3; side++) {
        options.sender = (gw_godot_debugger_side)side;
        gw_godot_debugger_init(&reader, message.bytes, message.length, &options);
        assert_int_equal(reader.sender, side);
        assert_string_equal(reader.known_name, "request_quit");
    }
    /* A message that only one side sends is from that side, regardless of the options. */
    begin_4(&message, "scene:request_scene_tree", 0);
    end_frame(&message, 0);
    options.sender = GW_GODOT_DEBUGGER_GAME;
    gw_godot_debugger_init(&reader, message.bytes, message.length, &options);
    assert_int_equal(reader.sender, GW_GODOT_DEBUGGER_EDITOR);
}

static void put_node(built *message, int32_t children)
{
    put_int(message, children);
    put_text(message, "N");
    put_text(message, "Node");
    put_int(message, 7);
    put_text(message, "");
    put_int(message, 0);
}

TEST(a_scene_tree_deeper_than_the_reader_is_flattened)
{
    enum { NODES = GW_GODOT_DEBUGGER_TREE_DEPTH + 10 };
    static built message;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    uint32_t nodes = 0, deepest = 0, odd = 0;
    begin_4(&message, "scene:scene_tree", 6 * NODES);
    for (unsigned i = 0; i < NODES; i++)
        put_node(&message, i + 1 < NODES);
    end_frame(&message, 0);
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        nodes += event.kind == GW_OPEN && event.role == GW_GODOT_DEBUGGER_ROLE_NODE;
        odd |= event.odd;
        deepest = event.depth > deepest ? event.depth : deepest;
    }
    assert_int_equal(nodes, NODES);
    assert_int_equal(odd, GW_GODOT_DEBUGGER_ODD_TOO_DEEP);
    assert_in_range(deepest, GW_GODOT_DEBUGGER_TREE_DEPTH, GW_GODOT_DEBUGGER_DEPTH);
}

/* Otherwise, a node that is too deep would be counted as another child of a node above it. */
TEST(after_a_node_that_is_too_deep_all_nodes_are_beside_the_root)
{
    enum { CHAIN = GW_GODOT_DEBUGGER_TREE_DEPTH + 5 };
    static built message;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    uint32_t nodes = 0, too_deep = 0;
    /* The root has two children. The first one is a chain of nodes. */
    begin_4(&message, "scene:scene_tree", 6 * (CHAIN + 2));
    put_node(&message, 2);
    for (unsigned i = 0; i < CHAIN; i++)
        put_node(&message, i + 1 < CHAIN);
    put_node(&message, 0);
    end_frame(&message, 0);
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.kind != GW_OPEN || event.role != GW_GODOT_DEBUGGER_ROLE_NODE)
            continue;
        bool is_first = !too_deep && event.odd == GW_GODOT_DEBUGGER_ODD_TOO_DEEP;
        bool is_last = ++nodes == CHAIN + 2;
        too_deep += event.odd == GW_GODOT_DEBUGGER_ODD_TOO_DEEP;
        if (nodes == 1 || is_first || is_last)
            assert_int_equal(event.depth, 1);
    }
    assert_int_equal(nodes, CHAIN + 2);
    assert_int_equal(too_deep, 1);
}

/* The root has three children: each group has its number among the children of its parent, when it begins and ends. */
TEST(the_children_of_a_node_are_numbered)
{
    static built message;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    uint32_t opened[8], closed[8];
    unsigned opens = 0, closes = 0;
    begin_4(&message, "scene:scene_tree", 6 * 4);
    put_node(&message, 3);
    for (unsigned i = 0; i < 3; i++)
        put_node(&message, 0);
    end_frame(&message, 0);
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.role != GW_GODOT_DEBUGGER_ROLE_NODE)
            continue;
        assert_true(opens < COUNT_OF(opened) && closes < COUNT_OF(closed));
        if (event.kind == GW_OPEN)
            opened[opens++] = event.index;
        else if (event.kind == GW_CLOSE)
            closed[closes++] = event.index;
    }
    static const uint32_t expected_opened[] = { 0, 0, 1, 2 }, expected_closed[] = { 0, 1, 2, 0 };
    assert_int_equal(opens, 4);
    assert_int_equal(closes, 4);
    assert_memory_equal(opened, expected_opened, sizeof expected_opened);
    assert_memory_equal(closed, expected_closed, sizeof expected_closed);
}

TEST(a_scene_tree_with_fewer_nodes_than_declared_ends)
{
    static built message;
    begin_4(&message, "scene:scene_tree", 6);
    put_node(&message, 5);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, 0);
    begin_4(&message, "scene:scene_tree", 0);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, 0);
    /* A truncated node. */
    begin_4(&message, "scene:scene_tree", 2);
    put_int(&message, 0);
    put_text(&message, "N");
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_FEWER);
}

/* [3 x frames, file, line, function ...] */
TEST(a_stack_ends_with_its_values_for_any_declared_size)
{
    static const int32_t sizes[] = { 3, 0, -3, 6, 1000001 };
    static const uint32_t odd[] = { 0, GW_GODOT_DEBUGGER_ODD_MORE, GW_GODOT_DEBUGGER_ODD_MORE, 0,
                                    GW_GODOT_DEBUGGER_ODD_MORE };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        static built message;
        begin_4(&message, "stack_dump", 4);
        put_int(&message, sizes[i]);
        put_text(&message, "res://a.gd");
        put_int(&message, 7);
        put_text(&message, "walk");
        end_frame(&message, 0);
        assert_int_equal(summary_of(&message).odd, odd[i]);
    }
}

TEST(values_of_every_type)
{
    static built message;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    uint32_t values = 0;
    begin_4(&message, "stack_frame_var", 4);
    put_text(&message, "target");
    put_int(&message, 0);
    put_int(&message, 24);
    put_word(&message, 24 | 1 << 16);
    put_word(&message, 0x001b05b4);
    put_word(&message, 0x80000006);
    end_frame(&message, 0);
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.role == GW_GODOT_DEBUGGER_ROLE_VALUE) {
            values++;
            assert_int_equal(event.type, GW_GODOT_OBJECT);
            assert_int_equal((uint64_t)event.number, UINT64_C(0x80000006001b05b4));
        }
    assert_int_equal(values, 1);
    /* A full object has no number. */
    begin_4(&message, "stack_frame_var", 4);
    put_text(&message, "target");
    put_int(&message, 0);
    put_int(&message, 24);
    put_word(&message, 24);
    put_word(&message, 4);
    put_word(&message, 0x65646f4e); /* "Node" */
    put_word(&message, 0);
    end_frame(&message, 0);
    assert_line(&message, "stack_frame_var: target = Object(Node)");
}

/* Follows from the source of 4.7: GH-117892. */
TEST(a_variable_of_4_7_has_the_class_of_its_object)
{
    static built message;
    static const char *const names[] = { "stack_frame_var", "evaluation_return" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char line[60];
        begin_4(&message, names[i], 5);
        put_text(&message, "self");
        put_int(&message, 1);
        put_int(&message, 24);
        put_word(&message, 24 | 1 << 16);
        put_word(&message, 77);
        put_word(&message, 0);
        put_text(&message, "Player");
        end_frame(&message, 0);
        assert_int_equal(summary_of(&message).odd, 0);
        snprintf(line, sizeof line, "%s: self = Player", names[i]);
        assert_line(&message, line);
    }
    begin_4(&message, "stack_frame_var", 5);
    put_text(&message, "hp");
    put_int(&message, 0);
    put_int(&message, 2);
    put_int(&message, 7);
    put_text(&message, "");
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, 0);
    assert_line(&message, "stack_frame_var: hp = 7");
}

TEST(times_may_be_ints)
{
    static built message;
    begin_4(&message, "performance:profile_frame", 4);
    for (int32_t i = 0; i < 4; i++)
        put_int(&message, 60 - i);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, 0);
    assert_line(&message, "performance:profile_frame: 60 frames per second");
}

/* For one number or one text, packed arrays are odd, except in an output. */
TEST(packed_arrays_are_valid_only_in_an_output)
{
    static built message;
    begin_4(&message, "error", 2);
    put_word(&message, 30);
    put_word(&message, 0);
    put_word(&message, 30);
    put_word(&message, 0);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_TYPE | GW_GODOT_DEBUGGER_ODD_FEWER);
    begin_4(&message, "window:title", 1);
    put_word(&message, 34);
    put_word(&message, 0);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_TYPE);
}

/* Each value is an empty Dictionary, which is not a type of any message. */
TEST(values_of_a_wrong_type_are_odd)
{
    static const char *const names[] = { "set_pid",
                                         "debug_enter",
                                         "window:title",
                                         "performance:profile_frame",
                                         "remote_objects_selected",
                                         "scene:inspect_object",
                                         "output" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        static built message;
        begin_4(&message, names[i], 3);
        for (unsigned n = 0; n < 3; n++) {
            put_word(&message, 27);
            put_word(&message, 0);
        }
        end_frame(&message, 0);
        assert_int_equal(summary_of(&message).odd & GW_GODOT_DEBUGGER_ODD_TYPE, GW_GODOT_DEBUGGER_ODD_TYPE);
    }
}

TEST(a_value_of_another_type_in_place_of_a_text_is_printed)
{
    static built message;
    begin_4(&message, "window:title", 1);
    put_int(&message, 7);
    end_frame(&message, 0);
    assert_line(&message, "window:title: 7");
    begin_4(&message, "window:title", 1);
    put_text(&message, "");
    end_frame(&message, 0);
    assert_line(&message, "window:title: \"\"");
    begin_4(&message, "window:title", 0);
    end_frame(&message, 0);
    assert_line(&message, "window:title: ?");
    /* As one line. */
    begin_4(&message, "window:title", 1);
    put_text(&message, "a\nb\x7f\xff  \n");
    end_frame(&message, 0);
    assert_line(&message, "window:title: a b ?");
}

TEST(several_texts_of_an_output_are_one_line)
{
    /* [["one", "two"], [0, 1]] */
    static built message;
    char buffer[10];
    gw_text text;
    begin_4(&message, "output", 2);
    put_word(&message, 34);
    put_word(&message, 2);
    for (unsigned i = 0; i < 2; i++) {
        put_word(&message, 4);
        memcpy(message.bytes + message.length, i ? "two" : "one", 4);
        message.length += 4;
    }
    put_word(&message, 30);
    put_word(&message, 2);
    put_word(&message, 0);
    put_word(&message, 1);
    end_frame(&message, 0);
    assert_int_equal(summary_of(&message).odd, 0);
    assert_line(&message, "output: one | two");
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_debugger_print(&text, message.bytes, message.length, NULL);
    assert_true(text.cut);
}

static void build_error(built *message, uint32_t is_warning, const char *description)
{
    begin_4(message, "error", 11);
    for (int32_t i = 0; i < 4; i++)
        put_int(message, i);
    put_text(message, "a.cpp");
    put_text(message, "f");
    put_int(message, 7);
    put_text(message, "wrong");
    put_text(message, description);
    put_word(message, 1);
    put_word(message, is_warning);
    put_int(message, 0);
    end_frame(message, 0);
}

TEST(warnings_are_printed_as_warnings)
{
    static built message;
    build_error(&message, 1, "");
    assert_int_equal(summary_of(&message).odd, 0);
    assert_line(&message, "warning: wrong at a.cpp:7 in f");
    build_error(&message, 0, "");
    assert_line(&message, "error: wrong at a.cpp:7 in f");
}

TEST(an_error_is_printed_as_its_description_if_it_has_one)
{
    static built message;
    build_error(&message, 0, "why");
    assert_int_equal(summary_of(&message).odd, 0);
    assert_line(&message, "error: why at a.cpp:7 in f");
}

/* The name of the monitor at `index` of the message. */
static const char *monitor_in(const built *message, uint32_t index)
{
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    const char *name = NULL;
    gw_godot_debugger_init(&reader, message->bytes, message->length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.role == GW_GODOT_DEBUGGER_ROLE_MONITOR && event.index == index)
            name = gw_godot_debugger_monitor_name(&reader, &event);
        else if (event.role != GW_GODOT_DEBUGGER_ROLE_MONITOR)
            assert_null(gw_godot_debugger_monitor_name(&reader, &event));
    return name;
}

/* Of `count` monitors in Godot 4. */
static const char *monitor_name(uint32_t index, uint32_t count)
{
    static built message;
    begin_4(&message, "performance:profile_frame", count);
    for (uint32_t i = 0; i < count; i++)
        put_int(&message, 0);
    end_frame(&message, 0);
    return monitor_in(&message, index);
}

/* Of `count` monitors in Godot 3, where they are an Array. */
static const char *monitor_name_of_3(uint32_t index, uint32_t count)
{
    static built message;
    begin_3(&message, "performance", 1);
    size_t start = message.length;
    message.length += 4;
    put_word(&message, 19);
    put_word(&message, count);
    for (uint32_t i = 0; i < count; i++)
        put_int(&message, 0);
    end_frame(&message, start);
    return monitor_in(&message, index);
}

/* 4.6 sends 59, 4.0 33, 3.2 to 3.6 31; monitors of the game follow them. */
TEST(monitors_have_the_engine_s_names)
{
    assert_string_equal(monitor_name(4, 59), "memory/static");
    assert_string_equal(monitor_name(9, 33), "object/nodes");
    assert_string_equal(monitor_name(32, 33), "navigation/edges_free");
    assert_string_equal(monitor_name(58, 59), "navigation_3d/obstacles");
    assert_string_equal(monitor_name(58, 61), "navigation_3d/obstacles");
    assert_null(monitor_name(59, 61));
    assert_null(monitor_name(33, 35));
    assert_string_equal(monitor_name_of_3(17, 29), "raster/draw_calls");
    assert_null(monitor_name_of_3(18, 29));
    assert_string_equal(monitor_name_of_3(18, 31), "2d/items");
    assert_string_equal(monitor_name_of_3(30, 31), "audio/output_latency");
    assert_null(monitor_name_of_3(31, 32));
}

TEST(in_a_frame_of_godot_3_a_value_may_be_invalid)
{
    static built message;
    begin_3(&message, "stack_frame_vars", 5);
    put_framed_int(&message, 1);
    put_framed_text(&message, "hp");
    put_word(&message, 8);
    put_word(&message, 4);
    put_word(&message, 99); /* a text of 99 bytes in a frame of 8 */
    put_framed_int(&message, 0);
    put_framed_int(&message, 0);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_VALUE);
    /* Values that should be containers. */
    begin_3(&message, "stack_dump", 1);
    put_framed_int(&message, 1);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_TYPE);
    begin_3(&message, "performance", 1);
    put_framed_int(&message, 1);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_TYPE);
    begin_3(&message, "performance", 0);
    assert_int_equal(summary_of(&message).odd, GW_GODOT_DEBUGGER_ODD_FEWER);
}

TEST(custom_messages_of_godot_3_require_a_known_start)
{
    static built message;
    gw_godot_debugger_summary summary;
    const gw_godot_debugger_options unsure = { .is_synchronized = false };
    begin_3(&message, "my_game:state_2", 1);
    put_framed_int(&message, 7);
    assert_line(&message, "my_game:state_2(7)");
    assert_false(gw_godot_debugger_validate(message.bytes, message.length, &unsure, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN);
}

/* {1: 7, "ab": 7, "object": 7, "id": 7, "line": 7}: values whose keys are not members are arguments. */
TEST(keys_of_a_stack_frame)
{
    static built message;
    begin_3(&message, "stack_dump", 1);
    size_t start = message.length;
    message.length += 4;
    put_word(&message, 18);
    put_word(&message, 5);
    put_int(&message, 1);
    put_int(&message, 7);
    put_text(&message, "ab");
    put_int(&message, 7);
    put_text(&message, "object"); /* the name of a group */
    put_int(&message, 7);
    put_text(&message, "id");
    put_int(&message, 7);
    put_text(&message, "line");
    put_int(&message, 7);
    end_frame(&message, start);
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    static const uint8_t expected[] = { GW_GODOT_DEBUGGER_ROLE_ARGUMENT, GW_GODOT_DEBUGGER_ROLE_ARGUMENT,
                                        GW_GODOT_DEBUGGER_ROLE_ARGUMENT, GW_GODOT_DEBUGGER_ROLE_FRAME_ID,
                                        GW_GODOT_DEBUGGER_ROLE_LINE };
    size_t found = 0;
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.kind == GW_VALUE && event.depth == 2)
            assert_int_equal(event.role, expected[found++]);
    assert_int_equal(found, COUNT_OF(expected));
}

TEST(unknown_numbers_have_a_text)
{
    assert_string_equal(gw_godot_debugger_role_name(GW_GODOT_DEBUGGER_ROLES), "Unknown");
    assert_string_equal(gw_godot_debugger_role_key(GW_GODOT_DEBUGGER_ROLES), "unknown");
    assert_int_equal(gw_godot_debugger_role_kind(GW_GODOT_DEBUGGER_ROLES), GW_GODOT_DEBUGGER_ANY);
    assert_non_null(gw_fault_consequence(&gw_godot_debugger_faults, GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID));
    assert_null(gw_fault_consequence(&gw_godot_debugger_faults, GW_GODOT_DEBUGGER_FAULTS));
    for (uint32_t bit = 1; bit <= GW_GODOT_DEBUGGER_ODD_VALUE; bit <<= 1)
        assert_string_not_equal(gw_odd_text(&gw_godot_debugger_faults, bit), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_godot_debugger_faults, 1U << 20), "Unknown oddity");
}

TEST(messages_of_one_segment_add_up_while_they_are_of_one_generation)
{
    uint32_t one = recognize(EXIT_3).bits;
    assert_int_equal(recognize(EXIT_3 EXIT_3).bits, 2 * one);
    assert_int_equal(recognize(EXIT_3 ENTER_4).bits, one);
    assert_int_equal(recognize(EXIT_3 ENTER_4).readings, 1U << GW_GODOT_3);
    /* The second message is truncated; bytes that are not a message end the sequence. */
    assert_int_equal(recognize(EXIT_3 "60000000 1c000000 03000000").bits, one);
    assert_int_equal(recognize(EXIT_3 "ffffffff ffffffff ffffffff").bits, one);
    assert_false(recognize("60000000 1c000000 03000000").possible);
    /* Truncation by the capture does not change the evidence of complete messages. */
    test_message message = message_of(EXIT_3);
    gw_recognition recognition;
    gw_godot_debugger_recognize(message.bytes, message.length, message.length + 9, NULL, &recognition);
    assert_int_equal(recognition.bits, one);
}

TEST(on_websocket_a_truncated_message_is_invalid)
{
    test_message message = message_of(ENTER_4);
    const gw_godot_debugger_options bare = { .form = GW_GODOT_DEBUGGER_BARE, .is_synchronized = true };
    gw_recognition recognition;
    assert_false(
        gw_godot_debugger_recognize(message.bytes + 4, message.length - 4, message.length, &bare, &recognition));
    assert_false(gw_godot_debugger_recognize(message.bytes + 4, 4, 4, &bare, &recognition));
    /* For a message of the game only the form is evidence. */
    message = message_of("1c000000 03000000 04000000 0a000000 67616d653a73746174650000 02000000 01000000 1c000000 "
                         "01000000 02000000 07000000");
    assert_true(gw_godot_debugger_recognize(message.bytes, message.length, message.length, &bare, &recognition));
    assert_int_equal(recognition.bits, 0);
}

TEST(printing_bytes_that_are_not_a_message)
{
    assert_printed("6000", "<truncated>");
    assert_printed("08000000 1c000000 00000000", "<malformed>");
}

TEST(in_godot_3_an_array_of_the_game_and_a_sequence_of_the_editor_are_values)
{
    static const struct {
        const char *hex;
        gw_godot_debugger_side sender;
    } messages[] = { { REQUEST_TREE_3, GW_GODOT_DEBUGGER_EDITOR }, { EXIT_3, GW_GODOT_DEBUGGER_GAME } };
    for (size_t i = 0; i < 2; i++) {
        test_message message = message_of(messages[i].hex);
        gw_godot_debugger_options options = { .is_synchronized = true, .sender = messages[i].sender };
        gw_godot_debugger_summary summary;
        assert_true(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
        options.sender = messages[1 - i].sender;
        assert_false(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
        assert_int_equal(summary.fault.code, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN);
    }
}
