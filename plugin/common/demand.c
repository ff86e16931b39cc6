/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which items, labels and fields of a dissection are used.
 */
#include "common/demand.h"

bool gw_is_visible(proto_tree *tree)
{
    return proto_field_is_referenced(tree, hf_text_only);
}

bool gw_is_named(int hf)
{
    return proto_registrar_get_nth((unsigned)hf)->ref_type >= HF_REF_TYPE_DIRECT;
}

unsigned gw_count_named(const hf_register_info *fields, size_t count)
{
    unsigned named = 0;
    for (size_t i = 0; i < count; i++)
        named += fields[i].hfinfo.ref_type >= HF_REF_TYPE_DIRECT;
    return named;
}

bool gw_has_label(proto_tree *tree, int protocol)
{
    return tree && (gw_is_visible(tree) || gw_is_named(protocol));
}
