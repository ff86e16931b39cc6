/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "common/label.h"

bool gw_is_asked_for(int hf)
{
    return proto_registrar_get_nth((unsigned)hf)->ref_type != HF_REF_TYPE_NONE;
}

char *gw_label_buffer(packet_info *pinfo, proto_item *item)
{
    field_info *field = item ? PITEM_FINFO(item) : NULL;
    if (!field || !gw_is_visible(item))
        return NULL;
    if (!field->rep) {
        item_label_t *label = wmem_new(pinfo->pool, item_label_t);
        /* Newer versions have members after the text: where in it the value is. None means: not known. */
        memset((char *)label + sizeof label->representation, 0, sizeof *label - sizeof label->representation);
        field->rep = label;
    }
    field->rep->representation[0] = '\0';
    return field->rep->representation;
}
