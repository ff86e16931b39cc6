# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Godot's remote debugger that raise expert infos, written from the format's description."""

from plugin.godot.variant.variants import encode, floats, text, words
from plugin.godot.stream.samples import PORT, framed

DEBUGGER = ("-d", f"tcp.port=={PORT},godot_debugger")


def array(*values):
    return words(28, len(values)) + b"".join(values)


def message_4(name, *values):
    """[name, thread, [values]]"""
    return framed(array(encode(name), encode(1), array(*values)))


def message_3(*values):
    """Each in a separate frame."""
    return b"".join(framed(encode(value, 3)) for value in values)


SOUND = message_4("set_pid", encode(7))
# Each node is the child of the previous one; the reader supports 36 levels.
NODES = b"".join(encode(value) for _ in range(40) for value in (1, "n", "Node", 7, "", 0))

# Expert info: segments, of which the last raises it. Oddities that are not faults are in ODD_MESSAGES.
DEBUGGER_MESSAGES = {
    "value.unusual": [message_3("message:video_mem", 1) + framed(words(4, 100))],
    "scene_tree.too_deep": [framed(array(encode("scene:scene_tree"), encode(1), words(28, 6 * 40) + NODES))],
    "message.invalid": [SOUND, framed(array(encode("a")))],
    "count.invalid": [SOUND, message_3("debug_exit", -1)],
}

RESOURCE = message_3("message:video_mem", 4, "res://a.png", "Texture", "RGBA8", 4096)


def message(*values):
    data = encode(list(values))
    return words(len(data)) + data


# Data after a valid message; its expert info, and the line in the packet list.
ODD_MESSAGES = {
    "a message of the game's own": (message("game:state", 1, [7]), "message.unknown", "game:state(7)"),
    "a value of another type": (message("set_pid", 1, ["x"]), "type.unusual", 'set_pid: "x"'),
    "more values than it has": (message("set_pid", 1, [7, 8]), "values.unknown", "set_pid: 7"),
    "no values": (message("stack_frame_vars", 1, []), "values.missing", "stack_frame_vars()"),
    "a value that no message announces": (framed(encode("hello there")), "value.alone", '"hello there"'),
}

ENDS = {"message.truncated": SOUND[:20]}


def string_name(value):
    return words(21) + text(value)


def node_path(*names):
    """An absolute path, as the engine writes it: the number of names with a bit, that of subnames, flags, the names."""
    return words(22, len(names) | 1 << 31, 0, 1) + b"".join(text(name) for name in names)


def with_values(name, *values):
    """A message of Godot 4; values that are bytes are Variants."""
    return message_4(name, *(value if isinstance(value, bytes) else encode(value) for value in values))


TRANSFORM_2D = words(11) + floats(1, 0, 0, 1, 5, 6)
TRANSFORM_3D = words(18) + floats(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)
BYTES = words(29, 4) + b"\1\2\3\4"
PLAYER = node_path("root", "Player")

def object_id(number):
    """An object as its id."""
    return words(24 | 1 << 16) + number.to_bytes(8, "little")


# Messages of 4.7 that 4.6.3 has without the fifth value, as 4.7's source has them: `type_hint` of a variable or of the result of an
# expression (core/debugger/debugger_marshalls.cpp since GH-117892), and what the Info column shows as the value.
OF_4_7 = {
    "a node with a script that has a class name": ("stack_frame_var", ["self", 1, 24, object_id(0x80000006001B05B4), "Player"],
                                                   "self = Player"),
    "another object": ("stack_frame_var", ["timer", 0, 24, object_id(77), "Timer"], "timer = Timer"),
    "no object": ("stack_frame_var", ["hp", 0, 2, 7, ""], "hp = 7"),
    "a freed object": ("stack_frame_var", ["gone", 0, 24, bytes(4), ""], "gone = null"),
    "the result of an expression": ("evaluation_return", ["hp + 1", 3, 2, 8, ""], "hp + 1 = 8"),
}
# A property of 4.7 whose value is an object (scene/debugger/scene_debugger_object.cpp since GH-115738): the hint is that the value is
# an id, its text the class, where 4.6 has "".
PROPERTY_OF_4_7 = array(encode("Members/target"), encode(24), encode(22), encode("Player"), encode(6), object_id(77))

# Messages of 4.6.3, of which few are in a capture, with arguments as its source sends them; and the members that these
# are: scene/debugger/scene_debugger.cpp, editor/debugger/script_editor_debugger.cpp, editor/run/game_view_plugin.cpp,
# modules/multiplayer/multiplayer_debugger.cpp, modules/objectdb_profiler, servers/debugger/servers_debugger.cpp,
# core/debugger/remote_debugger.cpp, scene/main/viewport.cpp.
OF_THE_EDITOR = {
    "scene:setup_scene": ([False, 4194339, True, 65], "is_physical keycode is_physical keycode"),
    "scene:setup_embedded_shortcuts": ([{"editor/next_frame": [False, 7]}], "settings"),
    "scene:save_node": ([77, "res://a.tscn"], "object_id file"),
    "scene:clear_selection": ([], ""),
    "scene:speed_changed": ([0.5], "time_scale"),
    "scene:override_cameras": ([True, False], "enabled from_editor"),
    "scene:transform_camera_2d": ([TRANSFORM_2D], "transform"),
    "scene:transform_camera_3d": ([TRANSFORM_3D, True, 75.0, 0.05, 4000.0], "transform is_perspective view_size near far"),
    "scene:set_object_property_field": ([77, "position", 3.5, "x"], "object_id property value property_field"),
    "scene:reload_cached_files": ([["res://a.png"]], "files"),
    "scene:rq_screenshot": ([3], "request_id"),
    "scene:live_set_root": ([node_path("root"), "res://a.tscn"], "node_path scene"),
    "scene:live_node_path": ([PLAYER, 1], "node_path path_id"),
    "scene:live_res_path": (["res://a.tres", 2], "path path_id"),
    "scene:live_node_prop": ([1, string_name("position"), 4], "path_id property value"),
    "scene:live_node_prop_res": ([1, string_name("texture"), "res://a.png"], "path_id property path"),
    "scene:live_res_prop": ([2, string_name("size"), 4], "path_id property value"),
    "scene:live_res_prop_res": ([2, string_name("texture"), "res://a.png"], "path_id property path"),
    "scene:live_node_call": ([1, string_name("move"), 4, "x"], "path_id method argument argument"),
    "scene:live_res_call": ([2, string_name("clear")], "path_id method"),
    "scene:live_create_node": ([PLAYER, "Node2D", "Orc"], "node_path class node"),
    "scene:live_instantiate_node": ([PLAYER, "res://orc.tscn", "Orc"], "node_path path node"),
    "scene:live_remove_node": ([PLAYER], "node_path"),
    "scene:live_remove_and_keep_node": ([PLAYER, 77], "node_path object_id"),
    "scene:live_restore_node": ([77, PLAYER, 3], "object_id node_path position"),
    "scene:live_duplicate_node": ([PLAYER, "Orc2"], "node_path new_name"),
    "scene:live_reparent_node": ([PLAYER, node_path("root"), "Orc3", 0], "node_path new_parent new_name position"),
    "scene:runtime_node_select_setup": ([{"debugger/max_node_selection": 20}], "settings"),
    "scene:runtime_node_select_set_type": ([1], "select_type"),
    "scene:runtime_node_select_set_mode": ([1], "select_mode"),
    "scene:runtime_node_select_set_visible": ([True], "enabled"),
    "scene:runtime_node_select_reset_camera_2d": ([], ""),
    "multiplayer:cache": ([77, 78], "object_id object_id"),
    "reload_scripts": (["res://a.gd", "res://b.gd"], "file file"),
    "snapshot:request_prepare_snapshot": ([1, "4.6.3"], "request_id engine_version"),
    "snapshot:request_snapshot_chunk": ([1, 0, 6291456], "request_id chunk_begin chunk_end"),
}
OF_THE_GAME = {
    "scene:click_ctrl": ([PLAYER, "Button"], "node_path class"),
    "remote_selection_invalidated": ([[77, 78]], "object_ids"),
    "remote_nothing_selected": ([], ""),
    "game_view:get_screenshot": ([3, 640, 480, "/tmp/scr-1.png"], "request_id width height path"),
    "filesystem:update_file": ([["res://a.tscn"]], "files"),
    "multiplayer:rpc": ([6, 77, "/root/Player", 1, 20, 3, 60],
                        "entry_values object_id node_path incoming incoming_size outgoing outgoing_size"),
    "multiplayer:syncs": ([7, 77, 78, 79, 1, 20, 3, 60],
                          "entry_values synchronizer config root incoming incoming_size outgoing outgoing_size"),
    "multiplayer:bandwidth": ([100, 200], "incoming_size outgoing_size"),
    "multiplayer:cache": ([77, "Player", "/root/Player"], "object_id class node_path"),
    "performance:profile_names": ([["game/orcs"], [0]], "monitor_names monitor_types"),
    "servers:memory_usage": ([4, "res://a.png", "640x480 RGBA8", "Texture2D", 4096], "entry_values path format class bytes"),
    "servers:drawn": ([], ""),
    "visual:profile_frame": ([9, 3, "Render Scene", 0.5, 0.25], "frame_number entry_values area_name cpu_time gpu_time"),
    "visual:hardware_info": (["A processor", "An adapter"], "processor video_adapter"),
    "snapshot:snapshot_prepared": ([1, 4096], "request_id size"),
    "snapshot:snapshot_chunk": ([1, BYTES], "request_id chunk"),
}
