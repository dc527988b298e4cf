#include "mcp/stdio.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "mcp/json.h"

/* ---- the channel ---- */

/* The lock is held. */
static bool
write_all(int fd, str bytes)
{
    while (bytes.len) {
        ssize_t len = write(fd, bytes.ptr, bytes.len);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return false;
        bytes = str_cut(bytes, (size_t)len, bytes.len);
    }
    return true;
}

static bool
write_line(struct stdio *s, str json)
{
    struct buf line = {0};

    buf_add(&line, json);
    buf_add_char(&line, '\n');
    pthread_mutex_lock(&s->out_mutex);
    if (!s->is_broken)
        s->is_broken = line.failed || !write_all(s->out_fd, buf_str(&line));
    bool ok = !s->is_broken;
    pthread_mutex_unlock(&s->out_mutex);
    buf_fini(&line);
    return ok;
}

static bool
stdio_send(struct mcp_call *call, str json)
{
    return write_line(call->channel_ctx, json);
}

static void
stdio_answer(struct mcp_call *call, int status, str json)
{
    (void)status;
    if (!mcp_is_cancelled(call))
        (void)write_line(call->channel_ctx, json);
}

static void
stdio_drop(struct mcp_call *call)
{
    (void)call;
}

static bool
stdio_beat(struct mcp_call *call)
{
    (void)call;
    return true;
}

static const struct channel stdio_channel = {
    .send = stdio_send,
    .answer = stdio_answer,
    .drop = stdio_drop,
    .beat = stdio_beat,
};

/* ---- the reader's half ---- */

void
stdio_init(struct stdio *s, struct mcp *mcp, int out_fd)
{
    *s = (struct stdio){
        .mcp = mcp,
        .out_fd = out_fd,
        .rev = REV_2025_03_26,
        .log_level = -1,
    };
    s->last = &s->first;
    pthread_mutex_init(&s->out_mutex, NULL);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
}

static struct mcp_call *
pop(struct stdio *s)
{
    struct mcp_call *call = s->first;

    if (!call)
        return NULL;
    s->first = call->next;
    if (!s->first)
        s->last = &s->first;
    s->waiting--;
    pthread_cond_broadcast(&s->changed);
    return call;
}

void
stdio_fini(struct stdio *s)
{
    for (struct mcp_call *call = pop(s); call; call = pop(s))
        call_free(call);
    while (listen_cancel(&s->mcp->listen, s, NULL))
        ;
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    pthread_mutex_destroy(&s->out_mutex);
}

static void
push(struct stdio *s, struct mcp_call *call)
{
    pthread_mutex_lock(&s->mutex);
    while (s->waiting >= STDIO_QUEUE_MAX)
        pthread_cond_wait(&s->changed, &s->mutex);
    *s->last = call;
    s->last = &call->next;
    s->waiting++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

static bool
has_id(const struct mcp_call *call, const char *id)
{
    return strcmp(call->msg.id, id) == 0;
}

/* notifications/cancelled: a call that waits will not run; one that runs is
 * told; a subscription ends. */
static void
cancel_call(struct stdio *s, const char *id)
{
    if (!id)
        return;
    pthread_mutex_lock(&s->mutex);
    for (struct mcp_call *call = s->first; call; call = call->next)
        if (has_id(call, id))
            atomic_store(&call->cancelled, true);
    if (s->running && has_id(s->running, id))
        atomic_store(&s->running->cancelled, true);
    pthread_mutex_unlock(&s->mutex);
    pending_wake(&s->mcp->pending);
    (void)listen_cancel(&s->mcp->listen, s, id);
}

static void
take_response(struct stdio *s, struct mcp_call *call)
{
    const char *id = json_text(call->msg.root, "id");

    if (id && pending_answer(&s->mcp->pending, id, call->msg.root))
        call->msg.root = NULL;
}

static void
refuse_line(struct stdio *s, const char *message)
{
    struct buf out = {0};

    rpc_add_error(&out, "null", RPC_INVALID_REQUEST, str_of(message), NULL);
    (void)write_line(s, buf_str(&out));
    buf_fini(&out);
}

static str
trim(str line)
{
    while (line.len && strchr(" \t\r", line.ptr[line.len - 1]))
        line.len--;
    return line;
}

void
stdio_take(struct stdio *s, str line)
{
    const char *why = NULL;

    line = trim(line);
    if (line.len == 0)
        return;
    struct mcp_call *call = call_new(s->mcp, &stdio_channel, s);
    if (!call) {
        refuse_line(s, "too many calls are under way; try again");
        return;
    }
    call->can_stream = true;
    enum rpc_code code = rpc_parse(&call->msg, line, &why);
    if (!code && call->msg.kind == RPC_REQUEST) {
        push(s, call);
        return;
    }
    if (code)
        call_error(call, 400, code, NULL, "%s", why);
    else if (call->msg.kind == RPC_RESPONSE)
        take_response(s, call);
    else if (strcmp(call->msg.method, "notifications/cancelled") == 0)
        cancel_call(s, rpc_cancelled(&call->msg));
    call_free(call);
}

/* A call that waits for its client's answer will not get one any more.  Others
 * go on: what was asked before the end is answered. */
void
stdio_end(struct stdio *s, bool cancel)
{
    pthread_mutex_lock(&s->mutex);
    s->at_end = true;
    if (s->running)
        atomic_store(&s->running->mute, true);
    if (s->running && cancel)
        atomic_store(&s->running->cancelled, true);
    for (struct mcp_call *call = s->first; call && cancel; call = call->next)
        atomic_store(&call->cancelled, true);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pending_wake(&s->mcp->pending);
}

/* ---- the runner's half ---- */

/* Any first message is fine: what is unknown is answered with an error, and a
 * client that never said initialize is served at 2025-03-26. */
static void
run(struct stdio *s, struct mcp_call *call)
{
    bool ok = true;

    call->log_level = s->log_level;
    if (call->rev >= REV_FIRST_STATELESS)
        ok = call_check_meta(call) && call_check_version(call);
    if (!ok || !call_find(call))
        return;
    call_run(call);
    if (call->rev < REV_FIRST_STATELESS) {
        s->rev = call->rev;
        s->log_level = call->log_level;
    }
}

bool
stdio_run_next(struct stdio *s, bool wait)
{
    pthread_mutex_lock(&s->mutex);
    while (wait && !s->first && !s->at_end)
        pthread_cond_wait(&s->changed, &s->mutex);
    struct mcp_call *call = pop(s);
    if (call) {
        call->rev = call_claims_version(call) ? REV_FIRST_STATELESS : s->rev;
        atomic_store(&call->mute, s->at_end);
    }
    s->running = call;
    pthread_mutex_unlock(&s->mutex);
    if (!call)
        return false;

    if (!atomic_load(&call->cancelled))
        run(s, call);
    pthread_mutex_lock(&s->mutex);
    s->running = NULL;
    pthread_mutex_unlock(&s->mutex);
    call_free(call);
    return true;
}

static void *
run_all(void *arg)
{
    struct stdio *s = arg;

    while (stdio_run_next(s, true))
        ;
    return NULL;
}

/* ---- lines ---- */

struct lines {
    struct buf held; /* what has come of the line under way */
    bool skip;       /* it was too long; wait for its end */
};

static void
end_line(struct stdio *s, struct lines *lines)
{
    if (!lines->skip)
        stdio_take(s, buf_str(&lines->held));
    lines->skip = false;
    buf_reset(&lines->held);
}

static void
add_piece(struct stdio *s, struct lines *lines, str piece)
{
    if (lines->skip)
        return;
    if (piece.len <= STDIO_LINE_MAX - lines->held.len)
        buf_add(&lines->held, piece);
    else
        lines->held.failed = true;
    if (lines->held.failed) {
        lines->skip = true;
        buf_reset(&lines->held);
        refuse_line(s, "this line is longer than 4 MiB");
    }
}

static void
take_bytes(struct stdio *s, struct lines *lines, str bytes)
{
    while (bytes.len) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        size_t len = end ? (size_t)(end - bytes.ptr) : bytes.len;
        add_piece(s, lines, str_cut(bytes, 0, len));
        if (!end)
            return;
        end_line(s, lines);
        bytes = str_cut(bytes, len + 1, bytes.len);
    }
}

/* Waits for input; ERR_IO when nobody reads what we write. */
static enum err
wait_input(struct stdio *s, int in_fd)
{
    struct pollfd fds[] = {{.fd = in_fd, .events = POLLIN}, {.fd = s->out_fd}};

    for (;;) {
        int ready = poll(fds, 2, -1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0 || fds[1].revents & (POLLERR | POLLNVAL))
            return ERR_IO;
        if (fds[0].revents)
            return OK;
    }
}

static enum err
read_all(struct stdio *s, int in_fd)
{
    enum { CHUNK = 64 << 10 };
    struct lines lines = {0};
    struct buf chunk = {0};
    enum err err = OK;

    char *to = buf_grow(&chunk, CHUNK);
    if (!to)
        return ERR_NOMEM;
    while (!(err = wait_input(s, in_fd))) {
        ssize_t len = read(in_fd, to, CHUNK);
        if (len < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (len < 0)
            err = ERR_IO;
        if (len <= 0)
            break;
        take_bytes(s, &lines, (str){to, (size_t)len});
    }
    if (!err)
        end_line(s, &lines);
    buf_fini(&lines.held);
    buf_fini(&chunk);
    return err;
}

enum err
mcp_stdio_run(struct mcp *mcp, int in_fd, int out_fd)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    struct stdio s;
    pthread_t runner;
    enum err err = ERR_NOMEM;

    /* A client that went away is an error of write, not the end of us. */
    if (sigaction(SIGPIPE, &ignore, &before) != 0)
        return ERR_IO;
    stdio_init(&s, mcp, out_fd);
    if (pthread_create(&runner, NULL, run_all, &s) == 0) {
        err = read_all(&s, in_fd);
        stdio_end(&s, err != OK);
        pthread_join(runner, NULL);
        if (!err && s.is_broken)
            err = ERR_IO;
    }
    stdio_fini(&s);
    (void)sigaction(SIGPIPE, &before, NULL);
    return err;
}
