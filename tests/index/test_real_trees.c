/*
 * The indexer over what people really wrote: a sample of the sources that the
 * machine has (tests/support/real_files.h), as they are, cut off, and with
 * bytes changed.  Neither a sanitizer nor a signal may end it, no file may take
 * long, and what was read must be good enough to be resolved.
 *
 * One seed is one process, that draws, reads and resolves its sample.  What it
 * is at stands in shared memory, so that whatever ends it, the file is told.
 *
 *     SEED=7 build/san/tests/index/test_real_trees    that sample again
 *     SIZE=nightly ...                                more and larger ones
 *     REAL_SHOW=1 ...                                 each file as it is read
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "index/manifest.h"
#include "index/routes_find.h"
#include "index/says.h"
#include "index/settings.h"
#include "index/written.h"
#include "tests/support/real_files.h"
#include "tests/support/size.h"

enum {
    FILE_SECONDS = 10, /* of processor, with sanitizers */
    RESOLVE_SECONDS = 60,
    NEIGHBOURS = 3, /* of one folder, which import each other */
    CASES_MAX = 16384,
};

#define PARSE_NS (UINT64_C(5) * NS_PER_S)

enum damage { WHOLE, CUT, BENT, DAMAGE_END };
static const char *const damages[DAMAGE_END] = {"whole", "cut", "bent"};

struct sample {
    const struct real_files *all;
    uint64_t seed;
    uint64_t random;
    char *at; /* shared: what it is doing, for who finds it dead */
    bool shows;
    struct facts facts[CASES_MAX];
    char *paths[CASES_MAX];
    struct resolve_file files[CASES_MAX];
    uint32_t len;
    uint32_t given_up;
    struct settings settings;
    struct manifests manifests;
    struct code_build build;
};

enum { AT_MAX = 1024 };

static uint32_t
roll(struct sample *s, size_t n)
{
    return (uint32_t)(size_roll(&s->random) % n);
}

/* ---- what ends it ---- */

static void
allow(struct sample *s, rlim_t seconds, const char *what)
{
    struct rusage used;
    struct rlimit limit;

    (void)snprintf(s->at, AT_MAX, "%s", what);
    if (s->shows)
        fprintf(stderr, "%s\n", what);
    (void)getrusage(RUSAGE_SELF, &used);
    (void)getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec +
                     (rlim_t)used.ru_stime.tv_sec + 1 + seconds;
    (void)setrlimit(RLIMIT_CPU, &limit);
}

static void
require(const struct sample *s, bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", s->at, what);
    abort();
}

/* ---- damage ---- */

static void
change_byte(struct sample *s, struct buf *text)
{
    static const char marks[] = "(){}[]<>\"'`#:;,=\\/*@$&|%!?-+.\n\t \0\xff";
    uint32_t at = roll(s, text->len);

    switch (roll(s, 4)) {
    case 0:
        text->ptr[at] = (char)roll(s, 256);
        break;
    case 1:
        text->ptr[at] = marks[roll(s, sizeof(marks) - 1)];
        break;
    case 2: /* a part of it again, elsewhere */
    {
        size_t from = roll(s, text->len);
        size_t longest = text->len - (from > at ? from : at);
        memmove(text->ptr + at, text->ptr + from,
                roll(s, longest < 200 ? longest + 1 : 200));
        break;
    }
    default: /* a part of it is gone */
    {
        size_t len = roll(s, text->len - at < 60 ? text->len - at : 60);
        memmove(text->ptr + at, text->ptr + at + len, text->len - at - len);
        text->len -= len;
    }
    }
}

static void
damage(struct sample *s, enum damage how, struct buf *text)
{
    if (how == CUT && text->len)
        text->len = roll(s, text->len);
    for (uint32_t i = how == BENT ? 1 + roll(s, 20) : 0; i && text->len; i--)
        change_byte(s, text);
}

/* ---- one file ---- */

/* Recovering from what is no such language may take a grammar for ever, and
 * then the file is skipped and told.  That is for damaged ones; what the
 * extractor does with the tree is never that slow. */
static bool
is_given_up(struct sample *s, bool is_real, enum err err)
{
    if (err != ERR_CANCELLED || is_real)
        return false;
    print_message("skipped, parsing takes too long: %s\n", s->at);
    s->given_up++;
    return true;
}

static void
read_source(struct sample *s, const struct lang *lang, str path, str content,
            enum damage how)
{
    bool is_real = how == WHOLE && lang_of_path(path, (str){"", 0}) == lang;
    const struct lang_limits limits = {
        .timeout_ns = is_real ? PARSE_NS : PARSE_NS / 5,
        .max_bytes = lang_limits_default.max_bytes,
    };
    struct facts read;
    struct buf packed = {0};

    if (lang_is_minified(content))
        return;
    enum err err = lang_facts(lang, path, content, &limits, &read);
    if (is_given_up(s, is_real, err)) {
        facts_fini(&read);
        return;
    }
    require(s, err == OK, err_str(err));
    require(s, facts_encode(&read, &packed) == OK, "its facts do not pack");
    facts_fini(&read);
    require(s, facts_decode(&s->facts[s->len], buf_str(&packed)) == OK,
            "its facts contradict themselves");
    buf_fini(&packed);
    s->paths[s->len] = strndup(path.ptr, path.len);
    s->files[s->len] =
        (struct resolve_file){str_of(s->paths[s->len]), &s->facts[s->len]};
    s->len++;
}

/* What is malformed says nothing, which is no failure. */
static void
read_setting(struct sample *s, str path, str content)
{
    if (settings_wants(path))
        require(s, settings_take(&s->settings, path, content) != ERR_NOMEM,
                "no memory");
    if (manifests_wants(path))
        require(s, manifests_take(&s->manifests, path, content) != ERR_NOMEM,
                "no memory");
}

static void
take_file(struct sample *s, const struct lang *lang, const char *path,
          enum damage how, uint32_t turn)
{
    struct buf content = {0};
    struct buf name = {0};
    struct buf what = {0};

    real_files_read(path, &content);
    damage(s, how, &content);
    /* Settings stand above the sources of the same folder. */
    buf_printf(&name, "%s", damages[how]);
    if (how != WHOLE)
        buf_printf(&name, "%u", turn);
    buf_printf(&name, "/%s", path + (path[0] == '/'));
    buf_printf(&what, "SEED=%llu, %s %s%s%s", (unsigned long long)s->seed, path,
               damages[how], lang ? ", as " : "", lang ? lang->name : "");
    allow(s, FILE_SECONDS, buf_cstr(&what));
    if (lang)
        read_source(s, lang, buf_str(&name), buf_str(&content), how);
    else
        read_setting(s, buf_str(&name), buf_str(&content));
    buf_fini(&content);
    buf_fini(&name);
    buf_fini(&what);
}

/* ---- one sample ---- */

/* Of a language that the machine has little of, the nearest is read as if it
 * were that: all that a hostile file can say is allowed, too. */
static const struct real_list *
list_of(const struct sample *s, enum lang_id lang, uint32_t turn)
{
    static const enum lang_id near[LANG_END] = {
        [LANG_GO] = LANG_C,           [LANG_TYPESCRIPT] = LANG_JAVASCRIPT,
        [LANG_TSX] = LANG_JAVASCRIPT, [LANG_JAVA] = LANG_TYPESCRIPT,
        [LANG_CSHARP] = LANG_JAVA,    [LANG_KOTLIN] = LANG_JAVA,
        [LANG_RUBY] = LANG_PYTHON,    [LANG_PHP] = LANG_JAVASCRIPT,
        [LANG_RUST] = LANG_C,         [LANG_CPP] = LANG_C,
        [LANG_THRIFT] = LANG_PROTO,
    };
    enum { FEW = 100 };
    const struct real_list *own = &s->all->of[lang];

    if (near[lang] && (own->len == 0 || (own->len < FEW && turn % 2)))
        return &s->all->of[near[lang]];
    return own;
}

static void
draw_lang(struct sample *s, enum lang_id id, uint32_t turns)
{
    const struct lang *lang = id ? lang_get(id) : NULL;

    for (uint32_t turn = 0; turn < turns; turn++) {
        const struct real_list *list = list_of(s, id, turn);
        if (list->len == 0)
            return;
        size_t from = roll(s, list->len);
        for (size_t i = from; i < from + NEIGHBOURS && i < list->len; i++)
            for (int how = 0; how < DAMAGE_END; how++)
                if (s->len < CASES_MAX)
                    take_file(s, lang, list->paths[i], (enum damage)how, turn);
    }
}

static int
compare_files(const void *a, const void *b)
{
    const struct resolve_file *x = a;
    const struct resolve_file *y = b;

    return str_order(x->path, y->path);
}

/* As the worker gets them from a tree: by path, each once. */
static uint32_t
order_files(struct sample *s)
{
    uint32_t len = 0;

    qsort(s->files, s->len, sizeof(*s->files), compare_files);
    for (uint32_t i = 0; i < s->len; i++)
        if (len == 0 || !str_eq(s->files[i].path, s->files[len - 1].path))
            s->files[len++] = s->files[i];
    return len;
}

static void
resolve(struct sample *s)
{
    struct resolve_settings settings;
    struct resolver *resolver;
    struct buf packed = {0};
    struct code_build again;
    char what[80];

    (void)snprintf(what, sizeof(what), "SEED=%llu, resolving all its files",
                   (unsigned long long)s->seed);
    allow(s, RESOLVE_SECONDS, what);
    uint32_t len = order_files(s);
    for (uint32_t i = 0; i < len; i++)
        code_build_file(
            &s->build, &(struct build_file){
                           .path = texts_add(&s->build.texts, s->files[i].path),
                           .lang = s->files[i].facts->lang,
                       });
    require(s, settings_get(&s->settings, &settings) == OK, "settings");
    require(s,
            resolver_new(&resolver, s->files, len, &settings) == OK &&
                resolve_graph(resolver, &s->build, 1) == OK,
            "not resolved");
    require(s,
            routes_find(resolver, s->files, len, &s->settings.contexts,
                        &s->build) == OK,
            "no routes");
    require(s,
            says_find(resolver, s->files, len, &s->build) == OK &&
                written_find(resolver, s->files, len, &s->build) == OK,
            "no words");
    require(s, manifests_finish(&s->manifests, &s->build) == OK, "no services");
    require(s,
            code_build_pack(&s->build, &packed) == OK &&
                code_build_unpack(&again, buf_str(&packed)) == OK,
            "the graph contradicts itself");
    code_build_fini(&again);
    buf_fini(&packed);
    resolver_free(resolver);
}

static void
run(struct sample *s)
{
    const uint32_t turns = (uint32_t)size_of(50, 110, 110);

    require(s,
            code_build_init(&s->build) == OK &&
                settings_init(&s->settings) == OK &&
                manifests_init(&s->manifests) == OK,
            "no memory");
    for (int lang = 0; lang < LANG_END; lang++)
        draw_lang(s, (enum lang_id)lang, turns);
    require(s, s->given_up <= s->len / 100, "too many are not read in time");
    resolve(s);
    settings_fini(&s->settings);
    manifests_fini(&s->manifests);
    code_build_fini(&s->build);
    for (uint32_t i = 0; i < s->len; i++) {
        free(s->paths[i]);
        facts_fini(&s->facts[i]);
    }
}

/* ---- all of them ---- */

static void
run_apart(const struct real_files *all, uint64_t seed, char *at)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct sample *s = calloc(1, sizeof(*s));
        if (!s)
            _exit(1);
        s->all = all;
        s->seed = s->random = seed;
        s->at = at;
        s->shows = getenv("REAL_SHOW") != NULL;
        run(s);
        uint32_t files = s->len;
        free(s);
        (void)snprintf(at, AT_MAX, "SEED=%llu, at its end (%u files)",
                       (unsigned long long)seed, files);
        /* What leaked is told by exit. */
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("%s: %s", at, strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        fail_msg("%s: exit code %d", at, WEXITSTATUS(status));
}

static void
real_sources_whole_and_damaged_are_read_and_resolved(void **state)
{
    const struct seeds seeds = size_seeds(1, 20, 200);
    static struct real_files all; /* no leak where the test fails */
    char *at = mmap(NULL, AT_MAX, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(at != MAP_FAILED);
    real_files_find(&all, size_of(64, 256, 1024) << 10);
    for (int lang = 0; lang < LANG_END; lang++)
        print_message("%s: %zu files\n",
                      lang ? lang_get((enum lang_id)lang)->name : "settings",
                      all.of[lang].len);
    assert_true(all.of[LANG_C].len > 100);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        run_apart(&all, seed, at);
    real_files_fini(&all);
    (void)munmap(at, AT_MAX);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_sources_whole_and_damaged_are_read_and_resolved),
    };

    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
