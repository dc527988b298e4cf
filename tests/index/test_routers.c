/*
 * Little applications, held against what the framework's own router says of
 * them (tests/index/routers/README.md).
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(go);
LINK_LANG(javascript);
LINK_LANG(php);
LINK_LANG(python);
LINK_LANG(ruby);
LINK_LANG(rust);

enum { LINES_MAX = 128 };

/* A case as it stands in the text, cut up in place. */
struct router_case {
    const char *name;
    struct route_file files[FIXTURE_FILES_MAX + 1];
    size_t file_len;
    char *lines[LINES_MAX];
    size_t line_len;
};

static char *
read_cases(const char *name)
{
    char path[128];
    char *text;

    (void)snprintf(path, sizeof(path), "tests/index/routers/%s.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t len = (size_t)ftell(file);
    rewind(file);
    text = malloc(len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, len, file), len);
    text[len] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

/* The line at |*rest|, cut off, with |*rest| behind it. */
static char *
next_line(char **rest)
{
    char *line = *rest;
    char *end = strchr(line, '\n');

    assert_non_null(end);
    *end = '\0';
    *rest = end + 1;
    return line;
}

/* The next `=== NAME` and all that is its own. */
static bool
next_case(char **rest, struct router_case *into)
{
    while (**rest && strncmp(*rest, "=== ", 4))
        (void)next_line(rest);
    if (!**rest)
        return false;
    *into = (struct router_case){.name = next_line(rest) + 4};
    while (!strncmp(*rest, "--- ", 4)) {
        assert_true(into->file_len < FIXTURE_FILES_MAX);
        struct route_file *file = &into->files[into->file_len++];
        file->path = next_line(rest) + 4;
        file->content = *rest;
        while (strncmp(*rest, "--- ", 4) && strncmp(*rest, "+++\n", 4))
            *rest = strchr(*rest, '\n') + 1;
        if (**rest == '-')
            (*rest)[-1] = '\0'; /* the last newline of the file */
    }
    (*rest)[-1] = '\0';
    assert_string_equal(next_line(rest), "+++");
    while (**rest && strncmp(*rest, "=== ", 4)) {
        char *line = next_line(rest);
        if (!*line)
            continue;
        assert_true(into->line_len < LINES_MAX);
        into->lines[into->line_len++] = line;
    }
    return true;
}

/* `GET /x/{} handler`, with `? ` before it where what is before is unknown. */
static void
say_row(const struct fixture *f, const struct build_route *row, struct buf *out)
{
    str path = fixture_text(f, row->canonical);
    bool has_slash = path.len > 0 && path.ptr[0] == '/';

    buf_reset(out);
    buf_printf(out, "%s%.*s %s%.*s %.*s",
               row->flags & ROUTE_PREFIX_UNKNOWN ? "? " : "",
               FIXTURE_STR(fixture_text(f, row->method)), has_slash ? "" : "/",
               FIXTURE_STR(path), FIXTURE_STR(fixture_name(f, row->handler)));
}

/* A handler of `*` is any. */
static bool
line_fits(const char *line, const char *said)
{
    size_t len = strlen(line);
    bool is_any = len > 1 && line[len - 1] == '*' && line[len - 2] == ' ';

    return is_any ? strncmp(line, said, len - 1) == 0 : strcmp(line, said) == 0;
}

/* Each row is of a line, each line but those not read has a row. */
static unsigned
check_case(const struct router_case *one)
{
    bool is_said[LINES_MAX] = {false};
    struct buf out = {0};
    struct fixture f;
    unsigned bad = 0;

    fixture_open(&f, one->files);
    assert_int_equal(fixture_find(&f), OK);
    for (uint32_t i = 0; i < f.build.route_len; i++) {
        bool fits = false;
        say_row(&f, &f.build.routes[i], &out);
        for (size_t k = 0; k < one->line_len && !fits; k++)
            if (line_fits(one->lines[k], buf_cstr(&out)))
                fits = is_said[k] = true;
        if (!fits) {
            print_error("%s: told, but not so: %s\n", one->name,
                        buf_cstr(&out));
            bad++;
        }
    }
    for (size_t k = 0; k < one->line_len; k++) {
        bool is_unread = strncmp(one->lines[k], "- ", 2) == 0;
        if (!is_unread && !is_said[k]) {
            print_error("%s: not told: %s\n", one->name, one->lines[k]);
            bad++;
        }
    }
    fixture_check(&f);
    fixture_close(&f);
    buf_fini(&out);
    return bad;
}

static void
check_router(const char *name)
{
    char *text = read_cases(name);
    char *rest = text;
    struct router_case one;
    unsigned cases = 0;
    unsigned bad = 0;

    for (; next_case(&rest, &one); cases++)
        bad += check_case(&one);
    free(text);
    assert_true(cases > 0);
    assert_int_equal(bad, 0);
}

#define ROUTER(name)                                     \
    static void routes_are_those_of_##name(void **state) \
    {                                                    \
        (void)state;                                     \
        check_router(#name);                             \
    }
ROUTER(aiohttp)
ROUTER(apiflask)
ROUTER(bottle)
ROUTER(chi)
ROUTER(django)
ROUTER(echo)
ROUTER(express)
ROUTER(elysia)
ROUTER(falcon)
ROUTER(fasthttp)
ROUTER(fastapi)
ROUTER(fastify)
ROUTER(flask)
ROUTER(folders)
ROUTER(gin)
ROUTER(gozero)
ROUTER(grape)
ROUTER(hapi)
ROUTER(hertz)
ROUTER(hono)
ROUTER(iris)
ROUTER(koa)
ROUTER(litestar)
ROUTER(ninja)
ROUTER(mux)
ROUTER(nestjs)
ROUTER(polka)
ROUTER(pyramid)
ROUTER(quart)
ROUTER(restify)
ROUTER(rust)
ROUTER(sanic)
ROUTER(routing_controllers)
ROUTER(servemux)
ROUTER(sinatra)
ROUTER(slim)
ROUTER(starlette)
ROUTER(tornado)
ROUTER(tsoa)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_those_of_aiohttp),
        cmocka_unit_test(routes_are_those_of_apiflask),
        cmocka_unit_test(routes_are_those_of_bottle),
        cmocka_unit_test(routes_are_those_of_chi),
        cmocka_unit_test(routes_are_those_of_django),
        cmocka_unit_test(routes_are_those_of_echo),
        cmocka_unit_test(routes_are_those_of_express),
        cmocka_unit_test(routes_are_those_of_elysia),
        cmocka_unit_test(routes_are_those_of_falcon),
        cmocka_unit_test(routes_are_those_of_fasthttp),
        cmocka_unit_test(routes_are_those_of_fastapi),
        cmocka_unit_test(routes_are_those_of_fastify),
        cmocka_unit_test(routes_are_those_of_flask),
        cmocka_unit_test(routes_are_those_of_folders),
        cmocka_unit_test(routes_are_those_of_gin),
        cmocka_unit_test(routes_are_those_of_gozero),
        cmocka_unit_test(routes_are_those_of_grape),
        cmocka_unit_test(routes_are_those_of_hapi),
        cmocka_unit_test(routes_are_those_of_hertz),
        cmocka_unit_test(routes_are_those_of_hono),
        cmocka_unit_test(routes_are_those_of_iris),
        cmocka_unit_test(routes_are_those_of_koa),
        cmocka_unit_test(routes_are_those_of_litestar),
        cmocka_unit_test(routes_are_those_of_ninja),
        cmocka_unit_test(routes_are_those_of_mux),
        cmocka_unit_test(routes_are_those_of_nestjs),
        cmocka_unit_test(routes_are_those_of_polka),
        cmocka_unit_test(routes_are_those_of_pyramid),
        cmocka_unit_test(routes_are_those_of_quart),
        cmocka_unit_test(routes_are_those_of_restify),
        cmocka_unit_test(routes_are_those_of_rust),
        cmocka_unit_test(routes_are_those_of_routing_controllers),
        cmocka_unit_test(routes_are_those_of_sanic),
        cmocka_unit_test(routes_are_those_of_servemux),
        cmocka_unit_test(routes_are_those_of_sinatra),
        cmocka_unit_test(routes_are_those_of_slim),
        cmocka_unit_test(routes_are_those_of_starlette),
        cmocka_unit_test(routes_are_those_of_tornado),
        cmocka_unit_test(routes_are_those_of_tsoa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
