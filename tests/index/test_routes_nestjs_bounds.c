/*
 * How much of NestJS's lists, versions and applications is held, and what is
 * told of a route past that: that it is there, not what is before it.
 */
#include "index/visit.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

enum { TEXTS_MAX = 40 };

/* Files that are written as the test goes. */
struct written {
    struct route_file files[TEXTS_MAX + 1];
    struct buf texts[2 * TEXTS_MAX];
    unsigned len;
    struct buf expected;
};

static struct buf *
file(struct written *w, const char *path)
{
    struct buf *texts = &w->texts[2 * w->len];

    assert_true(w->len < TEXTS_MAX);
    buf_add(&texts[0], str_of(path));
    w->len++;
    return &texts[1];
}

static struct buf *
app_file(struct written *w, unsigned app, const char *path)
{
    struct buf *texts = &w->texts[2 * w->len];

    buf_printf(&texts[0], "apps/a%u/src/", app);
    return file(w, path);
}

static void
assert_written(struct written *w)
{
    for (unsigned i = 0; i < w->len; i++)
        w->files[i] = (struct route_file){buf_cstr(&w->texts[2 * i]),
                                          buf_cstr(&w->texts[2 * i + 1])};
    w->files[w->len] = (struct route_file){NULL, NULL};
    assert_routes(w->files, buf_cstr(&w->expected));
    for (unsigned i = 0; i < 2 * w->len; i++)
        buf_fini(&w->texts[i]);
    buf_fini(&w->expected);
}

#define COMMON                                                           \
    "import { Controller, Get, Version, Module, applyDecorators } from " \
    "'@nestjs/common';\n"

/* `'n0', 'n1', ...` */
static void
add_names(struct buf *text, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buf_printf(text, "%s'%s%u'", i ? ", " : "", name, i);
}

static void
add_main(struct buf *text, const char *calls)
{
    buf_printf(text,
               "import { NestFactory } from '@nestjs/core';\n"
               "import { App } from './app';\n"
               "const app = await NestFactory.create(App);\n%s",
               calls);
}

/* ---- lists ---- */

static void
assert_versions(unsigned count)
{
    struct written w = {.len = 0};

    add_main(file(&w, "src/main.ts"), "app.enableVersioning();\n");
    struct buf *text = file(&w, "src/c.ts");
    buf_add(text, STR(COMMON "@Controller('c')\nexport class C {\n@Version(["));
    add_names(text, "", count);
    buf_add(text, STR("]) @Get('x') show() {}\n}\n"));
    for (unsigned i = 0; i < count; i++)
        buf_printf(&w.expected,
                   "GET /v%u/c/x -> /v%u/c/x nestjs show src/c.ts:4\n", i, i);
    assert_written(&w);
}

static void
all_versions_of_a_list_are_told(void **state)
{
    (void)state;
    assert_versions(8);
    assert_versions(9);
    assert_versions(VISIT_LIST_MAX);
}

/* The last of |count| exclusions is of the route /last. */
static void
assert_excluded(unsigned count, bool is_known)
{
    struct written w = {.len = 0};
    struct buf calls = {0};

    buf_add(&calls, STR("const OUT = ["));
    add_names(&calls, "n", count - 1);
    buf_add(&calls, STR(", 'c/last'];\n"
                        "app.setGlobalPrefix('api', { exclude: OUT });\n"));
    add_main(file(&w, "src/main.ts"), buf_cstr(&calls));
    buf_add(file(&w, "src/c.ts"),
            STR(COMMON "@Controller('c')\nexport class C {\n"
                       "@Get('last') last() {}\n@Get('in') in() {}\n}\n"));
    bool is_held = count <= VISIT_LIST_MAX;
    buf_printf(&w.expected,
               "GET /c/last -> /c/last nestjs last src/c.ts:4%s\n"
               "GET %s/c/in -> %s/c/in nestjs in src/c.ts:5%s\n",
               is_held ? "" : " tail", is_known ? "/api" : "",
               is_known ? "/api" : "", is_known ? "" : " tail");
    assert_written(&w);
    buf_fini(&calls);
}

static void
what_a_long_list_excludes_is_not_known(void **state)
{
    (void)state;
    assert_excluded(32, true);
    assert_excluded(33, true);
    assert_excluded(VISIT_LIST_MAX - 1, true);
    assert_excluded(VISIT_LIST_MAX, false);
    assert_excluded(VISIT_LIST_MAX + 1, false);
}

/* ---- applications that share a controller ---- */

/* |count| applications, of which the last |plain| have no versions. */
static void
add_apps(struct written *w, unsigned count, unsigned plain)
{
    for (unsigned i = 0; i < count; i++) {
        struct buf calls = {0};
        buf_printf(&calls, "app.setGlobalPrefix('a%u');\n", i);
        if (i + plain < count)
            buf_add(&calls, STR("app.enableVersioning();\n"));
        add_main(app_file(w, i, "main.ts"), buf_cstr(&calls));
        buf_add(app_file(w, i, "app.ts"),
                STR(COMMON "import { C } from '../../../libs/c';\n"
                           "@Module({ controllers: [C] })\n"
                           "export class App {}\n"));
        buf_fini(&calls);
    }
}

static void
assert_apps(unsigned count, bool is_known)
{
    struct written w = {.len = 0};

    add_apps(&w, count, 0);
    buf_add(file(&w, "libs/c.ts"),
            STR(COMMON "@Controller('c')\nexport class C {\n"
                       "@Get('x') show() {}\n}\n"));
    for (unsigned i = 0; is_known && i < count; i++)
        buf_printf(&w.expected,
                   "GET /a%u/c/x -> /a%u/c/x nestjs show libs/c.ts:4\n", i, i);
    if (!is_known)
        buf_add(&w.expected,
                STR("GET /x -> /x nestjs show libs/c.ts:4 tail\n"));
    assert_written(&w);
}

static void
a_controller_of_too_many_applications_is_somewhere(void **state)
{
    (void)state;
    assert_apps(16, true);
    assert_apps(17, false);
}

/* 64 versions in each of four applications are 256 ways. */
static void
assert_ways(unsigned plain, bool is_known)
{
    enum { VERSIONED = 4 };
    struct written w = {.len = 0};

    add_apps(&w, VERSIONED + plain, plain);
    struct buf *text = file(&w, "libs/c.ts");
    buf_add(text, STR(COMMON "@Controller('c')\nexport class C {\n@Version(["));
    add_names(text, "", VISIT_LIST_MAX);
    buf_add(text, STR("]) @Get('x') show() {}\n@Get('y') other() {}\n}\n"));
    for (unsigned i = 0; is_known && i < VERSIONED; i++)
        for (unsigned v = 0; v < VISIT_LIST_MAX; v++)
            buf_printf(&w.expected,
                       "GET /a%u/v%u/c/x -> /a%u/v%u/c/x nestjs show "
                       "libs/c.ts:4\n",
                       i, v, i, v);
    if (!is_known)
        buf_add(&w.expected,
                STR("GET /x -> /x nestjs show libs/c.ts:4 tail\n"));
    for (unsigned i = 0; i < VERSIONED + plain; i++)
        buf_printf(&w.expected,
                   "GET /a%u/c/y -> /a%u/c/y nestjs other libs/c.ts:5\n", i, i);
    assert_written(&w);
}

/* Two paths with 128 ways each are as many as one with 256. */
static void
assert_ways_of_paths(unsigned paths, bool is_known)
{
    struct written w = {.len = 0};

    add_apps(&w, 2, 0);
    struct buf *text = file(&w, "libs/c.ts");
    buf_add(text, STR(COMMON "@Controller('c')\nexport class C {\n@Version(["));
    add_names(text, "", VISIT_LIST_MAX);
    buf_add(text, STR("]) @Get(["));
    add_names(text, "x", paths);
    buf_add(text, STR("]) show() {}\n}\n"));
    for (unsigned x = 0; x < paths; x++) {
        for (unsigned i = 0; is_known && i < 2; i++)
            for (unsigned v = 0; v < VISIT_LIST_MAX; v++)
                buf_printf(&w.expected,
                           "GET /a%u/v%u/c/x%u -> /a%u/v%u/c/x%u nestjs show "
                           "libs/c.ts:4\n",
                           i, v, x, i, v, x);
        if (!is_known)
            buf_printf(&w.expected,
                       "GET /x%u -> /x%u nestjs show libs/c.ts:4 tail\n", x, x);
    }
    assert_written(&w);
}

static void
a_method_with_too_many_ways_is_somewhere(void **state)
{
    (void)state;
    assert_ways(0, true);
    assert_ways(1, false);
    assert_ways_of_paths(2, true);
    assert_ways_of_paths(3, false);
}

/* ---- lists of modules in each other ---- */

/* Entries of [A x 64], where A is [X x 64]; and of A and X in a list. */
enum { STEPS_A = 1 + VISIT_LIST_MAX, STEPS_B = 1 + VISIT_LIST_MAX * STEPS_A };

static void
add_times(struct buf *text, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buf_printf(text, "%s,", name);
}

/* Modules whose imports have |steps| entries in all. */
static void
add_imports(struct buf *text, unsigned steps)
{
    unsigned nth = 0;

    for (; steps > 0; nth++) {
        unsigned room = VISIT_LIST_MAX - 1;
        unsigned left = steps - 2; /* the list, the next module */
        unsigned b = left / STEPS_B < room ? left / STEPS_B : room;
        left -= b * STEPS_B;
        unsigned a = left / STEPS_A < room - b ? left / STEPS_A : room - b;
        left -= a * STEPS_A;
        unsigned x = left < room - b - a ? left : room - b - a;
        left -= x;
        buf_printf(text, "@Module({ imports: [M%u,", nth + 1);
        add_times(text, "B", b);
        add_times(text, "A", a);
        add_times(text, "X", x);
        buf_printf(text, "] })\nexport class M%u {}\n", nth);
        assert_int_not_equal(left, 1);
        steps = left;
    }
    buf_printf(text, "export class M%u {}\n", nth);
}

static void
assert_steps(unsigned steps, bool is_known)
{
    struct written w = {.len = 0};
    struct buf *text = file(&w, "src/app.ts");

    buf_add(text, STR(COMMON "@Controller('c')\n"
                             "class C { @Get('x') show() {} }\n"
                             "class X {}\nconst A = ["));
    add_times(text, "X", VISIT_LIST_MAX);
    buf_add(text, STR("];\nconst B = ["));
    add_times(text, "A", VISIT_LIST_MAX);
    buf_add(text, STR("];\n"));
    add_imports(text, steps - 4);
    /* Four more: two lists of one. */
    buf_add(text, STR("@Module({ imports: [M0], controllers: [C] })\n"
                      "export class App {}\n"));
    add_main(file(&w, "src/main.ts"), "app.setGlobalPrefix('api');\n");
    buf_printf(&w.expected, "GET %s/c/x -> %s/c/x nestjs show src/app.ts:3%s\n",
               is_known ? "/api" : "", is_known ? "/api" : "",
               is_known ? "" : " tail");
    assert_written(&w);
}

static void
of_too_many_modules_it_is_not_known_which_are_of_whom(void **state)
{
    enum { STEPS_MAX = 1 << 20 };

    (void)state;
    assert_steps(STEPS_MAX - 1, true);
    assert_steps(STEPS_MAX, false);
}

/* ---- decorators that functions give ---- */

static void
assert_made(unsigned others, bool is_told)
{
    struct written w = {.len = 0};
    struct buf *text = file(&w, "src/c.ts");

    buf_add(text, STR(COMMON "const Made = () => applyDecorators("));
    add_times(text, "Other()", others);
    buf_add(text, STR("Get('x'));\n@Controller('c')\nexport class C {\n"
                      "@Made() show() {}\n}\n"));
    if (is_told)
        buf_add(&w.expected, STR("GET /c/x -> /c/x nestjs show src/c.ts:5\n"));
    assert_written(&w);
}

/* The call that gives them is looked at, too. */
static void
decorators_that_are_given_are_looked_at_up_to_a_bound(void **state)
{
    (void)state;
    assert_made(62, true);
    assert_made(63, false);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions_of_a_list_are_told),
        cmocka_unit_test(what_a_long_list_excludes_is_not_known),
        cmocka_unit_test(a_controller_of_too_many_applications_is_somewhere),
        cmocka_unit_test(a_method_with_too_many_ways_is_somewhere),
        cmocka_unit_test(of_too_many_modules_it_is_not_known_which_are_of_whom),
        cmocka_unit_test(decorators_that_are_given_are_looked_at_up_to_a_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
