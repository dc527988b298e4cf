/*
 * Files in, edges out, without a service.  What a file may hold is told in
 * cmd/feed.h; it is taken in request by request while it is read.
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
#include "cmd/feed.h"
#include "cmd/link.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/stop_signal.h"
#include "otlp/decode.h"

struct ingest {
    struct session session;
    struct intake_lane *lane;
    struct decode_scratch *scratch;
    uint64_t now_ns;
    uint64_t last_shown_ns;
    const char *file;
    int in;
    size_t number;  /* of the request in the file */
    uint64_t bytes; /* read, of all files */
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
    fprintf(stderr, "\r%s: %llu MiB, %llu requests, %llu spans", ingest->file,
            (unsigned long long)(ingest->bytes >> 20),
            (unsigned long long)ingest->requests,
            (unsigned long long)ingest->spans);
}

static void
complain(struct ingest *ingest, const char *what, uint64_t at)
{
    ingest->failed++;
    fprintf(stderr, "%s%s: request %zu, byte %llu: %s\n",
            ingest->show_progress ? "\n" : "", ingest->file, ingest->number,
            (unsigned long long)at, what);
}

static void
skip_frame(void *ctx, uint64_t at_bytes, const char *what)
{
    struct ingest *ingest = ctx;

    ingest->number++;
    complain(ingest, what, at_bytes);
}

/* What the file holds there is compressed: its place in the file, and behind
 * that the place in what it decompresses to. */
static void
complain_of_request(struct ingest *ingest, const struct feed_request *request,
                    const struct decode_result *result)
{
    const char *what = result->error ? result->error : "malformed";
    struct buf more = {0};

    if (request->is_at_end && result->error_at >= request->bytes.len)
        what = FEED_CUT_OFF;
    if (!request->is_unpacked) {
        complain(ingest, what, request->at_bytes + result->error_at);
        return;
    }
    buf_printf(&more, "at byte %zu of what it decompresses to: %s",
               result->error_at, what);
    complain(ingest, buf_cstr(&more), request->at_bytes);
    buf_fini(&more);
}

/* Takes in one request; a broken one is told of, and the others go on. */
static enum err
take_request(void *ctx, const struct feed_request *request)
{
    struct ingest *ingest = ctx;
    struct span_visitor visitor;
    struct decode_result result = {0};
    struct stub_batch *batch = NULL;
    enum err err;

    if (stop_signal_came())
        return ERR_CANCELLED;
    ingest->number++;
    intake_begin(ingest->lane, ingest->now_ns, &visitor);
    err = request->is_json ? decode_json(ingest->scratch, request->bytes, true,
                                         &visitor, &result)
                           : decode_protobuf(ingest->scratch, request->bytes,
                                             &visitor, &result);
    if (err == ERR_INVALID) {
        complain_of_request(ingest, request, &result);
        return OK;
    }
    if (!err)
        err = intake_take(ingest->lane, &batch);
    if (err == ERR_TOO_LARGE) {
        complain(ingest, "more spans or links than one request may have",
                 request->at_bytes);
        return OK;
    }
    if (err)
        return err;
    batch->rejected = result.rejected;
    if (result.rejected)
        fprintf(stderr, "%s: request %zu: %u spans rejected: %s\n",
                ingest->file, ingest->number, result.rejected,
                result.reject_reason);
    if (result.has_bad_text)
        fprintf(stderr,
                "%s: request %zu: text that is not UTF-8 was left out\n",
                ingest->file, ingest->number);
    engine_submit(ingest->session.engine, batch,
                  stub_batch_digest(batch, request->bytes), note_done, &err);
    ingest->requests++;
    ingest->spans += result.accepted;
    ingest->rejected += result.rejected;
    show_progress(ingest);
    return err;
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

static ssize_t
read_input(void *ctx, char *to, size_t len)
{
    struct ingest *ingest = ctx;
    ssize_t got = await_input(ingest->in) ? read(ingest->in, to, len) : -1;

    ingest->bytes += got > 0 ? (uint64_t)got : 0;
    show_progress(ingest);
    return got;
}

/* What ends a file before its end, and the command. */
static void
complain_of_file(const struct ingest *ingest, enum err err, int why)
{
    fprintf(stderr,
            "%sspangraph ingest: %s: ", ingest->show_progress ? "\n" : "",
            ingest->file);
    if (stop_signal_came())
        fprintf(stderr, "stopped after request %zu; what was taken in stays\n",
                ingest->number);
    else if (err == ERR_IO && ingest->number == 0)
        fprintf(stderr, "%s\n", strerror(why));
    else if (err == ERR_TOO_LARGE)
        fprintf(stderr, "request %zu is larger than can be taken\n",
                ingest->number + 1);
    else
        fprintf(stderr, "after request %zu: %s\n", ingest->number,
                err == ERR_IO ? strerror(why) : err_str(err));
}

/* Spans that were seen, and requests of which that is not known. */
static uint64_t
seen(const struct ingest *ingest)
{
    return ingest->spans + ingest->rejected + ingest->failed;
}

static enum err
take_file(struct ingest *ingest, const char *file)
{
    const struct feed_io io = {read_input, take_request, skip_frame, ingest};
    bool is_stdin = strcmp(file, "-") == 0;
    uint64_t seen_before = seen(ingest);
    struct feed_fault fault;
    enum err err;

    ingest->in = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    ingest->file = is_stdin ? "standard input" : file;
    ingest->number = 0;
    if (ingest->in < 0) {
        fprintf(stderr, "spangraph ingest: %s: %s\n", file, strerror(errno));
        return ERR_IO;
    }
    err = feed_run(&io, FEED_REQUEST_MAX, &fault);
    int why = errno;
    if (!is_stdin)
        close(ingest->in);
    if (err == ERR_INVALID) {
        ingest->number++;
        complain(ingest, fault.what, fault.at_bytes);
        return OK; /* the other files go on */
    }
    if (err)
        complain_of_file(ingest, err, why);
    else if (ingest->number > 0 && seen(ingest) == seen_before)
        fprintf(stderr,
                "%s%s: no spans in it; OTLP has them in resourceSpans\n",
                ingest->show_progress ? "\n" : "", ingest->file);
    return stop_signal_came() && err ? ERR_CANCELLED : err;
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
    if ((!err || err == ERR_CANCELLED) && finished) {
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
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-") != 0 &&
            !session_can_read(self->name, argv[i], false))
            return EXIT_CANNOT_RUN;
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    /* One commit a request, on disk each time, is for answers to others. */
    (void)config_set(&cfg, "store.durability", "os", &why);
    buf_fini(&why);
    stop_signal_catch();
    err = run(&ingest, &cfg, argc, argv);
    /* Who was seen now may have been indexed under another name. */
    if (!err)
        link_now(&cfg, self->name);
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
