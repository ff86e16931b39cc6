/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libwireshark exports the functions of the flow graph, but not every package of its development files contains their
 * header (Debian's does not). If it is missing, the functions and two structures are declared here with the layout
 * of 4.0, 4.4 and 4.6. With other versions there is no flow graph.
 *
 * Where the layouts come from: of 4.0.17 its source; of 4.4.19 and 4.6.9 Debian's libraries, which is the size that
 * sequence_analysis_create_sai_with_addresses() and sequence_analysis_info_new() ask for and the offsets that they
 * and sequence_analysis_use_col_info_as_label_comment() write to. The assertions below hold those numbers.
 */
#include "common/menus/flow_graph.h"

#include <epan/to_str.h>

#ifdef __has_include
#if __has_include(<epan/sequence_analysis.h>)
#define HAVE_HEADER 1
#endif
#endif

#define IS_VERSION(major, minor) (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR == (minor))

#ifdef HAVE_HEADER
#include <epan/sequence_analysis.h>
#define HAVE_SEQUENCES 1
#elif IS_VERSION(4, 0) || IS_VERSION(4, 4) || IS_VERSION(4, 6)
#define HAVE_SEQUENCES 1

/* An arrow. Texts are glib's; the graph frees them. */
typedef struct seq_analysis_item {
    uint32_t frame_number;
    address src_addr;
    uint16_t port_src;
    address dst_addr;
    uint16_t port_dst;
    char *frame_label;
    char *time_str;
    char *comment;
    uint16_t conv_num;
    unsigned fg_color;
    unsigned bg_color;
    ws_bool has_color_filter;
    ws_bool display;
    unsigned src_node;
    unsigned dst_node;
    uint16_t line_style; /* width in pixels */
    uint32_t info_type;
    void *info_ptr;
#if WS_AT_LEAST(4, 6)
    void (*free_info_ptr)(void *info);
#endif
} seq_analysis_item_t;

/* The graph; the nodes that follow are Wireshark's alone. */
typedef struct seq_analysis_info {
    const char *name;
    ws_bool any_addr;
    int nconv;
    GQueue *items;
} seq_analysis_info_t;

WS_DLL_PUBLIC void register_seq_analysis(const char *name, const char *ui_name, const int proto_id,
                                         const char *tap_listener, unsigned tap_flags, tap_packet_cb tap_func);
WS_DLL_PUBLIC seq_analysis_item_t *sequence_analysis_create_sai_with_addresses(packet_info *pinfo,
                                                                               seq_analysis_info_t *sainfo);
WS_DLL_PUBLIC void sequence_analysis_use_color_filter(packet_info *pinfo, seq_analysis_item_t *sai);

#if defined(__x86_64__)
_Static_assert(sizeof(seq_analysis_item_t) == (WS_AT_LEAST(4, 4) && !WS_AT_LEAST(4, 6) ? 0x88 : 0x90),
               "the size that libwireshark allocates");
_Static_assert(offsetof(seq_analysis_item_t, frame_label) == 0x48 && offsetof(seq_analysis_item_t, time_str) == 0x50 &&
                   offsetof(seq_analysis_item_t, comment) == 0x58,
               "the offsets that libwireshark writes texts to");
_Static_assert(offsetof(seq_analysis_item_t, display) == (WS_AT_LEAST(4, 4) ? 0x6d : 0x70),
               "the offset of the flag by which libwireshark draws an arrow");
_Static_assert(offsetof(seq_analysis_info_t, any_addr) == 8 && offsetof(seq_analysis_info_t, items) == 0x10,
               "the offset that libwireshark keeps the queue of arrows at");
#endif
#endif

#ifdef HAVE_SEQUENCES

#define WIDTH        2
#define WIDTH_DASHED 1

/* Sets the name of one end of an arrow, in place of its address and port; NULL: it keeps them. But the graph
 * distinguishes nodes by address alone, and draws no arrow within a node: if both ends are on one machine, the name
 * is address and port. */
static void set_node(packet_info *pinfo, address *node, uint16_t *port, const char *name)
{
    if (!name && addresses_equal(&pinfo->src, &pinfo->dst))
        name = wmem_strdup_printf(pinfo->pool, "%s:%u", address_to_str(pinfo->pool, node), *port);
    if (!name)
        return;
    free_address(node);
    alloc_address_wmem(NULL, node, AT_STRINGZ, (int)strlen(name) + 1, name);
    *port = 0;
}

/* Adds the graph to Wireshark's list: `listener` gets what `tap` queues, and adds the arrows. It needs no tree or
 * columns (TL_REQUIRES_NOTHING). */
void gw_register_flow_graph(const char *name, const char *title, int protocol, const char *tap, tap_packet_cb listener)
{
    register_seq_analysis(name, title, protocol, tap, TL_REQUIRES_NOTHING, listener);
}

/* Adds an arrow to the graph. Its texts are copied with g_malloc(), because the graph frees them. */
void gw_flow_graph_add(void *graph, packet_info *pinfo, const gw_arrow *arrow)
{
    seq_analysis_info_t *info = graph;
    seq_analysis_item_t *item = sequence_analysis_create_sai_with_addresses(pinfo, info);
    if (!item)
        return;
    item->frame_number = pinfo->num;
    item->port_src = (uint16_t)pinfo->srcport;
    item->port_dst = (uint16_t)pinfo->destport;
    set_node(pinfo, &item->src_addr, &item->port_src, arrow->source);
    set_node(pinfo, &item->dst_addr, &item->port_dst, arrow->target);
    /* The part of the label that fits, without splitting a character. */
    size_t length = strlen(arrow->label);
    if (length >= GW_FLOW_GRAPH_LABEL)
        for (length = GW_FLOW_GRAPH_LABEL - 1; length && (arrow->label[length] & 0xC0) == 0x80; length--)
            continue;
    item->frame_label = g_strndup(arrow->label, length);
    item->comment = g_strdup(arrow->comment);
    item->line_style = arrow->dashed ? WIDTH_DASHED : WIDTH;
    item->display = true; /* the flag by which libwireshark draws the arrow */
    sequence_analysis_use_color_filter(pinfo, item);
    g_queue_push_tail(info->items, item);
}

#else

/* In a version of Wireshark whose structure of the graph is not known, there is no flow graph: nothing is
 * registered. */
void gw_register_flow_graph(const char *name _U_, const char *title _U_, int protocol _U_, const char *tap _U_,
                            tap_packet_cb listener _U_)
{
}

/* Without a registered graph nothing is added. */
void gw_flow_graph_add(void *graph _U_, packet_info *pinfo _U_, const gw_arrow *arrow _U_)
{
}

#endif
