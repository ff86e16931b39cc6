/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packets that the tests' writer makes.
 */
#include "godot_mp_writer.h"
#include "messages.h"

typedef struct test_written {
    uint8_t bytes[256];
    gw_output output;
} test_written;

static gw_output *start(test_written *written)
{
    gw_output_init(&written->output, written->bytes, sizeof written->bytes);
    return &written->output;
}

static void assert_written(test_written *written, const char *hex)
{
    assert_true(gw_output_complete(&written->output));
    assert_hex_equal(written->bytes, written->output.length, hex);
    start(written);
}

TEST(written_calls)
{
    static const uint8_t five[] = { 2, 0, 0, 0, 5, 0, 0, 0 };
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 6, .method = 5, .bytes_only = true });
    assert_written(&written, "800605");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 300, .method = 300, .values = 1 });
    gw_godot_mp_write_value(output, five, sizeof five);
    assert_written(&written, "502c012c01010205");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 65536, .method = 1, .values = 0 });
    assert_written(&written, "20000001000100");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .path = "Main", .method = 5, .values = 1, .values_length = 2 });
    gw_godot_mp_write_value(output, five, sizeof five);
    gw_godot_mp_write_path(output, "Main");
    assert_written(&written, "2009000080050102054d61696e00");
}

TEST(written_values_are_compressed)
{
    static const struct {
        const char *variant;
        const char *hex;
    } values[] = {
        { "00000000", "00000000" },
        { "0100000000000000", "01" },
        { "0100000001000000", "81" },
        { "02000000ffffffff", "02ff" },
        { "0200000080000000", "428000" },
        { "02000000ffff0000", "82ffff0000" },
        { "020001000000000001000000", "c20000000001000000" },
        { "050000000000404000008040", "050000000000404000008040" },
    };
    test_written written;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        uint8_t variant[32];
        size_t length = hex_to_bytes(values[i].variant, variant, sizeof variant);
        gw_godot_mp_write_value(start(&written), variant, length);
        assert_written(&written, values[i].hex);
    }
}

TEST(written_packets_of_godot_4)
{
    static const uint32_t ids[] = { 4, 5 };
    static const uint8_t data[] = { 0x61, 0x62 };
    static const uint8_t five[] = { 2, 0, 0, 0, 5, 0, 0, 0 };
    const uint64_t indexes = 4;
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_simplify_path(output, "d41d8cd98f00b204e9800998ecf8427e", 6, "Main");
    assert_written(&written, "01643431643863643938663030623230346539383030393938656366383432376500060000004d61696e00");
    gw_godot_mp_write_confirm_path(output, true, 6);
    assert_written(&written, "020106000000");
    gw_godot_mp_write_old_confirm_path(output, false, "M");
    assert_written(&written, "02004d00");
    gw_godot_mp_write_raw(output, data, sizeof data);
    assert_written(&written, "036162");
    gw_godot_mp_write_spawn(
        output,
        &(gw_godot_mp_spawn){ .scene = 0, .spawner = 1, .net_id = 3, .sync_ids = ids, .sync_count = 2, .name = "a" });
    assert_written(&written, "04000100000003000000020000000200000004000000050000006100");
    gw_godot_mp_write_spawn(
        output,
        &(gw_godot_mp_spawn){
            .scene = 255, .spawner = 1, .net_id = 3, .name = "a", .custom = five, .custom_length = sizeof five });
    assert_written(&written, "04ff010000000300000000000000020000006100020000000205");
    gw_godot_mp_write_despawn(output, 3);
    assert_written(&written, "0503000000");
    gw_godot_mp_write_sync(output, 1);
    gw_godot_mp_write_update(output, 4, NULL, 2);
    assert_written(&written, "0601000400000002000000");
    gw_godot_mp_write_delta(output);
    gw_godot_mp_write_update(output, 4, &indexes, 2);
    assert_written(&written, "1604000000040000000000000002000000");
    gw_godot_mp_write_system(output, GW_GODOT_MP_AUTH, 0);
    assert_written(&written, "0700");
    gw_godot_mp_write_system(output, GW_GODOT_MP_RELAY, -5);
    assert_written(&written, "0703fbffffff");
}

TEST(written_packets_of_godot_3)
{
    static const uint8_t data[] = { 0x61 };
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_head(output, FOUR, 1, 2);
    assert_written(&written, "");
    gw_godot_mp_write_head(output, ENET, 1, -2);
    assert_written(&written, "01000000feffffff");
    gw_godot_mp_write_head(output, WEBSOCKET, 1, 2);
    assert_written(&written, "000100000002000000");
    gw_godot_mp_write_call_3(output, "hit", false, &(gw_godot_mp_call){ .node = 6, .values = 2 });
    assert_written(&written, "00060000006869740002");
    gw_godot_mp_write_call_3(output, "hit", false, &(gw_godot_mp_call){ .path = "Main" });
    gw_godot_mp_write_path(output, "Main");
    assert_written(&written, "000a00008068697400004d61696e00");
    gw_godot_mp_write_call_3(output, "hp", true, &(gw_godot_mp_call){ .path = "M", .values_length = 8 });
    assert_written(&written, "0110000080687000");
    gw_godot_mp_write_simplify_path_3(output, 6, "M");
    assert_written(&written, "02060000004d00");
    gw_godot_mp_write_confirm_path_3(output, "M");
    assert_written(&written, "034d00");
    gw_godot_mp_write_raw_3(output, data, sizeof data);
    assert_written(&written, "0461");
}
