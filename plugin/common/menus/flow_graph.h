/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arrows for Statistics > Flow Graph and -z flow,<name>,<mode>.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FLOW_GRAPH_H
#define GAMEWIRE_PLUGIN_COMMON_FLOW_GRAPH_H

#include "common/compat.h"

#include <epan/tap.h>

/* Size of a label with its NUL; it is drawn between two nodes. */
#define GW_FLOW_GRAPH_LABEL 64

/* One message as an arrow. Texts are copied. */
typedef struct gw_arrow {
    const char *source;  /* node that it leaves; NULL: the packet's source address */
    const char *target;  /* node that it reaches; NULL: the packet's destination address */
    const char *label;   /* short, on the arrow: cut to GW_FLOW_GRAPH_LABEL */
    const char *comment; /* in full, in the column at the right */
    bool dashed;         /* retransmitted or ignored: drawn thinner */
} gw_arrow;

/* Call when the protocol is registered, after its tap. `name` is for -z flow, `title` for the window's list.
 * `listener` gets the data that the tap queues, with the graph as its first argument. Does nothing in a version of
 * Wireshark whose graph structure is not known. */
void gw_register_flow_graph(const char *name, const char *title, int protocol, const char *tap, tap_packet_cb listener);

/* Adds an arrow to the graph that the listener got. */
void gw_flow_graph_add(void *graph, packet_info *pinfo, const gw_arrow *arrow);

#endif
