/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote file system: a game gets its files from an editor, over TCP.
 *
 * The state of each direction, and the names of the files that are sent, are kept from segment to segment.
 * On the editor's default port, which X servers use too, godot/tcp calls the heuristic.
 */
#include "protocols.h"
#include "remote_fs.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/expert.h>
#include <epan/to_str.h>
#include <gamewire/godot_remote_fs.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/experts.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/recognition/recognition.h"
#include "common/registration.h"
#include "godot/segments.h"

#define LINE_SIZE 300

/* More files have no name where their content is. */
#define MOST_PATHS 65536U

static dissector_handle_t handle;
static gw_heuristic over_tcp;
static godot_segments segments; /* the state: gw_godot_remote_fs_state; its side is set from the connection */

_Static_assert(sizeof(gw_godot_remote_fs_state) <= GODOT_LARGEST_STATE, "the state of a direction");

/* ---- fields -------------------------------------------------------------------------------------------- */

typedef struct remote_fs_fields {
    int roles[GW_GODOT_REMOTE_FS_ROLES];
    int removed;
    int file;
    int undecoded;
    int json;
} remote_fs_fields;

typedef struct remote_fs_experts {
    expert_field password;
    expert_field unseen;
    expert_field not_shown;
    expert_field cut_short;
    expert_field faults[GW_GODOT_REMOTE_FS_FAULTS];
    expert_field odd[GW_GODOT_REMOTE_FS_ODDS]; /* by the number of the bit */
} remote_fs_experts;

static int proto_godot_remote_fs = -1;
static remote_fs_fields godot_remote_fs_hf;
static remote_fs_experts godot_remote_fs_ei;
static int godot_remote_fs_ett = -1;
static int godot_remote_fs_ett_file = -1;

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

/* Of faults and oddities. */
static const char remedy[] = "Use the same version of Godot for the editor and the game";

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

/* ---- connections --------------------------------------------------------------------------------------- */

typedef struct remote_fs_connection {
    bool has_game;
    uint8_t game;        /* its side */
    wmem_array_t *paths; /* const char *: of the files that are sent */
    const char *path;    /* the last in the list, whose time follows */
} remote_fs_connection;

/* The connection of a segment. On the first pass, it is created with its first segment, by which it is decided which
 * side the game is on. NULL inside an ICMP error, if there is none. */
static remote_fs_connection *connection_of(packet_info *pinfo, tvbuff_t *tvb)
{
    if (!gw_is_first_pass(pinfo))
        return (remote_fs_connection *)gw_conversation_find(pinfo, proto_godot_remote_fs);
    remote_fs_connection *connection =
        (remote_fs_connection *)gw_conversation_obtain(pinfo, proto_godot_remote_fs, sizeof *connection);
    if (connection->has_game)
        return connection;

    /* The game connects to the server's port. If TCP does not know the server, the game's bytes begin with a letter,
     * the editor's with a small number. */
    const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const struct tcp_analysis *tcp =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    bool from_game = tvb_captured_length(tvb) && tvb_get_uint8(tvb, 0) == 'G';
    if (tcp && (tcp->server_port == pinfo->destport || tcp->server_port == pinfo->srcport))
        from_game = tcp->server_port == pinfo->destport;
    connection->has_game = true;
    connection->game = gw_sender_side(pinfo) ^ (from_game ? 0U : 1U); /* the sender's side, or the other */
    return connection;
}

/* On the first pass, for an event of the list of files, which has a path and then its time for each file: at the time,
 * stores the path, in the order in which the contents will be sent: find_path(). A file with time 0 was removed: it has
 * no content. Paths after the first MOST_PATHS are not stored: the memory is bounded. */
static void keep_path(remote_fs_connection *connection, tvbuff_t *tvb, const gw_godot_remote_fs_event *event)
{
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_PATH)
        connection->path = gw_text_of(wmem_file_scope(), tvb, event->payload);
    if (event->role != GW_GODOT_REMOTE_FS_ROLE_MODIFIED || !event->number)
        return;
    if (!connection->paths)
        connection->paths = wmem_array_new(wmem_file_scope(), sizeof(const char *));
    if (wmem_array_get_count(connection->paths) < MOST_PATHS)
        wmem_array_append_one(connection->paths, connection->path);
}

/* The path of the file to which a size or content belongs; NULL for other values, and if it is not known. The event's
 * index counts the files that are sent, as the stored paths are. */
static const char *find_path(const remote_fs_connection *connection, const gw_godot_remote_fs_event *event)
{
    if (event->role != GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE && event->role != GW_GODOT_REMOTE_FS_ROLE_CONTENT)
        return NULL;
    if (!connection->paths || event->index >= wmem_array_get_count(connection->paths))
        return NULL;
    return *(const char **)wmem_array_index(connection->paths, event->index);
}

/* ---- items --------------------------------------------------------------------------------------------- */

/* The layer of a segment. */
typedef struct remote_fs_tree {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_item *item;
    proto_tree *tree;
    proto_tree *file;     /* of the last path in the list of files; NULL: it is in a segment before */
    uint32_t *items_left; /* of the packet */
    bool is_full;
    uint8_t experts[32];
    gw_json_fields *json; /* NULL: not named */
} remote_fs_tree;

/* Adds the item of a value to `tree`, with the field of its role. */
static proto_item *add_item(const remote_fs_tree *layer, proto_tree *tree, const gw_godot_remote_fs_event *event)
{
    wmem_allocator_t *pool = layer->pinfo->pool;
    int hf = godot_remote_fs_hf.roles[event->role];
    gw_span span = event->payload;
    switch (event->role) {
    case GW_GODOT_REMOTE_FS_ROLE_MODIFIED: {
        const nstime_t time = { .secs = (time_t)event->number };
        if (event->number)
            return proto_tree_add_time(tree, hf, layer->tvb, (int)span.offset, (int)span.length, &time);
        /* A file that was removed has no time. */
        return proto_tree_add_boolean(tree, godot_remote_fs_hf.removed, layer->tvb, (int)span.offset, (int)span.length,
                                      true);
    }
    case GW_GODOT_REMOTE_FS_ROLE_PASSWORD:
    case GW_GODOT_REMOTE_FS_ROLE_TAG:
    case GW_GODOT_REMOTE_FS_ROLE_PATH:
        /* The item covers the length before the text, and the zeros after a password, too. */
        span.offset -= event->header.length;
        span.length += event->header.length + event->padding.length;
        return gw_add_text(tree, hf, layer->tvb, span,
                           gw_field_text(pool, gw_text_of(pool, layer->tvb, event->payload)));
    case GW_GODOT_REMOTE_FS_ROLE_LIST:
    case GW_GODOT_REMOTE_FS_ROLE_CONTENT:
        return gw_add_span(tree, hf, layer->tvb, span, ENC_NA);
    case GW_GODOT_REMOTE_FS_ROLE_MAGIC:
    case GW_GODOT_REMOTE_FS_ROLE_END:
        return gw_add_span(tree, hf, layer->tvb, span, ENC_ASCII);
    default:
        return gw_add_span(tree, hf, layer->tvb, span, ENC_LITTLE_ENDIAN);
    }
}

/* Adds the item of a value, and its expert infos: a time below the path that it follows, a size or content below the
 * `path` of its file, which is NULL for other values, and if it is not known. */
static void add_value(remote_fs_tree *layer, const gw_godot_remote_fs_event *event, const char *path)
{
    if (layer->is_full)
        return;
    if (!gw_use_items(layer->items_left, 2)) { /* the value's item, and that of its path */
        layer->is_full = true;
        gw_add_finding_at(layer->tree, layer->pinfo, &godot_remote_fs_ei.not_shown, layer->tvb,
                          (int)event->payload.offset, -1);
        return;
    }
    proto_tree *tree = event->role == GW_GODOT_REMOTE_FS_ROLE_MODIFIED && layer->file ? layer->file : layer->tree;
    if (path) {
        proto_item *file = gw_add_text(tree, godot_remote_fs_hf.file, layer->tvb, event->payload,
                                       gw_field_text(layer->pinfo->pool, path));
        proto_item_set_generated(file);
        tree = proto_item_add_subtree(file, godot_remote_fs_ett_file);
    }
    proto_item *item = add_item(layer, tree, event);
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_PATH)
        layer->file = proto_item_add_subtree(item, godot_remote_fs_ett_file);
    gw_add_odd_experts(layer->pinfo, item, godot_remote_fs_ei.odd, &gw_godot_remote_fs_faults, layer->experts,
                       event->odd, event->payload.offset);
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_PASSWORD && event->payload.length)
        gw_add_finding(layer->pinfo, item, &godot_remote_fs_ei.password);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Adds a value to the segment's JSON, as add_item() adds it to the tree; after a size or content, the path of its
 * file. */
static void add_value_json(const remote_fs_tree *layer, const gw_godot_remote_fs_event *event, const char *path)
{
    wmem_allocator_t *pool = layer->pinfo->pool;
    bool is_removed = event->role == GW_GODOT_REMOTE_FS_ROLE_MODIFIED && !event->number;
    gw_json *value =
        gw_json_field(layer->json, is_removed ? godot_remote_fs_hf.removed : godot_remote_fs_hf.roles[event->role]);
    const nstime_t time = { .secs = (time_t)event->number };
    switch (event->role) {
    case GW_GODOT_REMOTE_FS_ROLE_MODIFIED:
        if (is_removed)
            gw_json_bool(value, true);
        else
            gw_json_string(value, abs_time_to_str(pool, &time, ABSOLUTE_TIME_UTC, true));
        break;
    case GW_GODOT_REMOTE_FS_ROLE_PASSWORD:
    case GW_GODOT_REMOTE_FS_ROLE_TAG:
    case GW_GODOT_REMOTE_FS_ROLE_PATH:
    case GW_GODOT_REMOTE_FS_ROLE_MAGIC:
    case GW_GODOT_REMOTE_FS_ROLE_END:
        gw_json_string(value, gw_field_text(pool, gw_text_of(pool, layer->tvb, event->payload)));
        break;
    case GW_GODOT_REMOTE_FS_ROLE_LIST:
    case GW_GODOT_REMOTE_FS_ROLE_CONTENT:
        gw_json_hex(value, tvb_get_ptr(layer->tvb, (int)event->payload.offset, (int)event->payload.length),
                    event->payload.length);
        break;
    default:
        gw_json_uint(value, (uint64_t)event->number);
        break;
    }
    if (path)
        gw_json_string(gw_json_field(layer->json, godot_remote_fs_hf.file), gw_field_text(pool, path));
}

/* Adds the captured bytes from `offset` on to the segment's JSON, if it is named. */
static void add_undecoded_json(const remote_fs_tree *layer, uint32_t offset)
{
    uint32_t length = tvb_captured_length(layer->tvb);
    if (layer->json && offset < length)
        gw_json_hex(gw_json_field(layer->json, godot_remote_fs_hf.undecoded),
                    tvb_get_ptr(layer->tvb, (int)offset, (int)(length - offset)), length - offset);
}

/* Adds godot_remote_fs.json: the values of the segment and its findings. */
static void end_json(const remote_fs_tree *layer, unsigned first_finding)
{
    static const gw_json_head head = { .protocol = "godot_remote_fs", .kind = "files" };
    gw_json json;
    gw_json_begin(&json, layer->pinfo, &head);
    if (!gw_json_fields_are_empty(layer->json)) {
        gw_json_name(&json, "fields");
        gw_json_fields_end(&json, layer->json);
    }
    gw_json_add_notes(&json, layer->pinfo, first_finding, gw_count_findings(layer->pinfo));
    gw_json_end(&json, layer->tree, godot_remote_fs_hf.json);
}

/* ---- segments ------------------------------------------------------------------------------------------ */

/* Reads the values of a segment, from the `state` of the direction before it. Adds each value to the tree, the JSON,
 * the exported files and the line, and stores the paths of files in the connection. */
static void dissect_values(const godot_segment *segment, remote_fs_connection *connection, remote_fs_tree *layer,
                           const gw_godot_remote_fs_state *state, gw_text *line)
{
    static const gw_fault_display faults = {
        .hf_undecoded = &godot_remote_fs_hf.undecoded,
        .experts = godot_remote_fs_ei.faults,
        .cut_short = &godot_remote_fs_ei.cut_short,
        .table = &gw_godot_remote_fs_faults,
    };
    const gw_godot_remote_fs_options options = { .state = state };
    const uint8_t *bytes = gw_bytes_of(segment->tvb);
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_next next;
    gw_godot_remote_fs_init(&reader, bytes, tvb_captured_length(segment->tvb), &options);
    while ((next = gw_godot_remote_fs_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (gw_is_first_pass(segment->pinfo))
            keep_path(connection, segment->tvb, &event);
        const char *path = find_path(connection, &event);
        add_value(layer, &event, path);
        if (layer->json)
            add_value_json(layer, &event, path);
        if (!gw_is_quoted(segment->pinfo)) /* the bytes that an ICMP error quotes are no part of a file */
            godot_remote_fs_export(segment->pinfo, connection, &event, bytes, path);
        if (line->length)
            gw_text_string(line, ", ");
        if (event.role == GW_GODOT_REMOTE_FS_ROLE_MODIFIED)
            gw_text_string(line, event.number ? "modified" : "removed");
        else
            gw_godot_remote_fs_print_event(line, bytes, &event);
        if (path) {
            gw_text_string(line, " of ");
            gw_text_escaped(line, (const uint8_t *)path, (uint32_t)strlen(path));
        }
    }
    godot_segment_keep_state(segment, reader.offset, &reader.state);
    if (next != GW_NEXT_FAULT)
        return;

    /* The last value is not complete: more bytes are requested, if TCP can pass any. Else, and for bytes that are not a
     * value, the fault is shown. */
    if (reader.fault.fault_class == GW_FAULT_TRUNCATED && godot_segment_can_wait(segment)) {
        godot_segment_request(segment, reader.fault.offset, (uint32_t)reader.fault.needed);
    } else {
        gw_add_fault(layer->pinfo, layer->tree, layer->tvb, &reader.fault, &faults);
        gw_add_fault_to_line(line, layer->pinfo, layer->tvb, &reader.fault, &gw_godot_remote_fs_faults);
        add_undecoded_json(layer, reader.fault.offset);
    }
}

/* Dissects the bytes of a segment. It declines nothing, since the whole connection is of this protocol. */
static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    char *buffer = (char *)wmem_alloc(pinfo->pool, LINE_SIZE);
    gw_godot_remote_fs_state state;
    godot_segment segment;
    unsigned first_finding = gw_count_findings(pinfo);
    gw_text line;
    gw_text_init(&line, buffer, LINE_SIZE);
    godot_segment_init(&segment, &segments, tvb, pinfo, data);
    godot_segment_show(&segment, "Beginning in several segments");
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotFS");
    remote_fs_tree layer = { .pinfo = pinfo,
                             .tvb = segment.tvb,
                             .item = gw_add_protocol(parent, pinfo, proto_godot_remote_fs, segment.tvb, 0, -1),
                             .items_left = gw_items_left(pinfo, godot_remote_fs_hf.undecoded) };
    layer.tree = proto_item_add_subtree(layer.item, godot_remote_fs_ett);
    if (gw_json_is_wanted(pinfo, layer.tree, godot_remote_fs_hf.json))
        layer.json = gw_json_fields_new(pinfo->pool);

    remote_fs_connection *connection = connection_of(pinfo, segment.tvb);
    if (connection && godot_segment_find_state(&segment, &state)) {
        state.side = connection->game == gw_sender_side(pinfo) ? GW_GODOT_REMOTE_FS_GAME : GW_GODOT_REMOTE_FS_EDITOR;
        dissect_values(&segment, connection, &layer, &state, &line);
    } else {
        /* Segments before this one are missing, or an ICMP error quotes a connection that is not in the capture. */
        proto_item *item = proto_tree_add_item(layer.tree, godot_remote_fs_hf.undecoded, segment.tvb, 0, -1, ENC_NA);
        gw_add_finding(pinfo, item, &godot_remote_fs_ei.unseen);
        add_undecoded_json(&layer, 0);
    }
    if (layer.json)
        end_json(&layer, first_finding);
    if (line.length) {
        const char *words = gw_finding_words(pinfo, first_finding);
        gw_append_line(layer.item, pinfo, proto_godot_remote_fs, words, buffer);
        gw_columns_add(pinfo, proto_godot_remote_fs, words, buffer);
    }
    return (int)tvb_captured_length(tvb);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Sets `segment` to the bytes that TCP passed, joined with the parts of the magic and the version in the segments
 * before them, and `recognition` to their evidence. Bytes that are only a part of magic and version have no bits of
 * evidence: they are possible only where a connection begins, or after another part. */
static void recognize(godot_segment *segment, tvbuff_t *tvb, packet_info *pinfo, const void *data,
                      gw_recognition *recognition)
{
    godot_segment_init(segment, &segments, tvb, pinfo, data);
    gw_godot_remote_fs_recognize(gw_bytes_of(segment->tvb), tvb_captured_length(segment->tvb), recognition);
    if (!recognition->bits && !segment->beginning && !godot_begins_connection(pinfo, data))
        recognition->possible = false;
}

/* True if the segment may be the beginning of a game's connection (magic and version, or a part of them), or the next
 * part of that. For the dissector of the editor's ports, which then leaves the segment to the heuristics. */
bool godot_remote_fs_may_begin(tvbuff_t *tvb, packet_info *pinfo, const void *data)
{
    godot_segment segment;
    gw_recognition recognition;
    recognize(&segment, tvb, pinfo, data, &recognition);
    return recognition.possible;
}

/* TCP's heuristic. The engine sends each letter of the magic and the version in a segment of its own: these are stored
 * until all are there. The evidence: gw_godot_remote_fs_recognize(); stream number 0: a connection has only one. */
static ws_bool dissect_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    godot_segment segment;
    gw_recognition recognition;
    recognize(&segment, tvb, pinfo, data, &recognition);
    if (recognition.possible && !recognition.bits) {
        godot_segment_keep_beginning(&segment);
        return false;
    }
    if (!gw_heuristic_accepts(&over_tcp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    dissect(tvb, pinfo, tree, data);
    return true;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the protocol with its fields, its dissector, Export Objects, and the state that it has in each direction of
 * a connection. */
void proto_register_godot_remote_fs(void)
{
    static int *const subtrees[] = { &godot_remote_fs_ett, &godot_remote_fs_ett_file };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_remote_fs_ei.odd, GW_ROWS(odd_rows), remedy },
        .faults = { godot_remote_fs_ei.faults, GW_ROWS(fault_rows), remedy },
        .codec = &gw_godot_remote_fs_faults,
        .findings = { GW_ROWS(findings) },
    };
    proto_godot_remote_fs = proto_register_protocol("Godot Remote File System", "GodotFS", "godot_remote_fs");
    gw_register_protocol(proto_godot_remote_fs, &tables);
    handle = register_dissector("godot_remote_fs", dissect, proto_godot_remote_fs);
    /* After recognition, the whole TCP connection is of this protocol: nothing in it is declined. */
    gw_heuristic_init(&over_tcp, handle);
    godot_remote_fs_register_export(proto_godot_remote_fs);
    godot_segments_init(&segments, proto_godot_remote_fs, sizeof(gw_godot_remote_fs_state));
}

void proto_reg_handoff_godot_remote_fs(void)
{
    heur_dissector_add("tcp", dissect_over_tcp, "Godot Remote File System over TCP", "godot_remote_fs_tcp",
                       proto_godot_remote_fs, HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", handle);
}
