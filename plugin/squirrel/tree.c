/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A value is one item, labeled with its role: `Parameter 1: "Hello" (string)`. A container or command is one item
 * with the items of its content below it. A wrong length or count is reported by an expert info, and with both numbers as
 * generated fields. The same events make the message's JSON, if its field is named.
 */
#include "internal.h"

#include "common/display/experts.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"

#define NAME_SIZE  200
#define LABEL_SIZE 160

#define TAG_LENGTH 1

squirrel_tree_preferences squirrel_tree_prefs = { false };

/* ---- labels: called for items of a visible tree -------------------------------------------------------- */

/* The beginning of a label: "Key: ", "Parameter 1: ", "[0]: ". */
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

/* Labels an item: `Parameter 1: "Hello" (string)`, whose value has up to LABEL_SIZE bytes, "Value: skipped (array)", or
 * "Value: CallRemoteFunc" for the event that opens a container or command: close_container() completes this one. */
static void label_item(const squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    const char *type = gw_squirrel_type_of(event->tag)->name;
    char buffer[ITEM_LABEL_LENGTH];
    gw_text label, value;
    gw_text_init(&label, buffer, sizeof buffer);
    print_role(&label, event);
    if (event->kind == GW_OPEN) {
        gw_text_string(&label, type);
    } else {
        gw_text_init(&value, buffer + label.length, LABEL_SIZE);
        if (event->kind == GW_VALUE)
            gw_squirrel_print_value(&value, drawing->reader->bytes, event);
        else
            gw_text_string(&value, "skipped");
        label.length += value.length;
        gw_text_string(&label, " (");
        gw_text_string(&label, type);
        gw_text_char(&label, ')');
    }
    proto_item_set_text(item, "%s", buffer);
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* The field of a scalar, container or command. */
static int field_of(const gw_squirrel_event *event)
{
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        return squirrel_hf.null;
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        return squirrel_hf.integer;
    case GW_SQUIRREL_FLOAT:
        return squirrel_hf.number;
    case GW_SQUIRREL_BOOL:
        return squirrel_hf.truth;
    case GW_SQUIRREL_VECTOR:
        return squirrel_hf.vector;
    case GW_SQUIRREL_QUATERNION:
        return squirrel_hf.quaternion;
    case GW_SQUIRREL_BLOB:
        return squirrel_hf.blob;
    case GW_SQUIRREL_ERROR:
        return squirrel_hf.error;
    case GW_SQUIRREL_STRING:
        return event->role == GW_SQUIRREL_ROLE_SCRIPT ? squirrel_hf.script : squirrel_hf.string;
    case GW_SQUIRREL_CLASS:
        return squirrel_hf.class_table;
    default:
        break;
    }
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    if (gw_squirrel_is_command(type))
        return squirrel_hf.command;
    return type->pairs ? squirrel_hf.table : squirrel_hf.array;
}

/* True if a filter, a column, a tap or an option of tshark references a field of values with this tag: in any role
 * (a string may be a script), and those of the numbers of vectors. */
static bool is_tag_named(uint8_t tag)
{
    const gw_squirrel_event event = { .tag = tag };
    if (gw_is_named(field_of(&event)))
        return true;
    switch (tag) {
    case GW_SQUIRREL_STRING:
        return gw_is_named(squirrel_hf.script);
    case GW_SQUIRREL_VECTOR:
        return gw_is_any_named(squirrel_hf.vector_xyz, 3);
    case GW_SQUIRREL_QUATERNION:
        return gw_is_any_named(squirrel_hf.quaternion_xyzw, 4);
    default:
        return false;
    }
}

/* ---- items of values ----------------------------------------------------------------------------------- */

/* The bytes of the whole value: its header and payload. */
static int item_length(const gw_squirrel_event *event)
{
    return (int)(gw_span_end(event->payload) - event->header.offset);
}

/* A string or an error in the form that Wireshark requires: UTF-8 without NUL, which Squirrel strings may contain. */
static const char *displayable(const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    wmem_allocator_t *pool = drawing->pinfo->pool;
    const uint8_t *bytes = drawing->reader->bytes + event->payload.offset;
    uint32_t length = event->payload.length;
    if (memchr(bytes, 0, length)) {
        gw_text text;
        /* Each byte may become an escape of four characters; two quotation marks and the NUL. */
        size_t size = 4 * (size_t)length + 3;
        char *buffer = (char *)wmem_alloc(pool, size);
        gw_text_init(&text, buffer, size);
        gw_squirrel_print_string(&text, bytes, length);
        buffer[text.length - 1] = '\0'; /* the text without its quotation marks */
        return buffer + 1;
    }
    return gw_field_text(pool, gw_text_of(pool, drawing->tvb, event->payload));
}

/* Adds the tag (a script has none) and the length or count, if there is one (`rest` bytes), as items below the value;
 * subtracts these from the items that the packet may still have. A string's or blob's length is that of its payload. */
static void add_header(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_tree *tree)
{
    int offset = (int)event->header.offset, rest = (int)event->header.length - TAG_LENGTH;
    if (event->role == GW_SQUIRREL_ROLE_SCRIPT)
        rest = (int)event->header.length;
    else
        proto_tree_add_uint_format_value(tree, squirrel_hf.tag, drawing->tvb, offset++, TAG_LENGTH, event->tag,
                                         "'%c' %s (0x%02x)", (char)event->tag, gw_squirrel_type_of(event->tag)->name,
                                         event->tag);
    if (rest && event->kind == GW_OPEN)
        proto_tree_add_uint(tree, event->counted ? squirrel_hf.count : squirrel_hf.length, drawing->tvb, offset, rest,
                            event->declared);
    else if (rest)
        proto_tree_add_uint(tree, squirrel_hf.length, drawing->tvb, offset, rest, event->payload.length);
    *drawing->items_left -= MIN(*drawing->items_left, rest ? 2u : 1u);
}

/* The double with the float's shortest digits (0.1 for 0.1f), for filters; 0 if the field is not referenced. */
static double number_of(proto_tree *tree, int hf, float number)
{
    return proto_field_is_referenced(tree, hf) ? gw_float_to_double(number) : 0;
}

/* A vector or quaternion, with its numbers below it. */
static proto_item *add_components(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_tree *tree,
                                  const int *components, int count)
{
    proto_item *item =
        proto_tree_add_item(tree, field_of(event), drawing->tvb, (int)event->header.offset, item_length(event), ENC_NA);
    proto_tree *below = proto_item_add_subtree(item, squirrel_ett.value);
    for (int i = 0; i < count; i++) {
        int hf = components[i], offset = (int)event->payload.offset + 4 * i;
        double number = number_of(below, hf, event->real[i]);
        if (drawing->demand->visible) {
            char digits[32];
            gw_text text;
            gw_text_init(&text, digits, sizeof digits);
            gw_text_float(&text, event->real[i]);
            proto_tree_add_double_format_value(below, hf, drawing->tvb, offset, 4, number, "%s", digits);
        } else {
            proto_tree_add_double(below, hf, drawing->tvb, offset, 4, number);
        }
    }
    *drawing->items_left -= MIN(*drawing->items_left, (unsigned)count);
    return item;
}

/* True if no field of the value is used, and there is nothing to report. */
static bool may_pass_over(const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    return !drawing->headers && !event->odd && !gw_kind_is_asked(drawing->demand, event->tag, is_tag_named);
}

/* Adds the item of a scalar, string or blob. */
static proto_item *add_scalar(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_tree *tree)
{
    tvbuff_t *tvb = drawing->tvb;
    int hf = field_of(event), offset = (int)event->header.offset, length = item_length(event);
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        return proto_tree_add_item(tree, hf, tvb, offset, length, ENC_NA);
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        return proto_tree_add_int(tree, hf, tvb, offset, length, (int32_t)event->number);
    case GW_SQUIRREL_FLOAT:
        return proto_tree_add_double(tree, hf, tvb, offset, length, number_of(tree, hf, event->real[0]));
    case GW_SQUIRREL_BOOL:
        return proto_tree_add_boolean(tree, hf, tvb, offset, length, (uint32_t)event->number);
    case GW_SQUIRREL_VECTOR:
        return add_components(drawing, event, tree, squirrel_hf.vector_xyz, 3);
    case GW_SQUIRREL_QUATERNION:
        return add_components(drawing, event, tree, squirrel_hf.quaternion_xyzw, 4);
    case GW_SQUIRREL_BLOB:
        return proto_tree_add_bytes_with_length(
            tree, hf, tvb, offset, length, drawing->reader->bytes + event->payload.offset, (int)event->payload.length);
    default: /* a string or an error */
        return proto_tree_add_string(tree, hf, tvb, offset, length,
                                     proto_field_is_referenced(tree, hf) ? displayable(drawing, event) : "");
    }
}

/* The tree for the item of the event: its container's subtree; at the top, or without items, the message's tree. */
static proto_tree *parent_tree(const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    if (!drawing->drawn || !event->depth)
        return drawing->tree;
    return drawing->trees[event->depth - 1];
}

/* True if one more item may be added, which is counted here. False without items (`drawn`) or a tree. At the packet's
 * limit, this value and later ones are hidden: squirrel_end_values() adds one item for their bytes. */
static bool may_add(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_tree *tree)
{
    if (!tree || !drawing->drawn || drawing->hiding)
        return false;
    if (!*drawing->items_left) {
        drawing->hiding = true;
        drawing->hidden_from = event->header.offset;
        return false;
    }
    --*drawing->items_left;
    return true;
}

/* ---- oddities and faults ------------------------------------------------------------------------------- */

/* Adds the declared number and the actual one as generated items. */
static void add_both_numbers(proto_tree *tree, uint32_t declared, uint32_t actual)
{
    proto_item_set_generated(proto_tree_add_uint(tree, squirrel_hf.declared, NULL, 0, 0, declared));
    proto_item_set_generated(proto_tree_add_uint(tree, squirrel_hf.actual, NULL, 0, 0, actual));
}

/* Adds an expert info on `item` (NULL: at the value's offset), up to a maximum number of each kind (`bit`, below). */
static void report(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item, expert_field *expert,
                   unsigned bit, const char *text)
{
    if (drawing->expert_counts[bit] == GW_EXPERTS_OF_A_KIND)
        return;
    bool last = ++drawing->expert_counts[bit] == GW_EXPERTS_OF_A_KIND;
    const char *more = last ? "; more of these in this packet are not listed" : "";
    if (item)
        gw_add_finding_format(drawing->pinfo, item, expert, "%s%s", text, more);
    else
        gw_add_finding_at_format(drawing->tree, drawing->pinfo, expert, drawing->tvb, (int)event->header.offset, 0,
                                 "%s%s", text, more);
}

/* Numbers of the bits of gw_squirrel_odd, by which report() counts expert infos. */
#define BIT_OF_LENGTH          8
#define BIT_OF_OPERAND_MISSING 9
#define BIT_OF_COUNT           11
#define BIT_OF_BEYOND          12
/* Not an oddity of the codec: the frame type determines the kind of its value. */
#define BIT_OF_BODY 31

/* Adds both numbers as items and reports: "Length of GetRemoteValue shorter than its content: 3 declared, 4 actual" */
static void report_numbers(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item,
                           expert_field *expert, unsigned bit, const char *number, const char *fault)
{
    proto_tree *holder = item ? proto_item_add_subtree(item, squirrel_ett.value) : parent_tree(drawing, event);
    if (holder)
        add_both_numbers(holder, event->declared, event->actual);
    report(drawing, event, item, expert, bit,
           wmem_strdup_printf(drawing->pinfo->pool, "%s of %s %s: %u declared, %u actual", number,
                              gw_squirrel_type_of(event->tag)->name, fault, event->declared, event->actual));
}

/* These oddities have expert infos with numbers. */
#define ODD_WITH_NUMBERS \
    (GW_SQUIRREL_ODD_LENGTH | GW_SQUIRREL_ODD_COUNT | GW_SQUIRREL_ODD_BEYOND | GW_SQUIRREL_ODD_OPERAND_MISSING)

/* Adds an expert info for each oddity of the event: first those with the codec's sentence, then those with numbers.
 * `item` may be NULL. */
static void report_oddities(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    if (!event->odd)
        return;
    gw_add_odd_experts(drawing->pinfo, item ? item : parent_tree(drawing, event), squirrel_ei.odd, &gw_squirrel_faults,
                       drawing->expert_counts, event->odd & ~(uint32_t)ODD_WITH_NUMBERS, event->header.offset);
    const bool is_short = event->declared < event->actual;
    if (event->odd & GW_SQUIRREL_ODD_LENGTH)
        report_numbers(drawing, event, item, is_short ? &squirrel_ei.length_short : &squirrel_ei.length_long,
                       BIT_OF_LENGTH, "Length", is_short ? "shorter than its content" : "longer than its content");
    if (event->odd & GW_SQUIRREL_ODD_COUNT)
        report_numbers(drawing, event, item, &squirrel_ei.odd[BIT_OF_COUNT], BIT_OF_COUNT, "Count",
                       "above its content");
    if (event->odd & GW_SQUIRREL_ODD_BEYOND)
        report_numbers(drawing, event, item, &squirrel_ei.odd[BIT_OF_BEYOND], BIT_OF_BEYOND, "Length",
                       "beyond the room in its container");
    if (event->odd & GW_SQUIRREL_ODD_OPERAND_MISSING)
        report(drawing, event, item, &squirrel_ei.odd[BIT_OF_OPERAND_MISSING], BIT_OF_OPERAND_MISSING,
               wmem_strdup_printf(drawing->pinfo->pool, "Operand missing: %s takes %s%u, has %u", type->name,
                                  type->form == GW_SQUIRREL_FORM_CALL ? "at least " : "", type->operands,
                                  event->values));
}

/* For the whole value of a frame (depth 0): reports a value that is not a command where the frame type has one, and the
 * error with which a command failed, in a reply (error_at_top). */
static void report_body(squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item)
{
    const gw_squirrel_frame_type *type = drawing->type;
    if (event->depth || !type)
        return;
    if (type->command && !gw_squirrel_is_command(gw_squirrel_type_of(event->tag)))
        report(drawing, event, item, &squirrel_ei.not_a_command, BIT_OF_BODY,
               "A plain value where this frame has a command");
    if (drawing->reader->options.error_at_top && event->tag == GW_SQUIRREL_ERROR)
        report(drawing, event, item, &squirrel_ei.error_reply, BIT_OF_BODY,
               "The command failed: this is the error it ended with");
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* Adds a scalar, or bytes that were skipped (an OPAQUE event: an unknown tag, or values that are nested too deep). */
static void add_value(squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    proto_tree *tree = parent_tree(drawing, event);
    proto_item *item = NULL;
    bool is_skipped = event->kind != GW_VALUE;
    if (may_add(drawing, event, tree) && (is_skipped || !may_pass_over(drawing, event))) {
        if (is_skipped)
            item = proto_tree_add_item(tree, squirrel_hf.skipped, drawing->tvb, (int)event->header.offset,
                                       item_length(event), ENC_NA);
        else
            item = add_scalar(drawing, event, tree);
        if (drawing->demand->visible)
            label_item(drawing, event, item);
        if (drawing->headers && !is_skipped)
            add_header(drawing, event, proto_item_add_subtree(item, squirrel_ett.value));
    }
    if (!is_skipped)
        report_body(drawing, event, item);
    report_oddities(drawing, event, item);
}

/* The name of the function that a command calls, in packet scope. NULL: the event does not open such a command, or the
 * name is computed by other commands. */
static const char *name_of_function(const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    gw_squirrel_options here = drawing->reader->options;
    gw_text text;
    if (event->kind != GW_OPEN || gw_squirrel_type_of(event->tag)->form != GW_SQUIRREL_FORM_CALL)
        return NULL;
    here.offset = event->header.offset;
    gw_text_init(&text, wmem_alloc(drawing->pinfo->pool, NAME_SIZE), NAME_SIZE);
    bool has_name = gw_squirrel_print_name(&text, drawing->reader->bytes, drawing->reader->length, &here);
    return has_name ? text.buffer : NULL;
}

/* Adds the item of a container or command, and sets the tree for its content: if no field of it is used, that of its
 * parent; if the packet has no room for its item, NULL, so that its content is not shown either. */
static void open_container(squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    proto_tree *tree = parent_tree(drawing, event), *subtree = NULL;
    proto_item *item = NULL;
    bool has_room = may_add(drawing, event, tree);
    bool is_passed_over = has_room && may_pass_over(drawing, event);
    if (is_passed_over) {
        subtree = tree;
    } else if (has_room) {
        /* Its length is set when the container closes. */
        int hf = field_of(event), offset = (int)event->header.offset;
        int rest = (int)(drawing->reader->length - event->header.offset);
        if (gw_squirrel_is_command(gw_squirrel_type_of(event->tag)))
            item = proto_tree_add_uint(tree, hf, drawing->tvb, offset, rest, event->tag);
        else
            item = proto_tree_add_item(tree, hf, drawing->tvb, offset, rest, ENC_NA);
        if (drawing->demand->visible)
            label_item(drawing, event, item);
        subtree = proto_item_add_subtree(item, squirrel_ett.value);
        add_header(drawing, event, subtree);
    }
    drawing->items[event->depth] = item;
    drawing->trees[event->depth] = subtree;
    /* The name of the function that a command calls is composed only if its field is referenced. */
    bool is_named = subtree && proto_field_is_referenced(subtree, squirrel_hf.function);
    const char *function = is_named ? name_of_function(drawing, event) : NULL;
    if (function)
        proto_item_set_generated(proto_tree_add_string(subtree, squirrel_hf.function, drawing->tvb,
                                                       (int)event->payload.offset, 0, function));
    report_body(drawing, event, item);
    report_oddities(drawing, event, item);
}

/* Completes the item of the container with its length and its number of elements or pairs (of two values each).
 * `is_counted`: the number after `a` or `t` was read as a count, as release 1.1.1 writes it in replies. */
static void close_container(squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    proto_item *item = drawing->drawn ? drawing->items[event->depth] : NULL;
    if (item) {
        const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
        uint32_t count = event->values >> type->pairs;
        bool is_counted = event->counted && type->form == GW_SQUIRREL_FORM_SIZED;
        proto_item_set_len(item, item_length(event));
        /* "[0]: array, 2 elements", "Value: table, 1 pair, counted as in release 1.1.1" */
        if (drawing->demand->visible && !gw_squirrel_is_command(type))
            proto_item_append_text(item, ", %u %s%s%s", count, type->pairs ? "pair" : "element", count == 1 ? "" : "s",
                                   is_counted ? ", counted as in release 1.1.1" : "");
    }
    report_oddities(drawing, event, item);
}

/* ---- JSON: a message from its head, its findings and the events of its values ------------------------------ */

struct squirrel_json {
    packet_info *pinfo;
    gw_json expressions; /* arrays */
    gw_json functions;
    bool has_expressions;
    bool has_functions;
    const char *script; /* NULL: none */
    const char *error;  /* NULL: none */
};

/* Starts the JSON of a message in packet scope, with empty lists; NULL: its field is not named. */
squirrel_json *squirrel_json_new(packet_info *pinfo, proto_tree *tree)
{
    if (!gw_json_is_wanted(pinfo, tree, squirrel_hf.json))
        return NULL;
    squirrel_json *json = wmem_new0(pinfo->pool, squirrel_json);
    json->pinfo = pinfo;
    gw_json_init(&json->expressions, pinfo->pool);
    gw_json_init(&json->functions, pinfo->pool);
    gw_json_open_array(&json->expressions);
    gw_json_open_array(&json->functions);
    return json;
}

/* Adds the source text of a value. */
void squirrel_json_expression(squirrel_json *json, const char *expression)
{
    gw_json_string(&json->expressions, expression);
    json->has_expressions = true;
}

/* Closes the list, which completes its text, and adds it as a member unless it is empty (`has_any` is false). */
static void add_list(gw_json *text, const char *name, gw_json *list, bool has_any)
{
    gw_json_close_array(list);
    if (!has_any)
        return;
    gw_json_name(text, name);
    gw_json_value(text, list);
}

/* Adds the line of the message: its head, the lists of its values, and its relations. */
void squirrel_json_end(squirrel_json *json, proto_tree *tree, const char *kind, const gw_squirrel_frame *frame,
                       const squirrel_findings *findings, unsigned first_finding)
{
    const gw_json_head head = { .protocol = "squirrel", .kind = kind };
    gw_json text;
    gw_json_begin(&text, json->pinfo, &head);
    if (frame && frame->type->token)
        gw_json_add_int(&text, "token", frame->token);
    add_list(&text, "expression", &json->expressions, json->has_expressions);
    add_list(&text, "functions", &json->functions, json->has_functions);
    gw_json_add_string(&text, "script", json->script);
    if (findings && findings->part == SQUIRREL_ANSWER && !findings->retransmission_of)
        gw_json_add_time_between(&text, "response_time", &json->pinfo->abs_ts, &findings->command_time);
    gw_json_add_string(&text, "error", json->error);
    if (findings) {
        bool is_command = findings->part == SQUIRREL_COMMAND;
        gw_json_add_true(&text, "failed", is_command && findings->failed);
        gw_json_add_true(&text, "unanswered", is_command && findings->unanswered);
        gw_json_add_true(&text, "relayed", findings->relay_of != 0);
    }
    gw_json_add_notes(&text, json->pinfo, first_finding, gw_count_findings(json->pinfo));
    gw_json_end(&text, tree, squirrel_hf.json);
}

/* ---- all values of a message ---------------------------------------------------------------------------- */

/* Sets the state for the events of one message's values. `type`: NULL without a frame; `json`: NULL if not named. All
 * messages of the packet share `items_left`. Headers of scalars are items if the preference is set or a field of them
 * is named. */
void squirrel_begin_values(squirrel_drawing *drawing, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                           gw_demand *demand, const gw_squirrel_frame_type *type, const gw_squirrel_reader *reader,
                           squirrel_json *json)
{
    drawing->json = json;
    drawing->tvb = tvb;
    drawing->pinfo = pinfo;
    drawing->tree = tree;
    drawing->type = type;
    drawing->reader = reader;
    drawing->items_left = gw_items_left(pinfo, squirrel_hf.not_shown);
    memset(drawing->expert_counts, 0, sizeof drawing->expert_counts);
    drawing->demand = demand;
    drawing->drawn = demand->items;
    drawing->headers = drawing->drawn && (squirrel_tree_prefs.show_headers || gw_is_named(squirrel_hf.tag) ||
                                          gw_is_named(squirrel_hf.length) || gw_is_named(squirrel_hf.count));
    drawing->hiding = false;
}

/* Adds one event to the JSON and the tree. Without items, only events that may have an expert info are used. */
void squirrel_add_event(squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    squirrel_json *json = drawing->json;
    /* 1. The JSON has the called functions, and the text of a script or an error that is the whole value. */
    const char *function = json ? name_of_function(drawing, event) : NULL;
    if (function) {
        gw_json_string(&json->functions, function);
        json->has_functions = true;
    }
    if (json && event->kind == GW_VALUE && !event->depth) {
        if (event->tag == GW_SQUIRREL_STRING && event->role == GW_SQUIRREL_ROLE_SCRIPT && !json->script)
            json->script = displayable(drawing, event);
        if (event->tag == GW_SQUIRREL_ERROR && !json->error)
            json->error = displayable(drawing, event);
    }
    /* 2. The tree. At the top (depth 0), report_body() also reports values without an oddity. */
    if (!drawing->drawn && !event->odd && event->depth)
        return;
    if (event->kind == GW_OPEN)
        open_container(drawing, event);
    else if (event->kind == GW_CLOSE)
        close_container(drawing, event);
    else
        add_value(drawing, event);
}

/* After the last event: what was not shown, and the fault that ended the values. */
void squirrel_end_values(squirrel_drawing *drawing)
{
    static const gw_fault_display display = { &squirrel_hf.undecoded, squirrel_ei.faults, &squirrel_ei.cut_short,
                                              &gw_squirrel_faults };
    const gw_squirrel_reader *reader = drawing->reader;
    const gw_fault *fault = &reader->fault;
    /* 1. The values above the limit of items. */
    if (drawing->hiding) {
        uint32_t length = drawing->reader->offset - drawing->hidden_from;
        proto_tree_add_bytes_format(drawing->tree, squirrel_hf.not_shown, drawing->tvb, (int)drawing->hidden_from,
                                    (int)length, NULL, "More values, not shown: %u bytes", length);
    }
    if (!fault->code)
        return;
    /* 2. The bytes that could not be read. If the capture cut them off, the actual number is not that of the sender. */
    const char *text = gw_fault_text(&gw_squirrel_faults, fault->code);
    wmem_allocator_t *pool = drawing->pinfo->pool;
    bool has_numbers =
        fault->code == GW_SQUIRREL_FAULT_STRING_TRUNCATED || fault->code == GW_SQUIRREL_FAULT_BLOB_TRUNCATED ||
        fault->code == GW_SQUIRREL_FAULT_LENGTH_TRUNCATED || fault->code == GW_SQUIRREL_FAULT_COUNT_TRUNCATED;
    if (has_numbers && !gw_fault_is_cut(drawing->pinfo, drawing->tvb, fault))
        add_both_numbers(drawing->tree, reader->declared, reader->actual);
    /* "A string is longer than the data: 200 declared, 5 actual" */
    if (has_numbers)
        text = wmem_strdup_printf(pool, "%s: %u declared, %u actual,", text, reader->declared, reader->actual);
    else if (fault->fault_class == GW_FAULT_MALFORMED)
        text = wmem_strdup_printf(pool, "%s: %u bytes", text, reader->actual);
    else if (fault->code == GW_SQUIRREL_FAULT_TAG_UNKNOWN)
        text = wmem_strdup_printf(pool, "%s 0x%02x", text, reader->bytes[fault->offset]);
    gw_add_fault_text(drawing->pinfo, drawing->tree, drawing->tvb, fault, &display, text);
}
