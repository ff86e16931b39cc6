/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The fields of every message and component, in wire order, with their types and names.
 */
#include "tables.h"

/* ---- enumerations (source; 1 and 2 of the encryptions observed) ---------------------------------------- */

static const gw_leviathan_name packet_types[] = {
    { GW_LEVIATHAN_NORMAL_PACKET, "Normal" },
    { GW_LEVIATHAN_ACK_ONLY_PACKET, "Ack only" },
    { 0, NULL },
};

static const gw_leviathan_name message_kinds[] = {
    { GW_LEVIATHAN_RESPONSE, "Response" },
    { GW_LEVIATHAN_REQUEST, "Request" },
    { 0, NULL },
};

/* CONNECTION_ENCRYPTION: only None is sent. */
static const gw_leviathan_name encryptions[] = {
    { 0, "Undecided" },
    { 1, "None" },
    { 2, "Standard" },
    { 0, NULL },
};

/* NETWORK_RESPONSE_INVALIDREASON */
static const gw_leviathan_name invalid_reasons[] = {
    { 0, "Unauthenticated" },           { 1, "Unsupported" },   { 2, "ServerFull" },
    { 3, "ServerNotAcceptingPlayers" }, { 4, "NotAuthorized" }, { 5, "ServerAlreadyConnectedToYou" },
    { 6, "InvalidParameters" },         { 7, "ServerCustom" },  { 0, NULL },
};

/* SERVER_ACCEPTED_TYPE */
static const gw_leviathan_name accepted_types[] = {
    { 0, "ConnectAccepted" },
    { 1, "RequestQueued" },
    { 2, "Done" },
    { 0, NULL },
};

/* SERVER_JOIN_RESTRICT */
static const gw_leviathan_name join_restrictions[] = {
    { 0, "None" },    { 1, "Localhost" },   { 2, "LAN" },    { 3, "Whitelist" }, { 4, "Invite" },
    { 5, "Friends" }, { 6, "Permissions" }, { 7, "Custom" }, { 0, NULL },
};

/* SERVER_STATUS */
static const gw_leviathan_name server_states[] = {
    { 0, "Starting" }, { 1, "Running" }, { 2, "Shutdown" }, { 3, "Restart" }, { 0, NULL },
};

/* COMPONENT_TYPE; numbers without a name here are not errors (see set_component_type() in reader.c). */
static const gw_leviathan_name component_names[] = {
    { 0, "Position" }, { 1, "RenderNode" },
    { 2, "Sendable" }, { 3, "Received" },
    { 4, "Physics" },  { 5, "BoxGeometry" },
    { 6, "Model" },    { 7, "Camera" },
    { 8, "Animated" }, { GW_LEVIATHAN_FIRST_CUSTOM_COMPONENT, "Custom" },
    { 0, NULL },
};

/* The meaning of 0 in numbers that start at 1. */
static const gw_leviathan_name no_acks[] = {
    { 0, "no acks" },
    { 0, NULL },
};

static const gw_leviathan_name no_request[] = {
    { 0, "nothing" },
    { 0, NULL },
};

static const gw_leviathan_name world_types[] = {
    { 1024, "Standard world" },
    { 0, NULL },
};

static const gw_leviathan_name join_tokens[] = {
    { -1, "Joining directly" },
    { 0, NULL },
};

static const gw_leviathan_name reference_ticks[] = {
    { -1, "Full state" },
    { 0, NULL },
};

/* ---- fields -------------------------------------------------------------------------------------------- */

#define U8     GW_LEVIATHAN_U8, false, NULL
#define BOOL   GW_LEVIATHAN_BOOL, false, NULL
#define U16    GW_LEVIATHAN_U16, false, NULL
#define U32    GW_LEVIATHAN_U32, false, NULL
#define U64    GW_LEVIATHAN_U64, false, NULL
#define I32    GW_LEVIATHAN_I32, false, NULL
#define STRING GW_LEVIATHAN_STRING, false, NULL
#define NESTED GW_LEVIATHAN_NESTED, false, NULL
#define NONE   GW_LEVIATHAN_NO_TYPE, false, NULL

const gw_leviathan_field_type gw_leviathan_fields[GW_LEVIATHAN_ROLES] = {
    [GW_LEVIATHAN_ROLE_NONE] = { "", NONE },
    [GW_LEVIATHAN_ROLE_PACKET] = { "Normal packet", NONE },
    [GW_LEVIATHAN_ROLE_ACK_ONLY] = { "Ack only packet", NONE },
    [GW_LEVIATHAN_ROLE_MESSAGE] = { "Message", NONE },
    [GW_LEVIATHAN_ROLE_COMPONENT] = { "Component", NONE },
    [GW_LEVIATHAN_ROLE_BLOB_REST] = { "Component data", NONE },
    [GW_LEVIATHAN_ROLE_TRAILING] = { "Trailing bytes", NONE },

    [GW_LEVIATHAN_ROLE_PACKET_TYPE] = { "Type", GW_LEVIATHAN_U16, true, packet_types },
    [GW_LEVIATHAN_ROLE_PACKET_ID] = { "PKT_ID", U32 },
    [GW_LEVIATHAN_ROLE_START_ACK] = { "Start Ack", GW_LEVIATHAN_U32, false, no_acks },
    [GW_LEVIATHAN_ROLE_ACK_COUNT] = { "Ack count", U8 },
    [GW_LEVIATHAN_ROLE_PACKED_ACKS] = { "Packed acks", GW_LEVIATHAN_BITS, false, NULL },
    [GW_LEVIATHAN_ROLE_MESSAGE_COUNT] = { "Message count", U8 },
    [GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT] = { "Ack Count", U8 },
    [GW_LEVIATHAN_ROLE_ACK_ONLY_IDS] = { "Acks", GW_LEVIATHAN_IDS, false, NULL },
    [GW_LEVIATHAN_ROLE_MESSAGE_KIND] = { "Type", GW_LEVIATHAN_U8, true, message_kinds },
    [GW_LEVIATHAN_ROLE_MESSAGE_NUMBER] = { "MessageNumber", U32 },
    [GW_LEVIATHAN_ROLE_REQUEST_TYPE] = { "RequestType", U16 },
    [GW_LEVIATHAN_ROLE_RESPONSE_TYPE] = { "ResponseType", U16 },
    [GW_LEVIATHAN_ROLE_RESPONSE_TO] = { "Response to", GW_LEVIATHAN_U32, false, no_request },

    [GW_LEVIATHAN_ROLE_CHECK] = { "CheckValue", I32 },
    [GW_LEVIATHAN_ROLE_SECURE_TYPE] = { "SecureType", GW_LEVIATHAN_I32, true, encryptions },
    [GW_LEVIATHAN_ROLE_PUBLIC_KEY] = { "PublicKey", STRING },
    [GW_LEVIATHAN_ROLE_ADDITIONAL_SETTINGS] = { "AdditionalSettings", STRING },
    [GW_LEVIATHAN_ROLE_ENCRYPTED_SYMMETRIC_KEY] = { "EncryptedSymmetricKey", STRING },
    [GW_LEVIATHAN_ROLE_USER_NAME] = { "UserName", STRING },
    [GW_LEVIATHAN_ROLE_AUTH_TOKEN] = { "AuthToken", U64 },
    [GW_LEVIATHAN_ROLE_AUTH_PASSWD] = { "AuthPasswd", STRING },
    [GW_LEVIATHAN_ROLE_USER_ID] = { "UserID", I32 },
    [GW_LEVIATHAN_ROLE_USER_TOKEN] = { "UserToken", U64 },
    [GW_LEVIATHAN_ROLE_DDOS_BLOCK] = { "DDOSBlock", STRING },
    [GW_LEVIATHAN_ROLE_USER_READABLE_DATA] = { "UserReadableData", STRING },
    [GW_LEVIATHAN_ROLE_GAME_NAME] = { "GameName", STRING },
    [GW_LEVIATHAN_ROLE_GAME_VERSION] = { "GameVersionString", STRING },
    [GW_LEVIATHAN_ROLE_ENGINE_VERSION] = { "LeviathanVersionString", STRING },
    [GW_LEVIATHAN_ROLE_SESSION_TOKEN] = { "SessionToken", I32 },
    [GW_LEVIATHAN_ROLE_TOKEN] = { "Token", I32 },
    [GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN] = { "MasterServerToken", GW_LEVIATHAN_I32, false, join_tokens },
    [GW_LEVIATHAN_ROLE_JOIN_OPTIONS] = { "Options", STRING },
    [GW_LEVIATHAN_ROLE_NAME_OF_VALUE] = { "NameOfValue", STRING },
    [GW_LEVIATHAN_ROLE_COMMAND] = { "Command", STRING },
    [GW_LEVIATHAN_ROLE_DATA_FOR_OBJECT] = { "DataForObject", NESTED },
    [GW_LEVIATHAN_ROLE_WORLD_ID] = { "WorldID", I32 },
    [GW_LEVIATHAN_ROLE_TICKS] = { "Ticks", I32 },
    [GW_LEVIATHAN_ROLE_ENGINE_MS_TWEAK] = { "EngineMSTweak", I32 },
    [GW_LEVIATHAN_ROLE_ABSOLUTE] = { "Absolute", BOOL },
    [GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER] = { "TypeIDNumber", I32 },
    [GW_LEVIATHAN_ROLE_IS_REQUEST] = { "IsRequest", BOOL },
    [GW_LEVIATHAN_ROLE_APPLICATION_DATA] = { "Application data", GW_LEVIATHAN_REST, false, NULL },
    [GW_LEVIATHAN_ROLE_INVALIDNESS] = { "Invalidness", GW_LEVIATHAN_U8, true, invalid_reasons },
    [GW_LEVIATHAN_ROLE_ADDITIONAL_INFO] = { "AdditionalInfo", STRING },
    [GW_LEVIATHAN_ROLE_MESSAGE_TEXT] = { "Message", STRING },
    [GW_LEVIATHAN_ROLE_REASON] = { "Reason", GW_LEVIATHAN_U8, true, invalid_reasons },
    [GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT] = { "ServerAcceptedWhat", GW_LEVIATHAN_U8, true, accepted_types },
    [GW_LEVIATHAN_ROLE_SERVER_NAME] = { "ServerNameString", STRING },
    [GW_LEVIATHAN_ROLE_JOINABLE] = { "Joinable", BOOL },
    [GW_LEVIATHAN_ROLE_JOIN_RESTRICTION] = { "JoinRestriction", GW_LEVIATHAN_U8, true, join_restrictions },
    [GW_LEVIATHAN_ROLE_SERVER_STATUS] = { "ServerStatus", GW_LEVIATHAN_U8, true, server_states },
    [GW_LEVIATHAN_ROLE_PLAYERS] = { "Players", I32 },
    [GW_LEVIATHAN_ROLE_MAX_PLAYERS] = { "MaxPlayers", I32 },
    [GW_LEVIATHAN_ROLE_BOTS] = { "Bots", I32 },
    [GW_LEVIATHAN_ROLE_ADDITIONAL_FLAGS] = { "AdditionalFlags", I32 },
    [GW_LEVIATHAN_ROLE_SUCCEEDED] = { "Succeeded", BOOL },
    [GW_LEVIATHAN_ROLE_RESOURCE_DATA] = { "OurCustomData", STRING },
    [GW_LEVIATHAN_ROLE_INPUT_DATA] = { "OurCustomData", NESTED },
    [GW_LEVIATHAN_ROLE_INPUT_ID] = { "InputID", I32 },
    [GW_LEVIATHAN_ROLE_INPUT_UPDATE] = { "UpdateData", NESTED },
    [GW_LEVIATHAN_ROLE_OWNER_ID] = { "OwnerID", I32 },
    [GW_LEVIATHAN_ROLE_WORLD_TYPE] = { "WorldType", GW_LEVIATHAN_I32, false, world_types },
    [GW_LEVIATHAN_ROLE_EXTRA_OPTIONS] = { "ExtraOptions", STRING },
    [GW_LEVIATHAN_ROLE_ENTITY_ID] = { "EntityID", I32 },
    [GW_LEVIATHAN_ROLE_COMPONENT_COUNT] = { "ComponentCount", U32 },
    [GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS] = { "InitialComponentData", GW_LEVIATHAN_COMPONENTS, false, NULL },
    [GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA] = { "InitialComponentData", NESTED },
    [GW_LEVIATHAN_ROLE_TICK_NUMBER] = { "TickNumber", I32 },
    [GW_LEVIATHAN_ROLE_REFERENCE_TICK] = { "ReferenceTick", GW_LEVIATHAN_I32, false, reference_ticks },
    [GW_LEVIATHAN_ROLE_UPDATE_DATA] = { "UpdateData", GW_LEVIATHAN_STATES, false, NULL },
    [GW_LEVIATHAN_ROLE_ENABLED] = { "Enabled", BOOL },
    [GW_LEVIATHAN_ROLE_CACHE_NAME] = { "Name", STRING },
    [GW_LEVIATHAN_ROLE_FROZEN] = { "Frozen", BOOL },
    [GW_LEVIATHAN_ROLE_CREATE] = { "Create", BOOL },
    [GW_LEVIATHAN_ROLE_CONSTRAINT_ID] = { "ConstraintID", I32 },
    [GW_LEVIATHAN_ROLE_ENTITY_ID_1] = { "EntityID1", I32 },
    [GW_LEVIATHAN_ROLE_ENTITY_ID_2] = { "EntityID2", I32 },
    [GW_LEVIATHAN_ROLE_CONSTRAINT_TYPE] = { "ConstraintType", U16 },
    [GW_LEVIATHAN_ROLE_CONSTRAINT_DATA] = { "ConstraintData", NESTED },

    [GW_LEVIATHAN_ROLE_COMPONENT_TYPE] = { "ComponentType", GW_LEVIATHAN_U16, false, component_names },
    [GW_LEVIATHAN_ROLE_POSITION] = { "Position", GW_LEVIATHAN_FLOAT3, false, NULL },
    [GW_LEVIATHAN_ROLE_ORIENTATION] = { "Orientation", GW_LEVIATHAN_FLOAT4, false, NULL },
    [GW_LEVIATHAN_ROLE_SIZES] = { "Sizes", GW_LEVIATHAN_FLOAT3, false, NULL },
    [GW_LEVIATHAN_ROLE_MATERIAL] = { "Material", STRING },
    [GW_LEVIATHAN_ROLE_FOV] = { "FOV", U16 },
    [GW_LEVIATHAN_ROLE_SOUND_PERCEIVER] = { "SoundPerceiver", BOOL },
};

const gw_leviathan_field_type *gw_leviathan_field_of(gw_leviathan_role role)
{
    return &gw_leviathan_fields[role];
}

const char *gw_leviathan_name_of(const gw_leviathan_name *names, int64_t value)
{
    for (; names && names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}

/* ---- headers ------------------------------------------------------------------------------------------- */

const uint8_t gw_leviathan_packet_fields[] = {
    GW_LEVIATHAN_ROLE_PACKET_TYPE, GW_LEVIATHAN_ROLE_PACKET_ID,   GW_LEVIATHAN_ROLE_START_ACK,
    GW_LEVIATHAN_ROLE_ACK_COUNT,   GW_LEVIATHAN_ROLE_PACKED_ACKS, GW_LEVIATHAN_ROLE_MESSAGE_COUNT,
    GW_LEVIATHAN_ROLE_NONE,
};

const uint8_t gw_leviathan_ack_only_fields[] = {
    GW_LEVIATHAN_ROLE_PACKET_TYPE,
    GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT,
    GW_LEVIATHAN_ROLE_ACK_ONLY_IDS,
    GW_LEVIATHAN_ROLE_NONE,
};

const uint8_t gw_leviathan_request_fields[] = {
    GW_LEVIATHAN_ROLE_MESSAGE_KIND,
    GW_LEVIATHAN_ROLE_MESSAGE_NUMBER,
    GW_LEVIATHAN_ROLE_REQUEST_TYPE,
    GW_LEVIATHAN_ROLE_NONE,
};

const uint8_t gw_leviathan_response_fields[] = {
    GW_LEVIATHAN_ROLE_MESSAGE_KIND, GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, GW_LEVIATHAN_ROLE_RESPONSE_TYPE,
    GW_LEVIATHAN_ROLE_RESPONSE_TO,  GW_LEVIATHAN_ROLE_NONE,
};

const uint8_t gw_leviathan_component_fields[] = { GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ROLE_NONE };

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Layouts are observed, except the layout of Custom, which is from source: its writer fails an assertion in the newest
 * engine. For a NamedVariableList (SyncValData, CacheUpdated) nothing is written (source). */
#define LOADABLE true
#define DROPPED  false

static const gw_leviathan_message_type requests[GW_LEVIATHAN_REQUEST_TYPES] = {
    { "Connect", 0, LOADABLE, { GW_LEVIATHAN_ROLE_CHECK } },
    { "Security",
      1,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_SECURE_TYPE, GW_LEVIATHAN_ROLE_PUBLIC_KEY, GW_LEVIATHAN_ROLE_ADDITIONAL_SETTINGS } },
    { "Authenticate",
      2,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_USER_NAME, GW_LEVIATHAN_ROLE_AUTH_TOKEN, GW_LEVIATHAN_ROLE_AUTH_PASSWD } },
    { "Identification", 3, DROPPED, { GW_LEVIATHAN_ROLE_DDOS_BLOCK } },
    { "Serverstatus", 4, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "RemoteConsoleOpen", 5, DROPPED, { GW_LEVIATHAN_ROLE_SESSION_TOKEN } },
    { "RemoteConsoleAccess", 6, DROPPED, { GW_LEVIATHAN_ROLE_SESSION_TOKEN } },
    { "CloseRemoteConsole", 7, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "DoRemoteConsoleOpen", 8, DROPPED, { GW_LEVIATHAN_ROLE_TOKEN } },
    { "JoinServer", 9, LOADABLE, { GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN } },
    { "JoinGame", 10, LOADABLE, { GW_LEVIATHAN_ROLE_JOIN_OPTIONS } },
    { "GetSingleSyncValue", 11, DROPPED, { GW_LEVIATHAN_ROLE_NAME_OF_VALUE } },
    { "GetAllSyncValues", 12, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "RequestCommandExecution", 13, DROPPED, { GW_LEVIATHAN_ROLE_COMMAND } },
    { "ConnectInput", 14, DROPPED, { GW_LEVIATHAN_ROLE_DATA_FOR_OBJECT } },
    { "Echo", 15, LOADABLE, { GW_LEVIATHAN_ROLE_NONE } },
    { "WorldClockSync",
      16,
      DROPPED,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_TICKS, GW_LEVIATHAN_ROLE_ENGINE_MS_TWEAK,
        GW_LEVIATHAN_ROLE_ABSOLUTE } },
    { "Custom",
      17,
      DROPPED,
      { GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER, GW_LEVIATHAN_ROLE_IS_REQUEST, GW_LEVIATHAN_ROLE_APPLICATION_DATA } },
};

static const gw_leviathan_message_type responses[GW_LEVIATHAN_RESPONSE_TYPES] = {
    { "Connect", 0, LOADABLE, { GW_LEVIATHAN_ROLE_CHECK } },
    { "Security",
      1,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_SECURE_TYPE, GW_LEVIATHAN_ROLE_PUBLIC_KEY, GW_LEVIATHAN_ROLE_ENCRYPTED_SYMMETRIC_KEY } },
    { "Authenticate", 2, LOADABLE, { GW_LEVIATHAN_ROLE_USER_ID, GW_LEVIATHAN_ROLE_USER_TOKEN } },
    { "Identification",
      3,
      DROPPED,
      { GW_LEVIATHAN_ROLE_USER_READABLE_DATA, GW_LEVIATHAN_ROLE_GAME_NAME, GW_LEVIATHAN_ROLE_GAME_VERSION,
        GW_LEVIATHAN_ROLE_ENGINE_VERSION } },
    { "Keepalive", 4, LOADABLE, { GW_LEVIATHAN_ROLE_NONE } },
    { "CloseConnection", 5, LOADABLE, { GW_LEVIATHAN_ROLE_NONE } },
    { "RemoteConsoleClosed", 6, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "RemoteConsoleOpened", 7, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "InvalidRequest", 8, DROPPED, { GW_LEVIATHAN_ROLE_INVALIDNESS, GW_LEVIATHAN_ROLE_ADDITIONAL_INFO } },
    { "ServerDisallow", 9, LOADABLE, { GW_LEVIATHAN_ROLE_MESSAGE_TEXT, GW_LEVIATHAN_ROLE_REASON } },
    { "ServerAllow", 10, LOADABLE, { GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, GW_LEVIATHAN_ROLE_MESSAGE_TEXT } },
    { "ServerStatus",
      11,
      DROPPED,
      { GW_LEVIATHAN_ROLE_SERVER_NAME, GW_LEVIATHAN_ROLE_JOINABLE, GW_LEVIATHAN_ROLE_JOIN_RESTRICTION,
        GW_LEVIATHAN_ROLE_SERVER_STATUS, GW_LEVIATHAN_ROLE_PLAYERS, GW_LEVIATHAN_ROLE_MAX_PLAYERS,
        GW_LEVIATHAN_ROLE_BOTS, GW_LEVIATHAN_ROLE_ADDITIONAL_FLAGS } },
    { "SyncValData", 12, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "SyncDataEnd", 13, DROPPED, { GW_LEVIATHAN_ROLE_SUCCEEDED } },
    { "SyncResourceData", 14, DROPPED, { GW_LEVIATHAN_ROLE_RESOURCE_DATA } },
    { "CreateNetworkedInput", 15, DROPPED, { GW_LEVIATHAN_ROLE_INPUT_DATA } },
    { "UpdateNetworkedInput", 16, DROPPED, { GW_LEVIATHAN_ROLE_INPUT_ID, GW_LEVIATHAN_ROLE_INPUT_UPDATE } },
    { "DisconnectInput", 17, DROPPED, { GW_LEVIATHAN_ROLE_INPUT_ID, GW_LEVIATHAN_ROLE_OWNER_ID } },
    { "StartWorldReceive",
      18,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_WORLD_TYPE, GW_LEVIATHAN_ROLE_EXTRA_OPTIONS } },
    { "EntityCreation",
      19,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_ENTITY_ID, GW_LEVIATHAN_ROLE_COMPONENT_COUNT,
        GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS } },
    { "EntityUpdate",
      20,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_TICK_NUMBER, GW_LEVIATHAN_ROLE_REFERENCE_TICK,
        GW_LEVIATHAN_ROLE_ENTITY_ID, GW_LEVIATHAN_ROLE_UPDATE_DATA } },
    { "EntityDestruction", 21, LOADABLE, { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_ENTITY_ID } },
    { "EntityLocalControlStatus",
      22,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_ENTITY_ID, GW_LEVIATHAN_ROLE_ENABLED } },
    { "CacheUpdated", 23, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "CacheRemoved", 24, DROPPED, { GW_LEVIATHAN_ROLE_CACHE_NAME } },
    { "WorldFrozen",
      25,
      DROPPED,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_FROZEN, GW_LEVIATHAN_ROLE_TICK_NUMBER } },
    { "ServerHeartbeat", 26, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "StartHeartbeats", 27, DROPPED, { GW_LEVIATHAN_ROLE_NONE } },
    { "None", 28, LOADABLE, { GW_LEVIATHAN_ROLE_NONE } },
    { "Custom",
      29,
      DROPPED,
      { GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER, GW_LEVIATHAN_ROLE_IS_REQUEST, GW_LEVIATHAN_ROLE_APPLICATION_DATA } },
    { "EntityConstraint",
      30,
      LOADABLE,
      { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_CREATE, GW_LEVIATHAN_ROLE_CONSTRAINT_ID,
        GW_LEVIATHAN_ROLE_ENTITY_ID_1, GW_LEVIATHAN_ROLE_ENTITY_ID_2, GW_LEVIATHAN_ROLE_CONSTRAINT_TYPE,
        GW_LEVIATHAN_ROLE_CONSTRAINT_DATA } },
    { "EntityCreation", 31, LOADABLE, { GW_LEVIATHAN_ROLE_WORLD_ID, GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA } },
};

const gw_leviathan_message_type *gw_leviathan_message_of(uint8_t kind, uint32_t id)
{
    if (kind == GW_LEVIATHAN_REQUEST)
        return id < GW_LEVIATHAN_REQUEST_TYPES ? &requests[id] : NULL;
    return id < GW_LEVIATHAN_RESPONSE_TYPES ? &responses[id] : NULL;
}

/* ---- revisions (source) ------------------------------------------------------------------------------- */

/* Message ids; the index is the number on the wire. */
struct id_list {
    const uint8_t *ids;
    uint32_t count;
};

static const uint8_t new_requests[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
static const uint8_t old_requests[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17 };

#define FIRST_RESPONSES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
static const uint8_t responses_2018_12_09[] = { FIRST_RESPONSES, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 };
static const uint8_t responses_2018_12_08[] = { FIRST_RESPONSES, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29 };
static const uint8_t responses_2018_11_30[] = { FIRST_RESPONSES, 18, 19, 20, 21, 23, 24, 25, 26, 27, 29, 28 };
static const uint8_t responses_2018_11_18[] = { FIRST_RESPONSES, 18, 31, 20, 21, 23, 24, 25, 26, 27, 29, 28 };
static const uint8_t responses_2018_10_30[] = { FIRST_RESPONSES, 31, 20, 21, 23, 24, 25, 26, 27, 29, 28 };
static const uint8_t responses_2017_04_05[] = { FIRST_RESPONSES, 31, 20, 21, 23, 24, 30, 25, 26, 27, 29, 28 };

/* clang-format off */
#define ID_LIST(list) { list, sizeof(list) }
/* clang-format on */

static const struct id_list request_revisions[GW_LEVIATHAN_REVISIONS] = {
    [GW_LEVIATHAN_SINCE_2018_12_09] = ID_LIST(new_requests), [GW_LEVIATHAN_SINCE_2018_12_08] = ID_LIST(new_requests),
    [GW_LEVIATHAN_SINCE_2018_11_30] = ID_LIST(new_requests), [GW_LEVIATHAN_SINCE_2018_11_18] = ID_LIST(new_requests),
    [GW_LEVIATHAN_SINCE_2018_10_30] = ID_LIST(old_requests), [GW_LEVIATHAN_SINCE_2017_04_05] = ID_LIST(old_requests),
};

static const struct id_list response_revisions[GW_LEVIATHAN_REVISIONS] = {
    [GW_LEVIATHAN_SINCE_2018_12_09] = ID_LIST(responses_2018_12_09),
    [GW_LEVIATHAN_SINCE_2018_12_08] = ID_LIST(responses_2018_12_08),
    [GW_LEVIATHAN_SINCE_2018_11_30] = ID_LIST(responses_2018_11_30),
    [GW_LEVIATHAN_SINCE_2018_11_18] = ID_LIST(responses_2018_11_18),
    [GW_LEVIATHAN_SINCE_2018_10_30] = ID_LIST(responses_2018_10_30),
    [GW_LEVIATHAN_SINCE_2017_04_05] = ID_LIST(responses_2017_04_05),
};

static const struct id_list *ids_of(gw_leviathan_revision revision, uint8_t kind)
{
    return kind == GW_LEVIATHAN_REQUEST ? &request_revisions[revision] : &response_revisions[revision];
}

const gw_leviathan_message_type *gw_leviathan_message_of_wire(gw_leviathan_revision revision, uint8_t kind,
                                                              uint32_t wire_type)
{
    const struct id_list *list = ids_of(revision, kind);
    return wire_type < list->count ? gw_leviathan_message_of(kind, list->ids[wire_type]) : NULL;
}

uint32_t gw_leviathan_wire_types(gw_leviathan_revision revision, uint8_t kind)
{
    return ids_of(revision, kind)->count;
}

/* ---- components (Position and BoxGeometry observed, the others source) --------------------------------- */

static const uint8_t no_fields[] = { GW_LEVIATHAN_ROLE_NONE };
static const uint8_t position_fields[] = { GW_LEVIATHAN_ROLE_POSITION, GW_LEVIATHAN_ROLE_ORIENTATION,
                                           GW_LEVIATHAN_ROLE_NONE };
static const uint8_t box_fields[] = { GW_LEVIATHAN_ROLE_SIZES, GW_LEVIATHAN_ROLE_MATERIAL, GW_LEVIATHAN_ROLE_NONE };
static const uint8_t camera_fields[] = { GW_LEVIATHAN_ROLE_FOV, GW_LEVIATHAN_ROLE_SOUND_PERCEIVER,
                                         GW_LEVIATHAN_ROLE_NONE };

/* Only Position has a state class. Sendable, Received and Model are marked as not synchronized. */
static const gw_leviathan_component_type components[] = {
    { "Position", position_fields, position_fields },
    { "RenderNode", NULL, no_fields },
    { "Sendable", NULL, NULL },
    { "Received", NULL, NULL },
    { "Physics", NULL, no_fields },
    { "BoxGeometry", NULL, box_fields },
    { "Model", NULL, NULL },
    { "Camera", NULL, camera_fields },
    { "Animated", NULL, no_fields },
};

const gw_leviathan_component_type *gw_leviathan_component_of(uint32_t wire_type)
{
    return wire_type < sizeof components / sizeof *components ? &components[wire_type] : NULL;
}

/* ---- lengths ------------------------------------------------------------------------------------------- */

const uint8_t gw_leviathan_fixed_sizes[GW_LEVIATHAN_TYPES] = {
    [GW_LEVIATHAN_U8] = 1,  [GW_LEVIATHAN_BOOL] = 1, [GW_LEVIATHAN_U16] = 2,     [GW_LEVIATHAN_U32] = 4,
    [GW_LEVIATHAN_I32] = 4, [GW_LEVIATHAN_U64] = 8,  [GW_LEVIATHAN_FLOAT3] = 12, [GW_LEVIATHAN_FLOAT4] = 16,
};

/* The length of a payload; sets the fault if it exceeds the bytes left. */
struct size {
    uint64_t bytes;
    gw_leviathan_fault fault;
};

/* `left` bytes follow. The byte before acks is their count; the first four bytes of strings are their length. */
static struct size payload_size(const uint8_t *at, uint32_t left, uint8_t type)
{
    switch (type) {
    case GW_LEVIATHAN_BITS:
        return (struct size){ at[-1], GW_LEVIATHAN_FAULT_ACKS_TRUNCATED };
    case GW_LEVIATHAN_IDS:
        return (struct size){ 4 * (uint64_t)at[-1], GW_LEVIATHAN_FAULT_IDS_TRUNCATED };
    case GW_LEVIATHAN_REST:
        return (struct size){ left, GW_LEVIATHAN_FAULT_NONE };
    case GW_LEVIATHAN_STRING:
        return (struct size){ gw_be32(at), GW_LEVIATHAN_FAULT_STRING_TRUNCATED };
    case GW_LEVIATHAN_NESTED:
    case GW_LEVIATHAN_STATES:
    case GW_LEVIATHAN_COMPONENTS:
        return (struct size){ gw_be32(at), GW_LEVIATHAN_FAULT_NESTED_TRUNCATED };
    default:
        return (struct size){ gw_leviathan_fixed_sizes[type], GW_LEVIATHAN_FAULT_FIELD_TRUNCATED };
    }
}

static uint32_t header_size(uint8_t type)
{
    return type >= GW_LEVIATHAN_STRING && type <= GW_LEVIATHAN_COMPONENTS ? 4 : 0;
}

bool gw_leviathan_measure(const uint8_t *bytes, uint32_t offset, uint32_t end, uint8_t type, gw_span *header,
                          gw_span *payload, gw_fault *fault)
{
    uint32_t before = header_size(type);
    uint32_t left = end - offset;
    if (before > left) {
        gw_set_fault(fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, offset, before - left);
        return false;
    }
    struct size size = payload_size(bytes + offset, left, type);
    left -= before;
    if (size.bytes > left) {
        /* There are complete ids before the truncated one. */
        uint32_t whole = type == GW_LEVIATHAN_IDS ? left / 4 * 4 : 0;
        gw_set_fault(fault, &gw_leviathan_faults, size.fault, offset + whole, size.bytes - left);
        return false;
    }
    *header = (gw_span){ offset, before };
    *payload = (gw_span){ offset + before, (uint32_t)size.bytes };
    return true;
}

bool gw_leviathan_check_input(size_t length, uint32_t offset, gw_fault *fault)
{
    if (length > GW_LONGEST_INPUT)
        gw_set_fault(fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_TOO_LONG, 0, 0);
    else if (offset > length)
        gw_set_fault(fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, offset,
                     (uint64_t)offset - length + 2);
    return fault->fault_class == GW_FAULT_NONE;
}
