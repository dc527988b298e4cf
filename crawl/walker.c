/*
 * The process of one walk: it loads libcurl, confines itself, walks, and is
 * gone.  Whoever it walks for closing the socket is the order to stop.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawl/crawler_parts.h"
#include "crawl/reader.h"
#include "index/sandbox.h"

enum { CPU_S = 600, READ_S = 5 };
#define MEMORY (UINT64_C(768) << 20)

struct walker {
    int fd;
    struct http *http;
    struct reader reader;
    struct buf out;
};

static enum err
get(void *ctx, const struct http_ask *ask, struct http_reply *reply)
{
    struct walker *walker = ctx;

    return http_get(walker->http, ask, reply);
}

static enum err
read_page(void *ctx, bool is_html, str type, str bytes, struct html_page *out)
{
    struct walker *walker = ctx;

    return reader_read(&walker->reader, is_html, type, bytes, out);
}

static enum err
emit(void *ctx, const struct site_page *page)
{
    struct walker *walker = ctx;

    buf_reset(&walker->out);
    walk_page_pack(page, &walker->out);
    if (walker->out.failed)
        return ERR_NOMEM;
    const struct frame frame = {
        .kind = WALK_PAGE,
        .number = page->what,
        .payload = buf_str(&walker->out),
    };
    return frame_write(walker->fd, &frame);
}

static bool
wait_ms(void *ctx, uint32_t ms)
{
    struct walker *walker = ctx;
    struct pollfd fd = {.fd = walker->fd, .events = POLLRDHUP};
    int got;

    do
        got = poll(&fd, 1, (int)ms);
    while (got < 0 && errno == EINTR);
    return got == 0;
}

static uint64_t
now_ms(void *ctx)
{
    (void)ctx;
    return clock_mono_ns() / NS_PER_MS;
}

static enum err
hear_ask(int fd, struct frame_reader *in, struct walk_ask *out)
{
    struct frame frame;
    enum err err = OK;

    while (!err && !in->is_over) {
        if (frame_next(in, &frame, &err))
            return frame.kind == WALK_ASK ? walk_ask_unpack(frame.payload, out)
                                          : ERR_CORRUPT;
        if (!err)
            err = frame_fill(in, fd);
    }
    return err ? err : ERR_IO;
}

/* What name service, TLS and the loader read. */
static void
confine(const struct crawler_cfg *cfg)
{
    const char *folders[] = {
        "/usr",
        "/lib",
        "/lib64",
        "/etc/ld.so.cache",
        "/etc/ssl",
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/host.conf",
        "/etc/nsswitch.conf",
        "/etc/gai.conf",
        "/etc/services",
        "/run/systemd/resolve",
        "/dev/urandom",
        cfg->ca_file ? cfg->ca_file : "",
    };
    const struct sandbox_cfg sandbox = {
        .folders = folders,
        .folder_len = sizeof(folders) / sizeof(folders[0]),
        .memory_max = MEMORY,
        .cpu_s = CPU_S,
    };

    if (!cfg->is_open)
        (void)sandbox_fetcher(&sandbox);
}

static void
finish(int fd, uint8_t kind, uint32_t number, struct buf *payload)
{
    const struct frame frame = {kind, number, buf_str(payload)};

    (void)frame_write(fd, &frame);
}

_Noreturn void
walker_main(const struct crawler_cfg *cfg, int fd)
{
    const struct http_cfg http = {
        .agent = cfg->agent,
        .allow = cfg->allow,
        .allow_len = cfg->allow_len,
        .ca_file = cfg->ca_file,
        .timeout_ms = cfg->timeout_ms,
        .control_fd = fd,
    };
    struct walker walker = {.fd = fd};
    const struct site_ops ops = {&walker, get,     read_page,
                                 emit,    wait_ms, now_ms};
    struct frame_reader in = {.max = WALK_FRAME_MAX};
    struct walk_ask ask = {0};
    struct site_sum sum = {0};
    struct buf told = {0};

    (void)prctl(PR_SET_NAME, "crawl-fetch");
    reader_init(&walker.reader, READ_S * NS_PER_S);
    enum err err = http_open(&walker.http, &http, &told);
    confine(cfg);
    if (!err)
        err = hear_ask(fd, &in, &ask);
    if (!err) {
        err = site_walk(&ask.ask, &ops, &sum);
        if (err)
            buf_add(&told, buf_str(&sum.why));
        else
            walk_sum_pack(&sum, &told);
    }
    if (err)
        finish(fd, WALK_ERROR, (uint32_t)-err, &told);
    else
        finish(fd, WALK_END, 0, &told);
    reader_fini(&walker.reader);
    _exit(0);
}
