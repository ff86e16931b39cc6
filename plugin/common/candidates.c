/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of conversations that may be of one of the plugin's protocols.
 */
#include "common/candidates.h"

#include <epan/exceptions.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/keys.h"

/* Protocols over UDP: see recognition.h. */
#define MOST_HEURISTICS 8

typedef struct candidate_heuristic {
    const char *name;
    dissector_handle_t handle;
} candidate_heuristic;

/* Stored for a conversation of epan. */
typedef struct candidate_conversation {
    uint32_t frame; /* the first one */
} candidate_conversation;

static candidate_heuristic heuristics[MOST_HEURISTICS];
static unsigned heuristic_count;
static dissector_handle_t candidates_handle;
/* The heuristics are being called. */
static bool is_calling;
/* The current file has such conversations. */
static bool any;

/* ---- the dissector ------------------------------------------------------------------------------------- */

static const candidate_conversation *find_candidates(const conversation_t *conversation)
{
    return (const candidate_conversation *)conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
}

dissector_handle_t gw_candidates_find_other(packet_info *pinfo)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    dissector_handle_t handle = conversation ? conversation_get_dissector(conversation, pinfo->num) : NULL;
    if (!handle || handle != candidates_handle)
        return handle;
    /* The handle that was set for all frames, or from an earlier frame on. */
    return conversation_get_dissector(conversation, find_candidates(conversation)->frame - 1);
}

static int call_heuristics(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    int length = 0;
    for (unsigned i = 0; !length && i < heuristic_count; i++) {
        /* A user may disable a heuristic. The handle of a disabled protocol is not called. */
        const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(heuristics[i].name);
        if (entry && entry->enabled)
            length = call_dissector_only(heuristics[i].handle, tvb, pinfo, tree, data);
    }
    return length;
}

static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    volatile int length = 0;
    is_calling = true;
    TRY
    {
        length = call_heuristics(tvb, pinfo, tree, data);
    }
    FINALLY
    {
        is_calling = false;
    }
    ENDTRY;
    dissector_handle_t other = length ? NULL : gw_candidates_find_other(pinfo);
    return other ? call_dissector_only(other, tvb, pinfo, tree, data) : length;
}

/* On the first pass, a heuristic adds up evidence: once for each packet. Heuristics that were not called yet are called in
 * the frame in which the conversation became one of candidates. */
bool gw_candidates_were_asked(packet_info *pinfo)
{
    if (!any || is_calling || !gw_is_first_pass(pinfo))
        return false;
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const candidate_conversation *candidates = conversation ? find_candidates(conversation) : NULL;
    return candidates && candidates->frame < pinfo->num &&
           conversation_get_dissector(conversation, pinfo->num) == candidates_handle;
}

/* ---- keeping ------------------------------------------------------------------------------------------- */

void gw_candidates_keep(packet_info *pinfo, uint32_t frame)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    candidate_conversation *candidates = conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
    if (pinfo->ptype != PT_UDP || !candidates_handle || (candidates && candidates->frame <= frame))
        return;
    if (!candidates) {
        candidates = gw_archive_alloc(sizeof *candidates);
        conversation_add_proto_data(conversation, GW_KEY_CANDIDATES, candidates);
    }
    any = true;
    candidates->frame = frame;
    conversation_set_dissector_from_frame_number(conversation, frame, candidates_handle);
}

/* True: to be called for the next file too. */
static ws_bool forget_any(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *data _U_)
{
    any = false;
    return event == WMEM_CB_FREE_EVENT;
}

void gw_candidates_register(const char *heuristic, dissector_t dissector, int protocol)
{
    if (!candidates_handle) {
        candidates_handle = create_dissector_handle_with_name_and_description(
            dissect_candidate, -1, NULL, "Conversation that may be of Gamewire's protocols");
        wmem_register_callback(wmem_file_scope(), forget_any, NULL);
    }
    heuristics[heuristic_count++] = (candidate_heuristic){ heuristic, create_dissector_handle(dissector, protocol) };
}
