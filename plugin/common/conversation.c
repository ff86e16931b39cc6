/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds conversations by addresses, ports and VLAN.
 */
#include "common/conversation.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/dissectors/packet-udp.h>
#include <epan/proto_data.h>

#include "common/archive.h"
#include "common/keys.h"
#include "common/table.h"

/* ---- VLANs ----------------------------------------------------------------------------------------------- */

#define MOST_VLANS   16
#define UNKNOWN_VLAN UINT32_MAX

/* What a protocol keeps for a conversation. A list: most conversations have one or two, and an entry of epan's own tree
 * takes 72 bytes. */
typedef struct kept_data {
    struct kept_data *next;
    int protocol; /* or a gw_key */
    uint64_t data[];
} kept_data;

/* One of the conversations that have the same addresses and ports, in different VLANs. */
typedef struct vlan_conversation {
    conversation_t *conversation; /* in the first entry: epan's */
    uint32_t vlans[2];            /* by side of the sender, 0: untagged; UNKNOWN_VLAN: no packet yet */
    uint32_t number;              /* from 0 */
    struct vlan_conversation *next;
    kept_data *kept; /* NULL: nothing yet */
} vlan_conversation;

typedef struct conversation_key {
    uint64_t index; /* conv_index of epan's conversation */
    uint64_t rest;  /* 0 */
} conversation_key;

_Static_assert(sizeof(conversation_key) == GW_KEY_SIZE, "hashed as a key");

/* The first entry of each conversation of epan with accepted packets. An entry of epan's own tree of a conversation's
 * data takes 80 bytes. */
static gw_table first_entries;

/* The entries for epan's conversation, the first one first; NULL: none of its packets has been accepted. */
static vlan_conversation *vlans_of(const conversation_t *conversation)
{
    const conversation_key key = { .index = conversation->conv_index };
    return gw_table_find(&first_entries, &key);
}

/* The entry that fits the packet's VLAN and direction best; NULL if none does. On the first pass, keeps the VLAN for
 * this direction, so that the first packet of a direction and VLAN selects the entry for all of them.
 *
 * A mirror port may remove the tags of one direction: packets without a tag belong to the entry of the other
 * direction with one, until packets of their direction with the same tag take their place. */
static vlan_conversation *find_entry(vlan_conversation *list, const packet_info *pinfo)
{
    const uint8_t side = gw_sender_side(pinfo);
    vlan_conversation *best = NULL;
    unsigned best_fit = 0;
    for (vlan_conversation *entry = list; entry; entry = entry->next) {
        uint32_t same_side = entry->vlans[side], other_side = entry->vlans[!side];
        unsigned fit = 0;
        /* 3: this side (the packet's sender) has sent with this tag. 2: the other side has. 1: this side has not sent
         * yet, and this packet or the other side has no tag, which a mirror port may have removed. */
        if (same_side == pinfo->vlan_id)
            fit = 3;
        else if (other_side == pinfo->vlan_id)
            fit = 2;
        else if (same_side == UNKNOWN_VLAN && (!pinfo->vlan_id || !other_side))
            fit = 1;
        if (fit > best_fit) {
            best = entry;
            best_fit = fit;
        }
    }
    if (best && gw_is_first_pass(pinfo))
        best->vlans[side] = pinfo->vlan_id;
    return best;
}

/* Sets a new entry for a conversation of epan, which is zero; `number`: its number among those with the same addresses and
 * ports. So far only the direction of this packet (gw_sender_side()) has a VLAN; the other direction has one from its first
 * packet on. */
static vlan_conversation *set_entry(vlan_conversation *entry, const packet_info *pinfo, conversation_t *conversation,
                                    uint32_t number)
{
    entry->conversation = conversation;
    entry->number = number;
    entry->vlans[0] = entry->vlans[1] = UNKNOWN_VLAN;
    entry->vlans[gw_sender_side(pinfo)] = pinfo->vlan_id;
    return entry;
}

/* The last entry of a list that is not empty. */
static vlan_conversation *last_of(vlan_conversation *list)
{
    while (list->next)
        list = list->next;
    return list;
}

/* ---- the latest look-up ---------------------------------------------------------------------------------- */

#define LONGEST_ADDRESS 16 /* of IPv6 */

/* A copy of an address, which points to the bytes here. */
typedef struct stored_address {
    address address;
    uint8_t bytes[LONGEST_ADDRESS];
} stored_address;

/* The result of the latest look-up, and of the packet all that it depends on. Several dissectors look the entry of each
 * packet up, and epan's own search hashes both addresses and ports each time. */
static struct {
    vlan_conversation *entry; /* NULL: none since the file was opened */
    uint32_t frame, vlan, source_port, destination_port;
    port_type transport;
    stored_address source, destination;
} latest;

/* Called before each file: the entries of the file before were freed when it was closed. */
static void forget_latest(void)
{
    latest.entry = NULL;
}

void gw_register_conversations(void)
{
    register_init_routine(forget_latest);
}

/* False for no address, and for one that is longer than those of IP. */
static bool store_address(stored_address *stored, const address *original)
{
    if (original->len <= 0 || original->len > LONGEST_ADDRESS)
        return false;
    memcpy(stored->bytes, original->data, (size_t)original->len);
    set_address(&stored->address, original->type, original->len, stored->bytes);
    return true;
}

/* True if epan finds the packet's conversation by its addresses and ports alone, as that of UDP and TCP, and the packet
 * is no quotation of an ICMP error, of which find_entry() keeps no VLAN. */
static bool has_plain_key(const packet_info *pinfo)
{
    return !pinfo->use_conv_addr_port_endpoints && !pinfo->conv_elements && !gw_is_quoted(pinfo);
}

/* The result of the latest look-up, if it was for this frame, and for the same addresses, ports and VLAN; NULL: it was
 * not. A frame may have several pairs of addresses, one in the other. */
static vlan_conversation *find_latest(const packet_info *pinfo)
{
    bool is_same = latest.entry && latest.frame == pinfo->num && latest.vlan == pinfo->vlan_id &&
                   latest.source_port == pinfo->srcport && latest.destination_port == pinfo->destport &&
                   latest.transport == pinfo->ptype && addresses_equal(&latest.source.address, &pinfo->src) &&
                   addresses_equal(&latest.destination.address, &pinfo->dst) && has_plain_key(pinfo);
    return is_same ? latest.entry : NULL;
}

/* Keeps the entry for find_latest(), on each pass. NULL: there is none. Returns it. */
static vlan_conversation *set_latest(const packet_info *pinfo, vlan_conversation *entry)
{
    bool is_kept = entry && has_plain_key(pinfo) && store_address(&latest.source, &pinfo->src) &&
                   store_address(&latest.destination, &pinfo->dst);
    latest.entry = is_kept ? entry : NULL;
    latest.frame = pinfo->num;
    latest.vlan = pinfo->vlan_id;
    latest.source_port = pinfo->srcport;
    latest.destination_port = pinfo->destport;
    latest.transport = pinfo->ptype;
    return entry;
}

/* ---- look-ups -------------------------------------------------------------------------------------------- */

/* The entry of the packet in the list of conversations with its addresses and ports; NULL if there is none. If the list
 * is full and none fits, it is the first one, as in gw_conversation_of(). */
static vlan_conversation *entry_of(packet_info *pinfo)
{
    vlan_conversation *found = find_latest(pinfo);
    if (found)
        return found;
    const conversation_t *conversation = find_conversation_pinfo(pinfo, 0); /* 0: by both addresses and ports */
    vlan_conversation *list = conversation ? vlans_of(conversation) : NULL;
    vlan_conversation *entry = find_entry(list, pinfo);
    bool is_full = list && !entry && last_of(list)->number + 1 == MOST_VLANS;
    return set_latest(pinfo, is_full ? list : entry);
}

/* The conversation of the packet's addresses, ports and VLAN; NULL if there is none. */
conversation_t *gw_conversation_lookup(packet_info *pinfo)
{
    const vlan_conversation *entry = entry_of(pinfo);
    return entry ? entry->conversation : NULL;
}

/* The entry of the packet's addresses, ports and VLAN; created if there is none, with its conversation. epan does not
 * distinguish VLANs: the first VLAN has epan's own conversation (number 0), whose entry begins the list of all; each further
 * one gets a new one, until the list is full (MOST_VLANS): then the packet belongs to the first. */
static vlan_conversation *obtain_entry(packet_info *pinfo)
{
    vlan_conversation *found = find_latest(pinfo);
    if (found)
        return found;
    conversation_t *first = find_or_create_conversation(pinfo);
    vlan_conversation *list = vlans_of(first);
    if (!list) {
        const conversation_key key = { .index = first->conv_index };
        return set_latest(pinfo, set_entry(gw_table_add(&first_entries, &key, sizeof *list), pinfo, first, 0));
    }
    vlan_conversation *entry = find_entry(list, pinfo);
    if (entry)
        return set_latest(pinfo, entry);
    vlan_conversation *last = last_of(list);
    const uint32_t number = last->number + 1;
    if (number == MOST_VLANS)
        return list;
    /* epan requires a key, but this conversation is found by the list: its key only has to differ from all others. */
    conversation_element_t key[] = {
        { .type = CE_UINT, .uint_val = first->conv_index },
        { .type = CE_UINT, .uint_val = number },
        { .type = CE_CONVERSATION_TYPE, .conversation_type_val = conversation_pt_to_conversation_type(pinfo->ptype) },
    };
    last->next = set_entry(gw_archive_alloc(sizeof *last), pinfo, conversation_new_full(pinfo->num, key), number);
    return last->next;
}

/* The conversation of the packet's addresses, ports and VLAN; created if there is none. */
conversation_t *gw_conversation_of(packet_info *pinfo)
{
    return obtain_entry(pinfo)->conversation;
}

/* The number of the packet's conversation among those that differ in the VLAN only; 0 for the first one. */
uint32_t gw_conversation_number_in_vlans(packet_info *pinfo)
{
    const vlan_conversation *entry = entry_of(pinfo);
    return entry ? entry->number : 0;
}

/* The VLAN of the packet's conversation, the same for both directions: a direction whose tags were removed has that of
 * the other one. If the packet has no entry, its own. */
uint32_t gw_conversation_vlan(packet_info *pinfo)
{
    const vlan_conversation *entry = entry_of(pinfo);
    if (!entry)
        return pinfo->vlan_id;
    uint32_t one = entry->vlans[0], other = entry->vlans[1];
    /* The known VLAN; of two known ones the larger, because a direction whose tags were removed has 0. */
    return one == UNKNOWN_VLAN || (other != UNKNOWN_VLAN && other > one) ? other : one;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

/* Sets `stream` to the packet's tcp.stream or udp.stream; false if it has none: it is of another transport, or epan has
 * no conversation for it, or one without data of TCP or UDP. */
bool gw_find_stream(packet_info *pinfo, unsigned *stream)
{
    const bool is_tcp = pinfo->ptype == PT_TCP, is_udp = pinfo->ptype == PT_UDP;
    const conversation_t *conversation = is_tcp || is_udp ? find_conversation_pinfo(pinfo, 0) : NULL;
    if (!conversation)
        return false;
    /* Wireshark's dissectors of TCP and UDP keep the number in their data of epan's conversation. */
    const void *analysis =
        conversation_get_proto_data(conversation, proto_get_id_by_filter_name(is_tcp ? "tcp" : "udp"));
    if (analysis)
        *stream =
            is_tcp ? ((const struct tcp_analysis *)analysis)->stream : ((const struct udp_analysis *)analysis)->stream;
    return analysis;
}

/* ---- data ------------------------------------------------------------------------------------------------ */

/* The data that `protocol` keeps for the conversation of this entry; NULL if there is none. */
static void *find_kept(const vlan_conversation *entry, int protocol)
{
    kept_data *kept = entry->kept;
    while (kept && kept->protocol != protocol)
        kept = kept->next;
    return kept ? kept->data : NULL;
}

/* The data of `protocol` for the packet's conversation; NULL if there is none. */
void *gw_conversation_find(packet_info *pinfo, int protocol)
{
    const vlan_conversation *entry = entry_of(pinfo);
    return entry ? find_kept(entry, protocol) : NULL;
}

/* The data of `protocol` for the packet's conversation. Creates the conversation and `size` zeroed bytes if
 * necessary. */
void *gw_conversation_obtain(packet_info *pinfo, int protocol, size_t size)
{
    vlan_conversation *entry = obtain_entry(pinfo);
    void *data = find_kept(entry, protocol);
    if (data)
        return data;
    kept_data *kept = gw_archive_alloc(sizeof *kept + size);
    kept->protocol = protocol;
    kept->next = entry->kept;
    entry->kept = kept;
    return kept->data;
}

/* Sets the dissector that epan calls first for the packet's conversation, from this frame on. The conversation is that of
 * epan, which all VLANs have in common. */
void gw_conversation_pin(packet_info *pinfo, dissector_handle_t handle)
{
    conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num, handle);
}

/* 0 if the packet's source is the first of its two endpoints, else 1: the same for all packets of one direction. */
uint8_t gw_sender_side(const packet_info *pinfo)
{
    /* Any order that does not depend on the direction is sufficient: by address, then by port. */
    int order = cmp_address(&pinfo->src, &pinfo->dst);
    if (order == 0)
        order = pinfo->srcport < pinfo->destport ? -1 : 1;
    return order < 0 ? 0 : 1;
}

/* The number of calls for this protocol and packet before this one: the index of a message in its frame, if it is
 * called once for each message. */
unsigned gw_packet_ordinal(packet_info *pinfo, int protocol)
{
    unsigned before = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_ORDINAL));
    p_set_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_ORDINAL, GUINT_TO_POINTER(before + 1));
    return before;
}
