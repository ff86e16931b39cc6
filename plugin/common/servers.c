/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds up the evidence of the packets of one address and port.
 */
#include "common/servers.h"

#include "common/conversation.h"

/* The most different packets that are counted in a row, and the most rows of a file. */
#define ROW_PACKETS  32
#define MOST_SERVERS 10000

typedef struct server_key {
    address address;
    uint32_t port;
    uint32_t vlan;
} server_key;

typedef struct server_row {
    server_key key;
    uint32_t readings;    /* that all packets of the row have in common */
    uint32_t first_frame; /* 0: no row has begun */
    uint32_t accepted_in; /* frame in which the row reached the threshold; 0: it has not */
    uint32_t ended_in;    /* frame of a packet of another protocol after it; 0: none */
    uint32_t bits;
    uint32_t count;
    uint32_t hashes[ROW_PACKETS];
} server_row;

static unsigned hash_server(const void *key)
{
    const server_key *server = (const server_key *)key;
    return add_address_to_hash(server->port << 16 ^ server->port ^ server->vlan, &server->address);
}

static gboolean equal_servers(const void *one, const void *other)
{
    const server_key *first = (const server_key *)one, *second = (const server_key *)other;
    return first->port == second->port && first->vlan == second->vlan &&
           addresses_equal(&first->address, &second->address);
}

wmem_map_t *gw_servers_new(void)
{
    return wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_server, equal_servers);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The address is the packet's. */
static server_key key_of(const packet_info *pinfo, bool is_source)
{
    return (server_key){ is_source ? pinfo->src : pinfo->dst, is_source ? pinfo->srcport : pinfo->destport,
                         pinfo->vlan_id };
}

static server_row *find_row(wmem_map_t *servers, const packet_info *pinfo, bool is_source)
{
    const server_key key = key_of(pinfo, is_source);
    return wmem_map_size(servers) ? (server_row *)wmem_map_lookup(servers, &key) : NULL;
}

/* NULL: too many. */
static server_row *obtain_row(wmem_map_t *servers, const packet_info *pinfo, bool is_source)
{
    server_row *row = find_row(servers, pinfo, is_source);
    if (row || wmem_map_size(servers) >= MOST_SERVERS)
        return row;
    row = wmem_new0(wmem_file_scope(), server_row);
    row->key = key_of(pinfo, is_source);
    copy_address_wmem(wmem_file_scope(), &row->key.address, &row->key.address);
    wmem_map_insert(servers, &row->key, row);
    return row;
}

static bool was_counted(const server_row *row, uint32_t hash)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->hashes[i] == hash)
            return true;
    return false;
}

static void begin_row(server_row *row, const packet_info *pinfo, uint32_t readings)
{
    row->first_frame = pinfo->num;
    row->readings = readings;
    row->bits = row->count = 0;
}

static void extend_row(server_row *row, const packet_info *pinfo, const gw_recognition *recognition, uint32_t hash,
                       uint32_t threshold)
{
    if (!row->first_frame || !(row->readings & recognition->readings))
        begin_row(row, pinfo, recognition->readings);
    row->readings &= recognition->readings;
    if (row->count == ROW_PACKETS || was_counted(row, hash))
        return;
    row->hashes[row->count++] = hash;
    row->bits += MIN(recognition->bits, threshold / 2);
}

static bool keep_in(server_row *row, const packet_info *pinfo, const gw_recognition *recognition, uint32_t hash,
                    uint32_t threshold)
{
    if (!row || row->ended_in)
        return false;
    if (row->accepted_in)
        return row->readings & recognition->readings;
    extend_row(row, pinfo, recognition, hash, threshold);
    if (row->bits >= threshold)
        row->accepted_in = pinfo->num;
    return row->accepted_in;
}

/* ---- packets ------------------------------------------------------------------------------------------- */

bool gw_servers_keep(wmem_map_t *servers, packet_info *pinfo, const gw_recognition *recognition, uint32_t hash,
                     uint32_t threshold)
{
    bool by_source = keep_in(obtain_row(servers, pinfo, true), pinfo, recognition, hash, threshold);
    bool by_target = keep_in(obtain_row(servers, pinfo, false), pinfo, recognition, hash, threshold);
    return by_source || by_target;
}

static bool is_in(const server_row *row, const packet_info *pinfo, const gw_recognition *recognition)
{
    return row && row->accepted_in && pinfo->num >= row->first_frame &&
           (!row->ended_in || pinfo->num < row->ended_in) && row->readings & recognition->readings;
}

bool gw_servers_find(wmem_map_t *servers, packet_info *pinfo, const gw_recognition *recognition)
{
    return recognition->bits && (is_in(find_row(servers, pinfo, true), pinfo, recognition) ||
                                 is_in(find_row(servers, pinfo, false), pinfo, recognition));
}

static void end_row(server_row *row, const packet_info *pinfo)
{
    if (!row || row->ended_in)
        return;
    if (row->accepted_in)
        row->ended_in = pinfo->num;
    else
        row->first_frame = 0;
}

void gw_servers_end(wmem_map_t *servers, packet_info *pinfo)
{
    end_row(find_row(servers, pinfo, true), pinfo);
    end_row(find_row(servers, pinfo, false), pinfo);
}
