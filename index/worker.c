/*
 * The tables grow in the order of the work: files of the tree, sources among
 * them, their facts.  File i of the graph is source i - 1, and the resolver's
 * file i - 1, because row 0 means none.
 */
#include "index/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/code_write.h"
#include "index/frame.h"
#include "index/history.h"
#include "index/manifest.h"
#include "index/resolve_scip.h"
#include "index/routes_find.h"
#include "index/says.h"
#include "index/settings.h"
#include "index/written.h"

struct source {
    uint32_t file; /* of the tree */
    enum lang_id lang;
    bool is_known; /* |facts| are there */
    str skipped;   /* why there are none */
    uint64_t bytes;
    struct facts facts;
};

struct worker {
    const struct worker_cfg *cfg;
    int fd;
    struct tree *tree;
    struct source *sources;
    uint32_t len;
    uint32_t *jobs; /* sources to parse */
    struct parse_job *asked;
    uint32_t job_len;
    uint32_t done;
    uint64_t told_ns; /* when progress was last written */
    struct settings settings;
    struct manifests manifests;
    struct resolve_file *files;
    struct code_build build;
    struct buf why;
    struct buf scratch;
};

static const char *const phases[PHASE_END] = {
    "listing files",  "parsing",         "resolving calls",
    "finding routes", "reading history", "storing",
};

const char *
worker_phase_str(uint32_t phase)
{
    return phase < PHASE_END ? phases[phase] : "working";
}

uint8_t
worker_facts_key(enum lang_id lang, str path)
{
    enum { TEST = 1 << 6, GENERATED = 1 << 7 };
    bool is_generated = lang_is_generated(lang, path, (str){"", 0});

    return (uint8_t)((uint32_t)lang | (lang_is_test(lang, path) ? TEST : 0U) |
                     (is_generated ? GENERATED : 0U));
}

_Static_assert(LANG_END <= 1 << 6, "the key of facts is one byte");

static enum err
tell(struct worker *w, uint32_t phase, uint32_t done, uint32_t total)
{
    enum { EVERY_MS = 100 };
    struct worker_progress progress = {phase, done, total};
    uint64_t now_ns = clock_mono_ns();

    if (done != 0 && done != total &&
        now_ns - w->told_ns < EVERY_MS * NS_PER_MS)
        return OK;
    w->told_ns = now_ns;
    return frame_write(
        w->fd, &(struct frame){
                   .kind = WORKER_PROGRESS,
                   .payload = {(const char *)&progress, sizeof(progress)},
               });
}

/* ---- what there is ---- */

/* A file without an ending may say in its first line what it is. */
static bool
may_be_script(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t base = slash ? (size_t)(slash + 1 - path.ptr) : 0;

    return path.len > base && !memchr(path.ptr + base, '.', path.len - base);
}

static enum lang_id
lang_of_file(struct worker *w, uint32_t file, str path)
{
    enum { SCRIPT_MAX = 64 << 10 };
    str content = {"", 0};

    buf_reset(&w->scratch);
    if (may_be_script(path) &&
        tree_read(w->tree, file, SCRIPT_MAX, &w->scratch) == OK)
        content = buf_str(&w->scratch);
    const struct lang *lang = lang_of_path(path, content);
    return lang ? lang->id : LANG_NONE;
}

static enum err
take_settings(struct worker *w, uint32_t file, str path)
{
    buf_reset(&w->scratch);
    enum err err = tree_read(w->tree, file, SETTINGS_BYTES_MAX, &w->scratch);

    if (!err)
        err = settings_take(&w->settings, path, buf_str(&w->scratch));
    /* What cannot be read steers nothing. */
    return err == ERR_NOMEM ? err : OK;
}

static enum err
take_manifest(struct worker *w, uint32_t file, str path)
{
    buf_reset(&w->scratch);
    enum err err = tree_read(w->tree, file, MANIFEST_BYTES_MAX, &w->scratch);

    if (!err)
        err = manifests_take(&w->manifests, path, buf_str(&w->scratch));
    return err == ERR_NOMEM ? err : OK;
}

static enum err
list(struct worker *w)
{
    uint32_t len;
    const struct tree_file *files = tree_files(w->tree, &len);
    enum err err = tell(w, PHASE_LIST, 0, len);

    w->sources = calloc((size_t)len + 1, sizeof(*w->sources));
    w->jobs = calloc((size_t)len + 1, sizeof(*w->jobs));
    w->asked = calloc((size_t)len + 1, sizeof(*w->asked));
    w->files = calloc((size_t)len + 1, sizeof(*w->files));
    if (!w->sources || !w->jobs || !w->asked || !w->files)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < len && !err; i++) {
        enum lang_id lang = lang_of_file(w, i, files[i].path);
        if (lang)
            w->sources[w->len++] =
                (struct source){.file = i, .lang = lang, .skipped = {"", 0}};
        if (settings_wants(files[i].path))
            err = take_settings(w, i, files[i].path);
        if (!err && manifests_wants(files[i].path))
            err = take_manifest(w, i, files[i].path);
    }
    return err;
}

/* ---- facts ---- */

static str
path_of(const struct worker *w, const struct source *source)
{
    uint32_t len;

    return tree_files(w->tree, &len)[source->file].path;
}

/* What is kept of a file: how large it is, then its facts. */
static void
take_cached(struct worker *w, struct source *source)
{
    uint32_t len;
    const struct tree_file *file = &tree_files(w->tree, &len)[source->file];
    uint32_t bytes;

    buf_reset(&w->scratch);
    if (!w->cfg->cached ||
        !w->cfg->cached(w->cfg->ctx, file->blob,
                        worker_facts_key(source->lang, file->path),
                        &w->scratch) ||
        w->scratch.len < sizeof(bytes))
        return;
    memcpy(&bytes, w->scratch.ptr, sizeof(bytes));
    if (facts_decode(&source->facts, str_cut(buf_str(&w->scratch),
                                             sizeof(bytes), w->scratch.len)) ==
        OK) {
        source->is_known = true;
        source->bytes = bytes;
    } else {
        facts_fini(&source->facts);
    }
}

static enum err
keep_facts(struct worker *w, const struct source *source, str packed)
{
    uint32_t len;
    const struct tree_file *file = &tree_files(w->tree, &len)[source->file];
    uint32_t bytes = (uint32_t)source->bytes;

    buf_reset(&w->scratch);
    buf_add(&w->scratch, (str){(const char *)file->blob, BLOB_ID_LEN});
    buf_add(&w->scratch, (str){(const char *)&bytes, sizeof(bytes)});
    buf_add(&w->scratch, packed);
    if (w->scratch.failed)
        return ERR_NOMEM;
    return frame_write(w->fd,
                       &(struct frame){
                           .kind = WORKER_FACTS,
                           .number = worker_facts_key(source->lang, file->path),
                           .payload = buf_str(&w->scratch),
                       });
}

static enum err
take_parsed(void *ctx, uint32_t job, str packed, uint64_t bytes, str skipped)
{
    struct worker *w = ctx;
    struct source *source = &w->sources[w->jobs[job]];
    enum err err = OK;

    source->bytes = bytes;
    if (skipped.len == 0) {
        err = facts_decode(&source->facts, packed);
        source->is_known = err == OK;
        if (err == ERR_CORRUPT)
            skipped = STR("its facts contradict themselves");
        else if (!err && w->cfg->cached)
            err = keep_facts(w, source, packed);
    }
    source->skipped = skipped;
    if (err && skipped.len == 0)
        return err;
    return tell(w, PHASE_PARSE, ++w->done, w->job_len);
}

static enum err
parse(struct worker *w)
{
    for (uint32_t i = 0; i < w->len; i++) {
        take_cached(w, &w->sources[i]);
        if (w->sources[i].is_known)
            continue;
        w->jobs[w->job_len] = i;
        w->asked[w->job_len++] =
            (struct parse_job){w->sources[i].file, w->sources[i].lang};
    }
    enum err err = tell(w, PHASE_PARSE, 0, w->job_len);
    if (!err && w->job_len)
        err = parsers_run(w->tree, w->asked, w->job_len, &w->cfg->parsers,
                          take_parsed, w);
    for (uint32_t i = 0; i < w->job_len; i++)
        w->build.parsed += w->sources[w->jobs[i]].is_known;
    return err;
}

/* ---- the graph ---- */

static enum err
add_files(struct worker *w)
{
    uint32_t len;
    const struct tree_file *files = tree_files(w->tree, &len);

    for (uint32_t i = 0; i < w->len; i++) {
        struct source *source = &w->sources[i];
        const struct tree_file *file = &files[source->file];
        struct build_file row = {
            .path = texts_add(&w->build.texts, file->path),
            .lang = (uint8_t)source->lang,
            .bytes = (uint32_t)source->bytes,
            /* Here, in the order of files: the parsers' is another each time.
             */
            .skipped = texts_add(&w->build.texts, source->skipped),
        };

        memcpy(row.blob, file->blob, BLOB_ID_LEN);
        if (!source->is_known) {
            enum err err = facts_init(&source->facts, source->lang);
            if (err)
                return err;
        }
        uint32_t flags = source->facts.flags;
        row.flags = (flags & FACTS_TEST ? CODE_TEST : 0) |
                    (flags & FACTS_GENERATED ? CODE_GENERATED : 0) |
                    (flags & FACTS_PARTIAL ? CODE_PARTIAL : 0);
        w->build.bytes += source->bytes;
        code_build_file(&w->build, &row);
        w->files[i] = (struct resolve_file){path_of(w, source), &source->facts};
    }
    return w->build.failed ? ERR_NOMEM : OK;
}

static bool
read_source(void *ctx, str path, struct buf *out)
{
    struct worker *w = ctx;

    for (uint32_t i = 0; i < w->len; i++)
        if (str_eq(w->files[i].path, path))
            return tree_read(w->tree, w->sources[i].file,
                             w->cfg->parsers.limits.max_bytes, out) == OK;
    return false;
}

/* What a compiler's indexer says goes before what we find. */
static enum err
take_scip(struct worker *w, struct resolver *resolver)
{
    struct resolve_scip_taken taken = {0};

    if (w->cfg->scip.len == 0)
        return OK;
    enum err err =
        resolver_scip(resolver, w->cfg->scip, read_source, w, &taken);
    if (err == ERR_CORRUPT)
        buf_printf(&w->why, "that is no SCIP index, or it is cut off");
    else if (!err && taken.documents == 0) {
        buf_printf(&w->why,
                   "the SCIP index has no document of this repository: its "
                   "paths must be those of the repository");
        err = ERR_INVALID;
    }
    return err;
}

static enum err
resolve(struct worker *w)
{
    struct resolve_settings settings;
    struct resolver *resolver = NULL;
    enum err err;

    if ((err = tell(w, PHASE_RESOLVE, 0, w->len)) || (err = add_files(w)) ||
        (err = settings_get(&w->settings, &settings)) ||
        (err = resolver_new(&resolver, w->files, w->len, &settings)) ||
        (err = take_scip(w, resolver)) ||
        (err = resolve_graph(resolver, &w->build, 1)) ||
        (err = tell(w, PHASE_ROUTES, 0, w->len)))
        goto out;
    if (!(err = routes_find(resolver, w->files, w->len, &w->settings.contexts,
                            &w->build)))
        err = says_find(resolver, w->files, w->len, &w->build);
    if (!err)
        err = written_find(resolver, w->files, w->len, &w->build);
out:
    resolver_free(resolver);
    return err;
}

/* ---- who wrote it ---- */

static enum err
read_history(struct worker *w)
{
    enum { SECONDS = 2 };
    const struct history_ask ask = {
        .commits_max = w->cfg->history_commits,
        .deadline_ns = clock_mono_ns() + SECONDS * NS_PER_S,
    };
    uint32_t len;
    enum err err = tell(w, PHASE_HISTORY, 0, w->cfg->history_commits);

    tree_files(w->tree, &len);
    uint32_t *file_of = calloc((size_t)len + 1, sizeof(*file_of));
    if (!file_of)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < w->len; i++)
        file_of[w->sources[i].file] = i + 1;
    if (!err)
        err = history_authors(w->tree, &ask, file_of, &w->build);
    free(file_of);
    return err;
}

/* ---- the whole ---- */

static enum err
name_it(struct worker *w)
{
    struct buf url = {0};

    code_repo_url(w->cfg->repo_url && *w->cfg->repo_url
                      ? str_of(w->cfg->repo_url)
                      : tree_name(w->tree),
                  &url);
    w->build.repo_url = texts_add(&w->build.texts, buf_str(&url));
    w->build.commit = texts_add(&w->build.texts, tree_commit(w->tree));
    w->build.commit_s = tree_commit_s(w->tree);
    bool failed = url.failed || w->build.texts.failed;
    buf_fini(&url);
    return failed ? ERR_NOMEM : OK;
}

static enum err
send_graph(struct worker *w)
{
    enum err err = tell(w, PHASE_STORE, 0, w->build.node_len);

    buf_reset(&w->scratch);
    if (err || (err = code_build_pack(&w->build, &w->scratch)))
        return err;
    return frame_write(w->fd, &(struct frame){.kind = WORKER_GRAPH,
                                              .payload = buf_str(&w->scratch)});
}

static enum err
tell_built(struct worker *w)
{
    struct frame frame = {.kind = WORKER_BUILT};

    frame.payload = tree_built(w->tree, &frame.number);
    return frame.number > 0 ? frame_write(w->fd, &frame) : OK;
}

static enum err
run(struct worker *w)
{
    const struct frame sandbox = {.kind = WORKER_SANDBOX,
                                  .number = w->cfg->sandbox};
    enum err err;

    if ((err = frame_write(w->fd, &sandbox)) ||
        (err = code_build_init(&w->build)) ||
        (err = settings_init(&w->settings)) ||
        (err = manifests_init(&w->manifests)) ||
        (err = tree_open(&w->tree, &w->cfg->tree, &w->why)) ||
        (err = name_it(w)) || (err = tell_built(w)) || (err = list(w)) ||
        (err = parse(w)) || (err = resolve(w)) ||
        (err = manifests_finish(&w->manifests, &w->build)))
        return err;
    if (w->cfg->history_commits && (err = read_history(w)))
        return err;
    return w->build.failed ? ERR_NOMEM : send_graph(w);
}

static void
fail(struct worker *w, enum err err)
{
    if (w->why.len == 0)
        buf_printf(&w->why, "%s",
                   err == ERR_NOMEM ? "not enough memory" : err_str(err));
    (void)frame_write(w->fd, &(struct frame){.kind = WORKER_FAILED,
                                             .number = (uint32_t)-err,
                                             .payload = buf_str(&w->why)});
}

enum err
worker_run(const struct worker_cfg *cfg, int fd)
{
    struct worker w = {.cfg = cfg, .fd = fd};
    enum err err = run(&w);

    if (err)
        fail(&w, err);
    for (uint32_t i = 0; i < w.len; i++)
        facts_fini(&w.sources[i].facts);
    free(w.sources);
    free(w.jobs);
    free(w.asked);
    free(w.files);
    settings_fini(&w.settings);
    manifests_fini(&w.manifests);
    code_build_fini(&w.build);
    tree_close(w.tree);
    buf_fini(&w.why);
    buf_fini(&w.scratch);
    return err;
}
