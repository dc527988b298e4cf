/*
 * Files in, edges out, without a service.  A file is one OTLP request in JSON
 * or protobuf, or many: JSON lines, or protobuf behind 4-byte lengths, as the
 * Collector's file exporter writes them; gzip or zstd around any of these.
 * The end of the input ends every wait.  A signal ends it after the request
 * under way, and all that was taken in is written; a second one at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/stop_signal.h"
#include "net/inflate.h"
#include "net/request.h"
#include "otlp/decode.h"

#define INPUT_MAX (UINT64_C(4) << 30)

struct ingest {
    struct session session;
    struct intake_lane *lane;
    struct decode_scratch *scratch;
    uint64_t now_ns;
    uint64_t last_shown_ns;
    const char *file;
    size_t number; /* of the request in the file */
    uint64_t requests;
    uint64_t spans;
    uint64_t rejected;
    uint64_t failed;
    bool show_progress;
};

static void
note_done(void *ctx, enum err err)
{
    *(enum err *)ctx = err;
}

static void
show_progress(struct ingest *ingest)
{
    uint64_t now = clock_mono_ns();

    if (!ingest->show_progress || now - ingest->last_shown_ns < NS_PER_S / 4)
        return;
    ingest->last_shown_ns = now;
    fprintf(stderr, "\r%s: %llu requests, %llu spans", ingest->file,
            (unsigned long long)ingest->requests,
            (unsigned long long)ingest->spans);
}

static void
complain(struct ingest *ingest, const char *what, size_t at)
{
    ingest->failed++;
    fprintf(stderr, "%s%s: request %zu, byte %zu: %s\n",
            ingest->show_progress ? "\n" : "", ingest->file, ingest->number, at,
            what);
}

/* Takes in one request; |bytes| has REQUEST_PAD readable bytes behind. */
static enum err
take_request(struct ingest *ingest, str bytes, bool is_json)
{
    struct span_visitor visitor;
    struct decode_result result = {0};
    struct stub_batch *batch = NULL;
    enum err err;

    if (stop_signal_came())
        return ERR_CANCELLED;
    ingest->number++;
    intake_begin(ingest->lane, ingest->now_ns, &visitor);
    err = is_json ? decode_json(ingest->scratch, bytes, true, &visitor, &result)
                  : decode_protobuf(ingest->scratch, bytes, &visitor, &result);
    if (err == ERR_INVALID) {
        complain(ingest, result.error ? result.error : "malformed",
                 result.error_at);
        return ERR_INVALID;
    }
    if (!err)
        err = intake_take(ingest->lane, &batch);
    if (err)
        return err;
    batch->rejected = result.rejected;
    if (result.rejected)
        fprintf(stderr, "%s: request %zu: %u spans rejected: %s\n",
                ingest->file, ingest->number, result.rejected,
                result.reject_reason);
    engine_submit(ingest->session.engine, batch, hash_digest(bytes), note_done,
                  &err);
    ingest->requests++;
    ingest->spans += result.accepted;
    ingest->rejected += result.rejected;
    show_progress(ingest);
    return err;
}

/* Copies |piece| to where REQUEST_PAD bytes behind it are readable. */
static enum err
take_piece(struct ingest *ingest, struct buf *scratch, str piece, bool is_json)
{
    static const char pad[REQUEST_PAD];

    buf_reset(scratch);
    buf_add(scratch, piece);
    buf_add(scratch, (str){pad, sizeof(pad)});
    if (scratch->failed)
        return ERR_NOMEM;
    enum err err =
        take_request(ingest, (str){scratch->ptr, piece.len}, is_json);
    return err == ERR_INVALID ? OK : err; /* said; the others go on */
}

static enum err
take_lines(struct ingest *ingest, str text)
{
    struct buf scratch = {0};
    enum err err = OK;

    while (text.len && !err) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        str line = str_cut(text, 0, len);
        if (strspn(line.ptr, " \t\r") < line.len)
            err = take_piece(ingest, &scratch, line, true);
        text = str_cut(text, len + 1, text.len);
    }
    buf_fini(&scratch);
    return err;
}

static size_t
frame_len(str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr;

    if (bytes.len < 4)
        return SIZE_MAX;
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

static bool
is_framed(str bytes)
{
    while (bytes.len) {
        size_t len = frame_len(bytes);
        if (len > bytes.len - 4 || bytes.len < 4)
            return false;
        bytes = str_cut(bytes, 4 + len, bytes.len);
    }
    return true;
}

static enum err
take_frames(struct ingest *ingest, str bytes)
{
    struct buf scratch = {0};
    enum err err = OK;

    while (bytes.len && !err) {
        size_t len = frame_len(bytes);
        err = take_piece(ingest, &scratch, str_cut(bytes, 4, 4 + len), false);
        bytes = str_cut(bytes, 4 + len, bytes.len);
    }
    buf_fini(&scratch);
    return err;
}

/* JSON lines have a whole object in the first line that has anything. */
static bool
has_lines(str text)
{
    const char *end;

    while (text.len && strchr(" \t\r\n", text.ptr[0]))
        text = str_cut(text, 1, text.len);
    end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    if (!end)
        return false;
    while (end > text.ptr && strchr(" \t\r\n", end[-1]))
        end--;
    return end - text.ptr > 1 && end[-1] == '}' &&
           memchr(text.ptr, ':', (size_t)(end - text.ptr)) != NULL;
}

static enum err
take_content(struct ingest *ingest, str bytes)
{
    size_t blank = 0;
    enum err err;

    while (blank < bytes.len && strchr(" \t\r\n", bytes.ptr[blank]))
        blank++;
    if (blank == bytes.len)
        return OK;
    if (bytes.ptr[blank] == '{' && has_lines(bytes))
        return take_lines(ingest, bytes);
    if (bytes.ptr[blank] == '{')
        err = take_request(ingest, bytes, true);
    else if (bytes.ptr[0] != 0x0a && is_framed(bytes))
        return take_frames(ingest, bytes);
    else
        err = take_request(ingest, bytes, false);
    return err == ERR_INVALID ? OK : err;
}

/* Waits until |in| can be read; false: a signal asks to stop, or |errno|.  They
 * come only while it waits, so that none is missed between a look and a read.
 */
static bool
await_input(int in)
{
    struct pollfd input = {.fd = in, .events = POLLIN};
    sigset_t all, before;
    int ready = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (!stop_signal_came() &&
           (ready = ppoll(&input, 1, NULL, &before)) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ready > 0 && !stop_signal_came();
}

/* Reads all of |in| and REQUEST_PAD zero bytes behind it. */
static enum err
read_all(int in, struct buf *out)
{
    static const char pad[REQUEST_PAD];
    ssize_t got;

    out->cap_max = INPUT_MAX;
    do {
        char *to = buf_grow(out, 1 << 20);
        if (!to)
            return ERR_TOO_LARGE;
        got = await_input(in) ? read(in, to, 1 << 20) : -1;
        out->len += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    if (got < 0)
        return stop_signal_came() ? ERR_CANCELLED : ERR_IO;
    buf_add(out, (str){pad, sizeof(pad)});
    out->len -= sizeof(pad);
    return out->failed ? ERR_TOO_LARGE : OK;
}

static enum encoding
encoding_at(str bytes)
{
    if (str_starts(bytes, STR("\x1f\x8b")))
        return ENCODING_GZIP;
    if (str_starts(bytes, STR("\x28\xb5\x2f\xfd")))
        return ENCODING_ZSTD;
    return ENCODING_IDENTITY;
}

static enum err
take_bytes(struct ingest *ingest, str bytes)
{
    enum encoding encoding = encoding_at(bytes);
    struct inflater *inflater = NULL;
    char *plain = NULL;
    size_t len = 0;
    enum err err;

    if (encoding == ENCODING_IDENTITY)
        return take_content(ingest, bytes);
    inflater = inflater_new();
    err = inflater ? inflate_whole(inflater, encoding, bytes, INPUT_MAX, &plain,
                                   &len)
                   : ERR_NOMEM;
    if (!err)
        err = take_content(ingest, (str){plain, len});
    else
        complain(ingest, "does not decompress", 0);
    free(plain);
    inflater_free(inflater);
    return err == ERR_INVALID ? OK : err;
}

static void
complain_of_file(const struct ingest *ingest, enum err err, bool is_read)
{
    fprintf(stderr,
            "%sspangraph ingest: %s: ", ingest->show_progress ? "\n" : "",
            ingest->file);
    if (err == ERR_CANCELLED)
        fprintf(stderr, "stopped after request %zu; what was taken in stays\n",
                ingest->number);
    else if (is_read)
        fprintf(stderr, "request %zu: %s\n", ingest->number, err_str(err));
    else
        fprintf(stderr, "%s\n",
                err == ERR_TOO_LARGE ? "larger than 4 GiB; split it"
                                     : strerror(errno));
}

static enum err
take_file(struct ingest *ingest, const char *file)
{
    bool is_stdin = strcmp(file, "-") == 0;
    struct buf bytes = {0};
    int in = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    enum err err;

    ingest->file = is_stdin ? "standard input" : file;
    ingest->number = 0;
    if (in < 0) {
        fprintf(stderr, "spangraph ingest: %s: %s\n", file, strerror(errno));
        return ERR_IO;
    }
    err = read_all(in, &bytes);
    if (err)
        complain_of_file(ingest, err, false);
    else if ((err = take_bytes(ingest, buf_str(&bytes))))
        complain_of_file(ingest, err, true);
    if (!is_stdin)
        close(in);
    buf_fini(&bytes);
    return err;
}

/* What a signal cut off may go on another time, so its halves wait for that. */
static enum err
end_input(struct engine *engine, enum err why)
{
    enum err err;

    if (why != ERR_CANCELLED)
        return engine_finish(engine);
    if (!(err = engine_start(engine)))
        engine_stop(engine);
    return err || engine_is_writable(engine) ? err : ERR_STORE;
}

static enum err
run(struct ingest *ingest, const struct config *cfg, int argc, char **argv)
{
    struct buf why = {0};
    enum err err = session_open(&ingest->session, cfg, ingest->now_ns, &why);

    if (err) {
        fprintf(stderr, "spangraph ingest: %s\n", buf_cstr(&why));
        buf_fini(&why);
        return err;
    }
    buf_fini(&why);
    /* A recording may be of any age. */
    ingest->session.intake.past_ns = UINT64_MAX;
    ingest->scratch = decode_scratch_new();
    err = ingest->scratch
              ? intake_lane_new(&ingest->lane, &ingest->session.intake,
                                ingest->session.nodes, ingest->session.routes)
              : ERR_NOMEM;
    for (int i = 1; i < argc && !err; i++)
        err = take_file(ingest, argv[i]);
    enum err finished = end_input(ingest->session.engine, err);
    if (ingest->show_progress)
        fputc('\n', stderr);
    if (!err && finished) {
        fprintf(stderr, "spangraph ingest: the store failed; what is missing "
                        "can be ingested again\n");
        err = finished;
    }
    intake_lane_free(ingest->lane);
    decode_scratch_free(ingest->scratch);
    session_close(&ingest->session);
    return err;
}

int
cmd_ingest(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    const char *file = NULL;
    bool json = false;
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR", "folder of the database"},
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
        {"json", OPTION_FLAG, &json, NULL, "print the summary as JSON"},
    };
    struct ingest ingest = {.now_ns = clock_wall_ns(),
                            .show_progress = isatty(STDERR_FILENO) != 0};
    struct config cfg;
    struct buf why = {0};

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc < 2) {
        fprintf(stderr,
                "spangraph ingest: name a file, or - for standard "
                "input\nusage: spangraph %s\n",
                self->usage);
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    /* One commit a request, on disk each time, is for answers to others. */
    (void)config_set(&cfg, "store.durability", "os", &why);
    buf_fini(&why);
    stop_signal_catch();
    err = run(&ingest, &cfg, argc, argv);
    config_fini(&cfg);
    if (err)
        return EXIT_CANNOT_RUN;
    printf(
        json ? "{\"requests\":%llu,\"spans\":%llu,\"rejected\":%llu,"
               "\"failed\":%llu}\n"
             : "%llu requests, %llu spans, %llu rejected, %llu requests "
               "failed\n",
        (unsigned long long)ingest.requests, (unsigned long long)ingest.spans,
        (unsigned long long)ingest.rejected, (unsigned long long)ingest.failed);
    return ingest.failed ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}
