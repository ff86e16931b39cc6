/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Which members the debugger's messages have.
 */
#include <gamewire/godot_debugger.h>

#include <string.h>

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define ERROR_OF_4 \
    LIST("hour", "minute", "second", "millisecond", "file", "function", "line", "error", "description", "warning", \
         "stack_size")
#define ERROR_OF_3 \
    LIST("hour", "minute", "second", "millisecond", "function", "file", "line", "error", "description", "warning")

static const gw_godot_debugger_layout messages_4[] = {
    { .name = "set_pid", .members = LIST("pid") },
    { .name = "output", .members = LIST("texts", "types") },
    { .name = "error", .members = ERROR_OF_4, .row = LIST("file", "function", "line") },
    { .name = "debug_enter", .members = LIST("can_continue", "reason", "has_stack", "thread") },
    { .name = "debug_exit" },
    { .name = "stack_dump", .members = LIST("stack_size"), .row = LIST("file", "line", "function") },
    { .name = "stack_frame_vars", .members = LIST("count") },
    { .name = "stack_frame_var", .members = LIST("name", "kind", "type", "value") },
    { .name = "get_stack_dump" },
    { .name = "get_stack_frame_vars", .members = LIST("level") },
    { .name = "breakpoint", .members = LIST("file", "line", "enabled") },
    { .name = "evaluate", .members = LIST("expression", "level") },
    { .name = "evaluation_return", .members = LIST("name", "kind", "type", "value") },
    { .name = "continue" },
    { .name = "break" },
    { .name = "next" },
    { .name = "step" },
    { .name = "out" },
    { .name = "request_quit" },
    { .name = "window:title", .members = LIST("title") },
    { .name = "scene:request_scene_tree" },
    { .name = "scene:scene_tree", .row = LIST("children", "name", "class", "id", "scene", "view_flags") },
    { .name = "scene:inspect_object", .members = LIST("id", "class", "properties") },
    { .name = "scene:inspect_objects", .row = LIST("object") },
    { .name = "scene:set_object_property", .members = LIST("id", "property", "value") },
    { .name = "remote_objects_selected", .row = LIST("object") },
    { .name = "performance:profile_frame", .row = LIST("monitor") },
    { .name = "performance:profile_names", .members = LIST("names", "types") },
    { .name = "profiler:servers", .members = LIST("enabled", "options") },
    { .name = "profiler:visual", .members = LIST("enabled", "options") },
    { .name = "servers:function_signature", .members = LIST("signature", "id") },
    { .name = "servers:profile_frame",
      .members = LIST("frame", "frame_time", "process_time", "physics_time", "physics_frame_time", "script_time") },
    { .name = "servers:profile_total",
      .members = LIST("frame", "frame_time", "process_time", "physics_time", "physics_frame_time", "script_time") },
};

static const gw_godot_debugger_layout messages_3[] = {
    { .name = "output", .row = LIST("text", "type"), .arrays = true },
    { .name = "error",
      .members = LIST("error", "stack_size"),
      .row = LIST("file", "function", "line"),
      .first = ERROR_OF_3 },
    { .name = "debug_enter", .members = LIST("can_continue", "reason") },
    { .name = "debug_exit" },
    { .name = "stack_dump", .row = LIST("frame") },
    { .name = "stack_frame_vars" },
    { .name = "get_stack_dump" },
    { .name = "get_stack_frame_vars", .members = LIST("level") },
    { .name = "message:scene_tree", .row = LIST("children", "name", "class", "id") },
    { .name = "message:inspect_object", .members = LIST("id", "class", "properties") },
    { .name = "message:video_mem", .row = LIST("path", "type", "format", "bytes") },
    { .name = "message:click_ctrl", .members = LIST("name", "class") },
    { .name = "performance", .members = LIST("monitors") },
    { .name = "profile_sig", .members = LIST("signature", "id") },
    { .name = "profile_frame" },
    { .name = "profile_total" },
    { .name = "kill_me" },
    { .name = "request_scene_tree" },
    { .name = "request_video_mem" },
    { .name = "inspect_object", .members = LIST("id") },
    { .name = "set_object_property", .members = LIST("id", "property", "value") },
    { .name = "breakpoint", .members = LIST("file", "line", "enabled") },
    { .name = "reload_scripts" },
    { .name = "start_profiling", .members = LIST("frames") },
    { .name = "stop_profiling" },
    { .name = "continue" },
    { .name = "break" },
    { .name = "next" },
    { .name = "step" },
    { .name = "skip_breakpoints", .members = LIST("enabled") },
};

const gw_godot_debugger_layout *gw_godot_debugger_layout_of(gw_godot_generation generation, const uint8_t *name,
                                                            size_t length)
{
    bool four = generation == GW_GODOT_4;
    const gw_godot_debugger_layout *layout = four ? messages_4 : messages_3;
    size_t count = four ? sizeof messages_4 / sizeof *messages_4 : sizeof messages_3 / sizeof *messages_3;
    for (; count; count--, layout++)
        if (strlen(layout->name) == length && !memcmp(layout->name, name, length))
            return layout;
    return NULL;
}

static uint32_t length_of(const char *const *list)
{
    uint32_t length = 0;
    while (list && list[length])
        length++;
    return length;
}

const char *gw_godot_debugger_member(const gw_godot_debugger_layout *layout, uint32_t index, int32_t *row)
{
    uint32_t members = length_of(layout->members), columns = length_of(layout->row);
    *row = -1;
    if (index < members)
        return layout->members[index];
    if (!columns || layout->arrays)
        return NULL;
    *row = (int32_t)((index - members) / columns);
    return layout->row[(index - members) % columns];
}

const char *gw_godot_debugger_part(const gw_godot_debugger_layout *layout, uint32_t member, uint32_t index)
{
    const char *const *parts = NULL;
    if (layout->first && !member)
        parts = layout->first;
    else if (layout->arrays && member >= length_of(layout->members))
        parts = layout->row;
    return index < length_of(parts) ? parts[index] : NULL;
}

/* ---- messages that are one Array ------------------------------------------------------------------------ */

bool gw_godot_elements_init(gw_godot_elements *elements, const uint8_t *bytes, gw_span span,
                            gw_godot_generation generation)
{
    int array = gw_godot_wire_type(generation, GW_GODOT_ARRAY);
    if (span.length < 8 || gw_le32(bytes + span.offset) != (uint32_t)array)
        return false;
    *elements = (gw_godot_elements){ .bytes = bytes,
                                     .length = gw_span_end(span),
                                     .offset = span.offset + 8,
                                     .count = gw_le32(bytes + span.offset + 4) & ~GW_GODOT_COUNT_SHARED,
                                     .generation = generation };
    return true;
}

bool gw_godot_elements_next(gw_godot_elements *elements, gw_span *element)
{
    const gw_godot_options options = { .generation = elements->generation };
    gw_godot_summary summary;
    const uint8_t *bytes = elements->bytes + elements->offset;
    if (elements->index == elements->count || elements->offset >= elements->length ||
        !gw_godot_validate(bytes, elements->length - elements->offset, &options, &summary))
        return false;
    *element = (gw_span){ elements->offset, summary.length };
    elements->offset += summary.length;
    elements->index++;
    return true;
}

static bool read_name(const uint8_t *bytes, gw_span value, gw_span *text)
{
    if (value.length < 8 || gw_le32(bytes + value.offset) != GW_GODOT_STRING)
        return false;
    *text = (gw_span){ value.offset + 8, gw_le32(bytes + value.offset + 4) };
    return true;
}

static bool read_int(const uint8_t *bytes, gw_span value, int64_t *number)
{
    uint32_t header = value.length < 8 ? 0 : gw_le32(bytes + value.offset);
    if (header == GW_GODOT_INT)
        *number = (int32_t)gw_le32(bytes + value.offset + 4);
    else if (header == (GW_GODOT_INT | GW_GODOT_FLAG_64) && value.length >= 12)
        *number = (int64_t)gw_le64(bytes + value.offset + 4);
    else
        return false;
    return true;
}

bool gw_godot_debugger_read(const uint8_t *bytes, size_t length, gw_godot_generation generation,
                            gw_godot_debugger_message *message)
{
    gw_godot_elements outer;
    gw_span value;
    *message = (gw_godot_debugger_message){ .thread_id = 0 };
    if (length > INT32_MAX || !gw_godot_elements_init(&outer, bytes, (gw_span){ 0, (uint32_t)length }, generation) ||
        !gw_godot_elements_next(&outer, &message->name_value) || !read_name(bytes, message->name_value, &message->name))
        return false;
    if (generation != GW_GODOT_4) {
        message->members = (gw_span){ outer.offset, (uint32_t)length - outer.offset };
        message->count = outer.count - 1;
        message->elements = outer;
        return true;
    }
    if ((outer.count != 2 && outer.count != 3) || !gw_godot_elements_next(&outer, &value))
        return false;
    if (outer.count == 3) {
        message->thread = value;
        if (!read_int(bytes, value, &message->thread_id) || !gw_godot_elements_next(&outer, &value))
            return false;
    }
    message->members = value;
    if (!gw_godot_elements_init(&message->elements, bytes, value, generation))
        return false;
    message->count = message->elements.count;
    return true;
}

bool gw_godot_debugger_is_name(gw_godot_generation generation, const uint8_t *text, size_t length)
{
    bool colon = false;
    if (gw_godot_debugger_layout_of(generation, text, length))
        return true;
    for (size_t i = 0; i < length; i++) {
        uint8_t letter = text[i];
        colon = colon || (letter == ':' && i && i + 1 < length);
        if (!(letter >= 'a' && letter <= 'z') && !(letter >= '0' && letter <= '9') && letter != '_' && letter != ':')
            return false;
    }
    return colon;
}
