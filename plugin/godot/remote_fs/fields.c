/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's remote file system.
 */
#include "remote_fs.h"

#include "common/json.h"
#include "common/registration.h"

int proto_godot_remote_fs = -1;
godot_remote_fs_fields godot_remote_fs_hf;
godot_remote_fs_experts godot_remote_fs_ei;
int godot_remote_fs_ett = -1;

#define ROLE(name) &godot_remote_fs_hf.roles[GW_GODOT_REMOTE_FS_ROLE_##name]

static hf_register_info fields[] = {
    { ROLE(MAGIC),
      { "Magic", "godot_remote_fs.magic", FT_STRING, BASE_NONE, NULL, 0, "GRFS, at the beginning of what a game sends",
        HFILL } },
    { ROLE(VERSION),
      { "Version", "godot_remote_fs.version", FT_UINT32, BASE_DEC, NULL, 0, "Version of the protocol: 1", HFILL } },
    { ROLE(PASSWORD),
      { "Password", "godot_remote_fs.password", FT_STRING, BASE_NONE, NULL, 0,
        "Password of the editor's file server, which is sent unencrypted", HFILL } },
    { ROLE(TAG_COUNT),
      { "Tags", "godot_remote_fs.tag_count", FT_UINT32, BASE_DEC, NULL, 0, "Number of tags that follow", HFILL } },
    { ROLE(TAG),
      { "Tag", "godot_remote_fs.tag", FT_STRING, BASE_NONE, NULL, 0,
        "Platform of the game, or a texture format that it can read", HFILL } },
    { ROLE(LIST_SIZE),
      { "Size of the list", "godot_remote_fs.list_size", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of bytes of the list of files that the game has, uncompressed; 0 is no list", HFILL } },
    { ROLE(LIST_LENGTH),
      { "Compressed size", "godot_remote_fs.list_length", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of bytes of the compressed list that follow", HFILL } },
    { ROLE(LIST),
      { "List of files", "godot_remote_fs.list", FT_BYTES, BASE_NONE, NULL, 0,
        "Files that the game has, with their times, compressed with Zstandard", HFILL } },
    { ROLE(FILE_COUNT),
      { "Files", "godot_remote_fs.file_count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of files that were changed, added or removed", HFILL } },
    { ROLE(PATH),
      { "Path", "godot_remote_fs.path", FT_STRING, BASE_NONE, NULL, 0, "Path of a file, relative to res://", HFILL } },
    { ROLE(MODIFIED),
      { "Modified", "godot_remote_fs.modified", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
        "Time at which the file was modified last", HFILL } },
    { ROLE(FILE_SIZE),
      { "File size", "godot_remote_fs.file_size", FT_UINT64, BASE_DEC, NULL, 0,
        "Number of bytes of the file that follow", HFILL } },
    { ROLE(CONTENT),
      { "Content", "godot_remote_fs.content", FT_BYTES, BASE_NONE, NULL, 0, "Bytes of the file in this segment",
        HFILL } },
    { ROLE(END), { "End", "godot_remote_fs.end", FT_STRING, BASE_NONE, NULL, 0, "GEND, after the last file", HFILL } },
    { &godot_remote_fs_hf.removed,
      { "Removed", "godot_remote_fs.removed", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the editor does not have the file anymore: its time is 0", HFILL } },
    { &godot_remote_fs_hf.file,
      { "Of the file", "godot_remote_fs.file", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the file to which the size or content belongs", HFILL } },
    { &godot_remote_fs_hf.undecoded,
      { "Undecoded", "godot_remote_fs.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the segment", HFILL } },
    { &godot_remote_fs_hf.json, GW_JSON_FIELD("godot_remote_fs.json") },
};

#undef ROLE

static const gw_expert_row odd_rows[] = {
    { GW_GODOT_REMOTE_FS_ODD_VERSION, "godot_remote_fs.version.unknown", PI_PROTOCOL, PI_WARN, "Unknown version",
      NULL },
    { GW_GODOT_REMOTE_FS_ODD_PASSWORD, "godot_remote_fs.password.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_GODOT_REMOTE_FS_ODD_FEWER, "godot_remote_fs.file.missing", PI_PROTOCOL, PI_WARN, "File missing", NULL },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, "godot_remote_fs.item.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID, "godot_remote_fs.magic.invalid", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_REMOTE_FS_FAULT_END_INVALID, "godot_remote_fs.end.invalid", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_REMOTE_FS_FAULT_TRAILING, "godot_remote_fs.trailing.unknown", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_REMOTE_FS_FAULT_TEXT_TOO_LONG, "godot_remote_fs.text.too_long", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_REMOTE_FS_FAULT_TOO_LONG, "godot_remote_fs.input.too_long", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_finding findings[] = {
    { &godot_remote_fs_ei.password, "godot_remote_fs.password.readable", PI_SECURITY, PI_WARN,
      "The password is sent unencrypted", "Password readable",
      "Use a password that is used nowhere else, and deploy over a network that others cannot read" },
    { &godot_remote_fs_ei.unseen, "godot_remote_fs.segment.unseen", PI_SEQUENCE, PI_NOTE,
      "Segments before this one are not in the capture: the bytes cannot be read", NULL, NULL },
    { &godot_remote_fs_ei.not_shown, "godot_remote_fs.tree.too_long", PI_UNDECODED, PI_NOTE,
      GW_TREE_LIMIT_REACHED_EXPERT_TEXT, NULL, NULL },
    { &godot_remote_fs_ei.cut_short, "godot_remote_fs.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture",
      NULL, NULL },
};

/* Of faults and oddities. */
static const char remedy[] = "Use the same version of Godot for the editor and the game";

void godot_remote_fs_register_fields(void)
{
    static int *const subtrees[] = { &godot_remote_fs_ett };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_remote_fs_ei.odd, GW_ROWS(odd_rows), remedy },
        .faults = { godot_remote_fs_ei.faults, GW_ROWS(fault_rows), remedy },
        .codec = &gw_godot_remote_fs_faults,
        .findings = { GW_ROWS(findings) },
    };
    gw_register_protocol(proto_godot_remote_fs, &tables);
}
