// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "tunnel.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_DATAGRAM = 4096,
    HANDSHAKE_ROUNDS = 1000,
    LINK_MTU = 1472,
};

// plain faces the client or the server, secure the other end. OpenSSL reads from and writes to memory, so that what it
// writes at one time goes out as one datagram.
typedef struct {
    int plain, secure;
    struct sockaddr_in plain_to, secure_to;
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out;
} end;

struct tunnel {
    end first, second;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int bound_socket(uint16_t port)
{
    struct sockaddr_in address = loopback(port);
    int number = socket(AF_INET, SOCK_DGRAM, 0);
    if (number < 0 || bind(number, (struct sockaddr *)&address, sizeof address) != 0 ||
        fcntl(number, F_SETFL, O_NONBLOCK) != 0)
        fail("tunnel");
    return number;
}

static unsigned key_of(unsigned char *key, unsigned size)
{
    unsigned length = sizeof TUNNEL_KEY / 2;
    if (length > size)
        return 0;
    for (unsigned i = 0; i < length; ++i) {
        const char digits[] = { TUNNEL_KEY[2 * i], TUNNEL_KEY[2 * i + 1], 0 };
        key[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return length;
}

static unsigned client_key(SSL *ssl, const char *hint, char *identity, unsigned identity_size, unsigned char *key,
                           unsigned key_size)
{
    (void)ssl, (void)hint;
    snprintf(identity, identity_size, "gamewire");
    return key_of(key, key_size);
}

static unsigned server_key(SSL *ssl, const char *identity, unsigned char *key, unsigned key_size)
{
    (void)ssl, (void)identity;
    return key_of(key, key_size);
}

static void end_create(end *self, uint16_t plain_port, uint16_t secure_port, uint16_t secure_to, bool accepts)
{
    self->plain = bound_socket(plain_port);
    self->secure = bound_socket(secure_port);
    self->secure_to = loopback(secure_to);
    self->context = SSL_CTX_new(DTLS_method());
    self->in = BIO_new(BIO_s_mem());
    self->out = BIO_new(BIO_s_mem());
    if (!self->context || !self->in || !self->out)
        fail("tunnel");
    SSL_CTX_set_psk_client_callback(self->context, client_key);
    SSL_CTX_set_psk_server_callback(self->context, server_key);
    SSL_CTX_set_max_proto_version(self->context, DTLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(self->context, "PSK-AES128-GCM-SHA256") != 1 || !(self->ssl = SSL_new(self->context)))
        fail("tunnel");
    BIO_set_mem_eof_return(self->in, -1);
    BIO_set_mem_eof_return(self->out, -1);
    SSL_set_bio(self->ssl, self->in, self->out);
    SSL_set_options(self->ssl, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET);
    SSL_set_mtu(self->ssl, LINK_MTU);
    if (accepts)
        SSL_set_accept_state(self->ssl);
    else
        SSL_set_connect_state(self->ssl);
}

static void send_to(int from, const void *bytes, size_t length, const struct sockaddr_in *to)
{
    if (to->sin_port && sendto(from, bytes, length, 0, (const struct sockaddr *)to, sizeof *to) < 0)
        fail("tunnel");
}

static void flush(end *self)
{
    char bytes[MAX_DATAGRAM];
    int length = BIO_read(self->out, bytes, sizeof bytes);
    if (length > 0)
        send_to(self->secure, bytes, (size_t)length, &self->secure_to);
}

static void service(end *self)
{
    char bytes[MAX_DATAGRAM];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t length;
    while ((length = recvfrom(self->plain, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size)) > 0) {
        self->plain_to = from;
        SSL_write(self->ssl, bytes, (int)length);
        flush(self);
    }
    while ((length = recv(self->secure, bytes, sizeof bytes, 0)) > 0) {
        BIO_write(self->in, bytes, (int)length);
        int plain = SSL_read(self->ssl, bytes, sizeof bytes);
        flush(self);
        if (plain > 0)
            send_to(self->plain, bytes, (size_t)plain, &self->plain_to);
    }
}

tunnel *tunnel_create(uint16_t near_port, uint16_t first_port, uint16_t second_port, uint16_t far_port,
                      uint16_t server_port)
{
    tunnel *self = calloc(1, sizeof *self);
    if (!self)
        fail("tunnel");
    end_create(&self->first, near_port, first_port, second_port, false);
    end_create(&self->second, far_port, second_port, first_port, true);
    self->second.plain_to = loopback(server_port);
    SSL_do_handshake(self->first.ssl);
    flush(&self->first);
    for (int i = 0; i < HANDSHAKE_ROUNDS; ++i) {
        tunnel_service(self);
        if (SSL_is_init_finished(self->first.ssl) && SSL_is_init_finished(self->second.ssl))
            return self;
    }
    fail("tunnel: handshake");
    return NULL;
}

void tunnel_service(tunnel *self)
{
    service(&self->first);
    service(&self->second);
}

static void end_destroy(end *self)
{
    SSL_shutdown(self->ssl);
    flush(self);
    SSL_free(self->ssl);
    SSL_CTX_free(self->context);
    close(self->plain);
    close(self->secure);
}

void tunnel_destroy(tunnel *self)
{
    end_destroy(&self->first);
    end_destroy(&self->second);
    free(self);
}
