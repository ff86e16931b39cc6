/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What small changes of the codec would break and no other test would see (tests/mutation): each entry of its tables.
 */
#include <gamewire/leviathan.h>

#include "testing.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- enumerations -------------------------------------------------------------------------------------------- */

/* Names by number, from 0; `closed` if the engine has no other values. */
static const struct enumeration {
    gw_leviathan_role field;
    bool closed;
    const char *names[9];
} enumerations[] = {
    { GW_LEVIATHAN_ROLE_SECURE_TYPE, true, { "Undecided", "None", "Standard" } },
    { GW_LEVIATHAN_ROLE_INVALIDNESS,
      true,
      { "Unauthenticated", "Unsupported", "ServerFull", "ServerNotAcceptingPlayers", "NotAuthorized",
        "ServerAlreadyConnectedToYou", "InvalidParameters", "ServerCustom" } },
    { GW_LEVIATHAN_ROLE_REASON,
      true,
      { "Unauthenticated", "Unsupported", "ServerFull", "ServerNotAcceptingPlayers", "NotAuthorized",
        "ServerAlreadyConnectedToYou", "InvalidParameters", "ServerCustom" } },
    { GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, true, { "ConnectAccepted", "RequestQueued", "Done" } },
    { GW_LEVIATHAN_ROLE_JOIN_RESTRICTION,
      true,
      { "None", "Localhost", "LAN", "Whitelist", "Invite", "Friends", "Permissions", "Custom" } },
    { GW_LEVIATHAN_ROLE_SERVER_STATUS, true, { "Starting", "Running", "Shutdown", "Restart" } },
};

TEST(each_value_of_an_enumeration_has_its_name)
{
    for (size_t i = 0; i < COUNT_OF(enumerations); i++) {
        const gw_leviathan_field_type *type = gw_leviathan_field_of(enumerations[i].field);
        int32_t value = 0;
        for (; enumerations[i].names[value]; value++)
            assert_string_equal(gw_leviathan_name_of(type->names, value), enumerations[i].names[value]);
        assert_null(gw_leviathan_name_of(type->names, value));
        assert_null(gw_leviathan_name_of(type->names, -1));
        assert_int_equal(type->closed, enumerations[i].closed);
    }
}

TEST(each_component_of_the_engine_has_its_name)
{
    static const char *const names[] = { "Position",    "RenderNode", "Sendable", "Received", "Physics",
                                         "BoxGeometry", "Model",      "Camera",   "Animated" };
    const gw_leviathan_field_type *type = gw_leviathan_field_of(GW_LEVIATHAN_ROLE_COMPONENT_TYPE);
    for (uint32_t number = 0; number < COUNT_OF(names); number++)
        assert_string_equal(gw_leviathan_name_of(type->names, number), names[number]);
    assert_null(gw_leviathan_name_of(type->names, COUNT_OF(names)));
    assert_string_equal(gw_leviathan_name_of(type->names, 10000), "Custom");
}

TEST(kinds_of_messages_and_packets_have_their_names)
{
    assert_string_equal(
        gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_MESSAGE_KIND)->names, GW_LEVIATHAN_REQUEST),
        "Request");
    assert_string_equal(
        gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_MESSAGE_KIND)->names, GW_LEVIATHAN_RESPONSE),
        "Response");
    assert_null(gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_MESSAGE_KIND)->names, 0));
    assert_null(gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_PACKET_TYPE)->names, 0));
}

/* ---- revisions ---------------------------------------------------------------------------------------------- */

/* The responses from 18 on, with those that were added, removed and renumbered at each of the engine's dates. */
static const struct {
    gw_leviathan_revision since;
    const char *names[14];
} later_responses[] = {
    { GW_LEVIATHAN_SINCE_2017_04_05,
      { "EntityCreation", "EntityUpdate", "EntityDestruction", "CacheUpdated", "CacheRemoved", "EntityConstraint",
        "WorldFrozen", "ServerHeartbeat", "StartHeartbeats", "Custom", "None" } },
    { GW_LEVIATHAN_SINCE_2018_10_30,
      { "EntityCreation", "EntityUpdate", "EntityDestruction", "CacheUpdated", "CacheRemoved", "WorldFrozen",
        "ServerHeartbeat", "StartHeartbeats", "Custom", "None" } },
    { GW_LEVIATHAN_SINCE_2018_11_18,
      { "StartWorldReceive", "EntityCreation", "EntityUpdate", "EntityDestruction", "CacheUpdated", "CacheRemoved",
        "WorldFrozen", "ServerHeartbeat", "StartHeartbeats", "Custom", "None" } },
    { GW_LEVIATHAN_SINCE_2018_11_30,
      { "StartWorldReceive", "EntityCreation", "EntityUpdate", "EntityDestruction", "CacheUpdated", "CacheRemoved",
        "WorldFrozen", "ServerHeartbeat", "StartHeartbeats", "Custom", "None" } },
    { GW_LEVIATHAN_SINCE_2018_12_08,
      { "StartWorldReceive", "EntityCreation", "EntityUpdate", "EntityDestruction", "CacheUpdated", "CacheRemoved",
        "WorldFrozen", "ServerHeartbeat", "StartHeartbeats", "None", "Custom" } },
    { GW_LEVIATHAN_SINCE_2018_12_09,
      { "StartWorldReceive", "EntityCreation", "EntityUpdate", "EntityDestruction", "EntityLocalControlStatus",
        "CacheUpdated", "CacheRemoved", "WorldFrozen", "ServerHeartbeat", "StartHeartbeats", "None", "Custom" } },
};

TEST(each_response_has_its_number_in_each_revision)
{
    for (size_t i = 0; i < COUNT_OF(later_responses); i++) {
        gw_leviathan_revision since = later_responses[i].since;
        uint32_t number = 18;
        for (; later_responses[i].names[number - 18]; number++)
            assert_string_equal(gw_leviathan_message_of_wire(since, GW_LEVIATHAN_RESPONSE, number)->name,
                                later_responses[i].names[number - 18]);
        assert_null(gw_leviathan_message_of_wire(since, GW_LEVIATHAN_RESPONSE, number));
        assert_int_equal(gw_leviathan_wire_types(since, GW_LEVIATHAN_RESPONSE), number);
    }
}

TEST(each_request_has_its_number_in_each_revision)
{
    static const char *const later[] = { "JoinGame",         "GetSingleSyncValue",
                                         "GetAllSyncValues", "RequestCommandExecution",
                                         "ConnectInput",     "Echo",
                                         "WorldClockSync",   "Custom" };
    for (int since = 0; since < GW_LEVIATHAN_REVISIONS; since++) {
        uint32_t without = since >= GW_LEVIATHAN_SINCE_2018_10_30 ? 1 : 0; /* JoinGame was added on 2018-11-18 */
        for (uint32_t i = without; i < COUNT_OF(later); i++)
            assert_string_equal(
                gw_leviathan_message_of_wire((gw_leviathan_revision)since, GW_LEVIATHAN_REQUEST, 10 + i - without)
                    ->name,
                later[i]);
    }
}

/* ---- recognizing --------------------------------------------------------------------------------------------- */

/* All four bytes of a message's number are used. */
TEST(message_numbers_other_than_0_are_evidence)
{
    uint8_t packet[] = "Ln\0\0\3\xEA\0\0\0\0\1\x28\0\0\0\0\0\0\0\0\0\x2A";
    const size_t length = sizeof packet - 1;
    gw_recognition recognition;
    gw_leviathan_recognize(packet, length, length, NULL, &recognition);
    assert_int_equal(recognition.bits, 0);
    for (unsigned at = 12; at < 16; at++) {
        packet[at] = 1;
        gw_leviathan_recognize(packet, length, length, NULL, &recognition);
        assert_int_equal(recognition.bits, at == 12 ? 47 : 49);
        packet[at] = 0;
    }
}
