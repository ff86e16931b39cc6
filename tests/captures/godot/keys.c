// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// To be preloaded into an engine that links libmbedtls (Debian's Godot 4): appends the keys of each TLS and DTLS
// connection to the file GAMEWIRE_KEYS, in the NSS key log format. mbedtls 3 exports keys to a callback that the
// program sets for each connection.
//
// DTLS connections are limited to AES-GCM: Wireshark (4.0 to 4.6) does not decrypt ChaCha20-Poly1305, which mbedtls
// prefers, in DTLS 1.2. Its nonce has the sequence number without the epoch.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mbedtls/ssl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *label_of(mbedtls_ssl_key_export_type type)
{
    switch (type) {
    case MBEDTLS_SSL_KEY_EXPORT_TLS12_MASTER_SECRET:
        return "CLIENT_RANDOM";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_EARLY_SECRET:
        return "CLIENT_EARLY_TRAFFIC_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_EARLY_EXPORTER_SECRET:
        return "EARLY_EXPORTER_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_HANDSHAKE_TRAFFIC_SECRET:
        return "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_SERVER_HANDSHAKE_TRAFFIC_SECRET:
        return "SERVER_HANDSHAKE_TRAFFIC_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_APPLICATION_TRAFFIC_SECRET:
        return "CLIENT_TRAFFIC_SECRET_0";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_SERVER_APPLICATION_TRAFFIC_SECRET:
        return "SERVER_TRAFFIC_SECRET_0";
    default:
        return NULL;
    }
}

static void print_hex(FILE *file, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fprintf(file, "%02x", bytes[i]);
}

static void write_key(void *ignored, mbedtls_ssl_key_export_type type, const unsigned char *secret, size_t length,
                      const unsigned char client_random[32], const unsigned char server_random[32],
                      mbedtls_tls_prf_types prf)
{
    (void)ignored, (void)server_random, (void)prf;
    const char *path = getenv("GAMEWIRE_KEYS"), *label = label_of(type);
    FILE *file = path && label ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s ", label);
    print_hex(file, client_random, 32);
    fputc(' ', file);
    print_hex(file, secret, length);
    fputc('\n', file);
    fclose(file);
}

static void avoid_chacha(mbedtls_ssl_config *config)
{
    static const int suites[] = { MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
                                  MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 0 };
    mbedtls_ssl_conf_ciphersuites(config, suites);
}

// The engine calls it once for each connection, before the handshake.
int mbedtls_ssl_setup(mbedtls_ssl_context *ssl, const mbedtls_ssl_config *config)
{
    int (*setup)(mbedtls_ssl_context *, const mbedtls_ssl_config *);
    *(void **)&setup = dlsym(RTLD_NEXT, "mbedtls_ssl_setup");
    if (config->MBEDTLS_PRIVATE(transport) == MBEDTLS_SSL_TRANSPORT_DATAGRAM)
        avoid_chacha((mbedtls_ssl_config *)config);
    int result = setup(ssl, config);
    if (result == 0)
        mbedtls_ssl_set_export_keys_cb(ssl, write_key, NULL);
    return result;
}
