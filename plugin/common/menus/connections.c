/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statistics -> Gamewire Connections, -z gamewire,connections: one row for each connection of all protocols.
 */
#include "common/menus/connections.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <wsutil/utf8_entities.h>

/* Connections after these have one row together. A row takes at most 8 KB. */
#define MOST_ROWS 4096U

static int tap = -1;

/* The data of the tap: a part, or a time. */
typedef struct connection_event {
    gw_connection_part part;
    bool has_round_trip;
    nstime_t sent;
} connection_event;

/* True if a window or -z has opened the table of connections. */
bool gw_connections_are_counted(void)
{
    return have_tap_listener(tap);
}

/* Queues the part for count_event(), which adds it to the row of its connection. */
void gw_connection_add(packet_info *pinfo, const gw_connection_part *part)
{
    connection_event *event = wmem_new0(pinfo->pool, connection_event);
    event->part = *part;
    tap_queue_packet(tap, pinfo, event);
}

/* Queues the time from `sent` to this packet for count_event(), as a round trip of the connection. */
void gw_connection_add_round_trip(packet_info *pinfo, gw_connection_protocol protocol, uint32_t number,
                                  const nstime_t *sent)
{
    connection_event *event = wmem_new0(pinfo->pool, connection_event);
    event->part = (gw_connection_part){ .protocol = protocol, .number = number };
    event->has_round_trip = true;
    event->sent = *sent;
    tap_queue_packet(tap, pinfo, event);
}

/* ---- median and 95th percentile, in memory that does not grow with the number of times -------------------- */

/* Counts in intervals: 32 for each power of two of microseconds, so that a result differs by at most 1.6 % from the
 * sample. */
#define QUANTILE_STEPS     32U
#define QUANTILE_OCTAVES   28U /* up to 2^32 us: longer times count as that */
#define QUANTILE_INTERVALS (QUANTILE_STEPS * QUANTILE_OCTAVES)

typedef struct quantile {
    uint32_t interval; /* that has the quantile */
    uint32_t below;    /* number of samples in the intervals before it */
} quantile;

/* Initialize with zero. */
typedef struct quantiles {
    uint32_t count;
    quantile median, high;
    uint32_t counts[QUANTILE_INTERVALS];
} quantiles;

#define STEP_BITS 5U /* QUANTILE_STEPS */

/* The middle of an interval, in milliseconds. As add_time() numbers them, the first 64 intervals are 1 us wide
 * (octave 0), and those of octave n, 32 from number 32 * (n + 1) on, are 2^n us wide. */
static double milliseconds_of(uint32_t interval)
{
    uint32_t octave = interval < 2 * QUANTILE_STEPS ? 0 : (interval >> STEP_BITS) - 1;
    double width = (double)(UINT64_C(1) << octave);
    double first = (double)(interval - octave * QUANTILE_STEPS) * width;
    return (first + (width - 1) / 2) / 1000;
}

/* Updates the quantile of `percent` after one sample was added to `interval`: its rank, from 0, moves by at most one
 * sample. When it ends, `below` <= rank < `below` + the count of the quantile's interval; as the rank is below the
 * number of all samples, both loops stay in the array. */
static void update_quantile(quantile *target, const quantiles *all, uint32_t interval, uint32_t percent)
{
    uint64_t rank = ((uint64_t)all->count - 1) * percent / 100;
    if (interval < target->interval)
        target->below++;
    while (target->below > rank)
        target->below -= all->counts[--target->interval];
    while (target->below + (uint64_t)all->counts[target->interval] <= rank)
        target->below += all->counts[target->interval++];
}

/* Counts a time in its interval, and updates the median and the 95th percentile. Takes nearly constant time. */
static void add_time(quantiles *times, uint64_t microseconds)
{
    /* Up to 63 us each microsecond has its interval. After these, each power of two (octave) has QUANTILE_STEPS
     * intervals of equal width. The last interval counts all longer times. */
    uint32_t octave = 0;
    while (microseconds >> octave >= 2 * (uint64_t)QUANTILE_STEPS)
        octave++;
    uint32_t interval = (uint32_t)(microseconds >> octave) + octave * QUANTILE_STEPS;
    interval = MIN(interval, QUANTILE_INTERVALS - 1);
    if (times->count == UINT32_MAX)
        return;
    times->count++;
    times->counts[interval]++;
    update_quantile(&times->median, times, interval, 50);
    update_quantile(&times->high, times, interval, 95);
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* tshark prints nothing after an empty cell: the columns that may be empty are the last ones. */
enum { ENDS, PROTOCOL, PLAYER, MESSAGES, BYTES, LOST, SENT_AGAIN, LATE, END, MEDIAN, HIGH, COLUMNS };

static stat_tap_table_item columns[COLUMNS] = {
    [ENDS] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Connection", "%s" },
    [PROTOCOL] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Protocol", "%s" },
    [PLAYER] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Player", "%s" },
    [MESSAGES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Messages", "%u" },
    [BYTES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes", "%u" },
    [LOST] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Lost (%)", "%.2f" },
    [SENT_AGAIN] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Sent again", "%u" },
    [LATE] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Late updates", "%u" },
    [END] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "End", "%s" },
    [MEDIAN] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT median (ms)", "%.3f" },
    [HIGH] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT 95 % (ms)", "%.3f" },
};

static const char *const protocol_names[GW_CONNECTION_PROTOCOLS] = {
    [GW_CONNECTION_ENET] = "ENet",
    [GW_CONNECTION_GODOT_MP] = "GodotMP",
    [GW_CONNECTION_LEVIATHAN] = "Leviathan",
    [GW_CONNECTION_SQUIRREL] = "Squirrel",
};

/* Replaces the text of a cell by a copy of `text`, unless it is the same. */
static void set_text(stat_tap_table_item_type *cell, const char *text)
{
    if (!g_strcmp0(cell->value.string_value, text))
        return;
    g_free((char *)cell->value.string_value);
    cell->value.string_value = g_strdup(text);
}

/* Adds to a number of a cell, up to the largest one that it can hold. */
static void add_to(stat_tap_table_item_type *cell, uint32_t amount)
{
    unsigned left = UINT_MAX - cell->value.uint_value;
    cell->value.uint_value += MIN(left, amount);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* What a row's cells are computed from. */
typedef struct connection_row {
    uint64_t key;
    stat_tap_table_item_type *cells; /* in the table, which does not move them */
    gw_connection_client client;     /* as its ends are shown */
    uint64_t arrived, lost;
    quantiles *round_trips; /* NULL: none */
} connection_row;

#define OTHER_ROWS UINT64_MAX /* key of the row of all connections that have none of their own */

static GHashTable *rows; /* key -> connection_row, of the one table */

/* Frees a row that is removed from `rows`. Its cells belong to the table. */
static void free_row(void *data)
{
    connection_row *row = data;
    g_free(row->round_trips);
    g_free(row);
}

/* Writes the two addresses of the connection: "client → server", or "source ↔ destination" of this packet while the
 * client is not known. `client`: whether it sent or receives this packet. */
static void name_ends(connection_row *row, packet_info *pinfo, gw_connection_client client)
{
    bool is_from_server = client == GW_CLIENT_RECEIVES;
    char *source = address_to_str(NULL, &pinfo->src), *destination = address_to_str(NULL, &pinfo->dst);
    char *ends = g_strdup_printf(
        "%s:%u %s %s:%u", is_from_server ? destination : source, is_from_server ? pinfo->destport : pinfo->srcport,
        client == GW_CLIENT_UNKNOWN ? UTF8_LEFT_RIGHT_ARROW : UTF8_RIGHTWARDS_ARROW,
        is_from_server ? source : destination, is_from_server ? pinfo->srcport : pinfo->destport);
    set_text(&row->cells[ENDS], ends);
    g_free(ends);
    wmem_free(NULL, source);
    wmem_free(NULL, destination);
}

/* The row of the connection of this part (what a datagram or message adds to a row). If it has none yet, adds a row
 * with the packet's addresses to the table; after MOST_ROWS, all further connections have one row together,
 * OTHER_ROWS. */
static connection_row *obtain_row(stat_tap_table *table, packet_info *pinfo, const gw_connection_part *part)
{
    uint64_t key = (uint64_t)part->protocol << 32 | part->number;
    connection_row *row = g_hash_table_lookup(rows, &key);
    if (!row && g_hash_table_size(rows) >= MOST_ROWS) {
        key = OTHER_ROWS;
        row = g_hash_table_lookup(rows, &key);
    }
    if (row)
        return row;
    stat_tap_table_item_type cells[COLUMNS] = { 0 };
    unsigned index = g_hash_table_size(rows);
    for (int i = 0; i < COLUMNS; i++) {
        /* These two cells are empty until add_round_trip() has a time. */
        cells[i].type = i == MEDIAN || i == HIGH ? TABLE_ITEM_NONE : columns[i].type;
        if (columns[i].type == TABLE_ITEM_STRING)
            cells[i].value.string_value = g_strdup("");
    }
    stat_tap_init_table_row(table, index, COLUMNS, cells);
    row = g_new0(connection_row, 1);
    row->key = key;
    row->cells = stat_tap_get_field_data(table, index, 0);
    g_hash_table_insert(rows, &row->key, row);
    if (key == OTHER_ROWS) {
        set_text(&row->cells[ENDS], "all others");
        return row;
    }
    row->client = part->client;
    name_ends(row, pinfo, part->client);
    set_text(&row->cells[PROTOCOL], protocol_names[part->protocol]);
    return row;
}

/* Adds the time from `sent` to this packet to the row's times, and writes the new median and 95th percentile. */
static void add_round_trip(connection_row *row, const packet_info *pinfo, const nstime_t *sent)
{
    nstime_t time;
    nstime_delta(&time, &pinfo->abs_ts, sent);
    /* In a file whose frames are not in the order of their times. */
    if (time.secs < 0 || time.nsecs < 0)
        return;
    if (!row->round_trips)
        row->round_trips = g_new0(quantiles, 1);
    add_time(row->round_trips, (uint64_t)time.secs * 1000000 + (uint64_t)time.nsecs / 1000);
    row->cells[MEDIAN].type = row->cells[HIGH].type = TABLE_ITEM_FLOAT;
    row->cells[MEDIAN].value.float_value = milliseconds_of(row->round_trips->median.interval);
    row->cells[HIGH].value.float_value = milliseconds_of(row->round_trips->high.interval);
}

/* The tap's listener: adds the time or the counts of a connection_event to the row of its connection. */
static tap_packet_status count_event(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                     tap_flags_t flags _U_)
{
    const stat_data_t *statistics = listener;
    const connection_event *event = data;
    const gw_connection_part *part = &event->part;
    connection_row *row =
        obtain_row(g_array_index(statistics->stat_tap_data->tables, stat_tap_table *, 0), pinfo, part);
    if (event->has_round_trip) {
        add_round_trip(row, pinfo, &event->sent);
        return TAP_PACKET_REDRAW;
    }
    add_to(&row->cells[MESSAGES], part->messages);
    add_to(&row->cells[BYTES], part->bytes);
    add_to(&row->cells[SENT_AGAIN], part->sent_again);
    add_to(&row->cells[LATE], part->late);
    row->arrived += part->arrived;
    row->lost += part->lost;
    if (row->lost)
        row->cells[LOST].value.float_value = 100.0 * (double)row->lost / (double)(row->arrived + row->lost);
    /* This row has the sums of many connections, but no ends, player or end of its own. */
    if (row->key == OTHER_ROWS)
        return TAP_PACKET_REDRAW;
    if (row->client == GW_CLIENT_UNKNOWN && part->client != GW_CLIENT_UNKNOWN) {
        row->client = part->client;
        name_ends(row, pinfo, part->client);
    }
    if (part->player)
        set_text(&row->cells[PLAYER], part->player);
    if (part->end)
        set_text(&row->cells[END], part->end);
    return TAP_PACKET_REDRAW;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

/* Called for each cell when the table is freed. With the first one, `rows` is emptied: its rows point to the cells. */
static void free_cell(stat_tap_table *table _U_, unsigned row, unsigned column, stat_tap_table_item_type *cell)
{
    if (!row && !column)
        g_hash_table_remove_all(rows);
    if (columns[column].type == TABLE_ITEM_STRING)
        g_free((char *)cell->value.string_value);
}

/* Called when a window or -z opens the table: creates `rows` and the table, which all windows that are open share. */
static void init_table(stat_tap_table_ui *ui)
{
    if (!rows)
        rows = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_row);
    if (!stat_tap_find_table(ui, ui->title))
        stat_tap_add_table(ui, stat_tap_init_table(ui->title, COLUMNS, 0, NULL));
}

static void reset_table(stat_tap_table *table);

static tap_param parameters[] = { { PARAM_FILTER, "filter", "Filter", NULL, true } };

static stat_tap_table_ui connections = {
    .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
    .title = "Gamewire Connections",
    .tap_name = "gamewire_connections",
    .cli_string = "gamewire,connections",
    .stat_tap_init_cb = init_table,
    .packet_func = count_event,
    .stat_tap_reset_table_cb = reset_table,
    .stat_tap_free_table_item_cb = free_cell,
    .nfields = COLUMNS,
    .fields = columns,
    .nparams = array_length(parameters),
    .params = parameters,
};

/* Empties the table before its packets are read again. If several windows are open, the others still point to the
 * cells: then the rows remain allocated, without texts, and obtain_row() uses them again from the first one on. */
static void reset_table(stat_tap_table *table)
{
    bool is_shared = connections.refcount > 1;
    g_hash_table_remove_all(rows);
    for (unsigned row = 0; row < table->num_elements; row++) {
        for (unsigned column = 0; column < COLUMNS; column++)
            if (columns[column].type == TABLE_ITEM_STRING)
                g_free((char *)table->elements[row][column].value.string_value);
        memset(table->elements[row], 0, COLUMNS * sizeof *table->elements[row]);
        if (!is_shared)
            g_free(table->elements[row]);
    }
    if (!is_shared)
        table->num_elements = 0;
}

/* Registers the tap and its table with Wireshark and tshark. */
void gw_register_connections(void)
{
    tap = register_tap(connections.tap_name);
    register_stat_tap_table_ui(&connections);
}
