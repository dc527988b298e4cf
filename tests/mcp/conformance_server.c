/*
 * conformance_server - the fixture on a port, or on stdin and stdout.
 *
 *     conformance_server [--port N] [--token T] [--stdio]
 *
 * Prints the port it has got (0: any free one), serves /mcp until SIGTERM.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/server.h"
#include "tests/mcp/fixture.h"

struct settings {
    uint16_t port;
    const char *token;
    bool stdio;
};

static bool
read_settings(struct settings *out, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--stdio") == 0)
            out->stdio = true;
        else if (strcmp(argv[i], "--port") == 0 && has_value)
            out->port = (uint16_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--token") == 0 && has_value)
            out->token = argv[++i];
        else
            return false;
    }
    return true;
}

static void
handle(void *ctx, struct request *req)
{
    if (str_eq(req->path, STR("/mcp")))
        mcp_http_handle(ctx, req);
    else if (mcp_is_sse(req->path))
        mcp_sse_handle(ctx, req);
    else
        request_reply(req, &(struct reply){.status = 404});
}

static void
wait_for_signal(void)
{
    sigset_t set;
    int sig = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    (void)sigwait(&set, &sig);
}

static enum err
serve(struct mcp *mcp, uint16_t port)
{
    enum { DRAIN_MS = 1000 };
    struct server *server = NULL;
    struct server_listener listener = {
        .address = "127.0.0.1",
        .port = port,
        .limits = server_limits_default,
        .handler = handle,
        .ctx = mcp,
    };
    struct buf why = {0};
    size_t index = 0;
    enum err err = server_new(&server);

    listener.limits.body_bytes = 4 << 20;
    if (!err)
        err = server_listen(server, &listener, &index, &why);
    if (err)
        goto out;
    mcp_set_server(mcp, server);
    if ((err = server_start(server)))
        goto out;
    (void)printf("%u\n", server_port(server, index));
    (void)fflush(stdout);
    wait_for_signal();
    mcp_stop(mcp);
    server_stop(server, DRAIN_MS);
out:
    if (err)
        (void)fprintf(stderr, "conformance_server: %s %s\n", err_str(err),
                      buf_cstr(&why));
    server_free(server);
    buf_fini(&why);
    return err;
}

int
main(int argc, char **argv)
{
    struct settings settings = {0};
    struct mcp *mcp = NULL;
    sigset_t set;

    if (!read_settings(&settings, argc, argv)) {
        (void)fprintf(stderr, "usage: conformance_server [--port N] "
                              "[--token T] [--stdio]\n");
        return 2;
    }
    struct mcp_cfg cfg = {
        .tokens = &settings.token,
        .token_len = settings.token != NULL,
        .sse_idle_ms = 60000,
    };
    enum err err = mcp_new(&mcp, fixture_offer(), &cfg);
    if (!err && settings.stdio) {
        err = mcp_stdio_run(mcp, STDIN_FILENO, STDOUT_FILENO);
    } else if (!err) {
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
        err = serve(mcp, settings.port);
    }
    mcp_free(mcp);
    return err ? 1 : 0;
}
