/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * File -> Export Objects -> GodotFS, tshark --export-objects godot_remote_fs,FOLDER: the files that an editor sends, and the
 * list of files that a game has, which is decompressed. Each is exported with its last part.
 */
#include "remote_fs.h"

#include <epan/export_object.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <zstd.h>

/* Larger files, and lists that are larger when they are decompressed, are left out. */
#define MOST_BYTES (64U << 20)

static int tap = -1;

/* The data of the tap: an event, with what it points to. */
typedef struct exported_part {
    const void *connection;
    gw_godot_remote_fs_event event;
    const uint8_t *bytes; /* of the payload */
    const char *path;     /* NULL: not known */
} exported_part;

/* The file, or the list, of which a connection has sent a part. */
typedef struct exported_file {
    uint64_t length;
    uint64_t list_size; /* of the list: its length when it is decompressed */
    bool is_list;
    char *path;
    GByteArray *bytes; /* so far; NULL: none is expected */
} exported_file;

static GHashTable *incomplete; /* connection -> exported_file; of the one window, or of tshark's folder */

/* Queues an event of a connection for export_part(), if files are being exported. */
void godot_remote_fs_export(packet_info *pinfo, const void *connection, const gw_godot_remote_fs_event *event,
                            const uint8_t *bytes, const char *path)
{
    if (!have_tap_listener(tap))
        return;
    exported_part *part = wmem_new(pinfo->pool, exported_part);
    *part = (exported_part){ connection, *event, bytes + event->payload.offset, path };
    tap_queue_packet(tap, pinfo, part);
}

/* ---- the files ----------------------------------------------------------------------------------------- */

/* Frees the bytes and the path. The content that follows is ignored until the next size begins a file. */
static void end_file(exported_file *file)
{
    if (file->bytes)
        g_byte_array_free(file->bytes, true);
    g_free(file->path);
    file->bytes = NULL;
    file->path = NULL;
}

/* Frees an entry of `incomplete`. */
static void free_file(void *file)
{
    end_file(file);
    g_free(file);
}

/* Starts a file, or the list of files, with the size in `part`: of the list, its compressed size, after its
 * uncompressed one in file->list_size. If it is too large, its `bytes` remain NULL, and its content is ignored. */
static void begin_file(exported_file *file, const exported_part *part, bool is_list)
{
    end_file(file);
    file->is_list = is_list;
    file->length = part->event.number;
    if (file->length > MOST_BYTES || (is_list && file->list_size > MOST_BYTES))
        return;
    file->bytes = g_byte_array_new();
    if (is_list)
        file->path = g_strdup("files of the game.txt");
    else
        file->path = part->path ? g_strdup(part->path) : g_strdup_printf("file %u", part->event.index);
}

/* Replaces the bytes of the list, which Zstandard compressed, by the decompressed ones. False, and the bytes remain, if
 * they cannot be decompressed or do not have the declared size. */
static bool decompress(exported_file *file)
{
    uint8_t part[1U << 14];
    GByteArray *list = g_byte_array_new();
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = { file->bytes->data, file->bytes->len, 0 };
    ZSTD_outBuffer out = { part, sizeof part, sizeof part };
    size_t state = 0;
    /* Until all input is read and the last output did not fill the buffer, or the list is longer than declared. */
    while (!ZSTD_isError(state) && list->len <= file->list_size && (in.pos < in.size || out.pos == out.size)) {
        out.pos = 0;
        state = ZSTD_decompressStream(stream, &out, &in);
        g_byte_array_append(list, part, (unsigned)out.pos);
    }
    bool is_whole = !ZSTD_isError(state) && list->len == file->list_size;
    ZSTD_freeDStream(stream);
    g_byte_array_free(is_whole ? file->bytes : list, true);
    if (is_whole)
        file->bytes = list;
    return is_whole;
}

/* Adds a complete file to Wireshark's list, which takes its bytes. */
static void add_file(export_object_list_t *list, packet_info *pinfo, exported_file *file)
{
    if (file->is_list && !decompress(file))
        return;
    export_object_entry_t *entry = g_new0(export_object_entry_t, 1);
    char *host = address_to_str(NULL, &pinfo->src);
    entry->pkt_num = pinfo->num;
    entry->hostname = g_strdup(host);
    entry->content_type = g_strdup(file->is_list ? "text/plain" : "application/octet-stream");
    entry->filename = g_strdup(file->path);
    entry->payload_len = file->bytes->len;
    entry->payload_data = g_byte_array_free(file->bytes, false);
    file->bytes = NULL;
    list->add_entry(list->gui_data, entry);
    wmem_free(NULL, host);
}

/* Listener of the tap, for one value of a connection. Each connection has an entry in `incomplete`, which is the file
 * that is being sent: a size begins it, contents are appended, and with its last part it is added to Wireshark's list.
 * The list of the game's files is exported in the same way; its decompressed size precedes its size. Other values, such
 * as paths, are ignored. */
static tap_packet_status export_part(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                     tap_flags_t flags _U_)
{
    export_object_list_t *list = listener;
    const exported_part *part = data;
    if (!incomplete)
        incomplete = g_hash_table_new_full(NULL, NULL, NULL, free_file);
    exported_file *file = g_hash_table_lookup(incomplete, part->connection);
    if (!file) {
        file = g_new0(exported_file, 1);
        g_hash_table_insert(incomplete, (void *)part->connection, file);
    }
    switch (part->event.role) {
    case GW_GODOT_REMOTE_FS_ROLE_LIST_SIZE:
        file->list_size = part->event.number;
        return TAP_PACKET_DONT_REDRAW;
    case GW_GODOT_REMOTE_FS_ROLE_LIST_LENGTH:
    case GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE:
        begin_file(file, part, part->event.role == GW_GODOT_REMOTE_FS_ROLE_LIST_LENGTH);
        break;
    case GW_GODOT_REMOTE_FS_ROLE_LIST:
    case GW_GODOT_REMOTE_FS_ROLE_CONTENT:
        if (file->bytes)
            g_byte_array_append(file->bytes, part->bytes, part->event.payload.length);
        break;
    default:
        return TAP_PACKET_DONT_REDRAW;
    }
    /* No bytes are expected, since the size was not captured or is too large; or parts are still missing. An empty file
     * is complete with its size. */
    if (!file->bytes || file->bytes->len < file->length)
        return TAP_PACKET_DONT_REDRAW;
    add_file(list, pinfo, file);
    end_file(file);
    return TAP_PACKET_REDRAW;
}

/* Drops the files that are not complete. Called by Wireshark before the packets are read again. */
static void forget_files(void)
{
    if (incomplete)
        g_hash_table_remove_all(incomplete);
}

/* Adds the protocol to Export Objects. */
void godot_remote_fs_register_export(int protocol)
{
    tap = register_export_object(protocol, export_part, forget_files);
}
