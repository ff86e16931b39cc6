/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One loop over the codec's events makes the tree, and finds what is wrong whether there is a tree or not.
 *
 * A value is one item, labelled with its role: "Argument 1: "Hello" (string)". A container or command is one
 * item with those of its content below. Wrong numbers are told by an expert info, and as generated fields.
 */
#include "squirrel-values.h"

#include "common/fault.h"
#include "common/label.h"

#define EXPRESSION_SIZE 1024
#define LABEL_SIZE      160

/* Display is bounded: an item for four bytes, and some for small packets; then one item for all the rest. Nor
 * do a thousand wrong values need a thousand expert infos. */
#define FREE_ITEMS     64u
#define BYTES_PER_ITEM 4u
#define MOST_ITEMS     20000u
#define MOST_EXPERTS   32u

static int hf_expression = -1;
static int hf_null = -1;
static int hf_integer = -1;
static int hf_float = -1;
static int hf_bool = -1;
static int hf_string = -1;
static int hf_error = -1;
static int hf_script = -1;
static int hf_vector = -1;
static int hf_vector_x = -1;
static int hf_vector_y = -1;
static int hf_vector_z = -1;
static int hf_quaternion = -1;
static int hf_quaternion_x = -1;
static int hf_quaternion_y = -1;
static int hf_quaternion_z = -1;
static int hf_quaternion_w = -1;
static int hf_blob = -1;
static int hf_array = -1;
static int hf_table = -1;
static int hf_class = -1;
static int hf_command = -1;
static int hf_function = -1;
static int hf_declared = -1;
static int hf_actual = -1;
static int hf_skipped = -1;
static int hf_not_shown = -1;
static int hf_undecoded = -1;

static int ett_value = -1;

static expert_field ei_bool = EI_INIT;
static expert_field ei_code_page = EI_INIT;
static expert_field ei_empty_array = EI_INIT;
static expert_field ei_error_inside = EI_INIT;
static expert_field ei_receiver = EI_INIT;
static expert_field ei_length_short = EI_INIT;
static expert_field ei_length_long = EI_INIT;
static expert_field ei_operand_missing = EI_INIT;
static expert_field ei_key_alone = EI_INIT;
static expert_field ei_count = EI_INIT;
static expert_field ei_beyond = EI_INIT;
static expert_field ei_skipped_tag = EI_INIT;
static expert_field ei_too_deep = EI_INIT;
static expert_field ei_not_a_command = EI_INIT;
static expert_field ei_error_reply = EI_INIT;
static expert_field ei_many = EI_INIT;
static expert_field ei_cut_short = EI_INIT;
static expert_field ei_value_missing = EI_INIT;
static expert_field ei_value_truncated = EI_INIT;
static expert_field ei_string_truncated = EI_INIT;
static expert_field ei_blob_truncated = EI_INIT;
static expert_field ei_length_truncated = EI_INIT;
static expert_field ei_count_truncated = EI_INIT;
static expert_field ei_unknown_tag = EI_INIT;
static expert_field ei_left_over = EI_INIT;
static expert_field ei_operand_left_over = EI_INIT;
static expert_field ei_depth_limit = EI_INIT;
static expert_field ei_length_limit = EI_INIT;

/* What the real receiver does with each fault; NULL where nothing is known. */
static const struct {
    expert_field *expert;
    const char *consequence;
} fault_experts[GW_SQUIRREL_FAULTS] = {
    [GW_SQUIRREL_FAULT_VALUE_MISSING] = { &ei_value_missing, "the real client raises an error" },
    [GW_SQUIRREL_FAULT_VALUE_TRUNCATED] = { &ei_value_truncated, NULL },
    [GW_SQUIRREL_FAULT_STRING_TRUNCATED] = { &ei_string_truncated, NULL },
    [GW_SQUIRREL_FAULT_BLOB_TRUNCATED] = { &ei_blob_truncated, NULL },
    [GW_SQUIRREL_FAULT_LENGTH_TRUNCATED] = { &ei_length_truncated, "the real client raises an error" },
    [GW_SQUIRREL_FAULT_COUNT_TRUNCATED] = { &ei_count_truncated, NULL },
    [GW_SQUIRREL_FAULT_UNKNOWN_TAG] = { &ei_unknown_tag, "the real client reads null, the server fails" },
    [GW_SQUIRREL_FAULT_LEFT_OVER] = { &ei_left_over, NULL },
    [GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER] = { &ei_operand_left_over, "the real client does not look at them" },
    [GW_SQUIRREL_FAULT_TOO_DEEP] = { &ei_depth_limit, NULL },
    [GW_SQUIRREL_FAULT_TOO_LONG] = { &ei_length_limit, NULL },
};

typedef struct value_walk {
    squirrel_content *content;
    const uint8_t *bytes;
    uint32_t length;
    gw_squirrel_event event;
    unsigned items_left;
    unsigned experts_left;
    ws_bool hiding;
    uint32_t hidden_from;
    ws_bool visible;
    proto_item *items[GW_SQUIRREL_DEPTH];
    proto_tree *trees[GW_SQUIRREL_DEPTH];
    gw_squirrel_reader reader;
} value_walk;

/* ---- source text --------------------------------------------------------------------------------------- */

static void add_expression(const squirrel_content *content, const char *text)
{
    proto_item *item = proto_tree_add_string(content->tree, hf_expression, content->tvb, 0, 0, text);
    proto_item_set_generated(item);
}

static ws_bool wants_text(const squirrel_content *content)
{
    return content->in_column || proto_field_is_referenced(content->tree, hf_expression);
}

/* The source of one value after the other; ClientData has two. Scripts are no values and have no expression.
 */
static void print_content(squirrel_content *content, const uint8_t *bytes, uint32_t length)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_printer printer;
    gw_text text;
    ws_bool is_value = content->options.content != GW_SQUIRREL_CONTENT_SCRIPT;
    gw_next answer = GW_NEXT_END;
    size_t start = 0;
    content->text = (char *)wmem_alloc(content->pinfo->pool, EXPRESSION_SIZE);
    gw_text_init(&text, content->text, EXPRESSION_SIZE);
    gw_squirrel_printer_init(&printer, &text);
    gw_squirrel_init(&reader, bytes, length, &content->options);
    while (!text.cut && (answer = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (event.role == GW_SQUIRREL_ROLE_DATA && event.kind != GW_SQUIRREL_EVENT_CLOSE) {
            add_expression(content, content->text);
            gw_text_string(&text, ", ");
            start = text.length;
        }
        gw_squirrel_print_event(&printer, bytes, &event);
    }
    if (answer == GW_NEXT_FAULT && text.length > start && gw_squirrel_is_cut(&reader))
        gw_text_string(&text, "\xE2\x80\xA6");
    if (is_value && text.length > start)
        add_expression(content, content->text + start);
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static const char *role_label(const value_walk *walk, char *buffer, size_t size)
{
    static const char *const labels[GW_SQUIRREL_ROLES] = {
        [GW_SQUIRREL_ROLE_BODY] = "Value",
        [GW_SQUIRREL_ROLE_SCRIPT] = "Script",
        [GW_SQUIRREL_ROLE_IDENTIFIER] = "Identifier",
        [GW_SQUIRREL_ROLE_DATA] = "Data",
        [GW_SQUIRREL_ROLE_KEY] = "Key",
        [GW_SQUIRREL_ROLE_VALUE] = "Value",
        [GW_SQUIRREL_ROLE_OBJECT] = "Object",
        [GW_SQUIRREL_ROLE_FUNCTION] = "Function",
        [GW_SQUIRREL_ROLE_ENVIRONMENT] = "Environment",
        [GW_SQUIRREL_ROLE_LEFT] = "Left",
        [GW_SQUIRREL_ROLE_RIGHT] = "Right",
        [GW_SQUIRREL_ROLE_OPERAND] = "Operand",
    };
    const gw_squirrel_event *event = &walk->event;
    if (event->role == GW_SQUIRREL_ROLE_ARGUMENT)
        snprintf(buffer, size, "Argument %u", event->index + 1);
    else if (event->role == GW_SQUIRREL_ROLE_ELEMENT)
        snprintf(buffer, size, "[%u]", event->index);
    else
        return labels[event->role];
    return buffer;
}

static void set_label(const value_walk *walk, proto_item *item, const char *text, const char *type)
{
    char role[24];
    proto_item_set_text(item, "%s: %s%s%s%s", role_label(walk, role, sizeof role), text, type[0] ? " (" : "", type,
                        type[0] ? ")" : "");
}

static void label_value(const value_walk *walk, proto_item *item)
{
    char buffer[LABEL_SIZE];
    gw_text text;
    gw_squirrel_printer printer;
    gw_squirrel_event alone = walk->event;
    if (!walk->visible || !item)
        return;
    alone.depth = 0;
    alone.role = GW_SQUIRREL_ROLE_BODY;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_squirrel_printer_init(&printer, &text);
    gw_squirrel_print_event(&printer, walk->bytes, &alone);
    set_label(walk, item, buffer, gw_squirrel_type_of(alone.tag)->name);
}

/* "[0]: array, 2 elements", "Value: table, 1 pair, counted as in release 1.1.1" */
static void label_container(const value_walk *walk, proto_item *item)
{
    const gw_squirrel_event *event = &walk->event;
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    uint32_t count = event->values >> type->pairs;
    if (!walk->visible || !item || gw_squirrel_is_command(type))
        return;
    proto_item_append_text(item, ", %u %s%s", count, type->pairs ? "pair" : "element", count == 1 ? "" : "s");
    if (event->counted && type->form == GW_SQUIRREL_FORM_SIZED)
        proto_item_append_text(item, ", counted as in release 1.1.1");
}

/* ---- items --------------------------------------------------------------------------------------------- */

static uint32_t event_end(const gw_squirrel_event *event)
{
    return event->payload.offset + event->payload.length;
}

static int event_length(const gw_squirrel_event *event)
{
    return (int)(event_end(event) - event->header.offset);
}

/* A string as Wireshark can keep it: UTF-8 without NUL, which Squirrel strings may hold. */
static char *displayable(const value_walk *walk)
{
    const gw_span *payload = &walk->event.payload;
    wmem_allocator_t *pool = walk->content->pinfo->pool;
    const uint8_t *bytes = walk->bytes + payload->offset;
    if (!memchr(bytes, 0, payload->length))
        return (char *)tvb_get_string_enc(pool, walk->content->tvb, (int)payload->offset, (int)payload->length,
                                          ENC_UTF_8 | ENC_NA);
    gw_text text;
    size_t size = 4 * (size_t)payload->length + 3;
    char *buffer = (char *)wmem_alloc(pool, size);
    gw_text_init(&text, buffer, size);
    gw_squirrel_print_string(&text, bytes, payload->length);
    buffer[text.length - 1] = '\0';
    return buffer + 1;
}

static proto_item *add_string(const value_walk *walk, proto_tree *tree, int hf)
{
    const gw_squirrel_event *event = &walk->event;
    return proto_tree_add_string(tree, hf, walk->content->tvb, (int)event->header.offset, event_length(event),
                                 proto_field_is_referenced(tree, hf) ? displayable(walk) : "");
}

static proto_item *add_components(value_walk *walk, proto_tree *tree, int hf, const int *components, int count)
{
    const gw_squirrel_event *event = &walk->event;
    tvbuff_t *tvb = walk->content->tvb;
    proto_item *item = proto_tree_add_item(tree, hf, tvb, (int)event->header.offset, event_length(event), ENC_NA);
    proto_tree *below = proto_item_add_subtree(item, ett_value);
    for (int i = 0; i < count; i++)
        proto_tree_add_float(below, components[i], tvb, (int)event->payload.offset + 4 * i, 4, event->number[i]);
    walk->items_left -= MIN(walk->items_left, (unsigned)count);
    return item;
}

static proto_item *add_numbers(value_walk *walk, proto_tree *tree)
{
    const int vector[] = { hf_vector_x, hf_vector_y, hf_vector_z };
    const int quaternion[] = { hf_quaternion_x, hf_quaternion_y, hf_quaternion_z, hf_quaternion_w };
    if (walk->event.tag == GW_SQUIRREL_VECTOR)
        return add_components(walk, tree, hf_vector, vector, 3);
    return add_components(walk, tree, hf_quaternion, quaternion, 4);
}

static proto_item *add_scalar(value_walk *walk, proto_tree *tree)
{
    const gw_squirrel_event *event = &walk->event;
    tvbuff_t *tvb = walk->content->tvb;
    int offset = (int)event->header.offset, length = event_length(event);
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        return proto_tree_add_item(tree, hf_null, tvb, offset, length, ENC_NA);
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        return proto_tree_add_int(tree, hf_integer, tvb, offset, length, event->integer);
    case GW_SQUIRREL_FLOAT:
        return proto_tree_add_float(tree, hf_float, tvb, offset, length, event->number[0]);
    case GW_SQUIRREL_BOOL:
        return proto_tree_add_boolean(tree, hf_bool, tvb, offset, length, event->boolean);
    case GW_SQUIRREL_VECTOR:
    case GW_SQUIRREL_QUATERNION:
        return add_numbers(walk, tree);
    case GW_SQUIRREL_BLOB:
        return proto_tree_add_bytes_with_length(tree, hf_blob, tvb, offset, length, walk->bytes + event->payload.offset,
                                                (int)event->payload.length);
    case GW_SQUIRREL_ERROR:
        return add_string(walk, tree, hf_error);
    default:
        return add_string(walk, tree, event->role == GW_SQUIRREL_ROLE_SCRIPT ? hf_script : hf_string);
    }
}

/* The length is set when the container closes. */
static proto_item *add_container(value_walk *walk, proto_tree *tree)
{
    const gw_squirrel_event *event = &walk->event;
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    tvbuff_t *tvb = walk->content->tvb;
    int offset = (int)event->header.offset, rest = (int)(walk->length - event->header.offset);
    proto_item *item;
    if (gw_squirrel_is_command(type))
        item = proto_tree_add_uint(tree, hf_command, tvb, offset, rest, event->tag);
    else if (event->tag == GW_SQUIRREL_CLASS)
        item = proto_tree_add_item(tree, hf_class, tvb, offset, rest, ENC_NA);
    else
        item = proto_tree_add_item(tree, type->pairs ? hf_table : hf_array, tvb, offset, rest, ENC_NA);
    if (walk->visible)
        set_label(walk, item, type->name, "");
    return item;
}

static proto_tree *parent_tree(const value_walk *walk)
{
    return walk->event.depth ? walk->trees[walk->event.depth - 1] : walk->content->tree;
}

/* True when there is a tree with room for one more item. What has no room is hidden from here on. */
static ws_bool may_add(value_walk *walk, proto_tree *tree)
{
    if (!tree || walk->hiding)
        return FALSE;
    if (!walk->items_left) {
        walk->hiding = TRUE;
        walk->hidden_from = walk->event.header.offset;
        return FALSE;
    }
    walk->items_left--;
    return TRUE;
}

static void add_hidden(value_walk *walk)
{
    if (!walk->hiding)
        return;
    proto_tree_add_bytes_format(walk->content->tree, hf_not_shown, walk->content->tvb, (int)walk->hidden_from,
                                (int)(walk->reader.position - walk->hidden_from), NULL,
                                "More values, not shown: %u bytes", walk->reader.position - walk->hidden_from);
}

/* ---- what is wrong ------------------------------------------------------------------------------------- */

static ws_bool may_tell(value_walk *walk)
{
    if (!walk->experts_left)
        return FALSE;
    if (!--walk->experts_left) {
        proto_tree_add_expert(walk->content->tree, walk->content->pinfo, &ei_many, walk->content->tvb, 0, 0);
        return FALSE;
    }
    return TRUE;
}

/* `item` may be NULL: without a tree the expert info is counted all the same. */
static void tell(value_walk *walk, proto_item *item, expert_field *expert, const char *text)
{
    if (!may_tell(walk))
        return;
    if (item)
        expert_add_info_format(walk->content->pinfo, item, expert, "%s", text);
    else
        proto_tree_add_expert_format(walk->content->tree, walk->content->pinfo, expert, walk->content->tvb,
                                     (int)walk->event.header.offset, 0, "%s", text);
}

static void add_both_numbers(const value_walk *walk, proto_tree *tree, uint32_t declared, uint32_t actual)
{
    proto_item_set_generated(proto_tree_add_uint(tree, hf_declared, walk->content->tvb, 0, 0, declared));
    proto_item_set_generated(proto_tree_add_uint(tree, hf_actual, walk->content->tvb, 0, 0, actual));
}

/* "Length of GetRemoteValue shorter than its content: 3 declared, 4 actual" */
static void tell_numbers(value_walk *walk, proto_item *item, expert_field *expert, const char *before,
                         const char *after)
{
    const gw_squirrel_event *event = &walk->event;
    const char *name = gw_squirrel_type_of(event->tag)->name;
    if (item)
        add_both_numbers(walk, proto_item_add_subtree(item, ett_value), event->declared, event->actual);
    tell(walk, item, expert,
         wmem_strdup_printf(walk->content->pinfo->pool, "%s %s %s: %u declared, %u actual", before, name, after,
                            event->declared, event->actual));
}

/* Oddities that need no number, in a sentence each. */
static const struct {
    uint16_t odd;
    expert_field *expert;
    const char *text;
} plain_oddities[] = {
    { GW_SQUIRREL_ODD_BOOL, &ei_bool, "A bool that is neither 0 nor 1; the real reader takes it for true" },
    { GW_SQUIRREL_ODD_UTF8, &ei_code_page, "Not UTF-8: most likely text in a Windows code page" },
    { GW_SQUIRREL_ODD_EMPTY_ARRAY, &ei_empty_array,
      "An empty array by length: the real client takes the next value for its element" },
    { GW_SQUIRREL_ODD_ERROR_INSIDE, &ei_error_inside, "An error that is not the whole value of a reply" },
    { GW_SQUIRREL_ODD_RECEIVER, &ei_receiver, "The receiver of this frame does not know this tag" },
    { GW_SQUIRREL_ODD_KEY_ALONE, &ei_key_alone, "A table with an odd number of values: the last key has no value" },
    { GW_SQUIRREL_ODD_UNKNOWN_TAG, &ei_skipped_tag,
      "Unknown tag: the real client reads null, the server fails; skipped to the end of what holds it" },
    { GW_SQUIRREL_ODD_TOO_DEEP, &ei_too_deep, "Nested too deep to be shown: skipped as one" },
};

static void tell_operand_missing(value_walk *walk, proto_item *item)
{
    const gw_squirrel_type *type = gw_squirrel_type_of(walk->event.tag);
    tell(walk, item, &ei_operand_missing,
         wmem_strdup_printf(walk->content->pinfo->pool, "Operand missing: %s takes %s%u, has %u", type->name,
                            type->form == GW_SQUIRREL_FORM_CALL ? "at least " : "", type->operands,
                            walk->event.values));
}

static void tell_length(value_walk *walk, proto_item *item)
{
    if (walk->event.declared < walk->event.actual)
        tell_numbers(walk, item, &ei_length_short, "Length of", "shorter than its content");
    else
        tell_numbers(walk, item, &ei_length_long, "Length of", "longer than its content");
}

static void tell_oddities(value_walk *walk, proto_item *item)
{
    uint16_t odd = walk->event.odd;
    for (size_t i = 0; odd && i < array_length(plain_oddities); i++)
        if (odd & plain_oddities[i].odd)
            tell(walk, item, plain_oddities[i].expert, plain_oddities[i].text);
    if (odd & GW_SQUIRREL_ODD_LENGTH)
        tell_length(walk, item);
    if (odd & GW_SQUIRREL_ODD_COUNT)
        tell_numbers(walk, item, &ei_count, "Count of", "above its content");
    if (odd & GW_SQUIRREL_ODD_BEYOND)
        tell_numbers(walk, item, &ei_beyond, "Length of", "beyond the room that its container has");
    if (odd & GW_SQUIRREL_ODD_OPERAND_MISSING)
        tell_operand_missing(walk, item);
}

/* What the frame expects of its value as a whole. */
static void tell_about_body(value_walk *walk, proto_item *item)
{
    const gw_squirrel_frame_type *type = walk->content->type;
    if (walk->event.depth || !type || walk->event.kind == GW_SQUIRREL_EVENT_CLOSE)
        return;
    if (type->command && !gw_squirrel_is_command(gw_squirrel_type_of(walk->event.tag)))
        tell(walk, item, &ei_not_a_command, "This frame carries a command, but here is a plain value");
    if (walk->content->options.error_at_top && walk->event.tag == GW_SQUIRREL_ERROR)
        tell(walk, item, &ei_error_reply, "The command failed: this is the error it ended with");
}

static ws_bool fault_has_numbers(uint32_t code)
{
    return code == GW_SQUIRREL_FAULT_STRING_TRUNCATED || code == GW_SQUIRREL_FAULT_BLOB_TRUNCATED ||
           code == GW_SQUIRREL_FAULT_LENGTH_TRUNCATED || code == GW_SQUIRREL_FAULT_COUNT_TRUNCATED;
}

/* "A string is longer than the data: 200 declared, 5 actual" */
static const char *fault_text(const value_walk *walk)
{
    const gw_squirrel_reader *reader = &walk->reader;
    const char *text = gw_squirrel_fault_text(reader->fault.code);
    wmem_allocator_t *pool = walk->content->pinfo->pool;
    if (fault_has_numbers(reader->fault.code))
        return wmem_strdup_printf(pool, "%s: %u declared, %u actual,", text, reader->declared, reader->actual);
    if (reader->fault.fault_class == GW_FAULT_MALFORMED)
        return wmem_strdup_printf(pool, "%s: %u bytes", text, reader->actual);
    if (reader->fault.code == GW_SQUIRREL_FAULT_UNKNOWN_TAG)
        return wmem_strdup_printf(pool, "%s 0x%02x", text, walk->bytes[reader->fault.offset]);
    return text;
}

static void tell_fault(value_walk *walk)
{
    const gw_fault *fault = &walk->reader.fault;
    gw_fault_report report = { hf_undecoded, fault_experts[fault->code].expert, &ei_cut_short, fault_text(walk),
                               fault_experts[fault->code].consequence };
    if (fault_has_numbers(fault->code) && !gw_fault_is_capture_cut(walk->content->tvb, fault))
        add_both_numbers(walk, walk->content->tree, walk->reader.declared, walk->reader.actual);
    gw_fault_add(walk->content->pinfo, walk->content->tree, walk->content->tvb, fault, &report);
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static void take_value(value_walk *walk)
{
    proto_tree *tree = parent_tree(walk);
    proto_item *item = NULL;
    if (may_add(walk, tree)) {
        item = add_scalar(walk, tree);
        label_value(walk, item);
    }
    tell_about_body(walk, item);
    tell_oddities(walk, item);
}

static void take_skipped(value_walk *walk)
{
    proto_tree *tree = parent_tree(walk);
    const gw_squirrel_event *event = &walk->event;
    proto_item *item = NULL;
    if (may_add(walk, tree)) {
        item = proto_tree_add_item(tree, hf_skipped, walk->content->tvb, (int)event->header.offset, event_length(event),
                                   ENC_NA);
        if (walk->visible)
            set_label(walk, item, "skipped", gw_squirrel_type_of(event->tag)->name);
    }
    tell_oddities(walk, item);
}

static void add_function(const value_walk *walk, proto_tree *tree)
{
    const char *name;
    if (gw_squirrel_type_of(walk->event.tag)->form != GW_SQUIRREL_FORM_CALL || !tree ||
        !proto_field_is_referenced(tree, hf_function))
        return;
    name = squirrel_name_at(walk->content->pinfo->pool, walk->bytes, walk->length, &walk->content->options,
                            walk->event.header.offset);
    if (name)
        proto_item_set_generated(
            proto_tree_add_string(tree, hf_function, walk->content->tvb, (int)walk->event.payload.offset, 0, name));
}

static void take_open(value_walk *walk)
{
    proto_tree *tree = parent_tree(walk);
    uint8_t depth = walk->event.depth;
    proto_item *item = may_add(walk, tree) ? add_container(walk, tree) : NULL;
    walk->items[depth] = item;
    walk->trees[depth] = item ? proto_item_add_subtree(item, ett_value) : NULL;
    add_function(walk, walk->trees[depth]);
    tell_about_body(walk, item);
    tell_oddities(walk, item);
    if (walk->content->tap)
        squirrel_tap_command(walk->content->tap, walk->content->pinfo, walk->bytes, walk->length,
                             &walk->content->options, &walk->event);
}

static void take_close(value_walk *walk)
{
    proto_item *item = walk->items[walk->event.depth];
    if (item)
        proto_item_set_len(item, event_length(&walk->event));
    label_container(walk, item);
    tell_oddities(walk, item);
}

static void take_event(value_walk *walk)
{
    switch (walk->event.kind) {
    case GW_SQUIRREL_EVENT_VALUE:
        take_value(walk);
        break;
    case GW_SQUIRREL_EVENT_OPEN:
        take_open(walk);
        break;
    case GW_SQUIRREL_EVENT_CLOSE:
        take_close(walk);
        break;
    default:
        take_skipped(walk);
        break;
    }
}

void squirrel_add_values(squirrel_content *content)
{
    value_walk walk;
    walk.content = content;
    walk.length = tvb_captured_length(content->tvb);
    walk.bytes = walk.length ? tvb_get_ptr(content->tvb, 0, (int)walk.length) : NULL;
    walk.items_left = MIN(FREE_ITEMS + walk.length / BYTES_PER_ITEM, MOST_ITEMS);
    walk.experts_left = MOST_EXPERTS;
    walk.hiding = FALSE;
    walk.visible = content->tree && PTREE_DATA(content->tree)->visible;
    content->text = NULL;
    if (wants_text(content))
        print_content(content, walk.bytes, walk.length);
    gw_squirrel_init(&walk.reader, walk.bytes, walk.length, &content->options);
    while (gw_squirrel_next(&walk.reader, &walk.event) == GW_NEXT_EVENT)
        take_event(&walk);
    add_hidden(&walk);
    if (walk.reader.fault.code)
        tell_fault(&walk);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* clang-format off */
#define COMMAND_NAME(tag, name) { GW_SQUIRREL_##tag, name }

static const value_string command_names[] = {
    COMMAND_NAME(MODULO, "_modulo"),
    COMMAND_NAME(MULTIPLY, "_mul"),
    COMMAND_NAME(ADD, "_add"),
    COMMAND_NAME(SUBTRACT, "_sub"),
    COMMAND_NAME(DIVIDE, "_div"),
    COMMAND_NAME(CALL_EX, "CallRemoteFuncEx"),
    COMMAND_NAME(CALL, "CallRemoteFunc"),
    COMMAND_NAME(GET, "GetRemoteValue"),
    COMMAND_NAME(SET, "SetRemoteValue"),
    COMMAND_NAME(SET_EX, "SetRemoteValueEx"),
    COMMAND_NAME(GET_EX, "GetRemoteValueEx"),
    COMMAND_NAME(NEGATE, "_unm"),
    { 0, NULL }
};

static void format_command(char *label, uint32_t tag)
{
    gw_format_hex(label, command_names, tag, 2);
}

static hf_register_info fields[] = {
    { &hf_expression, { "Expression", "squirrel.expression", FT_STRING, BASE_NONE, NULL, 0,
                        "The Squirrel source that the value or command stands for", HFILL } },
    { &hf_null, { "Null", "squirrel.null", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_integer, { "Integer", "squirrel.integer", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL } },
    { &hf_float, { "Float", "squirrel.float", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_bool, { "Bool", "squirrel.bool", FT_BOOLEAN, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_string, { "String", "squirrel.string", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_error, { "Error", "squirrel.error", FT_STRING, BASE_NONE, NULL, 0,
                   "What was thrown where the command ran", HFILL } },
    { &hf_script, { "Script", "squirrel.script", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_vector, { "Vector", "squirrel.vector", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_vector_x, { "X", "squirrel.vector.x", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_vector_y, { "Y", "squirrel.vector.y", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_vector_z, { "Z", "squirrel.vector.z", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_quaternion, { "Quaternion", "squirrel.quaternion", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_quaternion_x, { "X", "squirrel.quaternion.x", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_quaternion_y, { "Y", "squirrel.quaternion.y", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_quaternion_z, { "Z", "squirrel.quaternion.z", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_quaternion_w, { "W", "squirrel.quaternion.w", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_blob, { "Blob", "squirrel.blob", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_array, { "Array", "squirrel.array", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_table, { "Table", "squirrel.table", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_class, { "Class", "squirrel.class", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_command, { "Command", "squirrel.command", FT_UINT8, BASE_CUSTOM, CF_FUNC(format_command), 0, NULL,
      HFILL } },
    { &hf_function, { "Function called", "squirrel.function", FT_STRING, BASE_NONE, NULL, 0,
                      "The path of the function: Console.Print", HFILL } },
    { &hf_declared, { "Declared", "squirrel.declared", FT_UINT32, BASE_DEC, NULL, 0,
                      "A length or count as the bytes have it", HFILL } },
    { &hf_actual, { "Actual", "squirrel.actual", FT_UINT32, BASE_DEC, NULL, 0,
                    "The length or count that would have been right", HFILL } },
    { &hf_skipped, { "Skipped", "squirrel.skipped", FT_BYTES, BASE_NONE, NULL, 0,
                     "Bytes that could not be taken apart, between others that could", HFILL } },
    { &hf_not_shown, { "Not shown", "squirrel.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
                       "Values that were decoded but are too many to be shown", HFILL } },
    { &hf_undecoded, { "Undecoded", "squirrel.undecoded", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
};

static ei_register_info expert_infos[] = {
    { &ei_bool, { "squirrel.bool_odd", PI_PROTOCOL, PI_WARN, "A bool that is neither 0 nor 1", EXPFILL } },
    { &ei_code_page, { "squirrel.not_utf8", PI_UNDECODED, PI_CHAT, "A string that is not UTF-8", EXPFILL } },
    { &ei_empty_array, { "squirrel.empty_array", PI_PROTOCOL, PI_WARN,
      "An array that the real client misreads", EXPFILL } },
    { &ei_error_inside, { "squirrel.error_misplaced", PI_PROTOCOL, PI_WARN,
      "An error where only replies have one", EXPFILL } },
    { &ei_receiver, { "squirrel.receiver_unable", PI_PROTOCOL, PI_WARN,
      "A tag that the receiver does not know", EXPFILL } },
    { &ei_length_short, { "squirrel.length_short", PI_PROTOCOL, PI_WARN, "Length shorter than the content",
      EXPFILL } },
    { &ei_length_long, { "squirrel.length_long", PI_PROTOCOL, PI_WARN, "Length longer than the content",
      EXPFILL } },
    { &ei_operand_missing, { "squirrel.operand_missing", PI_PROTOCOL, PI_ERROR, "Operand missing",
      EXPFILL } },
    { &ei_key_alone, { "squirrel.key_alone", PI_PROTOCOL, PI_ERROR, "A table with an odd number of values",
      EXPFILL } },
    { &ei_count, { "squirrel.count_long", PI_PROTOCOL, PI_WARN, "Count above the content", EXPFILL } },
    { &ei_beyond, { "squirrel.beyond_container", PI_PROTOCOL, PI_WARN,
      "A value that ends beyond what holds it", EXPFILL } },
    { &ei_skipped_tag, { "squirrel.unknown_tag_skipped", PI_UNDECODED, PI_WARN, "Unknown tag, skipped",
      EXPFILL } },
    { &ei_too_deep, { "squirrel.too_deep", PI_UNDECODED, PI_NOTE, "Nested too deep to be shown", EXPFILL } },
    { &ei_not_a_command, { "squirrel.not_a_command", PI_PROTOCOL, PI_NOTE,
      "A value where a command belongs", EXPFILL } },
    { &ei_error_reply, { "squirrel.error_reply", PI_RESPONSE_CODE, PI_NOTE, "The command failed", EXPFILL } },
    { &ei_many, { "squirrel.many_faults", PI_UNDECODED, PI_NOTE,
      "More is wrong with this packet; not told", EXPFILL } },
    { &ei_cut_short, { "squirrel.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", EXPFILL } },
    { &ei_value_missing, { "squirrel.value_missing", PI_MALFORMED, PI_ERROR, "A value is missing",
      EXPFILL } },
    { &ei_value_truncated, { "squirrel.value_truncated", PI_MALFORMED, PI_ERROR,
      "The data ends inside a value", EXPFILL } },
    { &ei_string_truncated, { "squirrel.string_truncated", PI_MALFORMED, PI_ERROR,
      "A string is longer than the data", EXPFILL } },
    { &ei_blob_truncated, { "squirrel.blob_truncated", PI_MALFORMED, PI_ERROR,
      "A blob is longer than the data", EXPFILL } },
    { &ei_length_truncated, { "squirrel.length_truncated", PI_MALFORMED, PI_ERROR,
                              "A container or call is longer than the data", EXPFILL } },
    { &ei_count_truncated, { "squirrel.count_truncated", PI_MALFORMED, PI_ERROR,
      "A count is more than there is", EXPFILL } },
    { &ei_unknown_tag, { "squirrel.unknown_tag", PI_UNDECODED, PI_WARN, "Unknown tag", EXPFILL } },
    { &ei_left_over, { "squirrel.left_over", PI_PROTOCOL, PI_WARN, "Bytes left over behind the value",
      EXPFILL } },
    { &ei_operand_left_over, { "squirrel.operand_left_over", PI_PROTOCOL, PI_WARN,
      "More operands than the command takes", EXPFILL } },
    { &ei_depth_limit, { "squirrel.depth_limit", PI_UNDECODED, PI_WARN, "Nested too deep to be followed",
      EXPFILL } },
    { &ei_length_limit, { "squirrel.length_limit", PI_UNDECODED, PI_WARN, "The data is too long", EXPFILL } },
};
/* clang-format on */

void squirrel_register_values(int proto, expert_module_t *experts)
{
    static int *subtrees[] = { &ett_value };
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    expert_register_field_array(experts, expert_infos, array_length(expert_infos));
}
