/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields by role of the event, with the codec's names of values, then calculated fields.
 */
#include "common/display/json_message.h"
#include "common/items.h"
#include "common/registration.h"
#include "internal.h"

int proto_leviathan = -1;
leviathan_fields leviathan_hf;
leviathan_experts leviathan_ei;
leviathan_subtrees leviathan_ett = { -1, -1, -1, -1, -1, -1 };

/* ---- names of values ----------------------------------------------------------------------------------- */

/* Filled in by leviathan_name_types(): they depend on the engine's revision. */
static value_string request_types[GW_LEVIATHAN_REQUEST_TYPES + 1];
static value_string response_types[GW_LEVIATHAN_RESPONSE_TYPES + 1];

static const value_string ack_numberings[] = {
    { GW_LEVIATHAN_ACKS_AS_ENGINE, "engine: start ack + index" },
    { GW_LEVIATHAN_ACKS_AS_DOCUMENTED, "documentation: start ack + index + 1" },
    { 0, NULL },
};

/* Fills `strings`, which has room for the types of every revision, with the names of the message types of this
 * revision, by their numbers on the wire, and ends it. `kind`: GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE. */
static void name_types(value_string *strings, gw_leviathan_revision revision, uint8_t kind)
{
    uint32_t count = gw_leviathan_wire_types(revision, kind);
    for (uint32_t number = 0; number < count; number++)
        strings[number] = (value_string){ number, gw_leviathan_message_of_wire(revision, kind, number)->name };
    strings[count] = (value_string){ 0, NULL };
}

/* Changes the value strings of the two fields for types: at registration, and when the preference for the date of the
 * engine changes. */
void leviathan_name_types(gw_leviathan_revision revision)
{
    name_types(request_types, revision, GW_LEVIATHAN_REQUEST);
    name_types(response_types, revision, GW_LEVIATHAN_RESPONSE);
}

/* ---- fields -------------------------------------------------------------------------------------------- */

/* The names are from the documentation and the engine, as words. */
static hf_register_info wire_fields[] = {
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_PACKET_TYPE],
      { "Type", "leviathan.type", FT_UINT16, BASE_DEC, NULL, 0,
        "Kind of packet: 0x4c6e (\"Ln\") is a normal packet, 0x4c61 (\"La\") an ack-only packet", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_PACKET_ID],
      { "Packet ID (PKT_ID)", "leviathan.packet_id", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the packet, counted for each side; the newest engine begins at 1001", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_START_ACK],
      { "Start ack", "leviathan.start_ack", FT_UINT32, BASE_DEC, NULL, 0,
        "ID of the packet that the first ack bit acknowledges; 0 if the packet has no acks", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ACK_COUNT],
      { "Ack count", "leviathan.ack_count", FT_UINT8, BASE_DEC, NULL, 0,
        "Number of bytes of packed acks that follow (1 to 4)", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_PACKED_ACKS],
      { "Packed acks", "leviathan.packed_acks", FT_BYTES, BASE_NONE, NULL, 0,
        "Ack bits, the least significant bit of each byte first; each bit that is set acknowledges a packet", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MESSAGE_COUNT],
      { "Message count", "leviathan.message_count", FT_UINT8, BASE_DEC, NULL, 0,
        "Number of messages in the packet; the engine always sends 1", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT],
      { "Ack count", "leviathan.ack_only.count", FT_UINT8, BASE_DEC, NULL, 0,
        "Number of packet IDs in the ack-only packet", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ACK_ONLY_IDS],
      { "Acks", "leviathan.ack_only.acks", FT_BYTES, BASE_NONE, NULL, 0,
        "IDs of the acknowledged packets, 4 bytes each, in ascending order", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MESSAGE_KIND],
      { "Type", "leviathan.message.type", FT_UINT8, BASE_DEC, NULL, 0,
        "Kind of message: 0x28 is a request, 0x12 a response", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MESSAGE_NUMBER],
      { "Message number", "leviathan.message.number", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the message, counted from 1 for each side, over requests and responses together", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_REQUEST_TYPE],
      { "Request type", "leviathan.request.type", FT_UINT16, BASE_DEC, NULL, 0,
        "Type of the request, which defines its fields; the numbers depend on the engine's date", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_RESPONSE_TYPE],
      { "Response type", "leviathan.response.type", FT_UINT16, BASE_DEC, NULL, 0,
        "Type of the response, which defines its fields; the numbers depend on the engine's date", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_RESPONSE_TO],
      { "Response to", "leviathan.response.to_number", FT_UINT32, BASE_DEC, NULL, 0,
        "Message number of the request that is answered; 0 if there is none", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_BLOB_REST],
      { "Component data", "leviathan.component.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the components that cannot be decoded one by one", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_TRAILING],
      { "Trailing bytes", "leviathan.trailing", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes after the end of the packet, which the engine ignores", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CHECK],
      { "Check value", "leviathan.check_value", FT_INT32, BASE_DEC, NULL, 0,
        "Number by which the receiver checks the protocol, always 42", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SECURE_TYPE],
      { "Secure type", "leviathan.secure_type", FT_INT32, BASE_DEC, NULL, 0,
        "Encryption of the connection; the engine always uses none", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_PUBLIC_KEY],
      { "Public key", "leviathan.public_key", FT_STRING, BASE_NONE, NULL, 0,
        "Public key of the sender; unused, since the engine has no encryption", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ADDITIONAL_SETTINGS],
      { "Additional settings", "leviathan.additional_settings", FT_STRING, BASE_NONE, NULL, 0,
        "Further settings for the encryption of the connection", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENCRYPTED_SYMMETRIC_KEY],
      { "Encrypted symmetric key", "leviathan.encrypted_symmetric_key", FT_STRING, BASE_NONE, NULL, 0,
        "Symmetric key, encrypted with the public key of the client; unused, since the engine has no encryption",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_USER_NAME],
      { "User name", "leviathan.user_name", FT_STRING, BASE_NONE, NULL, 0, "Login name of the user", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_AUTH_TOKEN],
      { "Auth token", "leviathan.auth_token", FT_UINT64, BASE_DEC, NULL, 0,
        "Token that authenticates the user instead of a password", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_AUTH_PASSWD],
      { "Auth password", "leviathan.auth_passwd", FT_STRING, BASE_NONE, NULL, 0, "Password of the user, as clear text",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_USER_ID],
      { "User ID", "leviathan.user_id", FT_INT32, BASE_DEC, NULL, 0,
        "Number that the server gives to the user; the engine sends 0", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_USER_TOKEN],
      { "User token", "leviathan.user_token", FT_UINT64, BASE_DEC, NULL, 0,
        "Token that the server gives to the user; the engine sends 0", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_DDOS_BLOCK],
      { "DDOS block", "leviathan.ddos_block", FT_STRING, BASE_NONE, NULL, 0,
        "Padding that makes the request as long as its response", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_USER_READABLE_DATA],
      { "User readable data", "leviathan.user_readable_data", FT_STRING, BASE_NONE, NULL, 0,
        "Description of the server for its users", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_GAME_NAME],
      { "Game name", "leviathan.game_name", FT_STRING, BASE_NONE, NULL, 0, "Name of the game that the server runs",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_GAME_VERSION],
      { "Game version", "leviathan.game_version", FT_STRING, BASE_NONE, NULL, 0,
        "Version of the game that the server runs", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENGINE_VERSION],
      { "Leviathan version", "leviathan.leviathan_version", FT_STRING, BASE_NONE, NULL, 0,
        "Version of the Leviathan engine that the server uses", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SESSION_TOKEN],
      { "Session token", "leviathan.session_token", FT_INT32, BASE_DEC, NULL, 0,
        "Token of the session of a remote console", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_TOKEN],
      { "Token", "leviathan.token", FT_INT32, BASE_DEC, NULL, 0,
        "Token of the remote console that the receiver is asked to open", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN],
      { "Master server token", "leviathan.master_server_token", FT_INT32, BASE_DEC, NULL, 0,
        "Token received from a master server; -1 if the client joins directly", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_JOIN_OPTIONS],
      { "Options", "leviathan.options", FT_STRING, BASE_NONE, NULL, 0,
        "Options of the game with which the client joins it", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_NAME_OF_VALUE],
      { "Name of value", "leviathan.name_of_value", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the synchronized value that is requested", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_COMMAND],
      { "Command", "leviathan.command", FT_STRING, BASE_NONE, NULL, 0,
        "Console command that the receiver has to execute", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_DATA_FOR_OBJECT],
      { "Data for object", "leviathan.data_for_object", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the application for the networked input that is connected", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_WORLD_ID],
      { "World ID", "leviathan.world_id", FT_INT32, BASE_DEC, NULL, 0, "Number of the world that the message is about",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_TICKS],
      { "Ticks", "leviathan.ticks", FT_INT32, BASE_DEC, NULL, 0,
        "Number of ticks for the synchronization of the world's clock", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENGINE_MS_TWEAK],
      { "Engine ms tweak", "leviathan.engine_ms_tweak", FT_INT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_ms), 0,
        "Correction of the engine's clock for the synchronization, in milliseconds", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ABSOLUTE],
      { "Absolute", "leviathan.absolute", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the ticks are an absolute time, false if they are a difference", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER],
      { "Type ID number", "leviathan.type_id_number", FT_INT32, BASE_DEC, NULL, 0,
        "Number of the message type that the application defines", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_IS_REQUEST],
      { "Is request", "leviathan.is_request", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the application's message is a request, false if it is a response", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_APPLICATION_DATA],
      { "Application data", "leviathan.application_data", FT_BYTES, BASE_NONE, NULL, 0,
        "Content of the application's message, up to the end of the datagram", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_INVALIDNESS],
      { "Invalidness", "leviathan.invalidness", FT_UINT8, BASE_DEC, NULL, 0,
        "Reason why the server cannot execute the request", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ADDITIONAL_INFO],
      { "Additional info", "leviathan.additional_info", FT_STRING, BASE_NONE, NULL, 0,
        "Explanation of the refusal of the request, as text", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MESSAGE_TEXT],
      { "Message", "leviathan.message.text", FT_STRING, BASE_NONE, NULL, 0, "Text that the server shows to the user",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_REASON],
      { "Reason", "leviathan.reason", FT_UINT8, BASE_DEC, NULL, 0,
        "Reason why the server does not allow what the client requested", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT],
      { "Server accepted what", "leviathan.server_accepted_what", FT_UINT8, BASE_DEC, NULL, 0,
        "Kind of request that the server accepted", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SERVER_NAME],
      { "Server name", "leviathan.server_name", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the server in a list of servers", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_JOINABLE],
      { "Joinable", "leviathan.joinable", FT_BOOLEAN, BASE_NONE, NULL, 0, "True if players can join the server now",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_JOIN_RESTRICTION],
      { "Join restriction", "leviathan.join_restriction", FT_UINT8, BASE_DEC, NULL, 0,
        "Group of players that may join the server", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SERVER_STATUS],
      { "Server status", "leviathan.server_status", FT_UINT8, BASE_DEC, NULL, 0,
        "State of the server, from starting to restarting", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_PLAYERS],
      { "Players", "leviathan.players", FT_INT32, BASE_DEC, NULL, 0, "Number of players on the server", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MAX_PLAYERS],
      { "Max players", "leviathan.max_players", FT_INT32, BASE_DEC, NULL, 0,
        "Largest number of players that the server accepts", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_BOTS],
      { "Bots", "leviathan.bots", FT_INT32, BASE_DEC, NULL, 0,
        "Number of players on the server that are not controlled by people", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ADDITIONAL_FLAGS],
      { "Additional flags", "leviathan.additional_flags", FT_INT32, BASE_DEC, NULL, 0,
        "Bits with further information about the server", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SUCCEEDED],
      { "Succeeded", "leviathan.succeeded", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if all synchronized values were sent without an error", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_RESOURCE_DATA],
      { "Our custom data", "leviathan.resource_data", FT_STRING, BASE_NONE, NULL, 0,
        "Text of the application for a synchronized resource", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_INPUT_DATA],
      { "Our custom data", "leviathan.input_data", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the application for the networked input that is created", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_INPUT_ID],
      { "Input ID", "leviathan.input_id", FT_INT32, BASE_DEC, NULL, 0, "Number of the networked input", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_INPUT_UPDATE],
      { "Update data", "leviathan.input_update", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "New state of the networked input, as bytes of the application", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_OWNER_ID],
      { "Owner ID", "leviathan.owner_id", FT_INT32, BASE_DEC, NULL, 0, "ID of the owner of the networked input",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_WORLD_TYPE],
      { "World type", "leviathan.world_type", FT_INT32, BASE_DEC, NULL, 0,
        "Type of the world: 1024 is the engine's standard world, others are the application's", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_EXTRA_OPTIONS],
      { "Extra options", "leviathan.extra_options", FT_STRING, BASE_NONE, NULL, 0,
        "Options of the world that the client receives", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENTITY_ID],
      { "Entity ID", "leviathan.entity_id", FT_INT32, BASE_DEC, NULL, 0, "Number of the entity in its world", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_COMPONENT_COUNT],
      { "Component count", "leviathan.component_count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of components of the new entity; the engine accepts at most 1000", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS],
      { "Initial component data", "leviathan.initial_component_data", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "Components of the new entity, one after the other", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA],
      { "Initial component data", "leviathan.old_initial_component_data", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "Components of the new entity in the format of engines before 2018-11-30", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_TICK_NUMBER],
      { "Tick number", "leviathan.tick_number", FT_INT32, BASE_DEC, NULL, 0,
        "Tick of the world at which the state was valid", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_REFERENCE_TICK],
      { "Reference tick", "leviathan.reference_tick", FT_INT32, BASE_DEC, NULL, 0,
        "Tick of the state that this update refers to; -1 for a full state", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_UPDATE_DATA],
      { "Update data", "leviathan.update_data", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "States of the entity's components, one after the other", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENABLED],
      { "Enabled", "leviathan.enabled", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the receiver takes control of the entity, false if it loses it", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CACHE_NAME],
      { "Name", "leviathan.cache_name", FT_STRING, BASE_NONE, NULL, 0, "Name of the cached value that is removed",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_FROZEN],
      { "Frozen", "leviathan.frozen", FT_BOOLEAN, BASE_NONE, NULL, 0, "True if the world stops, false if it continues",
        HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CREATE],
      { "Create", "leviathan.create", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the constraint is created, false if it is removed", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CONSTRAINT_ID],
      { "Constraint ID", "leviathan.constraint_id", FT_INT32, BASE_DEC, NULL, 0,
        "Number of the constraint between two entities", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENTITY_ID_1],
      { "Entity ID 1", "leviathan.entity_id_1", FT_INT32, BASE_DEC, NULL, 0,
        "Number of the first entity of the constraint", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_ENTITY_ID_2],
      { "Entity ID 2", "leviathan.entity_id_2", FT_INT32, BASE_DEC, NULL, 0,
        "Number of the second entity of the constraint", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CONSTRAINT_TYPE],
      { "Constraint type", "leviathan.constraint_type", FT_UINT16, BASE_DEC, NULL, 0,
        "Kind of constraint, which defines its data", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_CONSTRAINT_DATA],
      { "Constraint data", "leviathan.constraint_data", FT_UINT_BYTES, BASE_NONE, NULL, 0,
        "Parameters of the constraint, defined by its type", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_COMPONENT_TYPE],
      { "Component type", "leviathan.component.type", FT_UINT16, BASE_DEC, NULL, 0,
        "Type of the component, which defines its fields; types from 10000 on are the application's", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_MATERIAL],
      { "Material", "leviathan.material", FT_STRING, BASE_NONE, NULL, 0, "Name of the material of a box", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_FOV],
      { "FOV", "leviathan.fov", FT_UINT16, BASE_DEC, NULL, 0, "Field of view of a camera", HFILL } },
    { &leviathan_hf.wire[GW_LEVIATHAN_ROLE_SOUND_PERCEIVER],
      { "Sound perceiver", "leviathan.sound_perceiver", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the sound is heard from the position of this camera", HFILL } },
};

static hf_register_info vector_fields[] = {
    { &leviathan_hf.position[0],
      { "Position x", "leviathan.position.x", FT_DOUBLE, BASE_NONE, NULL, 0, "X coordinate of the entity's position",
        HFILL } },
    { &leviathan_hf.position[1],
      { "Position y", "leviathan.position.y", FT_DOUBLE, BASE_NONE, NULL, 0, "Y coordinate of the entity's position",
        HFILL } },
    { &leviathan_hf.position[2],
      { "Position z", "leviathan.position.z", FT_DOUBLE, BASE_NONE, NULL, 0, "Z coordinate of the entity's position",
        HFILL } },
    { &leviathan_hf.orientation[0],
      { "Orientation x", "leviathan.orientation.x", FT_DOUBLE, BASE_NONE, NULL, 0,
        "X component of the entity's orientation, a quaternion", HFILL } },
    { &leviathan_hf.orientation[1],
      { "Orientation y", "leviathan.orientation.y", FT_DOUBLE, BASE_NONE, NULL, 0,
        "Y component of the entity's orientation, a quaternion", HFILL } },
    { &leviathan_hf.orientation[2],
      { "Orientation z", "leviathan.orientation.z", FT_DOUBLE, BASE_NONE, NULL, 0,
        "Z component of the entity's orientation, a quaternion", HFILL } },
    { &leviathan_hf.orientation[3],
      { "Orientation w", "leviathan.orientation.w", FT_DOUBLE, BASE_NONE, NULL, 0,
        "W component of the entity's orientation, a quaternion", HFILL } },
    { &leviathan_hf.sizes[0],
      { "Size x", "leviathan.sizes.x", FT_DOUBLE, BASE_NONE, NULL, 0, "Size of the box along the X axis", HFILL } },
    { &leviathan_hf.sizes[1],
      { "Size y", "leviathan.sizes.y", FT_DOUBLE, BASE_NONE, NULL, 0, "Size of the box along the Y axis", HFILL } },
    { &leviathan_hf.sizes[2],
      { "Size z", "leviathan.sizes.z", FT_DOUBLE, BASE_NONE, NULL, 0, "Size of the box along the Z axis", HFILL } },
};

/* Fields of packed acks. */
static hf_register_info ack_fields[] = {
    { &leviathan_hf.ack,
      { "Acknowledged packet", "leviathan.ack", FT_UINT32, BASE_DEC, NULL, 0, "ID of a packet that is acknowledged",
        HFILL } },
    { &leviathan_hf.acks_not_shown,
      { "Acks not shown", "leviathan.acks_not_shown", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of acknowledged packets that are left out of the tree", HFILL } },
    { &leviathan_hf.ack_numbering,
      { "Ack numbering", "leviathan.ack_numbering", FT_UINT8, BASE_DEC, VALS(ack_numberings), 0,
        "Packet that an ack bit acknowledges: the engine and its documentation differ by one", HFILL } },
    { &leviathan_hf.ack_numbering_reason,
      { "Reason", "leviathan.ack_numbering.reason", FT_STRING, BASE_NONE, NULL, 0,
        "Reason why the ack bits are numbered this way", HFILL } },
    { &leviathan_hf.ack_numbering_proof,
      { "Proved by frame", "leviathan.ack_numbering.proof", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The acks in this frame are valid in one numbering only", HFILL } },
    { &leviathan_hf.acks_frame,
      { "This is an ack of the packet in frame", "leviathan.acks_frame", FT_FRAMENUM, BASE_NONE,
        FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0, "The acknowledged packet was sent in this frame", HFILL } },
    { &leviathan_hf.ack_rtt,
      { "Time since that packet", "leviathan.ack_rtt", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the acknowledged packet to its first ack, which is in this packet", HFILL } },
};

static hf_register_info own_fields[] = {
    { &leviathan_hf.ignored_block,
      { "Ignored ack block", "leviathan.ignored_block", FT_NONE, BASE_NONE, NULL, 0,
        "An ack-only packet after another packet, which the engine ignores", HFILL } },
    { &leviathan_hf.message, { "Message", "leviathan.message", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &leviathan_hf.component, { "Component", "leviathan.component", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &leviathan_hf.undecoded,
      { "Undecoded", "leviathan.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the packet", HFILL } },
    { &leviathan_hf.not_shown,
      { "Not shown one by one", "leviathan.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of items that are left out of the tree because there are too many", HFILL } },
    { &leviathan_hf.ignored_ack,
      { "Acknowledged packet, ignored", "leviathan.ignored_ack", FT_UINT32, BASE_DEC, NULL, 0,
        "ID of an acknowledged packet in a block of acks that the engine ignores", HFILL } },
    { &leviathan_hf.acked_in,
      { "Acknowledged in", "leviathan.acked_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The first ack of this packet is in this frame", HFILL } },
    { &leviathan_hf.rtt,
      { "Round-trip time", "leviathan.rtt", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from this packet to the first packet that acknowledges it", HFILL } },
    { &leviathan_hf.response_to,
      { "Request in", "leviathan.response_to", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
        "The request that this message answers is in this frame", HFILL } },
    { &leviathan_hf.response_in,
      { "Response in", "leviathan.response_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
        "The first response to this request is in this frame", HFILL } },
    { &leviathan_hf.time,
      { "Response time", "leviathan.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the first transmission of the request to this response", HFILL } },
    { &leviathan_hf.first_send,
      { "First sent in", "leviathan.analysis.first_send", FT_FRAMENUM, BASE_NONE,
        FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0, "The message was sent for the first time in this frame", HFILL } },
    { &leviathan_hf.resend_time,
      { "Time since first sent", "leviathan.analysis.resend_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the first transmission of the message to this one", HFILL } },
    { &leviathan_hf.resent_in,
      { "Resent in", "leviathan.analysis.resent_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_NEXT), 0,
        "The message was sent again for the first time in this frame", HFILL } },
    { &leviathan_hf.duplicate_of,
      { "Duplicate of frame", "leviathan.analysis.duplicate_of", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet of this frame has the same ID and content", HFILL } },
    { &leviathan_hf.duplicate_in,
      { "Duplicated in", "leviathan.analysis.duplicate_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The first duplicate of this packet is in this frame", HFILL } },
    { &leviathan_hf.lost_in,
      { "Lost in", "leviathan.analysis.lost_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The engine counts this packet as lost since this frame", HFILL } },
    { &leviathan_hf.lost_frame,
      { "Lost packet in", "leviathan.analysis.lost_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "With this packet, the engine counts the packet of this frame as lost", HFILL } },
    { &leviathan_hf.unanswered,
      { "Unanswered", "leviathan.unanswered", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the capture has no response to this request; known on the second pass", HFILL } },
    { &leviathan_hf.nested_size,
      { "Size", "leviathan.nested.size", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the nested packet in bytes", HFILL } },
    { &leviathan_hf.json, GW_JSON_FIELD("leviathan.json") },
};

/* Sets the texts of the values of fields: the codec's names, as value strings that live as long as the fields, and for
 * the two fields of types those of leviathan_name_types(). The position of a field's variable in leviathan_hf.wire is
 * its role. BASE_SPECIAL_VALS: only some values have names (the field is no enumeration), all others are plain
 * numbers. */
static void set_value_strings(void)
{
    for (size_t i = 0; i < array_length(wire_fields); i++) {
        header_field_info *info = &wire_fields[i].hfinfo;
        gw_leviathan_role role = (gw_leviathan_role)(wire_fields[i].p_id - leviathan_hf.wire);
        const gw_leviathan_field_type *type = gw_leviathan_field_of(role);
        if (role == GW_LEVIATHAN_ROLE_REQUEST_TYPE)
            info->strings = VALS(request_types);
        if (role == GW_LEVIATHAN_ROLE_RESPONSE_TYPE)
            info->strings = VALS(response_types);
        if (!type->names)
            continue;
        unsigned count = 0;
        while (type->names[count].name)
            count++;
        value_string *strings = wmem_alloc0_array(wmem_epan_scope(), value_string, count + 1);
        for (unsigned name = 0; name < count; name++)
            strings[name] = (value_string){ (uint32_t)type->names[name].value, type->names[name].name };
        info->strings = VALS(strings);
        if (!type->closed)
            info->display |= BASE_SPECIAL_VALS;
    }
}

/* ---- expert infos -------------------------------------------------------------------------------------- */

static const gw_expert_row odd_experts[] = {
    { GW_LEVIATHAN_ODD_PACKET_ID, "leviathan.packet_id.unusual", PI_PROTOCOL, PI_WARN, "Packet id 0", NULL },
    { GW_LEVIATHAN_ODD_ACK_COUNT, "leviathan.ack_count.unusual", PI_PROTOCOL, PI_WARN, "Unusual ack count", NULL },
    { GW_LEVIATHAN_ODD_ACK_BITS, "leviathan.ack_bits.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_LEVIATHAN_ODD_ACK_ONLY_COUNT, "leviathan.ack_only.count.unusual", PI_PROTOCOL, PI_WARN, "Unusual count of ids",
      NULL },
    { GW_LEVIATHAN_ODD_ACK_ONLY_IDS, "leviathan.ack_only.acks.unusual", PI_PROTOCOL, PI_WARN, "Ids not ascending",
      NULL },
    { GW_LEVIATHAN_ODD_IGNORED, "leviathan.ignored_acks.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_LEVIATHAN_ODD_TRAILING, "leviathan.trailing.unusual", PI_PROTOCOL, PI_WARN, "Trailing bytes", NULL },
    { GW_LEVIATHAN_ODD_NO_MESSAGES, "leviathan.message_count.unusual", PI_PROTOCOL, PI_WARN, "No messages declared",
      NULL },
    { GW_LEVIATHAN_ODD_MESSAGE_NUMBER, "leviathan.message.number.unusual", PI_PROTOCOL, PI_WARN, "Message number 0",
      NULL },
    { GW_LEVIATHAN_ODD_NOT_LOADABLE, "leviathan.message.type.unsupported", PI_PROTOCOL, PI_CHAT, NULL, NULL },
    { GW_LEVIATHAN_ODD_NOT_SPLIT, "leviathan.message.length.unknown", PI_UNDECODED, PI_WARN, "Messages not separable",
      NULL },
    { GW_LEVIATHAN_ODD_CHECK, "leviathan.check_value.invalid", PI_PROTOCOL, PI_WARN, "Wrong check value", NULL },
    { GW_LEVIATHAN_ODD_ENUMERATION, "leviathan.value.unknown", PI_PROTOCOL, PI_WARN, "Unknown value", NULL },
    { GW_LEVIATHAN_ODD_BOOL, "leviathan.bool.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_LEVIATHAN_ODD_UTF8, "leviathan.utf8.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_LEVIATHAN_ODD_NUL, "leviathan.nul.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_LEVIATHAN_ODD_COMPONENT_COUNT, "leviathan.component_count.invalid", PI_PROTOCOL, PI_WARN,
      "Too many components", NULL },
    { GW_LEVIATHAN_ODD_COMPONENTS, "leviathan.components.missing", PI_PROTOCOL, PI_WARN, "Components missing", NULL },
    { GW_LEVIATHAN_ODD_COMPONENT_REST, "leviathan.components.trailing.unusual", PI_PROTOCOL, PI_WARN, "Trailing bytes",
      NULL },
    { GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED, "leviathan.component.truncated", PI_MALFORMED, PI_ERROR,
      "Component truncated", NULL },
    { GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN, "leviathan.component.unknown", PI_UNDECODED, PI_WARN, "Unknown component",
      NULL },
    { GW_LEVIATHAN_ODD_COMPONENT_CUSTOM, "leviathan.component.length.unknown", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_expert_row fault_experts[] = {
    { GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, "leviathan.field.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_ACKS_TRUNCATED, "leviathan.acks.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_IDS_TRUNCATED, "leviathan.ack_only.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_MESSAGES_MISSING, "leviathan.message_count.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_STRING_TRUNCATED, "leviathan.string.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_NESTED_TRUNCATED, "leviathan.nested.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_LEVIATHAN_FAULT_PACKET_UNKNOWN, "leviathan.type.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN, "leviathan.message.type.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN, "leviathan.request.type.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN, "leviathan.response.type.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
};

static const gw_finding findings[] = {
    { &leviathan_ei.unread, "leviathan.payload.unread", PI_UNDECODED, PI_NOTE,
      "Not read as Leviathan, as the payloads of this conversation before it", NULL, NULL },
    { &leviathan_ei.cut_short, "leviathan.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL, NULL },
    { &leviathan_ei.retransmission, "leviathan.analysis.retransmission", PI_SEQUENCE, PI_NOTE,
      "This message was sent before", "Retransmission",
      "The peer did not confirm the first transmission in time: see the losses before it" },
    { &leviathan_ei.duplicate, "leviathan.analysis.duplicate", PI_SEQUENCE, PI_NOTE, "This packet was seen before",
      "Duplicate",
      "None is needed: the engine drops it. If every packet is there twice, capture on one interface only" },
    { &leviathan_ei.number_reused, "leviathan.analysis.number_reused", PI_SEQUENCE, PI_WARN,
      "Number used before with other bytes", "Number used before",
      "Look for a second program that sends from this address, or for a sender that numbers in another way than the "
      "engine" },
    { &leviathan_ei.out_of_order, "leviathan.analysis.out_of_order", PI_SEQUENCE, PI_NOTE,
      "A later packet was seen before this one", "Out of order", NULL },
    { &leviathan_ei.lost, "leviathan.analysis.lost", PI_SEQUENCE, PI_NOTE,
      "The engine counts this packet as lost, if it tracks it", "Lost",
      "The engine sends its messages again if they are reliable: send state in place of events in the others" },
    { &leviathan_ei.shows_loss, "leviathan.analysis.shows_loss", PI_SEQUENCE, PI_NOTE,
      "The engine counts an earlier packet as lost, if it tracks that", "Lost before",
      "The engine sends the messages again if they are reliable" },
    { &leviathan_ei.ack_unseen, "leviathan.analysis.ack.unseen", PI_SEQUENCE, PI_WARN,
      "Acknowledges a packet that was not sent, or is not in the capture", "Ack of unseen packet",
      "The capture lost packets or began late: begin it before the connection, and use a larger buffer (dumpcap -B)" },
    { &leviathan_ei.request_unseen, "leviathan.analysis.request.unseen", PI_SEQUENCE, PI_WARN,
      "Answers a request that was not sent, or is not in the capture", "Request not captured",
      "The capture lost packets or began late: begin it before the connection, and use a larger buffer (dumpcap -B)" },
};

const gw_fault_display leviathan_fault_display = {
    .hf_undecoded = &leviathan_hf.undecoded,
    .experts = leviathan_ei.faults,
    .cut_short = &leviathan_ei.cut_short,
    .table = &gw_leviathan_faults,
};

/* Of faults and oddities. */
static const char remedy[] = "The engine does not send this: use the same version of it on both ends, and look at "
                             "programs of your own that send";

/* Registers fields, subtrees, expert infos and findings. The texts of values are set before, since Wireshark takes them
 * over with the fields. The names of types are those of the newest revision until the preference for the date of the
 * engine is applied. */
void leviathan_register_fields(int protocol)
{
    static int *const subtrees[] = {
        &leviathan_ett.protocol, &leviathan_ett.acks,   &leviathan_ett.ack,
        &leviathan_ett.message,  &leviathan_ett.nested, &leviathan_ett.component,
    };
    leviathan_name_types(GW_LEVIATHAN_SINCE_2018_12_09);
    set_value_strings();
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(wire_fields) },
                    { GW_ROWS(vector_fields) },
                    { GW_ROWS(ack_fields) },
                    { GW_ROWS(own_fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { leviathan_ei.odd, GW_ROWS(odd_experts), remedy },
        .faults = { leviathan_ei.faults, GW_ROWS(fault_experts), remedy },
        .codec = &gw_leviathan_faults,
        .findings = { GW_ROWS(findings) },
    };
    gw_register_protocol(protocol, &tables);
}
