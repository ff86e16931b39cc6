/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One direction of a connection as one line.
 */
#include <gamewire/godot_remote_fs.h>

#include <stdbool.h>

static const char *const words[GW_GODOT_REMOTE_FS_ROLES] = {
    [GW_GODOT_REMOTE_FS_ROLE_MAGIC] = "GRFS",
    [GW_GODOT_REMOTE_FS_ROLE_VERSION] = "version ",
    [GW_GODOT_REMOTE_FS_ROLE_PASSWORD] = "password",
    [GW_GODOT_REMOTE_FS_ROLE_TAG_COUNT] = "tags: ",
    [GW_GODOT_REMOTE_FS_ROLE_TAG] = "tag ",
    [GW_GODOT_REMOTE_FS_ROLE_LIST_SIZE] = "list of cached files: ",
    [GW_GODOT_REMOTE_FS_ROLE_LIST_LENGTH] = "compressed: ",
    [GW_GODOT_REMOTE_FS_ROLE_LIST] = "list: ",
    [GW_GODOT_REMOTE_FS_ROLE_FILE_COUNT] = "files: ",
    [GW_GODOT_REMOTE_FS_ROLE_PATH] = "path ",
    [GW_GODOT_REMOTE_FS_ROLE_MODIFIED] = "modified ",
    [GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE] = "size: ",
    [GW_GODOT_REMOTE_FS_ROLE_CONTENT] = "content: ",
    [GW_GODOT_REMOTE_FS_ROLE_END] = "end",
};

/* Prints one item: its name and its value; of a list or file, only the number of bytes. A password is not printed. */
void gw_godot_remote_fs_print_event(gw_text *text, const uint8_t *bytes, const gw_godot_remote_fs_event *event)
{
    gw_text_string(text, words[event->role]);
    switch (event->role) {
    case GW_GODOT_REMOTE_FS_ROLE_MAGIC:
    case GW_GODOT_REMOTE_FS_ROLE_PASSWORD:
    case GW_GODOT_REMOTE_FS_ROLE_END:
        return;
    case GW_GODOT_REMOTE_FS_ROLE_TAG:
    case GW_GODOT_REMOTE_FS_ROLE_PATH:
        gw_text_char(text, '"');
        gw_text_escaped(text, bytes + event->payload.offset, event->payload.length);
        gw_text_char(text, '"');
        return;
    case GW_GODOT_REMOTE_FS_ROLE_LIST:
    case GW_GODOT_REMOTE_FS_ROLE_CONTENT:
        gw_text_unsigned(text, event->payload.length);
        gw_text_string(text, " bytes");
        return;
    default:
        gw_text_unsigned(text, event->number);
    }
}

/* Prints the items of one direction that are in `bytes` as one line, up to a fault. `state`: of the direction before
 * these bytes; NULL: they are the first ones of a game. */
void gw_godot_remote_fs_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_remote_fs_state *state)
{
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_next next;
    const char *separator = "";
    gw_godot_remote_fs_init(&reader, bytes, length, &(const gw_godot_remote_fs_options){ .state = state });
    while ((next = gw_godot_remote_fs_next(&reader, &event)) == GW_NEXT_EVENT && !text->cut) {
        gw_text_string(text, separator);
        gw_godot_remote_fs_print_event(text, bytes, &event);
        separator = ", ";
    }
    if (next == GW_NEXT_FAULT) {
        gw_text_string(text, separator);
        gw_text_string(text, reader.fault.fault_class == GW_FAULT_TRUNCATED ? "<truncated>" : "<malformed>");
    }
}
