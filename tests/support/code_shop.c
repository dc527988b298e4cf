#include "tests/support/code_shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/code_build.h"
#include "graph/code_write.h"
#include "index/facts.h"
#include "store/code_store.h"

struct maker {
    struct code_build b;
    uint32_t file;
};

static text_id
word(struct maker *m, const char *text)
{
    return texts_add(&m->b.texts, str_of(text));
}

static void
file(struct maker *m, const char *path, enum lang_id lang, uint32_t flags)
{
    static unsigned char blob;
    struct build_file row = {.path = word(m, path),
                             .blob = {1, ++blob},
                             .lang = (uint8_t)lang,
                             .flags = flags,
                             .bytes = 100};

    m->file = code_build_file(&m->b, &row);
    code_build_author(&m->b, &(struct build_author){.file = m->file,
                                                    .author = word(m, "ann"),
                                                    .commits = 2,
                                                    .last_s = 1700000000});
}

/* A function of the file last made. */
static uint32_t
function(struct maker *m, const char *package, const char *name, uint32_t line,
         uint32_t flags)
{
    char signature[64];

    snprintf(signature, sizeof(signature), "%s()", name);
    return code_build_node(&m->b, &(struct build_node){
                                      .kind = CODE_FUNCTION,
                                      .flags = flags,
                                      .file = m->file,
                                      .line = line,
                                      .end_line = line + 1,
                                      .package = word(m, package),
                                      .name = word(m, name),
                                      .signature = word(m, signature),
                                  });
}

static void
edge(struct maker *m, uint32_t src, uint32_t dst, enum code_edge type,
     enum code_provenance how)
{
    uint32_t at = m->b.site_len;
    double sure = code_provenance_confidence((uint8_t)how);

    (void)code_build_site(&m->b, (struct code_site){m->b.nodes[src].line, 4});
    code_build_edge(&m->b, &(struct build_edge){
                               .src = src,
                               .dst = dst,
                               .type = (uint8_t)type,
                               .provenance = (uint8_t)how,
                               .permille = (uint16_t)(sure * 1000 + 0.5),
                               .site_at = at,
                               .site_len = 1,
                           });
}

static void
call(struct maker *m, uint32_t src, uint32_t dst)
{
    edge(m, src, dst, CODE_CALLS, CODE_BY_SCOPE);
}

static void
route(struct maker *m, const char *method, const char *raw, const char *path,
      uint32_t handler, uint32_t flags)
{
    char name[64];
    bool is_client = (flags & ROUTE_IS_CLIENT) != 0;

    snprintf(name, sizeof(name), "%s %s", method, path);
    uint32_t node = code_build_node(
        &m->b, &(struct build_node){
                   .kind = CODE_ROUTE,
                   .file = m->file,
                   .line = 20 + m->b.route_len,
                   .package = word(m, is_client ? "ask" : "src"),
                   .name = word(m, name),
               });
    edge(m, is_client ? handler : node, is_client ? node : handler,
         is_client ? CODE_CONSUMES : CODE_HANDLES_ROUTE, CODE_BY_FRAMEWORK);
    code_build_route(&m->b, &(struct build_route){
                                .node = node,
                                .handler = handler,
                                .flags = flags,
                                .method = word(m, method),
                                .raw = word(m, raw),
                                .canonical = word(m, path),
                                .framework = word(m, "express"),
                                .file = m->file,
                                .line = 20 + m->b.route_len,
                            });
}

static void
begin(struct maker *m, const char *url, const char *commit)
{
    if (code_build_init(&m->b))
        abort();
    m->b.repo_url = word(m, url);
    m->b.commit = word(m, commit);
    m->b.commit_s = 1700000000;
}

static void
store(struct maker *m, struct db_fixture *f)
{
    struct code_store *cs = NULL;
    struct code_written written;
    struct buf why = {0};

    if (code_store_open(&cs, f->dir, 1, &why) ||
        code_write(cs, &m->b, FIXTURE_NOW_S, &written, &why)) {
        fprintf(stderr, "%s\n", buf_cstr(&why));
        abort();
    }
    code_store_close(cs);
    code_build_fini(&m->b);
    buf_fini(&why);
}

static void
make_javascript(struct maker *m, bool is_second)
{
    file(m, "src/store.js", LANG_JAVASCRIPT, 0);
    uint32_t query = function(m, "src/store", "query", 1, 0);
    uint32_t load = function(m, "src/store", "loadUser", 4, 0);
    uint32_t save = function(m, "src/store", "saveUser", 8, 0);
    uint32_t retry = function(m, "src/store", "retry", 12, 0);
    uint32_t again = function(m, "src/store", "again", 16, 0);
    uint32_t worker = function(m, "src/store", "worker", 20, 0);
    call(m, load, query);
    call(m, save, query);
    call(m, retry, again);
    call(m, again, retry);
    call(m, worker, save);
    edge(m, worker, query, CODE_CALLS, CODE_BY_SINGLE);
    if (is_second) {
        m->b.nodes[save].signature = word(m, "saveUser(id)");
        call(m, function(m, "src/store", "dropUser", 24, 0), query);
    } else {
        call(m, save, retry);
    }
    file(m, "src/app.js", LANG_JAVASCRIPT, 0);
    uint32_t get = function(m, "src/app", "getUser", 1, 0);
    uint32_t put = function(m, "src/app", "putUser", 4, 0);
    uint32_t dead = function(m, "src/app", "dead", 8, 0);
    call(m, get, load);
    call(m, put, save);
    route(m, "GET", "/users/:id", "/users/{}", get, 0);
    route(m, "PUT", "/users/:id", "/users/{}", put, 0);
    route(m, "GET", "/dead", "/dead", dead, 0);
    route(m, "POST", "http://pay/charge", "/charge", put, ROUTE_IS_CLIENT);
    file(m, "src/store.test.js", LANG_JAVASCRIPT, CODE_TEST);
    call(m, function(m, "src/store.test", "loads", 1, CODE_IS_TEST_CASE), load);
}

static void
make_others(struct maker *m)
{
    static const struct {
        const char *path, *package, *name;
        enum lang_id lang;
    } tests[] = {
        {"pay/pay_test.go", "pay", "TestCharge", LANG_GO},
        {"py/test_cart.py", "py/test_cart", "TestCart.test_add", LANG_PYTHON},
        {"j/CartTest.java", "j", "CartTest.adds", LANG_JAVA},
        {"k/CartTest.kt", "k", "CartTest.sums", LANG_KOTLIN},
        {"c/CartTests.cs", "c", "CartTests.Adds", LANG_CSHARP},
        {"r/cart_spec.rb", "r", "cart adds", LANG_RUBY},
        {"p/CartTest.php", "p", "CartTest.testAdd", LANG_PHP},
        {"rs/cart.rs", "rs", "tests.adds", LANG_RUST},
        {"cc/cart_test.c", "cc", "test_add", LANG_C},
        {"q/it's test.py", "q", "test_quote", LANG_PYTHON},
    };

    file(m, "pay/pay.go", LANG_GO, 0);
    uint32_t charge = function(m, "pay", "Charge", 3, CODE_EXPORTED);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        file(m, tests[i].path, tests[i].lang, CODE_TEST);
        uint32_t test = function(m, tests[i].package, tests[i].name, 5,
                                 CODE_TEST | CODE_IS_TEST_CASE);
        if (strchr(tests[i].name, '.'))
            m->b.nodes[test].kind = CODE_METHOD;
        call(m, test, charge);
    }
}

static void
make_commit(struct db_fixture *f, const char *commit, bool is_second)
{
    struct maker m = {.file = 0};

    begin(&m, SHOP_URL, commit);
    make_javascript(&m, is_second);
    make_others(&m);
    code_build_service(&m.b,
                       &(struct build_service){.name = word(&m, "shop"),
                                               .directory = 0,
                                               .evidence = word(&m, "test"),
                                               .rank = 1});
    code_build_owner(&m.b, &(struct build_owner){.pattern = word(&m, "/src/"),
                                                 .owner = word(&m, "@team"),
                                                 .line = 1});
    store(&m, f);
}

void
code_shop_index(struct db_fixture *f)
{
    make_commit(f, SHOP_FIRST, false);
    make_commit(f, SHOP_SECOND, true);
}

void
code_shop_observe(struct db_fixture *f)
{
    uint32_t shop = db_service(f, "shop");
    uint32_t web = db_service(f, "web");
    uint32_t audit = db_service(f, "audit");
    uint32_t get = db_route(f, shop, "GET /users/{}");
    uint32_t put = db_route(f, shop, "PUT /users/{}");
    uint32_t home = db_route(f, web, "GET /");
    uint32_t log = db_route(f, audit, "POST /log");

    db_edge(f, home, get, EDGE_CALL, 20);
    db_edge(f, put, log, EDGE_CALL, 5);
    db_edge(f, 0, shop, EDGE_SEEN, 40);
    db_edge(f, 0, web, EDGE_SEEN, 40);
}

void
code_shop_wide(struct db_fixture *f, uint32_t callers)
{
    struct maker m = {.file = 0};
    char name[32];

    begin(&m, "github.com/acme/wide", SHOP_FIRST);
    file(&m, "wide.go", LANG_GO, 0);
    uint32_t hub = function(&m, "", "hub", 1, 0);
    uint32_t from = function(&m, "", "from", 2, 0);
    for (uint32_t i = 0; i < callers; i++) {
        snprintf(name, sizeof(name), "caller%03u", i);
        uint32_t caller = function(&m, "", name, 3 + i, 0);
        call(&m, caller, hub);
        call(&m, from, caller);
    }
    uint32_t each = function(&m, "", "each.func1", 900, CODE_ANONYMOUS);
    edge(&m, function(&m, "", "each", 900, 0), each, CODE_REFERENCES,
         CODE_BY_SCOPE);
    call(&m, each, function(&m, "", "saved", 901, 0));
    store(&m, f);
}
