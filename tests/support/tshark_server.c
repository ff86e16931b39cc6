/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Preloaded into tshark: a tshark that registers all dissectors once, and then is each run of it in a process of its own.
 *
 * Registering takes a tenth of a second, more than the decoding of most captures. The first thing of tshark's main() that depends on
 * the command line is ws_getopt_long(). Called there, this initializes what main() would after it, wtap_init() and epan_init(), and
 * waits for requests in the socket GAMEWIRE_TSHARK_SERVER. Each forks a child, in which main() goes on with the arguments of the
 * request; both functions have nothing left to do. So a child is what tshark would be with these arguments, except for those that are
 * used in epan_init(): see REFUSED.
 *
 * At its end tshark frees all that epan_init() has allocated. A child would copy each page of it from the server for that, which takes
 * longer than reading most captures; so only the first child and each WHOLE_ENDS-th do it, of which Wireshark's allocator checks this
 * memory once more. The memory of a file, with most of what the plugin keeps, every child frees, and checks, when it closes the file.
 *
 * The requests of a test come in the socket GAMEWIRE_TSHARK_SERVER, at whose end the server ends, and those of the programs that it runs
 * (tshark_client.c) in a connection each to the socket GAMEWIRE_TSHARK_LISTENER. A request is a byte, with the descriptors of a file of
 * the arguments (each ends with a NUL), of the current folder, of stdin, stdout and stderr. The response is two numbers of 32 bits: the
 * child's id, and after its end its status as waitpid() has it.
 */
#define _GNU_SOURCE

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE          "GAMEWIRE_TSHARK_SERVER"
#define LISTENER_VARIABLE "GAMEWIRE_TSHARK_LISTENER"
/* Of a child whose arguments need a new tshark. */
#define STATUS_REFUSED 250
/* Options that tshark reads before or in epan_init(): profiles, reports, and those of live captures. Scripts in Lua (-X) are loaded
 * there, too: a server has those of its own command line. */
#define REFUSED "CDGhiLv"
#define SCRIPT  "-X"
/* One child of so many frees what epan_init() has allocated. */
#define WHOLE_ENDS 16
/* The most scripts of a server. */
#define SCRIPTS 8

struct ws_option;
typedef int getopt_function(int, char *const *, const char *, const struct ws_option *, int *);
typedef void wtap_init_function(int);
typedef int epan_init_function(void *, void *, int);
typedef void epan_cleanup_function(void);
typedef int ex_opt_add_function(const char *);

enum { FILE_ARGUMENTS, FILE_FOLDER, FILE_STDIN, FILE_STDOUT, FILE_STDERR, FILES };
enum answer { ANSWERED, ENDED, IN_CHILD };

static bool initialized;
/* The scripts that the server has loaded. */
static const char *scripts[SCRIPTS];
static size_t script_count;
/* NULL: of main(). */
static int given_argc;
static char **given_argv;
/* The children before this one. */
static unsigned earlier_children;

static void *find(void *where, const char *name)
{
    void *symbol = dlsym(where, name);

    if (symbol == NULL)
        _exit(STATUS_REFUSED);
    return symbol;
}

void wtap_init(int load_plugins)
{
    if (!initialized)
        ((wtap_init_function *)find(RTLD_NEXT, "wtap_init"))(load_plugins);
}

int epan_init(void *callback, void *data, int load_plugins)
{
    return initialized || ((epan_init_function *)find(RTLD_NEXT, "epan_init"))(callback, data, load_plugins);
}

void epan_cleanup(void)
{
    if (!initialized || earlier_children % WHOLE_ENDS == 0)
        ((epan_cleanup_function *)find(RTLD_NEXT, "epan_cleanup"))();
}

/* The next request's descriptors; false at the end. */
static bool receive(int server, int files[FILES])
{
    char byte;
    struct iovec data = { .iov_base = &byte, .iov_len = 1 };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
    };
    const struct cmsghdr *first;

    if (recvmsg(server, &message, MSG_CMSG_CLOEXEC) != 1)
        return false;
    first = CMSG_FIRSTHDR(&message);
    if (first == NULL || first->cmsg_len != CMSG_LEN(FILES * sizeof(int)))
        return false;
    memcpy(files, CMSG_DATA(first), FILES * sizeof(int));
    return true;
}

/* Sets given_argc and given_argv. */
static bool read_arguments(int file)
{
    struct stat state;
    char *bytes;
    size_t size;

    if (fstat(file, &state) != 0 || state.st_size <= 0)
        return false;
    size = (size_t)state.st_size;
    bytes = malloc(size);
    if (bytes == NULL || pread(file, bytes, size, 0) != (ssize_t)size || bytes[size - 1] != '\0')
        return false;
    given_argv = calloc(size + 1, sizeof *given_argv);
    if (given_argv == NULL)
        return false;
    for (size_t at = 0; at < size; at += strlen(bytes + at) + 1)
        given_argv[given_argc++] = bytes + at;
    return true;
}

/* Before epan_init(), which loads them. */
static void add_scripts(int argc, char *const *argv)
{
    ex_opt_add_function *add = (ex_opt_add_function *)find(RTLD_NEXT, "ex_opt_add");

    for (int argument = 1; argument + 1 < argc && script_count < SCRIPTS; argument++)
        if (strcmp(argv[argument], SCRIPT) == 0) {
            scripts[script_count++] = argv[argument + 1];
            add(argv[argument + 1]);
        }
}

static bool is_loaded(const char *script)
{
    for (size_t index = 0; index < script_count; index++)
        if (strcmp(scripts[index], script) == 0)
            return true;
    return false;
}

/* Arguments that are no options are not possible: main() compares their place with its own number of arguments. */
static bool may_run(getopt_function *function, const char *letters, const struct ws_option *names)
{
    int *index = find(RTLD_DEFAULT, "ws_optind");
    int *reset = find(RTLD_DEFAULT, "ws_optreset");
    char *const *value = find(RTLD_DEFAULT, "ws_optarg");
    size_t loaded = 0;
    int option;

    for (int argument = 1; argument < given_argc; argument++)
        if (strncmp(given_argv[argument], "--log-", 6) == 0)
            return false;
    while ((option = function(given_argc, given_argv, letters, names, NULL)) != -1)
        if (option == SCRIPT[1] && is_loaded(*value))
            loaded++;
        else if (option < 128 && (option == SCRIPT[1] || strchr(REFUSED, option) != NULL))
            return false;
    if (*index != given_argc || loaded != script_count)
        return false;
    *index = 1;
    *reset = 1;
    return true;
}

/* A child takes over the descriptors of its request, and reads its arguments. It is killed when the other end of the connection is
 * closed: the program that asked for it has been killed, or has waited too long. */
static void begin_run(int connection, int files[FILES])
{
    fcntl(connection, F_SETOWN, getpid());
    fcntl(connection, F_SETSIG, SIGKILL);
    fcntl(connection, F_SETFL, O_ASYNC);
    for (int file = FILE_STDIN; file < FILES; file++)
        dup2(files[file], file - FILE_STDIN);
    if (fchdir(files[FILE_FOLDER]) != 0 || !read_arguments(files[FILE_ARGUMENTS]))
        _exit(STATUS_REFUSED);
    for (int file = 0; file < FILES; file++)
        close(files[file]);
}

/* Runs the next request of a connection in a child, and waits for its end. */
static enum answer answer_request(int connection)
{
    int files[FILES];
    int32_t numbers[2];
    int status = 0;
    pid_t child;

    if (!receive(connection, files))
        return ENDED;
    child = fork();
    if (child == 0) {
        begin_run(connection, files);
        return IN_CHILD;
    }
    for (int file = 0; file < FILES; file++)
        close(files[file]);
    numbers[0] = child;
    if (send(connection, &numbers[0], sizeof numbers[0], MSG_NOSIGNAL) < 0 || child < 0 ||
        waitpid(child, &status, 0) != child)
        return ENDED;
    earlier_children++;
    numbers[1] = status;
    return send(connection, &numbers[1], sizeof numbers[1], MSG_NOSIGNAL) < 0 ? ENDED : ANSWERED;
}

/* Returns in a child. */
static void serve(int server, int listener)
{
    struct pollfd sockets[] = { { .fd = server, .events = POLLIN }, { .fd = listener, .events = POLLIN } };

    while (poll(sockets, 2, -1) > 0) {
        enum answer answer;
        int client;

        if (sockets[0].revents != 0) {
            answer = answer_request(server);
            if (answer == IN_CHILD)
                return;
            if (answer == ENDED)
                break;
            continue;
        }
        client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            break;
        if (answer_request(client) == IN_CHILD)
            return;
        close(client);
    }
    _exit(0);
}

int ws_getopt_long(int argc, char *const *argv, const char *letters, const struct ws_option *names, int *index)
{
    getopt_function *function = (getopt_function *)find(RTLD_NEXT, "ws_getopt_long");
    const char *server_text = getenv(VARIABLE);
    const char *listener_text = getenv(LISTENER_VARIABLE);

    if (server_text != NULL && listener_text != NULL) {
        int server = atoi(server_text);
        int listener = atoi(listener_text);

        fcntl(server, F_SETFD, FD_CLOEXEC);
        fcntl(listener, F_SETFD, FD_CLOEXEC);
        /* Of programs that tshark starts. */
        unsetenv(VARIABLE);
        unsetenv(LISTENER_VARIABLE);
        unsetenv("LD_PRELOAD");
        add_scripts(argc, argv);
        wtap_init(1);
        if (!epan_init(NULL, NULL, 1))
            _exit(STATUS_REFUSED);
        initialized = true;
        serve(server, listener);
        if (!may_run(function, letters, names))
            _exit(STATUS_REFUSED);
    }
    if (given_argv != NULL)
        return function(given_argc, given_argv, letters, names, index);
    return function(argc, argv, letters, names, index);
}
