/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which items, labels and fields of a dissection are used.
 */
#include "common/display/demand.h"

/* True if a filter, a column, a tap or an option refers to this field or protocol itself. */
bool gw_is_named(int hf)
{
    /* A reference that is only indirect, to a protocol by one of its fields, does not name it. */
    return proto_registrar_get_nth((unsigned)hf)->ref_type >= HF_REF_TYPE_DIRECT;
}

/* True if an option such as -e prints this field or protocol: HF_REF_TYPE_PRINT, which Wireshark 4.0 does not have: there,
 * -e makes the tree visible. */
static bool is_printed(int hf)
{
    return proto_registrar_get_nth((unsigned)hf)->ref_type > HF_REF_TYPE_DIRECT;
}

/* True if a filter, a column, a tap or an option references one of the fields. */
bool gw_is_any_named(const int *hfs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (gw_is_named(hfs[i]))
            return true;
    return false;
}

/* Which results of dissecting this packet as `protocol` are used, so that the others need not be made: its items, the
 * label of its item, and its line, which is in the label and in the Info column. `tree`: NULL if there is none. */
gw_demand gw_demand_of(const packet_info *pinfo, proto_tree *tree, int protocol)
{
    gw_demand demand = { .visible = gw_is_visible(tree) };
    /* The value of `tshark -e <protocol>` is the label of the protocol's item. A filter that names the protocol needs no
     * label: without a visible tree, Wireshark drops it. */
    demand.label = demand.visible || (tree && is_printed(protocol));
    /* A reference to a field of a protocol is a reference to the protocol as well. */
    demand.items = demand.visible || proto_field_is_referenced(tree, protocol);
    if (demand.visible) {
        /* Each kind of value is used: gw_kind_is_asked() need not call its function. */
        memset(demand.known, UINT8_MAX, sizeof demand.known);
        memset(demand.asked, UINT8_MAX, sizeof demand.asked);
    }
    demand.line = demand.label || col_get_writable(pinfo->cinfo, COL_INFO);
    return demand;
}
