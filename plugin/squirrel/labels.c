/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The labels of values.
 */
#include "internal.h"

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

static void print_type(gw_text *label, const gw_squirrel_event *event)
{
    gw_text_char(label, ' ');
    gw_text_char(label, '(');
    gw_text_string(label, gw_squirrel_type_of(event->tag)->name);
    gw_text_char(label, ')');
}

void squirrel_label_value(const squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    char buffer[ITEM_LABEL_LENGTH];
    gw_text label, value;
    gw_text_init(&label, buffer, sizeof buffer);
    print_role(&label, event);
    gw_text_init(&value, buffer + label.length, LABEL_SIZE);
    gw_squirrel_print_value(&value, drawing->reader->bytes, event);
    label.length += value.length;
    print_type(&label, event);
    proto_item_set_text(item, "%s", buffer);
}

void squirrel_label_skipped(const gw_squirrel_event *event, proto_item *item)
{
    char buffer[LABEL_SIZE];
    gw_text label;
    gw_text_init(&label, buffer, sizeof buffer);
    print_role(&label, event);
    gw_text_string(&label, "skipped");
    print_type(&label, event);
    proto_item_set_text(item, "%s", buffer);
}

void squirrel_begin_container_label(const gw_squirrel_event *event, proto_item *item)
{
    char buffer[LABEL_SIZE];
    gw_text label;
    gw_text_init(&label, buffer, sizeof buffer);
    print_role(&label, event);
    proto_item_set_text(item, "%s%s", buffer, gw_squirrel_type_of(event->tag)->name);
}

void squirrel_end_container_label(const gw_squirrel_event *event, proto_item *item)
{
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    uint32_t count = event->values >> type->pairs;
    if (gw_squirrel_is_command(type))
        return;
    proto_item_append_text(item, ", %u %s%s%s", count, type->pairs ? "pair" : "element", count == 1 ? "" : "s",
                           event->counted && type->form == GW_SQUIRREL_FORM_SIZED ? ", counted as in release 1.1.1"
                                                                                  : "");
}
