/*
 * `spangraph top`: the busiest edges, live.
 *
 * On a terminal one thread asks, so that a service that does not answer never
 * holds up a key; it hands its samples over by a lock and wakes the other by an
 * eventfd.  Without a terminal, or when told so, tables are printed one after
 * another, each with the rates since the one before.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/steady.h"
#include "cmd/ask.h"
#include "cmd/remote.h"
#include "cmd/term.h"
#include "cmd/top_sample.h"
#include "cmd/top_view.h"

enum { TIMEOUT_MS = 5000, COUNT_MAX = 1000000 };

struct top {
    struct top_source source;
    struct top_view view;
    uint64_t interval_ns;
    long long batch; /* tables; 0: live */
};

static void
sleep_ns(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / NS_PER_S),
                            .tv_nsec = (long)(ns % NS_PER_S)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* ---- tables ---- */

static int
complain(enum err err, struct buf *why)
{
    fprintf(stderr, "spangraph top: %s%s\n",
            why->len ? buf_cstr(why) : err_str(err),
            err == ERR_IO
                ? "; is it running there? --server URL names another place"
                : "");
    buf_reset(why);
    return err == ERR_INVALID ? EXIT_USAGE : EXIT_CANNOT_RUN;
}

static int
print_table(struct top *top, const struct top_sample *sample)
{
    const struct top_page page = {.eol = "\n"};
    struct buf text = {0};
    int rc = EXIT_CANNOT_RUN;

    if (top_view_print(&top->view, sample, &page, &text) == OK &&
        fwrite(text.ptr, 1, text.len, stdout) == text.len &&
        fputc('\n', stdout) != EOF && fflush(stdout) == 0)
        rc = EXIT_CLEAN;
    buf_fini(&text);
    return rc;
}

/* The first sample is not shown: it has no rates. */
static int
run_batch(struct top *top)
{
    struct top_sample before = {0};
    struct top_sample now = {0};
    struct buf why = {0};
    int rc = EXIT_CLEAN;
    enum err err = top_source_take(&top->source, &before, &why);

    if (err)
        rc = complain(err, &why);
    for (long long i = 0; i < top->batch && rc == EXIT_CLEAN; i++) {
        sleep_ns(top->interval_ns);
        err = top_source_take(&top->source, &now, &why);
        if (err) {
            rc = complain(err, &why);
            break;
        }
        top_sample_rates(&now, &before);
        rc = print_table(top, &now);
        top_sample_fini(&before);
        before = now;
        now = (struct top_sample){0};
    }
    top_sample_fini(&before);
    buf_fini(&why);
    return rc;
}

/* ---- live ---- */

struct live {
    struct top *top;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_ending;
    bool is_wanted; /* a sample, now */
    int ready;      /* eventfd: there is one */
    bool has_sample;
    struct top_sample sample; /* with rates; not yet shown */
    struct buf why;           /* of the last attempt */
};

static void
hand_over(struct live *live, struct top_sample *sample, struct buf *why)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&live->lock);
    if (sample) {
        if (live->has_sample)
            top_sample_fini(&live->sample);
        live->sample = *sample;
        live->has_sample = true;
    }
    buf_reset(&live->why);
    buf_add(&live->why, buf_str(why));
    pthread_mutex_unlock(&live->lock);
    if (write(live->ready, &one, sizeof(one)) < 0)
        return; /* it is being read all the same */
}

/* A copy of what rates need. */
static enum err
remember(const struct top_sample *sample, struct top_sample *out)
{
    *out = *sample;
    out->len = 0;
    out->rows = calloc(sample->len + 1, sizeof(*out->rows));
    if (!out->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < sample->len; i++) {
        struct top_row *to = &out->rows[out->len++];

        *to = sample->rows[i];
        to->source = strdup(sample->rows[i].source);
        to->target = strdup(sample->rows[i].target);
        if (!to->source || !to->target) {
            top_sample_fini(out);
            return ERR_NOMEM;
        }
    }
    return OK;
}

static void
take_one(struct live *live, struct top_sample *before, bool *has_before)
{
    struct top_sample sample;
    struct top_sample copy;
    struct buf why = {0};
    enum err err = top_source_take(&live->top->source, &sample, &why);

    if (!err && *has_before)
        top_sample_rates(&sample, before);
    if (!err && (err = remember(&sample, &copy)))
        top_sample_fini(&sample);
    if (!err) {
        if (*has_before)
            top_sample_fini(before);
        *before = copy;
        *has_before = true;
    }
    if (err && why.len == 0)
        buf_add(&why, str_of(err_str(err)));
    hand_over(live, err ? NULL : &sample, &why);
    buf_fini(&why);
}

static void *
ask(void *ctx)
{
    struct live *live = ctx;
    struct top_sample before = {0};
    bool has_before = false;
    uint64_t until_ns;

    pthread_mutex_lock(&live->lock);
    while (!live->is_ending) {
        live->is_wanted = false;
        pthread_mutex_unlock(&live->lock);
        take_one(live, &before, &has_before);
        until_ns = clock_mono_ns() + live->top->interval_ns;
        pthread_mutex_lock(&live->lock);
        while (!live->is_ending && !live->is_wanted &&
               steady_wait(&live->changed, &live->lock, until_ns))
            continue;
    }
    pthread_mutex_unlock(&live->lock);
    top_sample_fini(&before);
    return NULL;
}

static void
wake(struct live *live, bool is_ending)
{
    pthread_mutex_lock(&live->lock);
    live->is_ending |= is_ending;
    live->is_wanted = true;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
}

/* Takes what the other thread has; |shown| is replaced by what is newer. */
static void
take_over(struct live *live, struct top_sample *shown, struct buf *why)
{
    uint64_t count;

    if (read(live->ready, &count, sizeof(count)) < 0)
        return; /* nothing is new */
    pthread_mutex_lock(&live->lock);
    if (live->has_sample) {
        top_sample_fini(shown);
        *shown = live->sample;
        live->has_sample = false;
    }
    buf_reset(why);
    buf_add(why, buf_str(&live->why));
    pthread_mutex_unlock(&live->lock);
}

static bool
has_colour(void)
{
    const char *no_color = getenv("NO_COLOR");

    return !(no_color && *no_color);
}

static void
draw(struct top *top, const struct term *term, const struct top_sample *shown)
{
    const struct top_page page = {.rows = term->rows,
                                  .columns = term->columns,
                                  .has_keys = true,
                                  .has_colour = has_colour(),
                                  .eol = TERM_EOL};
    struct buf frame = {0};

    if (top_view_print(&top->view, shown, &page, &frame) == OK)
        term_draw(buf_str(&frame));
    buf_fini(&frame);
}

/* False: quit. */
static bool
take_keys(struct live *live, const struct term *term, const char *keys,
          size_t len)
{
    const struct top_page page = {.rows = term->rows, .has_keys = true};

    while (len) {
        size_t key = term_key_len(keys, len);
        enum top_wish wish =
            top_view_key(&live->top->view, keys, key, top_view_rows(&page));

        if (wish == TOP_QUIT)
            return false;
        if (wish == TOP_REFRESH)
            wake(live, false);
        keys += key;
        len -= key;
    }
    return true;
}

static void
show(struct live *live, struct term *term)
{
    struct top_sample shown = {0};
    struct buf why = {0};
    char keys[TERM_KEY_CAP];
    bool goes_on = true;
    size_t len;

    for (size_t i = 0; i < TOP_TOTALS; i++)
        shown.total[i] = TOP_UNKNOWN;
    shown.now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    while (goes_on) {
        live->top->view.error = why.len ? buf_cstr(&why) : NULL;
        draw(live->top, term, &shown);
        switch (term_wait(term, -1, live->ready, keys, &len)) {
        case TERM_KEYS:
            goes_on = take_keys(live, term, keys, len);
            break;
        case TERM_READY:
            take_over(live, &shown, &why);
            break;
        case TERM_END:
            goes_on = false;
            break;
        case TERM_RESIZED:
        case TERM_TIMEOUT:
            break;
        }
    }
    live->top->view.error = NULL;
    top_sample_fini(&shown);
    buf_fini(&why);
}

/* Nobody waits for an answer that nobody will see. */
static void
end_thread(struct live *live)
{
    struct timespec until;

    wake(live, true);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_timedjoin_np(live->thread, NULL, &until) != 0)
        _exit(EXIT_CLEAN);
}

static int
run_live(struct top *top)
{
    struct live live = {.top = top,
                        .ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    struct term term;
    int rc = EXIT_CANNOT_RUN;

    pthread_mutex_init(&live.lock, NULL);
    steady_init(&live.changed);
    if (live.ready < 0 || term_open(&term)) {
        fprintf(stderr, "spangraph top: this is no terminal: %s\n",
                strerror(errno));
    } else if (pthread_create(&live.thread, NULL, ask, &live) != 0) {
        term_close(&term);
        fprintf(stderr, "spangraph top: cannot start a thread\n");
    } else {
        show(&live, &term);
        term_close(&term);
        end_thread(&live);
        rc = EXIT_CLEAN;
    }
    if (live.has_sample)
        top_sample_fini(&live.sample);
    buf_fini(&live.why);
    pthread_cond_destroy(&live.changed);
    pthread_mutex_destroy(&live.lock);
    if (live.ready >= 0)
        close(live.ready);
    return rc;
}

/* ---- the command line ---- */

static int
check(struct top *top, const char *sort)
{
    const char *wrong = NULL;
    enum query_level level;

    if (!top_sort_of(sort, &top->view.sort))
        wrong = "--sort takes rate, errors, p95, last or name";
    else if (!query_level_of(str_of(top->source.level), &level) ||
             level == LEVEL_SYMBOL)
        wrong = "--level takes service or endpoint";
    else if (top->batch < 0 || top->batch > COUNT_MAX)
        wrong = "--batch takes a number of tables, up to a million";
    else if (top->interval_ns < NS_PER_S / 10)
        wrong = "--interval takes 100ms or more";
    else if (top->source.server && top->source.data)
        wrong = "name either --server or --data";
    if (wrong)
        fprintf(stderr, "spangraph top: %s\n", wrong);
    return wrong ? EXIT_USAGE : EXIT_CLEAN;
}

static int
run(struct top *top, const char *token_file)
{
    struct buf token = {0};
    struct buf why = {0};
    int rc = EXIT_CLEAN;

    if (!top->source.server && !top->source.data)
        top->source.server = "http://localhost:8080";
    if (remote_read_token(token_file, &token, &why)) {
        fprintf(stderr, "spangraph top: %s\n", buf_cstr(&why));
        rc = EXIT_CANNOT_RUN;
    }
    top->source.token = buf_cstr(&token);
    top->view.where =
        top->source.server ? top->source.server : top->source.data;
    if (top->batch == 0 && !term_is_there())
        top->batch = 1;
    if (rc == EXIT_CLEAN)
        rc = top->batch ? run_batch(top) : run_live(top);
    buf_fini(&token);
    buf_fini(&why);
    return rc;
}

int
cmd_top(const struct command *self, int argc, char **argv)
{
    struct top top = {.source = {.level = "service",
                                 .since_ns = 3600 * NS_PER_S,
                                 .timeout_ms = TIMEOUT_MS},
                      .interval_ns = 2 * NS_PER_S};
    const char *token_file = NULL;
    const char *sort = "rate";
    const char *filter = "";
    bool once = false;
    const struct option_spec specs[] = {
        {"server", OPTION_STR, &top.source.server, "URL",
         "the running service (http://localhost:8080)"},
        {"token-file", OPTION_STR, &token_file, "FILE",
         "its bearer token; else SPANGRAPH_TOKEN's"},
        {"data", OPTION_STR, &top.source.data, "DIR",
         "read a store instead of asking a service"},
        {"level", OPTION_STR, &top.source.level, "LEVEL",
         "service or endpoint"},
        {"since", OPTION_DURATION, &top.source.since_ns, "DURATION",
         "calls, errors and p95 of this long, in whole hours"},
        {"interval", OPTION_DURATION, &top.interval_ns, "DURATION",
         "time from one look to the next"},
        {"sort", OPTION_STR, &sort, "KEY", "rate, errors, p95, last or name"},
        {"filter", OPTION_STR, &filter, "TEXT", "only rows that hold it"},
        {"services", OPTION_FLAG, &top.view.by_service, NULL,
         "who is called, instead of edges"},
        {"once", OPTION_FLAG, &once, NULL,
         "print one table, after one interval"},
        {"batch", OPTION_INT, &top.batch, "N", "print N tables"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "usage: spangraph %s\n", self->usage);
        return EXIT_USAGE;
    }
    if (once)
        top.batch = 1;
    (void)snprintf(top.view.filter, sizeof(top.view.filter), "%s", filter);
    int rc = check(&top, sort);
    return rc == EXIT_CLEAN ? run(&top, token_file) : rc;
}
