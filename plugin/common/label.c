/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "common/label.h"

/* ---- fields that are extracted ------------------------------------------------------------------------- */

#if WS_AT_LEAST(4, 4)
static bool is_extracted(int hf _U_)
{
    return false;
}

static bool is_extracting(void)
{
    return false;
}

static bool may_be_extracting(void)
{
    return false;
}
#else
/* Before 4.4 tshark does not say which fields `-T fields -e` and its like name: it has the whole tree made as if
 * somebody would read it. The names are in its command line. Where that cannot be read, all fields may be among them.
 */
typedef struct extraction {
    bool is_read;
    bool is_unknown;
    GPtrArray *names;
} extraction;

static void read_command_line(extraction *fields)
{
    char *text;
    gsize length;
    fields->names = g_ptr_array_new();
    if (!g_file_get_contents("/proc/self/cmdline", &text, &length, NULL)) {
        fields->is_unknown = !g_strcmp0(g_get_prgname(), "tshark");
        return;
    }
    for (const char *argument = text; argument < text + length; argument += strlen(argument) + 1) {
        if (strncmp(argument, "-e", 2) != 0)
            continue;
        if (!argument[2])
            argument += strlen(argument) + 1;
        else
            argument += 2;
        g_ptr_array_add(fields->names, g_strdup(argument));
    }
    g_free(text);
}

static const extraction *extracted_fields(void)
{
    static extraction fields;
    if (!fields.is_read) {
        fields.is_read = true;
        read_command_line(&fields);
    }
    return &fields;
}

/* Nothing but some fields is read. */
static bool is_extracting(void)
{
    return extracted_fields()->names->len;
}

static bool may_be_extracting(void)
{
    return is_extracting() || extracted_fields()->is_unknown;
}

static bool is_extracted(int hf)
{
    const extraction *fields = extracted_fields();
    const char *name = proto_registrar_get_nth((unsigned)hf)->abbrev;
    for (unsigned i = 0; i < fields->names->len; i++)
        if (!strcmp((const char *)fields->names->pdata[i], name))
            return true;
    return fields->is_unknown;
}
#endif

/* ---- what somebody wants ------------------------------------------------------------------------------- */

bool gw_is_visible(proto_tree *tree)
{
    return tree && PTREE_DATA(tree)->visible && !is_extracting();
}

bool gw_is_asked_for(int hf)
{
    return proto_registrar_get_nth((unsigned)hf)->ref_type != HF_REF_TYPE_NONE ||
           (may_be_extracting() && is_extracted(hf));
}

bool gw_is_one_asked_for(const hf_register_info *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].hfinfo.ref_type != HF_REF_TYPE_NONE)
            return true;
    for (size_t i = 0; may_be_extracting() && i < count; i++)
        if (is_extracted(*fields[i].p_id))
            return true;
    return false;
}

bool gw_is_referenced(proto_tree *tree, int hf)
{
    return tree && (gw_is_visible(tree) || gw_is_asked_for(hf));
}

/* ---- labels -------------------------------------------------------------------------------------------- */

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
