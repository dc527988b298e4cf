#include "tests/support/context_shop.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/code_write.h"

struct maker {
    struct code_build b;
    uint32_t line;
};

static text_id
word(struct maker *m, const char *text)
{
    return texts_add(&m->b.texts, str_of(text));
}

static uint32_t
file(struct maker *m, const char *path, uint32_t flags)
{
    static unsigned char blob;

    m->line = 3;
    return code_build_file(
        &m->b, &(struct build_file){.path = word(m, path),
                                    .blob = {++blob, (unsigned char)flags},
                                    .lang = 1,
                                    .flags = flags,
                                    .bytes = 400});
}

struct symbol {
    uint8_t kind;
    uint32_t file;
    const char *package, *name, *signature;
    uint32_t flags;
    uint32_t lines;
};

static uint32_t
symbol(struct maker *m, struct symbol s)
{
    uint32_t lines = s.lines ? s.lines : 8;
    uint32_t node = code_build_node(
        &m->b, &(struct build_node){.kind = s.kind,
                                    .flags = s.flags | CODE_EXPORTED,
                                    .file = s.file,
                                    .line = m->line,
                                    .end_line = m->line + lines,
                                    .package = word(m, s.package),
                                    .name = word(m, s.name),
                                    .signature = word(m, s.signature)});

    m->line += lines + 2;
    return node;
}

static void
edge(struct maker *m, uint32_t src, uint32_t dst, uint8_t type)
{
    uint32_t line = m->b.nodes[src].line + 1;
    uint32_t site = code_build_site(&m->b, (struct code_site){line, 4});

    code_build_edge(&m->b, &(struct build_edge){.src = src,
                                                .dst = dst,
                                                .type = type,
                                                .provenance = CODE_BY_IMPORT,
                                                .permille = 990,
                                                .site_at = site,
                                                .site_len = 1});
}

struct path {
    uint8_t kind;
    const char *package, *name, *method, *raw, *canonical, *framework;
    uint32_t file;
    uint32_t handler;
};

static void
route(struct maker *m, struct path p)
{
    uint32_t node = code_build_node(
        &m->b, &(struct build_node){.kind = p.kind,
                                    .file = p.file,
                                    .line = 1,
                                    .package = word(m, p.package),
                                    .name = word(m, p.name)});

    code_build_edge(&m->b, &(struct build_edge){.src = node,
                                                .dst = p.handler,
                                                .type = CODE_HANDLES_ROUTE,
                                                .provenance = CODE_BY_FRAMEWORK,
                                                .permille = 950});
    code_build_route(&m->b,
                     &(struct build_route){.node = node,
                                           .handler = p.handler,
                                           .method = word(m, p.method),
                                           .raw = word(m, p.raw),
                                           .canonical = word(m, p.canonical),
                                           .framework = word(m, p.framework),
                                           .file = p.file,
                                           .line = 1});
}

static void
service(struct maker *m, const char *name)
{
    code_build_service(&m->b, &(struct build_service){
                                  word(m, name), word(m, name),
                                  word(m, "compose:docker-compose.yml:3"), 1});
}

static void
build_bulk(struct maker *m, uint32_t extra)
{
    uint32_t at = extra ? file(m, "bulk/bulk.go", 0) : 0;
    uint32_t first = 0;

    for (uint32_t i = 0; i < extra; i++) {
        char name[32];
        snprintf(name, sizeof(name), "fn%u", i);
        uint32_t node =
            symbol(m, (struct symbol){CODE_FUNCTION, at, "bulk", name,
                                      "func(int) error", 0, 3});
        first = i ? first : node;
        if (i)
            edge(m, node - 1, node, CODE_CALLS);
    }
}

static void
build(struct maker *m, uint32_t edits, uint32_t extra)
{
    uint32_t util = file(m, "util/log.go", 0);
    uint32_t log = symbol(m, (struct symbol){CODE_FUNCTION, util, "util", "Log",
                                             "func(text string)", 0, 0});
    uint32_t pay = file(m, "pay/pay.go", 0);
    uint32_t charge =
        symbol(m, (struct symbol){CODE_FUNCTION, pay, "pay", "Charge",
                                  "func(ctx, *Card) (*Receipt, error)", 0, 0});
    uint32_t checkout = file(m, "checkout/buy.go", 0);
    uint32_t buy = symbol(
        m, (struct symbol){CODE_FUNCTION, checkout, "checkout", "Buy",
                           "func(w http.ResponseWriter, r *Request)", 0, 0});
    uint32_t card = symbol(
        m, (struct symbol){CODE_FUNCTION, checkout, "checkout", "chargeCard",
                           "func(o Order) error", 0, 8 + edits});
    uint32_t order = symbol(m, (struct symbol){CODE_TYPE, checkout, "checkout",
                                               "Order", "struct", 0, 0});
    uint32_t old =
        symbol(m, (struct symbol){CODE_FUNCTION, checkout, "checkout", "OldBuy",
                                  "func(w, r)", 0, 0});
    uint32_t tests = file(m, "checkout/buy_test.go", CODE_TEST);
    uint32_t test =
        symbol(m, (struct symbol){CODE_FUNCTION, tests, "checkout", "TestBuy",
                                  "func(t *testing.T)",
                                  CODE_TEST | CODE_IS_TEST_CASE, 0});
    uint32_t web = file(m, "web/cart.go", 0);
    uint32_t cart = symbol(m, (struct symbol){CODE_FUNCTION, web, "web",
                                              "ShowCart", "func(w, r)", 0, 0});

    edge(m, buy, card, CODE_CALLS);
    edge(m, buy, order, CODE_REFERENCES);
    edge(m, card, log, CODE_CALLS);
    edge(m, buy, log, CODE_CALLS);
    edge(m, charge, log, CODE_CALLS);
    edge(m, cart, log, CODE_CALLS);
    edge(m, test, buy, CODE_TESTS);
    route(m, (struct path){CODE_ROUTE, "web", "GET /cart/{}", "GET",
                           "/cart/:id", "/cart/{}", "gin", web, cart});
    route(m, (struct path){CODE_ROUTE, "checkout", "POST /buy", "POST", "/buy",
                           "/buy", "gin", checkout, buy});
    route(m, (struct path){CODE_ROUTE, "checkout", "POST /old-buy", "POST",
                           "/old-buy", "/old-buy", "gin", checkout, old});
    route(m, (struct path){CODE_RPC, "pay", "pay.Pay/Charge", "", "",
                           "pay.Pay/Charge", "grpc", pay, charge});
    service(m, "web");
    service(m, "checkout");
    service(m, "pay");
    build_bulk(m, extra);
}

void
context_shop_index(struct context_shop *shop, uint32_t edits, uint32_t extra)
{
    struct maker m = {.line = 3};
    struct code_store *cs = NULL;
    struct code_written written;
    struct buf why = {0};

    if (code_build_init(&m.b))
        abort();
    m.b.repo_url = word(&m, CONTEXT_SHOP_URL);
    m.b.commit = word(&m, edits ? "2222222222222222222222222222222222222222"
                                : "1111111111111111111111111111111111111111");
    m.b.commit_s = FIXTURE_NOW_S - 3600;
    build(&m, edits, extra);
    if (m.b.failed || m.b.texts.failed ||
        code_store_open(&cs, shop->db.dir, 1, &why) ||
        code_write(cs, &m.b, FIXTURE_NOW_S - 60, &written, &why)) {
        fprintf(stderr, "context_shop: %s\n", buf_cstr(&why));
        abort();
    }
    code_store_close(cs);
    code_build_fini(&m.b);
    buf_fini(&why);
}

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

static void
offer_tools(struct context_shop *shop)
{
    const struct tools_cfg cfg = {.query = shop->query,
                                  .world = shop->world,
                                  .knowledge = shop->knowledge,
                                  .data = shop->db.dir,
                                  .version = "1.0",
                                  .toolsets = "all"};
    struct buf why = {0};

    tools_free(shop->tools);
    if (tools_new(&shop->tools, &cfg, &why))
        abort();
    tools_set_clock(shop->tools, fixed_now, NULL);
}

void
context_shop_empty(struct context_shop *shop)
{
    struct buf why = {0};

    *shop = (struct context_shop){0};
    db_fixture_open(&shop->db);
    if (query_open(&shop->query, shop->db.dir, &query_cfg_default, &why) ||
        world_open(&shop->world, shop->db.dir))
        abort();
    offer_tools(shop);
}

static void
observe(struct context_shop *shop)
{
    struct db_fixture *db = &shop->db;

    shop->web = db_service(db, "web");
    shop->checkout = db_service(db, "checkout");
    shop->pay = db_service(db, "pay");
    shop->cart = db_route(db, shop->web, "GET /cart/{}");
    shop->buy = db_route(db, shop->checkout, "POST /buy");
    shop->charge = db_node(db, NODE_RPC, shop->pay, "pay.Pay/Charge", "");
    shop->topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    shop->user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    db_edge(db, shop->user, shop->cart, EDGE_VIRTUAL_IN, 50);
    shop->cart_to_buy = db_edge(db, shop->cart, shop->buy, EDGE_CALL, 2000);
    shop->buy_to_charge = db_edge(db, shop->buy, shop->charge, EDGE_CALL, 1800);
    db_edge(db, shop->buy, shop->topic, EDGE_MSG_PUB, 9);
    db_edge(db, 0, shop->checkout, EDGE_SEEN, 40);
    db_edge(db, 0, shop->web, EDGE_SEEN, 40);
    db_edge(db, 0, shop->pay, EDGE_SEEN, 40);
}

void
context_shop_open(struct context_shop *shop)
{
    context_shop_empty(shop);
    observe(shop);
    context_shop_index(shop, 0, 0);
}

void
context_shop_know(struct context_shop *shop)
{
    if (knowledge_open(&shop->knowledge, shop->db.dir, &knowledge_cfg_default))
        abort();
    offer_tools(shop);
}

void
context_shop_close(struct context_shop *shop)
{
    tools_free(shop->tools);
    knowledge_close(shop->knowledge);
    world_close(shop->world);
    query_close(shop->query);
    db_fixture_close(&shop->db);
}

struct context_shop context_shop;

int
context_shop_setup(void **state)
{
    (void)state;
    context_shop_open(&context_shop);
    return 0;
}

int
context_shop_setup_empty(void **state)
{
    (void)state;
    context_shop_empty(&context_shop);
    return 0;
}

int
context_shop_teardown(void **state)
{
    (void)state;
    context_shop_close(&context_shop);
    return 0;
}
