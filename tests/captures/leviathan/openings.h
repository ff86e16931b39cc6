// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* How every connection of the engine opens: steps to begin a table with. */
#ifndef LEVIATHAN_CAPTURES_OPENINGS_H
#define LEVIATHAN_CAPTURES_OPENINGS_H

#include "scenario.h"

// A table reads better with its own line breaks.
// clang-format off

/* Both ends ask and both answer. The server's own hello goes out before it handles the client's. */
#define OPENING(index) \
    {FROM(CLIENT, 0), .conversation = (index), MESSAGES(MESSAGE(REQUEST_CONNECT, INT(42)))}, \
    {FROM(SERVER, 12), .conversation = (index), .flags = NO_ACKS, \
     MESSAGES(MESSAGE(REQUEST_CONNECT, INT(42))), \
     .note = "the server's own hello, sent before it handles the client's: no acks"}, \
    {FROM(SERVER, 1), .conversation = (index), \
     MESSAGES(ANSWER(RESPONSE_CONNECT, REQUEST_CONNECT, INT(42)))}, \
    {FROM(CLIENT, 11), .conversation = (index), \
     MESSAGES(ANSWER(RESPONSE_CONNECT, REQUEST_CONNECT, INT(42)))}

#define SECURITY(index) \
    {FROM(CLIENT, 1), .conversation = (index), \
     MESSAGES(MESSAGE(REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))}, \
    {FROM(SERVER, 17), .conversation = (index), \
     MESSAGES(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))}

/* User, token and password are constants in the engine, and so is the server's answer. */
#define AUTHENTICATION(index) \
    {FROM(CLIENT, 14), .conversation = (index), \
     MESSAGES(MESSAGE(REQUEST_AUTHENTICATE, TEXT("player"), U64(0), TEXT("")))}, \
    {FROM(SERVER, 19), .conversation = (index), \
     MESSAGES(ANSWER(RESPONSE_AUTHENTICATE, REQUEST_AUTHENTICATE, INT(0), U64(0)))}

#define CLOSING(index) \
    {FROM(CLIENT, 50), .conversation = (index), MESSAGES(BARE(RESPONSE_CLOSE_CONNECTION))}, \
    {FROM(SERVER, 12), .conversation = (index), MESSAGES(BARE(RESPONSE_CLOSE_CONNECTION))}

/* One entity's place at one tick; -1 as reference means a full state. */
#define ENTITY_UPDATE(tick, reference, entity, x, y, z) \
    MESSAGE(RESPONSE_ENTITY_UPDATE, INT(3), INT(tick), INT(reference), INT(entity), \
            COMPONENTS(POSITION(x, y, z, 0.0f, 0.0f, 0.0f, 1.0f)))

#endif
