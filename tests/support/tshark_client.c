/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program named tshark, which tests put first in PATH for programs and commands that run tshark: it asks the server at the socket
 * GAMEWIRE_TSHARK_SOCKET for the run (tshark_server.c), with its own arguments, folder, stdin, stdout and stderr. What the server
 * refuses, the tshark GAMEWIRE_TSHARK_PROGRAM does.
 */
#define _GNU_SOURCE

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_VARIABLE  "GAMEWIRE_TSHARK_SOCKET"
#define PROGRAM_VARIABLE "GAMEWIRE_TSHARK_PROGRAM"
#define STATUS_REFUSED   250
/* Of a shell that finds no program. */
#define STATUS_NOT_FOUND 127

enum { FILE_ARGUMENTS, FILE_FOLDER, FILE_STDIN, FILE_STDOUT, FILE_STDERR, FILES };

/* -1 without a server. */
static int connect_to_server(void)
{
    const char *path = getenv(SOCKET_VARIABLE);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int server;

    if (path == NULL || strlen(path) >= sizeof address.sun_path)
        return -1;
    strcpy(address.sun_path, path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server >= 0 && connect(server, (struct sockaddr *)&address, sizeof address) == 0 ? server : -1;
}

/* A file of the arguments, each of which ends with a NUL; -1 if it cannot be written. */
static int file_of_arguments(int argc, char **argv)
{
    int file = memfd_create("tshark", MFD_CLOEXEC);

    for (int argument = 0; argument < argc; argument++) {
        size_t size = strlen(argv[argument]) + 1;

        if (write(file, argv[argument], size) != (ssize_t)size)
            return -1;
    }
    return file;
}

static bool send_request(int server, const int files[FILES])
{
    char byte = 'r';
    struct iovec data = { .iov_base = &byte, .iov_len = 1 };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control = { .header = {
                      .cmsg_len = CMSG_LEN(FILES * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
    };

    memcpy(CMSG_DATA(&control.header), files, FILES * sizeof(int));
    return sendmsg(server, &message, MSG_NOSIGNAL) == 1;
}

/* The status of the run as waitpid() has it; false if no server did it. */
static bool run_in_server(int argc, char **argv, int *status)
{
    int server = connect_to_server();
    int files[FILES] = { file_of_arguments(argc, argv), open(".", O_PATH | O_CLOEXEC), STDIN_FILENO, STDOUT_FILENO,
                         STDERR_FILENO };
    int32_t numbers[2];

    if (server < 0 || files[FILE_ARGUMENTS] < 0 || files[FILE_FOLDER] < 0 || !send_request(server, files))
        return false;
    if (recv(server, numbers, sizeof numbers, MSG_WAITALL) != (ssize_t)sizeof numbers)
        return false;
    *status = numbers[1];
    return !WIFEXITED(*status) || WEXITSTATUS(*status) != STATUS_REFUSED;
}

int main(int argc, char **argv)
{
    const char *program = getenv(PROGRAM_VARIABLE);
    int status;

    if (!run_in_server(argc, argv, &status)) {
        execv(program != NULL ? program : "tshark", argv);
        perror("tshark");
        return STATUS_NOT_FOUND;
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return EXIT_FAILURE;
}
