/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * ENet's range coder: a carryless range coder over an adaptive model of contexts up to two bytes long.
 *
 * The model is a pool of nodes. A node is a byte seen in some context: its count there, and its place in the context's
 * binary search tree. The same node is the context of the bytes that followed it. The root context (node 0) knows every
 * byte, with weight 1 before it was seen, and has the end of the data as its one escape; the others know the bytes that
 * they have seen, and escape to the next shorter context. Each datagram has a fresh model, and so has a datagram that
 * uses up the pool.
 *
 * Arithmetic is modulo 2^32, counters wrap as their types do: as in ENet's compress.c, with which tests compare.
 */
#include "tables.h"

#define TOP    (UINT32_C(1) << 24)
#define BOTTOM (UINT32_C(1) << 16)

#define ORDER           2 /* bytes of the longest context */
#define ROOT            0 /* range_node */
#define ROOT_ESCAPES    1 /* the end symbol */
#define ROOT_WEIGHT     1 /* of each byte, in addition to its count */
#define ROOT_STEP       3 /* increment of a byte's count in the root */
#define CONTEXT_STEP    2 /* and in all other contexts */
#define ESCAPE_STEP     5 /* increment of the escapes for each new byte */
#define MOST_COUNT      UINT8_MAX
#define MOST_TOTAL      (BOTTOM - 0x100)
#define DEEPEST_TREE    256 /* a context has at most so many bytes */
#define STREAM_OVERHEAD 4   /* number of bytes that the decoder reads ahead */

_Static_assert(sizeof(gw_enet_range_model) <= 66 * (size_t)1024, "the model is about 64 KiB");

typedef gw_enet_range_node range_node;
typedef gw_enet_range_model range_model;

/* The interval of a byte in a context, before the byte was counted: `count` values from `begin` on. The intervals of a
 * context's bytes begin at 0, in the order of the bytes; in the total, its escapes come before them. */
typedef struct interval {
    uint16_t begin;
    uint16_t count;  /* 0: the byte was new in this context */
    uint16_t symbol; /* the byte's node, which may be new */
} interval;

/* ---- the model ------------------------------------------------------------------------------------------ */

/* Empties the model: only the root context is left, which has seen no byte. */
static void restart(range_model *model)
{
    model->nodes[ROOT] = (range_node){ .escapes = ROOT_ESCAPES, .total = ROOT_ESCAPES + 256 * ROOT_WEIGHT };
    model->used = 1;
    model->predicted = ROOT;
    model->order = 0;
}

/* Takes the next node of the pool, which advance() has left room in. The caller adds it to the tree of its context. */
static uint16_t new_node(range_model *model, uint8_t value, uint8_t count)
{
    model->nodes[model->used] = (range_node){ .value = value, .count = count, .under = count };
    return (uint16_t)model->used++;
}

/* What the interval of each byte has in addition to the byte's count: only in the root, which has an interval for each
 * byte before it was seen. Like step_of(), for the root or another context: the functions below are written once for
 * both, and compiled separately. */
static inline uint16_t weight_of(bool root)
{
    return root ? ROOT_WEIGHT : 0;
}

/* By how much a byte's count is incremented in the root or in another context. */
static inline uint8_t step_of(bool root)
{
    return root ? ROOT_STEP : CONTEXT_STEP;
}

/* Halves every count, rounding up, in a context's tree of bytes, whose root is the node `tree`; returns the sum of the
 * new counts. The nodes are visited in order, with a stack of those still to be visited: `under` of a node is the sum
 * of the counts in its left subtree and of its own count. */
static uint16_t halve_counts(range_model *model, uint16_t tree)
{
    struct {
        uint16_t node;
        uint16_t smaller; /* sum of the new counts before its left subtree */
    } stack[DEEPEST_TREE];
    unsigned depth = 0;
    uint16_t sum = 0;
    while (tree || depth) {
        for (; tree; tree = model->nodes[tree].left) {
            stack[depth].node = tree;
            stack[depth++].smaller = sum;
        }
        /* cppcheck-suppress uninitvar; the entry was written before: depth was not 0 */
        range_node *visited = &model->nodes[stack[--depth].node];
        visited->count = (uint8_t)(visited->count - visited->count / 2);
        sum = (uint16_t)(sum + visited->count);
        visited->under = (uint16_t)(sum - stack[depth].smaller);
        tree = visited->right;
    }
    return sum;
}

/* Halves the counts of a context before they exceed their types. `weight`: the length of the interval of the byte that
 * was just counted, before its count was incremented by one step. The count of the byte, without weight_of(root), must
 * have room for another step: before this one it was at most MOST_COUNT - 2 steps. No datagram is long enough for a
 * total above MOST_TOTAL, but the encoder's input may be longer than a datagram. */
static inline void rescale_if_due(range_model *model, uint16_t context, bool root, uint16_t weight)
{
    range_node *node = &model->nodes[context];
    if (weight <= MOST_COUNT - 2 * step_of(root) + weight_of(root) && node->total <= MOST_TOTAL)
        return;
    uint16_t counts = halve_counts(model, node->symbols);
    node->escapes = (uint16_t)(node->escapes - node->escapes / 2);
    node->total = (uint16_t)(counts + node->escapes + 256 * weight_of(root));
}

/* Returns the interval of a byte in a context, and then increments the byte's count by one step; a new byte is added
 * with that count. `node->under` is the sum of the counts of a node and its left subtree: of the nodes on the way to
 * the byte, it grows where the byte is on the left. */
static inline interval count_value(range_model *model, uint16_t context, bool root, uint8_t value)
{
    const uint16_t weight = weight_of(root);
    const uint8_t step = step_of(root);
    /* The weights of all smaller bytes; their counts are added on the way down. */
    interval slot = { (uint16_t)(value * weight), weight, 0 };
    uint16_t *link = &model->nodes[context].symbols;
    while (*link) {
        range_node *node = &model->nodes[*link];
        if (value == node->value) {
            slot.symbol = *link;
            slot.count = (uint16_t)(slot.count + node->count);
            slot.begin = (uint16_t)(slot.begin + node->under - node->count);
            node->under = (uint16_t)(node->under + step);
            node->count = (uint8_t)(node->count + step);
            return slot;
        }
        if (value < node->value) {
            node->under = (uint16_t)(node->under + step);
            link = &node->left;
        } else {
            slot.begin = (uint16_t)(slot.begin + node->under);
            link = &node->right;
        }
    }
    slot.symbol = *link = new_node(model, value, step);
    return slot;
}

/* Returns the byte whose interval contains `position`, sets `slot` to that interval, and then adds one step to the
 * byte's count. `position` is below the end of the context's last interval: the caller has subtracted the escapes,
 * which come first in the context's total, from a value below that total. So outside the root some node's interval
 * contains it. In the root, a byte without a node has an interval of ROOT_WEIGHT, 1, between its neighbors': the counts
 * of the smaller bytes and one for each of them come before it. Such a byte is added. */
static inline uint8_t find_value(range_model *model, uint16_t context, bool root, uint16_t position, interval *slot)
{
    const uint16_t weight = weight_of(root);
    const uint8_t step = step_of(root);
    uint16_t *link = &model->nodes[context].symbols;
    uint32_t smaller = 0; /* the counts of the bytes that are smaller than all in the subtree at `link` */
    while (*link) {
        range_node *node = &model->nodes[*link];
        /* Counts of the nodes up to this one (`node->under`: its own and its left subtree's), and the weights of all
         * bytes up to it. */
        uint32_t end = smaller + node->under + (node->value + 1U) * weight;
        if (position >= end) {
            smaller += node->under;
            link = &node->right;
        } else if (position < end - node->count - weight) {
            node->under = (uint16_t)(node->under + step);
            link = &node->left;
        } else {
            slot->symbol = *link;
            slot->count = (uint16_t)(node->count + weight);
            slot->begin = (uint16_t)(end - slot->count);
            node->under = (uint16_t)(node->under + step);
            node->count = (uint8_t)(node->count + step);
            return node->value;
        }
    }
    uint8_t value = (uint8_t)(position - smaller);
    *slot = (interval){ position, weight, new_node(model, value, step) };
    *link = slot->symbol;
    return value;
}

/* Sets the context for the next byte, after each byte that was decoded or encoded. `predicted` is the node of this byte
 * in the longest context, and as a context that node is one byte longer. If that is longer than ORDER, its parent is
 * used: the same byte in the next shorter context. If the pool may be too small for the next byte, which adds up to
 * ORDER + 1 nodes, the model begins anew. */
static void advance(range_model *model)
{
    if (model->order >= ORDER)
        model->predicted = model->nodes[model->predicted].parent;
    else
        model->order++;
    if (model->used >= GW_ENET_RANGE_NODES - ORDER)
        restart(model);
}

/* ---- decoding ------------------------------------------------------------------------------------------- */

typedef struct decoder {
    const uint8_t *bytes;
    size_t length;
    size_t at; /* may be after the end: the bytes there are zero */
    uint32_t low, range, code;
} decoder;

/* The next byte of the input; after its end zero, since the encoder omits zeros at the end of a stream. */
static uint8_t next_byte(decoder *in)
{
    size_t at = in->at++;
    return at < in->length ? in->bytes[at] : 0;
}

/* Narrows the range to the interval of a symbol that was found, `count` values from `begin` on, after the range was
 * divided by the context's total. Then shifts out each top byte that is final: both ends of the range have it, or the
 * range is so short that it is cut at the next multiple of BOTTOM, below which all values have the same top byte. */
static void read_interval(decoder *in, uint16_t begin, uint16_t count)
{
    in->low += begin * in->range;
    in->range *= count;
    for (;;) {
        if ((in->low ^ (in->low + in->range)) >= TOP) {
            if (in->range >= BOTTOM)
                return;
            in->range = (0 - in->low) & (BOTTOM - 1);
        }
        in->code = in->code << 8 | next_byte(in);
        in->low <<= 8;
        in->range <<= 8;
    }
}

typedef enum symbol_kind { SYMBOL_BYTE, SYMBOL_END, SYMBOL_ESCAPE, SYMBOL_INVALID } symbol_kind;

/* Decodes the next symbol in one context: a byte, which is counted there; an escape, after which the next shorter
 * context has the byte; in the root, the end of the data in place of an escape. The context's total is its escapes, and
 * then the intervals of its bytes: a value below `escapes` is an escape. Sets `slot` and `value` if the symbol is a
 * byte. */
static inline symbol_kind decode_in(range_model *model, decoder *in, uint16_t context, bool root, interval *slot,
                                    uint8_t *value)
{
    range_node *node = &model->nodes[context];
    uint16_t total = node->total;
    uint16_t escapes = node->escapes;
    /* A context without bytes. If it has bytes, each with a count, its total is greater than its escapes. */
    if (!root && !escapes)
        return SYMBOL_ESCAPE;
    /* The position of the next symbol within the total. An encoder writes only values below it. The range is at least
     * BOTTOM, which is above each total: the quotient is not 0. */
    in->range /= total;
    uint32_t code = (in->code - in->low) / in->range;
    if (code >= total)
        return SYMBOL_INVALID;
    if (code < escapes) {
        read_interval(in, 0, escapes);
        return root ? SYMBOL_END : SYMBOL_ESCAPE;
    }
    *value = find_value(model, context, root, (uint16_t)(code - escapes), slot);
    read_interval(in, (uint16_t)(escapes + slot->begin), slot->count);
    node->total = (uint16_t)(node->total + step_of(root));
    rescale_if_due(model, context, root, slot->count);
    return SYMBOL_BYTE;
}

/* Decodes a byte in the longest context that contains it, and counts it in that context and in each longer one.
 * Makes the byte's node in the longest context the predicted one, and links each node to the one in the next
 * shorter context. */
static symbol_kind decode_byte(range_model *model, decoder *in, uint8_t *value)
{
    interval slot;
    symbol_kind kind = SYMBOL_ESCAPE;
    uint16_t context = model->predicted;
    for (; context != ROOT; context = model->nodes[context].parent)
        if ((kind = decode_in(model, in, context, false, &slot, value)) != SYMBOL_ESCAPE)
            break;
    if (context == ROOT)
        kind = decode_in(model, in, ROOT, true, &slot, value);
    if (kind != SYMBOL_BYTE)
        return kind;
    /* Counts the byte in the longer contexts. An encoder escapes only from contexts in which it is new; streams that
     * escape from others are decoded all the same. */
    uint16_t *link = &model->predicted;
    for (uint16_t longer = model->predicted; longer != context; longer = model->nodes[longer].parent) {
        range_node *node = &model->nodes[longer];
        interval counted = count_value(model, longer, false, *value);
        if (!counted.count) {
            node->escapes = (uint16_t)(node->escapes + ESCAPE_STEP);
            node->total = (uint16_t)(node->total + ESCAPE_STEP);
        }
        node->total = (uint16_t)(node->total + CONTEXT_STEP);
        rescale_if_due(model, longer, false, counted.count);
        *link = counted.symbol;
        link = &model->nodes[*link].parent;
    }
    *link = slot.symbol;
    return SYMBOL_BYTE;
}

/* A decoder at the beginning of a stream, with `low` 0 and the whole range of 32 bits. `code`, the number that symbols
 * are decoded from, has the first four bytes of the stream. */
static decoder begin_decoder(const uint8_t *bytes, size_t length)
{
    decoder in = { bytes, length, 0, 0, UINT32_MAX, 0 };
    for (int i = 0; i < STREAM_OVERHEAD; i++)
        in.code = in.code << 8 | next_byte(&in);
    return in;
}

/* Sets the number of consumed bytes, and the fault; true if that is none. How many bytes a truncated stream lacks is
 * not known: `needed` is 1. */
static bool end_decoding(gw_enet_unpacked *unpacked, const decoder *in, gw_enet_fault code)
{
    unpacked->consumed = in->at < in->length ? in->at : in->length;
    gw_set_fault(&unpacked->fault, &gw_enet_faults, code, (uint32_t)unpacked->consumed,
                 code == GW_ENET_FAULT_RANGE_TRUNCATED);
    return code == GW_ENET_FAULT_NONE;
}

/* True if the stream has ended without an end symbol. The encoder writes the bytes that were shifted out, and the
 * remaining bytes of `low`, up to four; zeros at the end are omitted. So a decoder that expects another symbol has read
 * at most four bytes beyond the end. */
static bool is_exhausted(const decoder *in)
{
    return in->at > in->length + STREAM_OVERHEAD;
}

/* Decodes bytes, with an empty model at first, up to the end symbol. False with a fault: the stream has a value that is
 * no symbol of the model, ends without the end symbol, or has more bytes than the output; the unpacked->length bytes
 * before it are in the output. */
bool gw_enet_range_decode(gw_enet_range_model *model, const uint8_t *bytes, size_t length, uint8_t *output, size_t size,
                          gw_enet_unpacked *unpacked)
{
    decoder in = begin_decoder(bytes, length);
    uint8_t value = 0;
    *unpacked = (gw_enet_unpacked){ 0 };
    restart(model);
    for (;;) {
        if (is_exhausted(&in))
            return end_decoding(unpacked, &in, GW_ENET_FAULT_RANGE_TRUNCATED);
        symbol_kind kind = decode_byte(model, &in, &value);
        if (kind == SYMBOL_INVALID)
            return end_decoding(unpacked, &in, GW_ENET_FAULT_RANGE_INVALID);
        if (kind == SYMBOL_END)
            return end_decoding(unpacked, &in, GW_ENET_FAULT_NONE);
        if (unpacked->length == size)
            return end_decoding(unpacked, &in, GW_ENET_FAULT_UNPACKED_TOO_LONG);
        output[unpacked->length++] = value;
        advance(model);
    }
}

/* Bytes of the first command that are tested: its number and, for most commands, its length. */
#define FIRST_BYTES 8

/* True if the first bytes that the stream yields may begin commands: each byte is tested with those before it, so that
 * most streams of other protocols fail at the first or second. Also true for a stream that ends before FIRST_BYTES
 * bytes without an end symbol: only gw_enet_range_decode() rejects it. */
bool gw_enet_range_may_begin(gw_enet_range_model *model, const uint8_t *bytes, size_t length)
{
    uint8_t first[FIRST_BYTES];
    decoder in = begin_decoder(bytes, length);
    restart(model);
    for (size_t i = 0; i < FIRST_BYTES && !is_exhausted(&in); i++) {
        symbol_kind kind = decode_byte(model, &in, &first[i]);
        /* The stream is invalid, or ends here: the latter is possible only after the bytes of the shortest command,
         * which is a header alone. */
        if (kind != SYMBOL_BYTE)
            return kind == SYMBOL_END && i >= GW_ENET_COMMAND_HEADER;
        if (!gw_enet_may_begin_commands(first, i + 1))
            return false;
        advance(model);
    }
    return true;
}

/* ---- encoding ------------------------------------------------------------------------------------------- */

typedef struct encoder {
    gw_output *output;
    uint32_t low, range;
} encoder;

/* Writes the byte of `low` that no later symbol changes, and shifts it out. */
static void put_top_byte(encoder *out)
{
    gw_put_u8(out->output, (uint8_t)(out->low >> 24));
    out->low <<= 8;
}

/* Writes a symbol with the interval of `count` values from `begin` on, out of `total`: the counterpart of
 * read_interval(). */
static void put(encoder *out, uint16_t begin, uint16_t count, uint16_t total)
{
    out->range /= total;
    out->low += begin * out->range;
    out->range *= count;
    for (;;) {
        if ((out->low ^ (out->low + out->range)) >= TOP) {
            if (out->range >= BOTTOM)
                return;
            out->range = (0 - out->low) & (BOTTOM - 1);
        }
        put_top_byte(out);
        out->range <<= 8;
    }
}

/* Writes the byte in this context or, if it is new there, an escape, unless the context has no bytes at all. Counts the
 * byte, sets `symbol` to its node, and returns true if it was not new. */
static inline bool encode_in(range_model *model, encoder *out, uint16_t context, bool root, uint8_t value,
                             uint16_t *symbol)
{
    range_node *node = &model->nodes[context];
    interval slot = count_value(model, context, root, value);
    *symbol = slot.symbol;
    if (slot.count) {
        put(out, (uint16_t)(node->escapes + slot.begin), slot.count, node->total);
    } else {
        if (node->escapes)
            put(out, 0, node->escapes, node->total);
        node->escapes = (uint16_t)(node->escapes + ESCAPE_STEP);
        node->total = (uint16_t)(node->total + ESCAPE_STEP);
    }
    node->total = (uint16_t)(node->total + step_of(root));
    rescale_if_due(model, context, root, slot.count);
    return slot.count != 0;
}

/* Writes the bytes as ENet's compressor does, with an empty model at first. */
void gw_enet_range_encode(gw_enet_range_model *model, gw_output *output, const uint8_t *bytes, size_t length)
{
    encoder out = { output, 0, UINT32_MAX };
    restart(model);
    for (size_t i = 0; i < length; i++) {
        /* In the longest context that contains the byte, after an escape in each longer one. */
        uint16_t *link = &model->predicted;
        uint16_t context = model->predicted;
        while (context != ROOT && !encode_in(model, &out, context, false, bytes[i], link)) {
            link = &model->nodes[*link].parent;
            context = model->nodes[context].parent;
        }
        if (context == ROOT)
            encode_in(model, &out, ROOT, true, bytes[i], link);
        advance(model);
    }
    /* No end symbol is written: the bytes after the end of `low` are zeros, which decode as the end symbol in all
     * contexts. */
    while (out.low)
        put_top_byte(&out);
}
