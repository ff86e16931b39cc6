/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Godot's remote file system: a game that runs from the files of an editor (`--remote-fs HOST`), over TCP. Observed in
 * 4.6.3; the limits are from the source (core/io/remote_filesystem_client.cpp, editor/debugger/editor_file_server.cpp).
 *
 * The game sends, and the editor answers; numbers are little-endian:
 *
 *   game     "GRFS", u32 version, 32 bytes password (padded with zeros), u32 tags, each with a u32 length,
 *            u32 size of the list of cached files; if it is not 0, u32 compressed size and that many bytes (zstd),
 *            which are lines "path::time"
 *   editor   u32 files, of each the path with a u32 length and its u64 time of modification (0: removed);
 *            of each that was not removed, in the same order, u64 size and its bytes;
 *            "GEND"
 *
 * A direction is one stream; segments have no meaning. Each value comes in a segment of its own, as the engine writes
 * it (observed). The editor leaves out the bytes of a file that it cannot find anymore (source).
 */
#ifndef GAMEWIRE_GODOT_REMOTE_FS_H
#define GAMEWIRE_GODOT_REMOTE_FS_H

#include <gamewire/event.h>
#include <gamewire/faults.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the editor serves its files by default. */
#define GW_GODOT_REMOTE_FS_PORT 6010U
/* The one version of the protocol. */
#define GW_GODOT_REMOTE_FS_VERSION 1U
/* Bytes of a password. */
#define GW_GODOT_REMOTE_FS_PASSWORD 32U
/* The longest text that is read. The engine has no limit; no system has longer paths. */
#define GW_GODOT_REMOTE_FS_LONGEST_TEXT UINT32_C(0x10000)

typedef enum gw_godot_remote_fs_role {
    GW_GODOT_REMOTE_FS_ROLE_MAGIC,
    GW_GODOT_REMOTE_FS_ROLE_VERSION,
    GW_GODOT_REMOTE_FS_ROLE_PASSWORD,
    GW_GODOT_REMOTE_FS_ROLE_TAG_COUNT,
    GW_GODOT_REMOTE_FS_ROLE_TAG,
    GW_GODOT_REMOTE_FS_ROLE_LIST_SIZE,   /* of the uncompressed list */
    GW_GODOT_REMOTE_FS_ROLE_LIST_LENGTH, /* of the compressed list */
    GW_GODOT_REMOTE_FS_ROLE_LIST,
    GW_GODOT_REMOTE_FS_ROLE_FILE_COUNT,
    GW_GODOT_REMOTE_FS_ROLE_PATH,
    GW_GODOT_REMOTE_FS_ROLE_MODIFIED,
    GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE,
    GW_GODOT_REMOTE_FS_ROLE_CONTENT,
    GW_GODOT_REMOTE_FS_ROLE_END,
    GW_GODOT_REMOTE_FS_ROLES
} gw_godot_remote_fs_role;

typedef enum gw_godot_remote_fs_odd {
    GW_GODOT_REMOTE_FS_ODD_VERSION = 1 << 0,  /* the editor closes the connection */
    GW_GODOT_REMOTE_FS_ODD_PASSWORD = 1 << 1, /* bytes after the end of the password are not 0 */
    GW_GODOT_REMOTE_FS_ODD_FEWER = 1 << 2     /* END: files that were listed have not been sent */
} gw_godot_remote_fs_odd;

#define GW_GODOT_REMOTE_FS_ODDS 3

/* Which members are set:
 *
 *   role                                       kind     header       payload              number
 *   TAG, PATH                                  VALUE    the length   the text             -
 *   PASSWORD                                   VALUE    0 bytes      without its zeros    -  (padding: the zeros)
 *   LIST, CONTENT                              OPAQUE   0 bytes      the bytes: a part    bytes that follow
 *   all others                                 VALUE    0 bytes      the number or text   the number
 */
typedef struct gw_godot_remote_fs_event {
    uint8_t kind;   /* gw_kind */
    uint8_t role;   /* gw_godot_remote_fs_role */
    uint32_t index; /* of a tag, a path or a file's content, from 0 */
    uint32_t odd;   /* bits of gw_godot_remote_fs_odd */
    uint64_t number;
    gw_span header;
    gw_span payload;
    gw_span padding;
} gw_godot_remote_fs_event;

typedef enum gw_godot_remote_fs_fault {
    GW_GODOT_REMOTE_FS_FAULT_NONE,
    GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, /* truncated: a number or a text */
    GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID,  /* malformed: not "GRFS" */
    GW_GODOT_REMOTE_FS_FAULT_END_INVALID,    /* malformed: not "GEND" */
    GW_GODOT_REMOTE_FS_FAULT_TRAILING,       /* malformed: bytes after the end */
    GW_GODOT_REMOTE_FS_FAULT_TEXT_TOO_LONG,  /* limit: GW_GODOT_REMOTE_FS_LONGEST_TEXT */
    GW_GODOT_REMOTE_FS_FAULT_TOO_LONG,       /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_REMOTE_FS_FAULTS
} gw_godot_remote_fs_fault;

/* The sentences for gw_godot_remote_fs_fault and gw_godot_remote_fs_odd. */
extern const gw_fault_table gw_godot_remote_fs_faults;

typedef enum gw_godot_remote_fs_side { GW_GODOT_REMOTE_FS_GAME, GW_GODOT_REMOTE_FS_EDITOR } gw_godot_remote_fs_side;

/* A place in a direction, by the bytes before it. All zero but the side: the beginning. */
typedef struct gw_godot_remote_fs_state {
    uint8_t side;    /* gw_godot_remote_fs_side */
    uint8_t step;    /* the reader's own */
    uint32_t count;  /* of tags or files */
    uint32_t index;  /* of the next tag, path or content */
    uint32_t sent;   /* files that were not removed, so far */
    uint64_t remain; /* bytes of the list or content */
} gw_godot_remote_fs_state;

/* All of the reader's memory. */
typedef struct gw_godot_remote_fs_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;                /* bytes consumed */
    gw_godot_remote_fs_state state; /* after the consumed bytes */
    gw_fault fault;
} gw_godot_remote_fs_reader;

/* NULL: the beginning of a game's bytes. */
typedef struct gw_godot_remote_fs_options {
    uint32_t offset;                       /* where reading starts */
    const gw_godot_remote_fs_state *state; /* of the direction, there; NULL: the beginning of a game's bytes */
} gw_godot_remote_fs_options;

/* Starts at options->offset; `bytes` must exist as long as the reader is used. `options` may be NULL. */
void gw_godot_remote_fs_init(gw_godot_remote_fs_reader *reader, const uint8_t *bytes, size_t length,
                             const gw_godot_remote_fs_options *options);
/* After GW_NEXT_FAULT reader.fault is set; every event before it is valid. */
gw_next gw_godot_remote_fs_next(gw_godot_remote_fs_reader *reader, gw_godot_remote_fs_event *event);

/* The beginning of the bytes of a game: "GRFS" and the version, 32 bits each. `possible` also for a part of them,
 * without bits: the engine sends each letter in a segment of its own. */
bool gw_godot_remote_fs_recognize(const uint8_t *bytes, size_t captured, gw_recognition *recognition);

/* An event as a part of a line: `path "game.gd"`, `content: 356 bytes`. */
void gw_godot_remote_fs_print_event(gw_text *text, const uint8_t *bytes, const gw_godot_remote_fs_event *event);

/* All of it as one line. Options as for init. */
void gw_godot_remote_fs_print(gw_text *text, const uint8_t *bytes, size_t length,
                              const gw_godot_remote_fs_state *state);

#ifdef __cplusplus
}
#endif

#endif
