/*
 * Indexes a repository: calls, routes, services.  The running service takes
 * over what it finds by itself; nothing needs to be stopped.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/index_summary.h"
#include "cmd/link.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/stop_signal.h"
#include "index/job.h"

enum { WATCH_MS = 2000 };

struct index {
    const char *command; /* as it was called */
    const struct config *cfg;
    struct job_ask ask;
    bool json;
    bool watch;
    bool show_progress;
    bool line_is_open; /* of progress, on the terminal */
    uint64_t began_ns;
};

static void
end_line(struct index *index)
{
    if (index->line_is_open)
        fprintf(stderr, "\r\033[K");
    index->line_is_open = false;
}

static enum err
note_progress(void *ctx, const struct worker_progress *progress)
{
    struct index *index = ctx;

    if (stop_signal_came())
        return ERR_CANCELLED;
    if (!index->show_progress)
        return OK;
    index->line_is_open = true;
    if (progress->total)
        fprintf(stderr, "\r\033[K%s %u/%u", worker_phase_str(progress->phase),
                progress->done, progress->total);
    else
        fprintf(stderr, "\r\033[K%s", worker_phase_str(progress->phase));
    return OK;
}

/* ---- the run ---- */

static int
run_once(struct index *index)
{
    struct job_result result;
    struct buf why = {0};
    int code = EXIT_CLEAN;

    index->show_progress = isatty(STDERR_FILENO) != 0;
    index->began_ns = clock_mono_ns();
    enum err err = job_run(&index->ask, note_progress, index, &result, &why);
    end_line(index);
    if (err) {
        fprintf(stderr, "spangraph %s: %s\n", index->command,
                err == ERR_CANCELLED ? "stopped; what was indexed before stays"
                                     : buf_cstr(&why));
        code = err == ERR_NOT_FOUND || err == ERR_INVALID ? EXIT_USAGE
                                                          : EXIT_CANNOT_RUN;
    } else {
        code = session_ensure(index->ask.data)
                   ? EXIT_CANNOT_RUN
                   : index_summary(&result, index->json);
        job_result_fini(&result);
        link_now(index->cfg, index->command);
    }
    buf_fini(&why);
    return code;
}

static void
wait_a_little(void)
{
    const struct timespec step = {WATCH_MS / 1000, 0};

    (void)nanosleep(&step, NULL);
}

/* Looks every two seconds whether there is something new. */
static int
follow(struct index *index)
{
    struct buf before = {0};
    struct buf now = {0};
    int code = EXIT_CLEAN;

    while (!stop_signal_came()) {
        buf_reset(&now);
        if (tree_stamp(&index->ask.tree, &now) == OK &&
            !str_eq(buf_str(&now), buf_str(&before))) {
            code = run_once(index);
            buf_reset(&before);
            buf_add(&before, buf_str(&now));
        }
        if (!stop_signal_came())
            wait_a_little();
    }
    buf_fini(&before);
    buf_fini(&now);
    return stop_signal_came() ? EXIT_CLEAN : code;
}

/* What was asked for, in the store that |file| and |dir| say. */
static int
index_into(struct index *index, const char *file, const char *dir)
{
    struct config cfg;

    if (!session_can_read(index->command, index->ask.tree.path, true) ||
        (index->ask.scip &&
         !session_can_read(index->command, index->ask.scip, false)) ||
        session_load_config(&cfg, index->command, file, dir))
        return EXIT_USAGE;
    index->cfg = &cfg;
    index->ask.data = cfg.dir;
    stop_signal_catch();
    int code = index->watch ? follow(index) : run_once(index);
    index->cfg = NULL;
    config_fini(&cfg);
    return code;
}

/* `index FOLDER`, and `import-scip FILE [FOLDER]`, which is the same with the
 * file before the folder. */
static int
index_command(const struct command *self, bool is_import, int argc, char **argv)
{
    struct index index = {.command = self->name};
    struct option_list services = {.len = 0};
    const char *dir = NULL;
    const char *file = NULL;
    long long jobs = 0;
    long long keep = CODE_KEEP_DEFAULT;
    const struct option_spec specs[] = {
        {"repo", OPTION_STR, &index.ask.repo_url, "URL",
         "where the repository comes from; else the url of its origin, or the "
         "folder's name"},
        {"commit", OPTION_STR, &index.ask.tree.commit, "SHA",
         "a commit, branch or tag; else HEAD"},
        {"worktree", OPTION_FLAG, &index.ask.tree.is_worktree, NULL,
         "what stands in the folder, committed or not"},
        {"service", OPTION_LIST, &services, "NAME[=FOLDER]",
         "service.name of the code in a folder; of all of it without one"},
        {"scip", OPTION_STR, &index.ask.scip, "FILE",
         "a SCIP index of the same commit, from a compiler's indexer"},
        {"watch", OPTION_FLAG, &index.watch, NULL,
         "index again when it changes, until Ctrl-C"},
        {"keep", OPTION_INT, &keep, "N", "snapshots to keep"},
        {"jobs", OPTION_INT, &jobs, "N", "parsers; 0: one a processor"},
        {"data", OPTION_STR, &dir, "DIR", "directory of the store"},
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
        {"json", OPTION_FLAG, &index.json, NULL, "print the summary as JSON"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (is_import && argc > 1) {
        index.ask.scip = argv[1];
        argv++;
        argc--;
    }
    if (argc > 2 || (is_import && !index.ask.scip) || keep < 1 ||
        keep > 100000 || jobs < 0 || jobs > 64) {
        fprintf(stderr,
                "spangraph %s: name one %sfolder; --keep is 1 to 100000, "
                "--jobs 0 to 64\nusage: spangraph %s\n",
                self->name, is_import ? "SCIP index, and one " : "",
                self->usage);
        return EXIT_USAGE;
    }
    index.ask.tree.path = argc == 2 ? argv[1] : ".";
    index.ask.keep = (uint32_t)keep;
    index.ask.processes = (uint32_t)jobs;
    index.ask.services = services.item;
    index.ask.service_len = services.len;
    return index_into(&index, file, dir);
}

int
cmd_index(const struct command *self, int argc, char **argv)
{
    return index_command(self, false, argc, argv);
}

int
cmd_import_scip(const struct command *self, int argc, char **argv)
{
    return index_command(self, true, argc, argv);
}

int
cmd_index_worker(const struct command *self, int argc, char **argv)
{
    (void)self;
    return job_worker_main(argc, argv);
}
