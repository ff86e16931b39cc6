// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// To be preloaded into a server whose engine has mbedtls 2 inside (Godot 3): appends the keys of each TLS and DTLS
// connection to the file GAMEWIRE_KEYS, in the NSS key log format. Such an engine exports neither functions of mbedtls
// nor keys. But the server hello says the session's id, and mbedtls_ssl_session has in memory
//   size_t id_len, unsigned char id[32], unsigned char master[48]
// from before the server's change_cipher_spec until the connection ends.
//
// DTLS (GAMEWIRE_TRANSPORT) is kept from ChaCha20-Poly1305, which mbedtls prefers and Wireshark does not decrypt in
// DTLS (see keys.c): the table of cipher suites (mbedtls_ssl_ciphersuite_t) says the first version of TLS for each, and
// for these it becomes one after TLS 1.2.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ID_LENGTH = 32, MASTER_LENGTH = 48, MAX_SESSIONS = 16 };
enum { FIRST_CHACHA = 0xCCA8, LAST_CHACHA = 0xCCAE, CIPHER_CHACHA20_POLY1305 = 73, TLS_1_2 = 3 };
enum { CHANGE_CIPHER_SPEC = 20, HANDSHAKE = 22, SERVER_HELLO = 2 };

typedef struct {
    unsigned char head[sizeof(size_t) + ID_LENGTH]; // id_len and id, inverted: the search shall not find this copy
} session;

static session sessions[MAX_SESSIONS];
static size_t session_count;

static void print_hex(FILE *file, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fprintf(file, "%02x", bytes[i]);
}

static void write_key(const unsigned char *id)
{
    const char *path = getenv("GAMEWIRE_KEYS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fputs("RSA Session-ID:", file);
    print_hex(file, id, ID_LENGTH);
    fputs(" Master-Key:", file);
    print_hex(file, id + ID_LENGTH, MASTER_LENGTH);
    fputc('\n', file);
    fclose(file);
}

static int is_head(const unsigned char *at, const session *wanted)
{
    for (size_t i = 0; i < sizeof(wanted->head); i++) {
        if ((at[i] ^ wanted->head[i]) != 0xFF)
            return 0;
    }
    return 1;
}

// Calls visit for each mapping with these rights, until it returns nonzero, and returns that.
static int each_mapping(const char *wanted, int (*visit)(unsigned char *begin, unsigned char *end, const void *data),
                        const void *data)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t size = 0;
    int done = 0;
    while (!done && maps && getline(&line, &size, maps) > 0) {
        void *begin, *end;
        char rights[5];
        // The kernel's [vvar] cannot be read.
        if (sscanf(line, "%p-%p %4s", &begin, &end, rights) == 3 && !strcmp(rights, wanted) && !strstr(line, "[vvar"))
            done = visit(begin, end, data);
    }
    free(line);
    if (maps)
        fclose(maps);
    return done;
}

// The struct is allocated, so its address is a multiple of 8.
static int find_key(unsigned char *begin, unsigned char *end, const void *wanted)
{
    for (unsigned char *at = begin; at + sizeof(session) + MASTER_LENGTH <= end; at += sizeof(size_t)) {
        if (is_head(at, wanted)) {
            write_key(at + sizeof(size_t));
            return 1;
        }
    }
    return 0;
}

typedef struct {
    int id;
    const char *name;
    int cipher, mac, key_exchange;
    int min_major_version, min_minor_version;
} suite_info;

static int postpone_chacha(unsigned char *begin, unsigned char *end, const void *unused)
{
    (void)unused;
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned char *at = begin; at + sizeof(suite_info) <= end; at += sizeof(void *)) {
        suite_info *info = (suite_info *)at;
        if (info->id < FIRST_CHACHA || info->id > LAST_CHACHA || info->cipher != CIPHER_CHACHA20_POLY1305)
            continue;
        unsigned char *version = (unsigned char *)&info->min_minor_version;
        if (mprotect(version - (size_t)version % page_size, page_size, PROT_READ | PROT_WRITE) == 0)
            info->min_minor_version = TLS_1_2 + 1;
        else
            perror("session_keys.c: mprotect");
    }
    return 0;
}

__attribute__((constructor)) static void avoid_chacha(void)
{
    const char *transport = getenv("GAMEWIRE_TRANSPORT");
    if (transport && !strcmp(transport, "dtls"))
        each_mapping("r--p", postpone_chacha, NULL);
}

static void remember(const unsigned char *id)
{
    if (session_count == MAX_SESSIONS)
        return;
    size_t length = ID_LENGTH;
    unsigned char *head = sessions[session_count++].head;
    memcpy(head, &length, sizeof length);
    memcpy(head + sizeof length, id, ID_LENGTH);
    for (size_t i = 0; i < sizeof length + ID_LENGTH; i++)
        head[i] ^= 0xFF;
}

// A record of TLS, or the first of a datagram of DTLS.
static void see(const unsigned char *data, size_t length)
{
    if (length < 6)
        return;
    int datagram = data[1] == 0xFE;
    size_t hello = datagram ? 13 : 5, id = hello + (datagram ? 12 : 4) + 2 + 32;
    if (data[0] == HANDSHAKE && length > id + ID_LENGTH && data[hello] == SERVER_HELLO && data[id] == ID_LENGTH)
        remember(data + id + 1);
    for (size_t i = session_count; data[0] == CHANGE_CIPHER_SPEC && i > 0; i--) {
        if (each_mapping("rw-p", find_key, &sessions[i - 1]))
            sessions[i - 1] = sessions[--session_count];
    }
}

ssize_t send(int socket, const void *data, size_t length, int flags)
{
    ssize_t (*next)(int, const void *, size_t, int);
    *(void **)&next = dlsym(RTLD_NEXT, "send");
    see(data, length);
    return next(socket, data, length, flags);
}

ssize_t sendto(int socket, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
    ssize_t (*next)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
    *(void **)&next = dlsym(RTLD_NEXT, "sendto");
    see(data, length);
    return next(socket, data, length, flags, to, to_length);
}
