/*
 * Files of routes, and what their framework itself made of them
 * (tests/index/recorded/README.md): method, path in canonical form and handler
 * must be the same, none more, none less.
 */
#include "tests/index/routes_fixture.h"

#include "graph/routes.h"

LINK_LANG(ruby);
LINK_LANG(php);
LINK_LANG(java);
LINK_LANG(kotlin);
LINK_LANG(javascript);
LINK_LANG(python);

enum { ROUTES_MAX = 1024, TEXT_MAX = 256 * 1024 };

/* A text of recorded/, cut into its files; |routes| is its last part. */
struct recorded {
    char text[TEXT_MAX];
    struct route_file files[FIXTURE_FILES_MAX + 1];
    char *routes;
};

struct table {
    char *lines[ROUTES_MAX];
    size_t len;
};

static void
recorded_read(struct recorded *r, const char *name)
{
    char path[256];
    size_t files = 0;

    *r = (struct recorded){0};
    (void)snprintf(path, sizeof(path), "tests/index/recorded/%s.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t len = fread(r->text, 1, sizeof(r->text) - 1, file);
    assert_true(feof(file) && len > 0);
    assert_int_equal(fclose(file), 0);
    for (char *at = r->text; at;) {
        assert_memory_equal(at, "=== ", 4);
        char *line = strchr(at, '\n');
        char *next = strstr(at + 4, "\n=== ");
        assert_non_null(line);
        *line = '\0';
        if (next)
            *next++ = '\0';
        if (strcmp(at + 4, "routes") == 0) {
            r->routes = line + 1;
        } else {
            assert_true(files < FIXTURE_FILES_MAX);
            r->files[files++] = (struct route_file){at + 4, line + 1};
        }
        at = next;
    }
    assert_non_null(r->routes);
}

static void
table_add(struct table *table, const char *line)
{
    for (size_t i = 0; i < table->len; i++)
        if (strcmp(table->lines[i], line) == 0)
            return;
    assert_true(table->len < ROUTES_MAX);
    table->lines[table->len] = strdup(line);
    assert_non_null(table->lines[table->len++]);
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
table_print(struct table *table, struct buf *out)
{
    qsort(table->lines, table->len, sizeof(table->lines[0]), by_text);
    for (size_t i = 0; i < table->len; i++) {
        buf_printf(out, "%s\n", table->lines[i]);
        free(table->lines[i]);
    }
}

/* `METHOD PATH HANDLER`, each in the forms that its path has. */
static void
print_recorded(const struct recorded *r, struct buf *out)
{
    struct table table = {.len = 0};
    char *save = NULL;

    for (char *line = strtok_r(r->routes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *path = strchr(line, ' ');
        char *handler = strrchr(line, ' ');
        assert_true(path && handler > path);
        for (unsigned v = 0; v < 2; v++) {
            struct buf whole = {0};
            buf_add(&whole, (str){line, (size_t)(path - line) + 1});
            if (route_canonical((str){path + 1, (size_t)(handler - path) - 1},
                                v, &whole)) {
                buf_add(&whole, str_of(handler));
                table_add(&table, buf_cstr(&whole));
            }
            buf_fini(&whole);
        }
    }
    table_print(&table, out);
}

static void
print_found(const struct fixture *f, struct buf *out)
{
    struct table table = {.len = 0};

    for (uint32_t i = 0; i < f->build.route_len; i++) {
        const struct build_route *row = &f->build.routes[i];
        const struct build_node *node = &f->build.nodes[row->handler];
        struct buf line = {0};
        assert_int_equal(row->flags, 0);
        buf_printf(&line, "%.*s %.*s ",
                   FIXTURE_STR(fixture_text(f, row->method)),
                   FIXTURE_STR(fixture_text(f, row->canonical)));
        str name = fixture_name(f, row->handler);
        if (row->handler == 0 || str_eq(name, STR("lambda")))
            buf_printf(&line, "-");
        else
            buf_printf(
                &line, "%.*s#%.*s",
                FIXTURE_STR(fixture_text(f, f->build.files[node->file].path)),
                FIXTURE_STR(name));
        table_add(&table, buf_cstr(&line));
        buf_fini(&line);
    }
    table_print(&table, out);
}

static void
assert_as_recorded(const char *name)
{
    static struct recorded recorded;
    struct fixture f;
    struct buf expected = {0};
    struct buf found = {0};

    recorded_read(&recorded, name);
    fixture_open(&f, recorded.files);
    assert_int_equal(fixture_find(&f), OK);
    print_recorded(&recorded, &expected);
    print_found(&f, &found);
    assert_string_equal(buf_cstr(&found), buf_cstr(&expected));
    assert_true(f.build.route_len > 20);
    fixture_close(&f);
    buf_fini(&expected);
    buf_fini(&found);
}

static void
rails(void **state)
{
    (void)state;
    assert_as_recorded("rails");
    assert_as_recorded("rails_drawn");
    assert_as_recorded("rails_forms");
}

static void
laravel(void **state)
{
    (void)state;
    assert_as_recorded("laravel");
    assert_as_recorded("laravel_parts");
    assert_as_recorded("laravel_forms");
}

static void
spring(void **state)
{
    (void)state;
    assert_as_recorded("spring");
    assert_as_recorded("spring_bases");
    assert_as_recorded("spring_kotlin");
}

static void
jaxrs(void **state)
{
    (void)state;
    assert_as_recorded("jaxrs");
    assert_as_recorded("jaxrs_bases");
}

static void
symfony(void **state)
{
    (void)state;
    assert_as_recorded("symfony");
    assert_as_recorded("symfony_php");
}

static void
ktor(void **state)
{
    (void)state;
    assert_as_recorded("ktor");
}

static void
nestjs(void **state)
{
    (void)state;
    assert_as_recorded("nestjs");
    assert_as_recorded("nestjs_modules");
}

static void
django(void **state)
{
    (void)state;
    assert_as_recorded("django");
    assert_as_recorded("django_extended");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails),  cmocka_unit_test(laravel),
        cmocka_unit_test(spring), cmocka_unit_test(jaxrs),
        cmocka_unit_test(ktor),   cmocka_unit_test(symfony),
        cmocka_unit_test(nestjs), cmocka_unit_test(django),
    };

    (void)assert_routes;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
