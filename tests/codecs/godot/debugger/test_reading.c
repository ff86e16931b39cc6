/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of the remote debugger: bytes of pcaps/godot/debugger, each fault, each oddity, what is not the debugger's.
 */
#include "reading.h"

TEST(a_break_of_godot_4)
{
    assert_printed(ENTER_4, "debug_enter: Breakpoint Statement");
    assert_int_equal(assert_events(ENTER_4, "{group message thread can_continue reason has_stack break_thread } "), 0);
}

TEST(a_break_of_godot_3_is_a_sequence_of_variants)
{
    assert_printed(ENTER_3, "debug_enter: Breakpoint Statement");
    assert_int_equal(assert_events(ENTER_3, "{group message count can_continue reason } "), 0);
    assert_printed(EXIT_3, "debug_exit()");
}

TEST(a_command_of_the_godot_3_editor)
{
    assert_printed(REQUEST_TREE_3, "request_scene_tree()");
}

TEST(a_stack_of_godot_3_has_dictionaries)
{
    assert_int_equal(
        assert_events("14000000 04000000 0a000000 737461636b5f64756d700000 08000000 02000000 01000000 70000000 "
                      "12000000 04000000 04000000 04000000 66696c65 04000000 0d000000 7265733a2f2f67616d652e6764000000 "
                      "04000000 04000000 6c696e65 02000000 24000000 04000000 08000000 66756e6374696f6e 04000000 "
                      "04000000 77616c6b 04000000 02000000 69640000 02000000 00000000",
                      "{group message count {stack_frame file line function frame } } "),
        0);
}

/* message:scene_tree with a root of two children, the first of which has one. */
TEST(the_scene_tree_is_a_tree)
{
#define NODE(children, name) \
    "08000000 02000000 " children "000000 0c000000 04000000 01000000 " name \
    "000000 0c000000 04000000 04000000 4e6f6465" \
    "08000000 02000000 07000000 "
    assert_int_equal(
        assert_events(
            "1c000000 04000000 12000000 6d6573736167653a7363656e655f747265650000 08000000 02000000 10000000" NODE(
                "02", "61") NODE("01", "62") NODE("00", "63") NODE("00", "64"),
            "{group message count "
            "{tree_node child_count node class object_id "
            "{tree_node child_count node class object_id "
            "{tree_node child_count node class object_id } } "
            "{tree_node child_count node class object_id } } } "),
        0);
}

TEST(an_unknown_message_has_arguments)
{
    /* ["game:state", 1, [7]] */
    assert_printed("34000000 1c000000 03000000 04000000 0a000000 67616d653a73746174650000 02000000 01000000 1c000000 "
                   "01000000 02000000 07000000",
                   "game:state(7)");
}

TEST(an_array_without_a_thread_is_of_an_older_godot_4)
{
    /* ["set_pid", [7]] */
    assert_printed("28000000 1c000000 02000000 04000000 07000000 7365745f70696400 1c000000 01000000 02000000 07000000",
                   "set_pid: 7");
}

TEST(values_of_another_type_and_extra_values_are_odd)
{
    assert_int_equal(assert_events("3c000000 1c000000 03000000 04000000 07000000 7365745f70696400 02000000 01000000 "
                                   "1c000000 02000000 04000000 01000000 61000000 02000000 07000000",
                                   "{group message thread pid argument } "),
                     GW_GODOT_DEBUGGER_ODD_TYPE | GW_GODOT_DEBUGGER_ODD_MORE);
    assert_int_equal(
        assert_events(
            "28000000 1c000000 03000000 04000000 07000000 7365745f70696400 02000000 01000000 1c000000 00000000",
            "{group message thread } "),
        GW_GODOT_DEBUGGER_ODD_FEWER);
}

TEST(a_truncated_message_reports_the_bytes_needed)
{
    assert_fault("6000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, 6);
    assert_fault("60000000 1c000000 03000000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, 88);
    assert_fault("14000000 04000000 0b000000 64656275675f656e74657200", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED,
                 8);
    assert_fault("14000000 04000000 0b000000 64656275675f656e74657200 08000000 02000000 02000000 08000000 01000000",
                 true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, 4);
}

TEST(a_truncated_message_reports_the_least_number_of_missing_bytes)
{
    static const struct {
        const char *hex;
        uint32_t missing;
    } messages[] = {
        { "60000000 1c000000 03000000", 88 },
        /* Two values, and half of the first: the second one takes 8 bytes or more. */
        { "14000000 04000000 0b000000 64656275675f656e74657200 08000000 02000000 02000000 08000000 01000000", 12 },
        { "14000000 04000000 0b000000 64656275675f656e74657200 08000000 02000000 02000000", 16 },
    };
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        test_message message = message_of(messages[i].hex);
        gw_godot_debugger_reader reader;
        gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
        assert_int_equal(reader.missing, messages[i].missing);
    }
}

TEST(in_the_middle_of_a_message_a_text_is_not_a_name)
{
    /* "steps", 1: a variable and its value; "error", 1 would be a message. */
    assert_fault("10000000 04000000 05000000 7374657073000000 08000000 02000000 01000000", false,
                 GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
    assert_fault("08000000 02000000 01000000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
}

TEST(an_implausible_count_is_a_fault)
{
    assert_fault("14000000 04000000 0a000000 64656275675f657869740000 08000000 02000000 ffffffff", true,
                 GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID, 0);
}

TEST(an_array_that_is_not_a_message_is_a_fault)
{
    assert_fault(PONG, true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
    assert_fault("08000000 1c000000 00000000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
    assert_fault("ffffff7f 1c000000 00000000", true, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
}

TEST(on_websocket_a_message_is_one_array)
{
    test_message message = message_of(ENTER_4);
    const gw_godot_debugger_options bare = { .form = GW_GODOT_DEBUGGER_BARE, .is_synchronized = true };
    gw_godot_debugger_summary summary;
    gw_recognition recognition;
    assert_true(gw_godot_debugger_validate(message.bytes + 4, message.length - 4, &bare, &summary));
    assert_int_equal(summary.length, message.length - 4);
    assert_true(
        gw_godot_debugger_recognize(message.bytes + 4, message.length - 4, message.length - 4, &bare, &recognition));
    assert_true(recognition.bits >= GW_RECOGNIZED_ALONE);
    assert_false(gw_godot_debugger_validate(message.bytes + 4, message.length - 8, &bare, &summary));
}

TEST(known_names_are_recognized)
{
    assert_true(recognize(ENTER_4).bits >= GW_RECOGNIZED_ALONE);
    assert_true(recognize(ENTER_3).bits >= GW_RECOGNIZED_ALONE);
    assert_true(recognize(REQUEST_TREE_3).bits >= GW_RECOGNIZED_ALONE);
    assert_int_equal(recognize(ENTER_4).readings, 1U << GW_GODOT_4);
    assert_int_equal(recognize(ENTER_3).readings, 1U << GW_GODOT_3);
}

TEST(arrays_of_the_game_are_not_debugger_messages)
{
    assert_int_equal(recognize(PONG).bits, 0);
    /* ["move", 1, [1]] */
    assert_int_equal(recognize("2c000000 1c000000 03000000 04000000 04000000 6d6f7665 02000000 01000000 1c000000 "
                               "01000000 02000000 01000000")
                         .bits,
                     0);
}

TEST(every_fault_and_every_member_has_a_text)
{
    for (uint32_t code = 1; code < GW_GODOT_DEBUGGER_FAULTS; code++)
        assert_string_not_equal(gw_fault_text(&gw_godot_debugger_faults, code), "Unknown fault");
    for (unsigned i = 0; i < GW_GODOT_DEBUGGER_ROLES; i++) {
        assert_non_null(gw_godot_debugger_role_name((gw_godot_debugger_role)i));
        assert_non_null(gw_godot_debugger_role_key((gw_godot_debugger_role)i));
    }
}

/* For any change of the bytes, reading ends, and within the message. */
TEST(reading_of_damaged_messages_ends)
{
    test_message whole = message_of(ENTER_4 ENTER_3 EXIT_3 REQUEST_TREE_3);
    struct dice dice = { 5 };
    for (unsigned n = 0; n < 50000; n++) {
        test_message message = whole;
        gw_godot_debugger_options options = { .is_synchronized = n % 2 != 0 };
        gw_godot_debugger_summary summary;
        char buffer[64];
        gw_text text;
        for (unsigned i = roll_below(&dice, 4); i; i--)
            message.bytes[roll_below(&dice, (uint32_t)message.length)] = (uint8_t)roll(&dice);
        while (options.offset < message.length) {
            gw_text_init(&text, buffer, sizeof buffer);
            gw_godot_debugger_print(&text, message.bytes, message.length, &options);
            if (!gw_godot_debugger_validate(message.bytes, message.length, &options, &summary))
                break;
            assert_true(summary.length > 0 && summary.length <= message.length - options.offset);
            options.offset += summary.length;
        }
    }
}
