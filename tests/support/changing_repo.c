#include "tests/support/changing_repo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dir.h"
#include "tests/support/git_sh.h"
#include "tests/support/size.h"

static const char *const endings[3] = {"go", "py", "ts"};
static const char *const folders[REPO_FOLDERS] = {"", "core/", "core/api/",
                                                  "web/"};

void
repo_sh(const struct changing_repo *w, const char *what)
{
    git_sh(w->repo, w->dir, what);
}

int
changing_repo_setup(void **state)
{
    struct changing_repo *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    dir_make(w->dir);
    (void)snprintf(w->repo, sizeof(w->repo), "%s/repo", w->dir);
    assert_int_equal(mkdir(w->repo, 0755), 0);
    repo_sh(
        w,
        "git init -q . && mkdir -p core/api web && echo 'module example.com/m'"
        " >go.mod && echo '* @all' >CODEOWNERS && echo '{\"name\":\"web\"}' "
        ">web/package.json");
    *state = w;
    return 0;
}

int
changing_repo_teardown(void **state)
{
    struct changing_repo *w = *state;

    dir_remove(w->dir);
    free(w);
    return 0;
}

uint32_t
repo_roll(struct changing_repo *w, uint32_t n)
{
    return (uint32_t)(size_roll(&w->random) % n);
}

/* Three draws in this order: arguments of one call are evaluated in any. */
struct draw {
    uint32_t a, b, c;
};

static struct draw
draw(struct changing_repo *w, uint32_t a, uint32_t b, uint32_t c)
{
    struct draw out;

    out.a = repo_roll(w, a);
    out.b = repo_roll(w, b);
    out.c = repo_roll(w, c);
    return out;
}

static void
write_go(struct changing_repo *w, FILE *f, int folder, int name)
{
    static const char *const packages[REPO_FOLDERS] = {"main", "core", "api",
                                                       "web"};

    (void)fprintf(
        f, "package %s\nimport (\"net/http\"; c \"example.com/m/core\")\n",
        packages[folder]);
    (void)fprintf(f, "type T%d struct{ next *T%u }\n", name,
                  repo_roll(w, REPO_NAMES));
    struct draw d = draw(w, 3, 3, REPO_NAMES);
    (void)fprintf(f, "func (t *T%d) M%u() { t.next.M%u(); F%u() }\n", name, d.a,
                  d.b, d.c);
    for (uint32_t i = repo_roll(w, 4); i > 0; i--) {
        d = draw(w, REPO_NAMES, REPO_NAMES, REPO_NAMES);
        (void)fprintf(f, "func F%u() { F%u(); c.F%u(); G%u() }\n", d.a, d.b,
                      d.c, i);
    }
    if (repo_roll(w, 3) == 0) {
        d = draw(w, 20, REPO_NAMES, 1);
        (void)fprintf(f, "func init() { http.HandleFunc(\"/r%u\", F%u) }\n",
                      d.a, d.b);
    }
}

static void
write_python(struct changing_repo *w, FILE *f, int folder, int name)
{
    struct draw d = draw(w, REPO_NAMES, 4, REPO_NAMES);

    (void)folder;
    (void)fprintf(f, "from core.f%u import g%u as h\nfrom . import f%u\n", d.a,
                  d.b, d.c);
    (void)fprintf(f, "import flask\napp = flask.Flask(__name__)\n");
    (void)fprintf(f,
                  "class C%d:\n    def m(self):\n        self.n()\n"
                  "        h()\n        g%u()\n    def n(self): pass\n",
                  name, repo_roll(w, 4));
    for (uint32_t i = repo_roll(w, 4); i > 0; i--) {
        d = draw(w, 20, 4, REPO_NAMES);
        (void)fprintf(f,
                      "@app.route('/p%u')\ndef g%u():\n    C%d().m()\n"
                      "    f%u.g%u()\n",
                      d.a, d.b, name, d.c, repo_roll(w, 4));
    }
}

static void
write_typescript(struct changing_repo *w, FILE *f, int folder, int name)
{
    struct draw d = draw(w, 4, REPO_NAMES, REPO_NAMES);

    (void)folder;
    (void)fprintf(f, "import { k%u, K%u } from '../core/f%u';\n", d.a, d.b,
                  d.c);
    (void)fprintf(f, "export * from './f%u';\n", repo_roll(w, REPO_NAMES));
    (void)fprintf(f, "export class K%d { a() { this.b(); k%u(); } b() {} }\n",
                  name, repo_roll(w, 4));
    for (uint32_t i = repo_roll(w, 4); i > 0; i--) {
        d = draw(w, 4, 4, 1);
        (void)fprintf(f, "export function k%u() { new K%d().a(); k%u(); }\n",
                      d.a, name, d.b);
    }
}

static void
path_of(const struct changing_repo *w, int lang, int folder, int name,
        char *out, size_t cap)
{
    (void)snprintf(out, cap, "%s/%sf%d.%s", w->repo, folders[folder], name,
                   endings[lang]);
}

void
repo_write_file(struct changing_repo *w, int lang, int folder, int name)
{
    char path[160];

    path_of(w, lang, folder, name, path, sizeof(path));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    if (lang == 0)
        write_go(w, f, folder, name);
    else if (lang == 1)
        write_python(w, f, folder, name);
    else
        write_typescript(w, f, folder, name);
    if (repo_roll(w, 20) == 0)
        (void)fprintf(f, "}}} ((( not %c source", 1 + (int)repo_roll(w, 250));
    assert_int_equal(fclose(f), 0);
    w->is_there[lang][folder][name] = true;
}

static void
change_one(struct changing_repo *w)
{
    char from[160];
    char to[160];
    int lang = (int)repo_roll(w, 3);
    int folder = (int)repo_roll(w, REPO_FOLDERS);
    int name = (int)repo_roll(w, REPO_NAMES);
    int other_folder = (int)repo_roll(w, REPO_FOLDERS);
    int other = (int)repo_roll(w, REPO_NAMES);

    if (!w->is_there[lang][folder][name] || repo_roll(w, 2) == 0) {
        repo_write_file(w, lang, folder, name);
        return;
    }
    path_of(w, lang, folder, name, from, sizeof(from));
    path_of(w, lang, other_folder, other, to, sizeof(to));
    w->is_there[lang][folder][name] = false;
    if (repo_roll(w, 2)) {
        assert_int_equal(unlink(from), 0);
        return;
    }
    assert_int_equal(rename(from, to), 0);
    w->is_there[lang][other_folder][other] = true;
}

void
repo_commit_changes(struct changing_repo *w, uint32_t changes)
{
    for (uint32_t i = 0; i < changes; i++)
        change_one(w);
    repo_sh(w, "git add -A . && git commit -q --allow-empty -m change");
}
