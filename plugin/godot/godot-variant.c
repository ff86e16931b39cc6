/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads Variants for whoever has their bytes: decides on the generation, drives the codec's reader, and gathers the
 * results. godot-tree.c draws.
 */
#include "common/compat.h"

#include "godot-variant.h"

#include <epan/proto_data.h>

#include "godot-analysis.h"
#include "godot-fields.h"
#include "godot-tree.h"

/* Wireshark dissects one packet at a time: its readers can share these. */
static gw_godot_level reader_levels[GODOT_READER_LEVELS];
static gw_godot_level print_levels[GODOT_READER_LEVELS];
/* For finding duplicate keys. */
static gw_godot_key reader_keys[1024];

struct godot_variants {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    uint32_t length;
    godot_walk *walk;
};

godot_variants *godot_variants_new(packet_info *pinfo, tvbuff_t *tvb)
{
    godot_variants *variants = wmem_new(pinfo->pool, godot_variants);
    variants->pinfo = pinfo;
    variants->tvb = tvb;
    variants->length = tvb_captured_length(tvb);
    variants->bytes = tvb_get_ptr(tvb, 0, (int)variants->length);
    variants->walk = godot_walk_new(pinfo, tvb);
    return variants;
}

/* ---- texts --------------------------------------------------------------------------------------------- */

void godot_variant_print(gw_text *text, const uint8_t *bytes, size_t length, gw_godot_generation generation)
{
    const gw_godot_options options = { .generation = generation,
                                       .levels = print_levels,
                                       .level_count = GODOT_READER_LEVELS };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, bytes, length, &options);
    if (gw_godot_next(&reader, &event) == GW_NEXT_EVENT && godot_needs_type_name(&event)) {
        gw_text_string(text, gw_godot_type_name(generation, (gw_godot_type)event.type));
        gw_text_char(text, ' ');
    }
    gw_godot_print(text, bytes, length, &options);
}

static const char *text_of(const godot_variants *variants, const gw_godot_options *options)
{
    gw_godot_options printing = *options;
    char *buffer = (char *)wmem_alloc(variants->pinfo->pool, GODOT_VARIANT_TEXT + 1);
    gw_text text;
    printing.levels = print_levels;
    gw_text_init(&text, buffer, GODOT_VARIANT_TEXT + 1);
    gw_godot_print(&text, variants->bytes, variants->length, &printing);
    return buffer;
}

/* ---- the read loop ------------------------------------------------------------------------------------- */

static void read_events(godot_variants *variants, gw_godot_reader *reader, godot_variant_result *result)
{
    gw_godot_event event;
    gw_next next;
    while ((next = gw_godot_next(reader, &event)) == GW_NEXT_EVENT && !godot_walk_is_full(variants->walk)) {
        if (!result->has_root) {
            result->root = event;
            result->has_root = true;
        }
        godot_walk_take(variants->walk, &event);
    }
    result->length = variants->length;
    if (next == GW_NEXT_END)
        result->length = reader->offset;
    else
        godot_walk_end(variants->walk, reader, next, next == GW_NEXT_FAULT ? reader->offset : event.header.offset);
}

static void draw(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                 godot_variant_result *result)
{
    const gw_godot_options options = { .generation = result->generation,
                                       .offset = request->offset,
                                       .bare_objects = request->bare_objects,
                                       .levels = reader_levels,
                                       .level_count = GODOT_READER_LEVELS,
                                       .keys = reader_keys,
                                       .key_count = array_length(reader_keys) };
    gw_godot_reader reader;
    godot_walk_start(variants->walk, tree, result->generation, request->title, request->path);
    gw_godot_init(&reader, variants->bytes, variants->length, &options);
    read_events(variants, &reader, result);
    result->fault = reader.fault;
    result->length -= request->offset;
    result->item = godot_walk_root(variants->walk);
    if (request->wants_text)
        result->text = text_of(variants, &options);
}

/* ---- generation ---------------------------------------------------------------------------------------- */

/* Structure that leaves no doubt, in bits of proof. */
#define CERTAIN_PROOF 32
/* What one more header where the structure has it proves. */
#define ONE_HEADER 16

/* What engines never write. */
#define IMPLAUSIBLE \
    (GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL | \
     GW_GODOT_ODD_PADDING | GW_GODOT_ODD_NO_PADDING | GW_GODOT_ODD_SHARED | GW_GODOT_ODD_UNTERMINATED | \
     GW_GODOT_ODD_NODE_PATH_FLAGS | GW_GODOT_ODD_OLD_NODE_PATH | GW_GODOT_ODD_COUNT)

/* How a generation reads all Variants of a request. */
struct reading {
    bool whole;
    uint32_t odd;
    uint32_t proof;
    uint32_t end;
    uint64_t wire_types;
    bool sane; /* numbers that a game would send */
};

static struct reading read_as(const godot_variants *variants, const godot_variant_request *request, unsigned generation)
{
    gw_godot_options options = { .generation = (gw_godot_generation)generation, .bare_objects = request->bare_objects };
    struct reading reading = { .whole = true, .sane = true, .end = request->offset };
    gw_godot_summary summary;
    uint32_t count = MAX(request->count, 1);
    for (uint32_t i = 0; i < count && reading.whole; i++) {
        options.offset = reading.end;
        reading.whole = gw_godot_validate(variants->bytes, variants->length, &options, &summary);
        reading.sane = reading.sane && gw_godot_numbers_are_sane(variants->bytes, variants->length, &options);
        reading.odd |= summary.odd;
        reading.proof += summary.proof;
        reading.wire_types |= summary.wire_types;
        reading.end += summary.length;
    }
    return reading;
}

/* nil, bool, int, float, String and Vector2 mean the same in all generations, types 6 to 14 in Godot 2 and 3. */
static bool means_the_same(const struct reading *reading, unsigned generations)
{
    unsigned highest = generations & 1U << GW_GODOT_4 ? 5 : 14;
    return !(reading->wire_types >> (highest + 1));
}

/* The readings, as bits, that are better than the rest; all of them when none is. */
static unsigned narrow(unsigned readings, unsigned better)
{
    return readings & better ? readings & better : readings;
}

/* What follows may be anything, and a value of fixed size reads in every generation: of the readings that are whole,
 * those remain that an engine may have written, with numbers that a game would send, and with the most structure. */
static unsigned best_of(const struct reading readings[], unsigned whole)
{
    unsigned plausible = 0, sane = 0, proven = 0, left;
    uint32_t proof = 0;
    for (unsigned i = GW_GODOT_2; i <= GW_GODOT_4; i++) {
        plausible |= (unsigned)!(readings[i].odd & IMPLAUSIBLE) << i;
        sane |= (unsigned)readings[i].sane << i;
    }
    left = narrow(narrow(whole, plausible), sane);
    for (unsigned i = GW_GODOT_2; i <= GW_GODOT_4; i++)
        if (left & 1U << i)
            proof = MAX(proof, readings[i].proof);
    for (unsigned i = GW_GODOT_2; i <= GW_GODOT_4; i++)
        proven |= (unsigned)(readings[i].proof + ONE_HEADER > proof) << i;
    return narrow(left, proven);
}

/* No doubt where nothing else is whole, or what is has far less structure. */
static bool is_certain(const struct reading readings[], unsigned whole, unsigned best)
{
    for (unsigned i = GW_GODOT_2; i <= GW_GODOT_4; i++)
        if (i != best && whole & 1U << i && readings[i].proof + CERTAIN_PROOF > readings[best].proof)
            return false;
    return readings[best].proof >= CERTAIN_PROOF;
}

static unsigned furthest(const struct reading readings[])
{
    unsigned best = GW_GODOT_4;
    for (unsigned i = GW_GODOT_3; i >= GW_GODOT_2; i--)
        if (readings[i].end > readings[best].end)
            best = i;
    return best;
}

/* Weighs all Variants of a request together, the newest generation first. `possible`: the generations that read the
 * packet's Variants so far, as bits; becomes those that read these too, unless none does. */
static void weigh(const godot_variants *variants, const godot_variant_request *request, uint8_t *possible,
                  gw_godot_guess *guess)
{
    struct reading readings[GW_GODOT_4 + 1] = { 0 };
    unsigned whole = 0;
    for (unsigned i = GW_GODOT_2; i <= GW_GODOT_4; i++) {
        readings[i] = read_as(variants, request, i);
        whole |= (unsigned)(readings[i].whole && *possible & 1U << i) << i;
    }
    if (!whole) {
        *guess = (gw_godot_guess){ .generation = (uint8_t)furthest(readings), .reasons = GW_GODOT_REASON_DEFAULT };
        return;
    }
    unsigned left = best_of(readings, whole);
    unsigned best = GW_GODOT_4;
    while (!(left & 1U << best))
        best--;
    *guess = (gw_godot_guess){ .generation = (uint8_t)best, .alternatives = (uint8_t)(left & ~(1U << best)) };
    if (guess->alternatives) {
        guess->certainty = GW_GODOT_AMBIGUOUS;
        guess->same_reading = means_the_same(&readings[best], left);
        guess->reasons = GW_GODOT_REASON_DEFAULT;
    } else {
        guess->certainty = is_certain(readings, whole, best) ? GW_GODOT_CERTAIN : GW_GODOT_LIKELY;
        guess->reasons = whole == left ? GW_GODOT_REASON_ONLY : GW_GODOT_REASON_FEWER_ODDITIES;
    }
    *possible = (uint8_t)left;
}

/* What the Variants of the packet that were read so far leave possible, whichever dissector asked for them. */
static uint8_t *packet_generations(const godot_variants *variants)
{
    packet_info *pinfo = variants->pinfo;
    uint8_t *possible = (uint8_t *)p_get_proto_data(pinfo->pool, pinfo, godot_protocol, 0);
    if (!possible) {
        possible = wmem_new(pinfo->pool, uint8_t);
        *possible = 1U << GW_GODOT_2 | 1U << GW_GODOT_3 | 1U << GW_GODOT_4;
        p_add_proto_data(pinfo->pool, pinfo, godot_protocol, 0, possible);
    }
    return possible;
}

static void decide(const godot_variants *variants, const godot_variant_request *request, godot_verdict *verdict)
{
    *verdict = (godot_verdict){ .generation = request->generation, .given = request->generation != GW_GODOT_ANY };
    if (!verdict->given)
        godot_known_generation(variants->pinfo, verdict);
    if (verdict->generation != GW_GODOT_ANY)
        return;
    verdict->guessed = TRUE;
    weigh(variants, request, packet_generations(variants), &verdict->guess);
    verdict->generation = (gw_godot_generation)verdict->guess.generation;
    if (verdict->guess.certainty == GW_GODOT_CERTAIN)
        godot_learn_generation(variants->pinfo, verdict->generation);
}

/* ---- the generation as items --------------------------------------------------------------------------- */

static const char *name_alternatives(packet_info *pinfo, unsigned alternatives)
{
    wmem_strbuf_t *names = wmem_strbuf_new(pinfo->pool, "");
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        if (alternatives & 1U << generation)
            wmem_strbuf_append_printf(names, "%s%u", wmem_strbuf_get_len(names) ? " and " : "", generation);
    return wmem_strbuf_get_str(names);
}

static void append_reasons(wmem_strbuf_t *text, uint32_t reasons)
{
    const char *separator = "";
    for (unsigned bit = 0; reasons >> bit; bit++) {
        if (!(reasons >> bit & 1U))
            continue;
        wmem_strbuf_append_printf(text, "%s%s", separator, gw_godot_reason_text((gw_godot_reason)(1U << bit)));
        separator = "; ";
    }
}

static const char *explain(packet_info *pinfo, const godot_verdict *verdict)
{
    static const char *const certainties[] = { [GW_GODOT_UNREADABLE] = "unreadable as any: ",
                                               [GW_GODOT_AMBIGUOUS] = "ambiguous: ",
                                               [GW_GODOT_LIKELY] = "likely: ",
                                               [GW_GODOT_CERTAIN] = "certain: " };
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, "");
    if (verdict->guessed) {
        wmem_strbuf_append(text, certainties[verdict->guess.certainty]);
        append_reasons(text, verdict->guess.reasons);
    } else if (verdict->given) {
        wmem_strbuf_append(text, "the caller's");
    } else if (verdict->settled) {
        wmem_strbuf_append(text, "the conversation's");
    } else {
        wmem_strbuf_append(text, "chosen in the preferences");
    }
    return wmem_strbuf_get_str(text);
}

static void add_reason(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const godot_verdict *verdict)
{
    proto_item_set_generated(
        proto_tree_add_string(tree, godot_hf.generation_reason, tvb, 0, 0, explain(pinfo, verdict)));
    if (verdict->settled)
        proto_item_set_generated(
            proto_tree_add_uint(tree, godot_hf.generation_settled_in, tvb, 0, 0, verdict->settled_in));
}

static void add_generation(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const godot_verdict *verdict)
{
    proto_item *item = proto_tree_add_uint(tree, godot_hf.generation, tvb, 0, 0, (uint32_t)verdict->generation);
    proto_item_set_generated(item);
    if (tree)
        add_reason(pinfo, proto_item_add_subtree(item, godot_ett_value), tvb, verdict);
    if (godot_is_in_doubt(verdict))
        expert_add_info_format(pinfo, item, &godot_ei.ambiguous, "Godot %s would read this differently",
                               name_alternatives(pinfo, verdict->guess.alternatives));
    if (verdict->mixed)
        expert_add_info(pinfo, item, &godot_ei.mixed);
}

/* ---- with the protocol around it ----------------------------------------------------------------------- */

/* What is left after a Variant that should have been all. */
static void add_trailing(const godot_variants *variants, proto_tree *tree, uint32_t from)
{
    uint32_t rest = variants->length - from;
    if (!rest)
        return;
    proto_item *item = proto_tree_add_item(tree, godot_hf.trailing, variants->tvb, (int)from, (int)rest, ENC_NA);
    expert_add_info_format(variants->pinfo, item, &godot_ei.trailing,
                           "%u %s behind the value at offset %u; the engine ignores what is there", rest,
                           rest == 1 ? "byte" : "bytes", from);
}

static proto_tree *draw_layer(godot_variants *variants, proto_tree *parent, const godot_variant_request *request,
                              const godot_verdict *verdict, godot_variant_result *result)
{
    proto_item *item = proto_tree_add_item(parent, godot_protocol, variants->tvb, (int)request->offset,
                                           (int)(variants->length - request->offset), ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, godot_ett_protocol);
    proto_item_append_text(item, " (Godot %u)", (unsigned)verdict->generation);
    add_generation(variants->pinfo, tree, variants->tvb, verdict);
    draw(variants, tree, request, result);
    if (!request->exact)
        proto_item_set_len(item, (int)result->length);
    return tree;
}

void godot_variants_add_as(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                           const godot_verdict *verdict, godot_variant_result *result)
{
    *result = (godot_variant_result){ .generation = verdict->generation };
    if (request->in_line)
        draw(variants, tree, request, result);
    else
        tree = draw_layer(variants, tree, request, verdict, result);
    if (request->exact)
        add_trailing(variants, tree, request->offset + result->length);
}

void godot_variants_add(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                        godot_variant_result *result)
{
    godot_variant_request inside = *request;
    godot_verdict verdict;
    inside.offset = MIN(request->offset, variants->length);
    decide(variants, &inside, &verdict);
    godot_variants_add_as(variants, tree, &inside, &verdict, result);
}

uint32_t godot_variant_add(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree, const godot_variant_request *request,
                           godot_variant_result *result)
{
    godot_variants_add(godot_variants_new(pinfo, tvb), tree, request, result);
    return result->length;
}
