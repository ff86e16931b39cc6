/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The labels of values. They are written where Wireshark keeps them: formatting and copying each was most of the work
 * for a tree.
 */
#include "labels.h"

#include "common/label.h"

#define LABEL_SIZE 160

static void print_role(gw_text *label, const gw_squirrel_event *event)
{
    static const char *const labels[GW_SQUIRREL_ROLES] = {
        [GW_SQUIRREL_ROLE_BODY] = "Value: ",
        [GW_SQUIRREL_ROLE_SCRIPT] = "Script: ",
        [GW_SQUIRREL_ROLE_IDENTIFIER] = "Identifier: ",
        [GW_SQUIRREL_ROLE_DATA] = "Data: ",
        [GW_SQUIRREL_ROLE_KEY] = "Key: ",
        [GW_SQUIRREL_ROLE_VALUE] = "Value: ",
        [GW_SQUIRREL_ROLE_OBJECT] = "Object: ",
        [GW_SQUIRREL_ROLE_LEFT] = "Object: ",
        [GW_SQUIRREL_ROLE_OPERAND] = "Operand: ",
        [GW_SQUIRREL_ROLE_FUNCTION] = "Function: ",
        [GW_SQUIRREL_ROLE_ENVIRONMENT] = "Environment: ",
        [GW_SQUIRREL_ROLE_PARAMETER] = "Parameter ",
        [GW_SQUIRREL_ROLE_ELEMENT] = "[",
    };
    gw_text_string(label, labels[event->role]);
    if (event->role == GW_SQUIRREL_ROLE_PARAMETER) {
        gw_text_unsigned(label, (uint64_t)event->index + 1);
        gw_text_bytes(label, ": ", 2);
    } else if (event->role == GW_SQUIRREL_ROLE_ELEMENT) {
        gw_text_unsigned(label, event->index);
        gw_text_bytes(label, "]: ", 3);
    }
}

/* The item's own text, up to the value; false when nobody reads it. */
static bool begin_label(const squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item,
                        gw_text *label)
{
    char *buffer = gw_label_buffer(drawing->pinfo, item);
    if (!buffer)
        return false;
    gw_text_init(label, buffer, ITEM_LABEL_LENGTH);
    print_role(label, event);
    return true;
}

static void print_type(gw_text *label, const gw_squirrel_event *event)
{
    gw_text_char(label, ' ');
    gw_text_char(label, '(');
    gw_text_string(label, gw_squirrel_type_of(event->tag)->name);
    gw_text_char(label, ')');
}

void squirrel_label_value(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    gw_text label, *value = &drawing->literal;
    if (!begin_label(drawing, event, item, &label))
        return;
    gw_text_init(value, label.buffer + label.length, LABEL_SIZE);
    gw_squirrel_print_value(value, drawing->reader->bytes, event);
    label.length += value->length;
    print_type(&label, event);
    if (value->cut)
        value->length = 0;
}

void squirrel_label_skipped(const squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    gw_text label;
    if (!begin_label(drawing, event, item, &label))
        return;
    gw_text_string(&label, "skipped");
    print_type(&label, event);
}

void squirrel_begin_container_label(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    gw_text *label = &drawing->labels[event->depth];
    if (begin_label(drawing, event, item, label))
        gw_text_string(label, gw_squirrel_type_of(event->tag)->name);
}

void squirrel_end_container_label(squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    gw_text *label = &drawing->labels[event->depth];
    uint32_t count = event->values >> type->pairs;
    if (!drawing->visible || gw_squirrel_is_command(type))
        return;
    gw_text_bytes(label, ", ", 2);
    gw_text_unsigned(label, count);
    gw_text_string(label, type->pairs ? " pair" : " element");
    if (count != 1)
        gw_text_char(label, 's');
    if (event->counted && type->form == GW_SQUIRREL_FORM_SIZED)
        gw_text_string(label, ", counted as in release 1.1.1");
}
