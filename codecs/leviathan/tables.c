/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The fields of every message and component, in wire order, with their types and names.
 */
#include "tables.h"

#define R(role) GW_LEVIATHAN_ROLE_##role

/* clang-format off */
/* ---- enumerations (source; 1 and 2 of the encryptions observed) ---------------------------------------- */

static const gw_leviathan_name packet_types[] = {
    { GW_LEVIATHAN_NORMAL_PACKET, "Normal" }, { GW_LEVIATHAN_ACK_ONLY_PACKET, "Ack only" }, { 0, NULL },
};

static const gw_leviathan_name message_kinds[] = {
    { GW_LEVIATHAN_RESPONSE, "Response" }, { GW_LEVIATHAN_REQUEST, "Request" }, { 0, NULL },
};

/* CONNECTION_ENCRYPTION: only None is sent. */
static const gw_leviathan_name encryptions[] = { { 0, "Undecided" }, { 1, "None" }, { 2, "Standard" }, { 0, NULL } };

/* NETWORK_RESPONSE_INVALIDREASON */
static const gw_leviathan_name invalid_reasons[] = {
    { 0, "Unauthenticated" }, { 1, "Unsupported" }, { 2, "ServerFull" }, { 3, "ServerNotAcceptingPlayers" },
    { 4, "NotAuthorized" }, { 5, "ServerAlreadyConnectedToYou" }, { 6, "InvalidParameters" }, { 7, "ServerCustom" },
    { 0, NULL },
};

/* SERVER_ACCEPTED_TYPE */
static const gw_leviathan_name accepted_types[] = {
    { 0, "ConnectAccepted" }, { 1, "RequestQueued" }, { 2, "Done" }, { 0, NULL },
};

/* SERVER_JOIN_RESTRICT */
static const gw_leviathan_name join_restrictions[] = {
    { 0, "None" }, { 1, "Localhost" }, { 2, "LAN" }, { 3, "Whitelist" }, { 4, "Invite" }, { 5, "Friends" },
    { 6, "Permissions" }, { 7, "Custom" }, { 0, NULL },
};

/* SERVER_STATUS */
static const gw_leviathan_name server_states[] = {
    { 0, "Starting" }, { 1, "Running" }, { 2, "Shutdown" }, { 3, "Restart" }, { 0, NULL },
};

/* COMPONENT_TYPE; numbers without a name here are not errors (see set_component_type() in reader.c). */
static const gw_leviathan_name component_names[] = {
    { 0, "Position" }, { 1, "RenderNode" }, { 2, "Sendable" }, { 3, "Received" }, { 4, "Physics" },
    { 5, "BoxGeometry" }, { 6, "Model" }, { 7, "Camera" }, { 8, "Animated" },
    { GW_LEVIATHAN_FIRST_CUSTOM_COMPONENT, "Custom" }, { 0, NULL },
};

/* The meaning of single values. */
static const gw_leviathan_name no_acks[] = { { 0, "no acks" }, { 0, NULL } };
static const gw_leviathan_name no_request[] = { { 0, "nothing" }, { 0, NULL } };
static const gw_leviathan_name world_types[] = { { 1024, "Standard world" }, { 0, NULL } };
static const gw_leviathan_name join_tokens[] = { { -1, "Joining directly" }, { 0, NULL } };
static const gw_leviathan_name reference_ticks[] = { { -1, "Full state" }, { 0, NULL } };
/* clang-format on */

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

/* clang-format off */
const gw_leviathan_field_type gw_leviathan_fields[GW_LEVIATHAN_ROLES] = {
    [R(NONE)] = { "", NONE },                               [R(PACKET)] = { "Normal packet", NONE },
    [R(ACK_ONLY)] = { "Ack only packet", NONE },            [R(MESSAGE)] = { "Message", NONE },
    [R(COMPONENT)] = { "Component", NONE },                 [R(BLOB_REST)] = { "Component data", NONE },
    [R(TRAILING)] = { "Trailing bytes", NONE },

    [R(PACKET_TYPE)] = { "Type", GW_LEVIATHAN_U16, true, packet_types },
    [R(PACKET_ID)] = { "PKT_ID", U32 },
    [R(START_ACK)] = { "Start Ack", GW_LEVIATHAN_U32, false, no_acks },
    [R(ACK_COUNT)] = { "Ack count", U8 },
    [R(PACKED_ACKS)] = { "Packed acks", GW_LEVIATHAN_BITS, false, NULL },
    [R(MESSAGE_COUNT)] = { "Message count", U8 },           [R(ACK_ONLY_COUNT)] = { "Ack Count", U8 },
    [R(ACK_ONLY_IDS)] = { "Acks", GW_LEVIATHAN_IDS, false, NULL },
    [R(MESSAGE_KIND)] = { "Type", GW_LEVIATHAN_U8, true, message_kinds },
    [R(MESSAGE_NUMBER)] = { "MessageNumber", U32 },         [R(REQUEST_TYPE)] = { "RequestType", U16 },
    [R(RESPONSE_TYPE)] = { "ResponseType", U16 },
    [R(RESPONSE_TO)] = { "Response to", GW_LEVIATHAN_U32, false, no_request },

    [R(CHECK)] = { "CheckValue", I32 },
    [R(SECURE_TYPE)] = { "SecureType", GW_LEVIATHAN_I32, true, encryptions },
    [R(PUBLIC_KEY)] = { "PublicKey", STRING },
    [R(ADDITIONAL_SETTINGS)] = { "AdditionalSettings", STRING },
    [R(ENCRYPTED_SYMMETRIC_KEY)] = { "EncryptedSymmetricKey", STRING },
    [R(USER_NAME)] = { "UserName", STRING },                [R(AUTH_TOKEN)] = { "AuthToken", U64 },
    [R(AUTH_PASSWD)] = { "AuthPasswd", STRING },            [R(USER_ID)] = { "UserID", I32 },
    [R(USER_TOKEN)] = { "UserToken", U64 },                 [R(DDOS_BLOCK)] = { "DDOSBlock", STRING },
    [R(USER_READABLE_DATA)] = { "UserReadableData", STRING },
    [R(GAME_NAME)] = { "GameName", STRING },                [R(GAME_VERSION)] = { "GameVersionString", STRING },
    [R(ENGINE_VERSION)] = { "LeviathanVersionString", STRING },
    [R(SESSION_TOKEN)] = { "SessionToken", I32 },           [R(TOKEN)] = { "Token", I32 },
    [R(MASTER_SERVER_TOKEN)] = { "MasterServerToken", GW_LEVIATHAN_I32, false, join_tokens },
    [R(JOIN_OPTIONS)] = { "Options", STRING },              [R(NAME_OF_VALUE)] = { "NameOfValue", STRING },
    [R(COMMAND)] = { "Command", STRING },                   [R(DATA_FOR_OBJECT)] = { "DataForObject", NESTED },
    [R(WORLD_ID)] = { "WorldID", I32 },                     [R(TICKS)] = { "Ticks", I32 },
    [R(ENGINE_MS_TWEAK)] = { "EngineMSTweak", I32 },        [R(ABSOLUTE)] = { "Absolute", BOOL },
    [R(TYPE_ID_NUMBER)] = { "TypeIDNumber", I32 },          [R(IS_REQUEST)] = { "IsRequest", BOOL },
    [R(APPLICATION_DATA)] = { "Application data", GW_LEVIATHAN_REST, false, NULL },
    [R(INVALIDNESS)] = { "Invalidness", GW_LEVIATHAN_U8, true, invalid_reasons },
    [R(ADDITIONAL_INFO)] = { "AdditionalInfo", STRING },    [R(MESSAGE_TEXT)] = { "Message", STRING },
    [R(REASON)] = { "Reason", GW_LEVIATHAN_U8, true, invalid_reasons },
    [R(SERVER_ACCEPTED_WHAT)] = { "ServerAcceptedWhat", GW_LEVIATHAN_U8, true, accepted_types },
    [R(SERVER_NAME)] = { "ServerNameString", STRING },      [R(JOINABLE)] = { "Joinable", BOOL },
    [R(JOIN_RESTRICTION)] = { "JoinRestriction", GW_LEVIATHAN_U8, true, join_restrictions },
    [R(SERVER_STATUS)] = { "ServerStatus", GW_LEVIATHAN_U8, true, server_states },
    [R(PLAYERS)] = { "Players", I32 },                      [R(MAX_PLAYERS)] = { "MaxPlayers", I32 },
    [R(BOTS)] = { "Bots", I32 },                            [R(ADDITIONAL_FLAGS)] = { "AdditionalFlags", I32 },
    [R(SUCCEEDED)] = { "Succeeded", BOOL },                 [R(RESOURCE_DATA)] = { "OurCustomData", STRING },
    [R(INPUT_DATA)] = { "OurCustomData", NESTED },          [R(INPUT_ID)] = { "InputID", I32 },
    [R(INPUT_UPDATE)] = { "UpdateData", NESTED },           [R(OWNER_ID)] = { "OwnerID", I32 },
    [R(WORLD_TYPE)] = { "WorldType", GW_LEVIATHAN_I32, false, world_types },
    [R(EXTRA_OPTIONS)] = { "ExtraOptions", STRING },        [R(ENTITY_ID)] = { "EntityID", I32 },
    [R(COMPONENT_COUNT)] = { "ComponentCount", U32 },
    [R(INITIAL_COMPONENTS)] = { "InitialComponentData", GW_LEVIATHAN_COMPONENTS, false, NULL },
    [R(OLD_INITIAL_DATA)] = { "InitialComponentData", NESTED },
    [R(TICK_NUMBER)] = { "TickNumber", I32 },
    [R(REFERENCE_TICK)] = { "ReferenceTick", GW_LEVIATHAN_I32, false, reference_ticks },
    [R(UPDATE_DATA)] = { "UpdateData", GW_LEVIATHAN_STATES, false, NULL },
    [R(ENABLED)] = { "Enabled", BOOL },                     [R(CACHE_NAME)] = { "Name", STRING },
    [R(FROZEN)] = { "Frozen", BOOL },                       [R(CREATE)] = { "Create", BOOL },
    [R(CONSTRAINT_ID)] = { "ConstraintID", I32 },           [R(ENTITY_ID_1)] = { "EntityID1", I32 },
    [R(ENTITY_ID_2)] = { "EntityID2", I32 },                [R(CONSTRAINT_TYPE)] = { "ConstraintType", U16 },
    [R(CONSTRAINT_DATA)] = { "ConstraintData", NESTED },

    [R(COMPONENT_TYPE)] = { "ComponentType", GW_LEVIATHAN_U16, false, component_names },
    [R(POSITION)] = { "Position", GW_LEVIATHAN_FLOAT3, false, NULL },
    [R(ORIENTATION)] = { "Orientation", GW_LEVIATHAN_FLOAT4, false, NULL },
    [R(SIZES)] = { "Sizes", GW_LEVIATHAN_FLOAT3, false, NULL },
    [R(MATERIAL)] = { "Material", STRING },                 [R(FOV)] = { "FOV", U16 },
    [R(SOUND_PERCEIVER)] = { "SoundPerceiver", BOOL },
};
/* clang-format on */

/* The name, type and values of an item. */
const gw_leviathan_field_type *gw_leviathan_field_of(gw_leviathan_role role)
{
    return &gw_leviathan_fields[role];
}

/* The name of a value in a list that ends with a name of NULL; NULL: it has none, or `names` is NULL. */
const char *gw_leviathan_name_of(const gw_leviathan_name *names, int64_t value)
{
    for (; names && names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}

/* ---- headers ------------------------------------------------------------------------------------------- */

const uint8_t gw_leviathan_packet_fields[] = { R(PACKET_TYPE), R(PACKET_ID),     R(START_ACK), R(ACK_COUNT),
                                               R(PACKED_ACKS), R(MESSAGE_COUNT), R(NONE) };
const uint8_t gw_leviathan_ack_only_fields[] = { R(PACKET_TYPE), R(ACK_ONLY_COUNT), R(ACK_ONLY_IDS), R(NONE) };
const uint8_t gw_leviathan_request_fields[] = { R(MESSAGE_KIND), R(MESSAGE_NUMBER), R(REQUEST_TYPE), R(NONE) };
const uint8_t gw_leviathan_response_fields[] = { R(MESSAGE_KIND), R(MESSAGE_NUMBER), R(RESPONSE_TYPE), R(RESPONSE_TO),
                                                 R(NONE) };
const uint8_t gw_leviathan_component_fields[] = { R(COMPONENT_TYPE), R(NONE) };

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Layouts are observed, except the layout of Custom, which is from source: its writer fails an assertion in the newest
 * engine. For a NamedVariableList (SyncValData, CacheUpdated) nothing is written (source). */
#define LOADABLE true
#define DROPPED  false

/* clang-format off */
static const gw_leviathan_message_type requests[GW_LEVIATHAN_REQUEST_TYPES] = {
    { "Connect", 0, LOADABLE, { R(CHECK) } },
    { "Security", 1, LOADABLE, { R(SECURE_TYPE), R(PUBLIC_KEY), R(ADDITIONAL_SETTINGS) } },
    { "Authenticate", 2, LOADABLE, { R(USER_NAME), R(AUTH_TOKEN), R(AUTH_PASSWD) } },
    { "Identification", 3, DROPPED, { R(DDOS_BLOCK) } },
    { "Serverstatus", 4, DROPPED, { R(NONE) } },
    { "RemoteConsoleOpen", 5, DROPPED, { R(SESSION_TOKEN) } },
    { "RemoteConsoleAccess", 6, DROPPED, { R(SESSION_TOKEN) } },
    { "CloseRemoteConsole", 7, DROPPED, { R(NONE) } },
    { "DoRemoteConsoleOpen", 8, DROPPED, { R(TOKEN) } },
    { "JoinServer", 9, LOADABLE, { R(MASTER_SERVER_TOKEN) } },
    { "JoinGame", 10, LOADABLE, { R(JOIN_OPTIONS) } },
    { "GetSingleSyncValue", 11, DROPPED, { R(NAME_OF_VALUE) } },
    { "GetAllSyncValues", 12, DROPPED, { R(NONE) } },
    { "RequestCommandExecution", 13, DROPPED, { R(COMMAND) } },
    { "ConnectInput", 14, DROPPED, { R(DATA_FOR_OBJECT) } },
    { "Echo", 15, LOADABLE, { R(NONE) } },
    { "WorldClockSync", 16, DROPPED, { R(WORLD_ID), R(TICKS), R(ENGINE_MS_TWEAK), R(ABSOLUTE) } },
    { "Custom", 17, DROPPED, { R(TYPE_ID_NUMBER), R(IS_REQUEST), R(APPLICATION_DATA) } },
};

static const gw_leviathan_message_type responses[GW_LEVIATHAN_RESPONSE_TYPES] = {
    { "Connect", 0, LOADABLE, { R(CHECK) } },
    { "Security", 1, LOADABLE, { R(SECURE_TYPE), R(PUBLIC_KEY), R(ENCRYPTED_SYMMETRIC_KEY) } },
    { "Authenticate", 2, LOADABLE, { R(USER_ID), R(USER_TOKEN) } },
    { "Identification", 3, DROPPED, { R(USER_READABLE_DATA), R(GAME_NAME), R(GAME_VERSION), R(ENGINE_VERSION) } },
    { "Keepalive", 4, LOADABLE, { R(NONE) } },
    { "CloseConnection", 5, LOADABLE, { R(NONE) } },
    { "RemoteConsoleClosed", 6, DROPPED, { R(NONE) } },
    { "RemoteConsoleOpened", 7, DROPPED, { R(NONE) } },
    { "InvalidRequest", 8, DROPPED, { R(INVALIDNESS), R(ADDITIONAL_INFO) } },
    { "ServerDisallow", 9, LOADABLE, { R(MESSAGE_TEXT), R(REASON) } },
    { "ServerAllow", 10, LOADABLE, { R(SERVER_ACCEPTED_WHAT), R(MESSAGE_TEXT) } },
    { "ServerStatus", 11, DROPPED,
      { R(SERVER_NAME), R(JOINABLE), R(JOIN_RESTRICTION), R(SERVER_STATUS), R(PLAYERS), R(MAX_PLAYERS), R(BOTS),
        R(ADDITIONAL_FLAGS) } },
    { "SyncValData", 12, DROPPED, { R(NONE) } },
    { "SyncDataEnd", 13, DROPPED, { R(SUCCEEDED) } },
    { "SyncResourceData", 14, DROPPED, { R(RESOURCE_DATA) } },
    { "CreateNetworkedInput", 15, DROPPED, { R(INPUT_DATA) } },
    { "UpdateNetworkedInput", 16, DROPPED, { R(INPUT_ID), R(INPUT_UPDATE) } },
    { "DisconnectInput", 17, DROPPED, { R(INPUT_ID), R(OWNER_ID) } },
    { "StartWorldReceive", 18, LOADABLE, { R(WORLD_ID), R(WORLD_TYPE), R(EXTRA_OPTIONS) } },
    { "EntityCreation", 19, LOADABLE, { R(WORLD_ID), R(ENTITY_ID), R(COMPONENT_COUNT), R(INITIAL_COMPONENTS) } },
    { "EntityUpdate", 20, LOADABLE, { R(WORLD_ID), R(TICK_NUMBER), R(REFERENCE_TICK), R(ENTITY_ID), R(UPDATE_DATA) } },
    { "EntityDestruction", 21, LOADABLE, { R(WORLD_ID), R(ENTITY_ID) } },
    { "EntityLocalControlStatus", 22, LOADABLE, { R(WORLD_ID), R(ENTITY_ID), R(ENABLED) } },
    { "CacheUpdated", 23, DROPPED, { R(NONE) } },
    { "CacheRemoved", 24, DROPPED, { R(CACHE_NAME) } },
    { "WorldFrozen", 25, DROPPED, { R(WORLD_ID), R(FROZEN), R(TICK_NUMBER) } },
    { "ServerHeartbeat", 26, DROPPED, { R(NONE) } },
    { "StartHeartbeats", 27, DROPPED, { R(NONE) } },
    { "None", 28, LOADABLE, { R(NONE) } },
    { "Custom", 29, DROPPED, { R(TYPE_ID_NUMBER), R(IS_REQUEST), R(APPLICATION_DATA) } },
    { "EntityConstraint", 30, LOADABLE,
      { R(WORLD_ID), R(CREATE), R(CONSTRAINT_ID), R(ENTITY_ID_1), R(ENTITY_ID_2), R(CONSTRAINT_TYPE),
        R(CONSTRAINT_DATA) } },
    { "EntityCreation", 31, LOADABLE, { R(WORLD_ID), R(OLD_INITIAL_DATA) } },
};
/* clang-format on */

/* The type of a request or response (`kind`) by its id, its number in the newest revision; NULL: there is no such type.
 * Ids do not depend on the revision: 30 and 31 are types that only older ones have. */
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

/* The ids of the message types of a revision, by their number on the wire. */
static const struct id_list *ids_of(gw_leviathan_revision revision, uint8_t kind)
{
    return kind == GW_LEVIATHAN_REQUEST ? &request_revisions[revision] : &response_revisions[revision];
}

/* The type of a request or response (`kind`) by its number on the wire, whose meaning depends on the revision; NULL:
 * the revision has no such type. */
const gw_leviathan_message_type *gw_leviathan_message_of_wire(gw_leviathan_revision revision, uint8_t kind,
                                                              uint32_t wire_type)
{
    const struct id_list *list = ids_of(revision, kind);
    return wire_type < list->count ? gw_leviathan_message_of(kind, list->ids[wire_type]) : NULL;
}

/* The number of request or response types (`kind`) of the revision: their numbers on the wire are those from 0 on. */
uint32_t gw_leviathan_wire_types(gw_leviathan_revision revision, uint8_t kind)
{
    return ids_of(revision, kind)->count;
}

/* ---- components (Position and BoxGeometry observed, the others source) --------------------------------- */

static const uint8_t no_fields[] = { R(NONE) };
static const uint8_t position_fields[] = { R(POSITION), R(ORIENTATION), R(NONE) };
static const uint8_t box_fields[] = { R(SIZES), R(MATERIAL), R(NONE) };
static const uint8_t camera_fields[] = { R(FOV), R(SOUND_PERCEIVER), R(NONE) };

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

/* The row of a component type, of which the number on the wire is the index; NULL: the engine has no such type. */
const gw_leviathan_component_type *gw_leviathan_component_of(uint32_t wire_type)
{
    return wire_type < sizeof components / sizeof *components ? &components[wire_type] : NULL;
}

/* ---- lengths ------------------------------------------------------------------------------------------- */

const uint8_t gw_leviathan_fixed_sizes[GW_LEVIATHAN_TYPES] = {
    [GW_LEVIATHAN_U8] = 1,  [GW_LEVIATHAN_BOOL] = 1, [GW_LEVIATHAN_U16] = 2,     [GW_LEVIATHAN_U32] = 4,
    [GW_LEVIATHAN_I32] = 4, [GW_LEVIATHAN_U64] = 8,  [GW_LEVIATHAN_FLOAT3] = 12, [GW_LEVIATHAN_FLOAT4] = 16,
};
