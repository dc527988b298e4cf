#include "tests/runtime/intake_fixture.h"

static void
a_service_is_its_namespace_name_and_environment(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct {
        const char *attrs[ATTRS_MAX];
        const char *service;
        const char *version;
    } rows[] = {
        {{"service.name=cart"}, "service cart", NULL},
        {{"service.name=cart", "service.namespace=shop"}, "service shop/cart",
         NULL},
        {{"service.name=cart", "deployment.environment.name=prod",
         "deployment.environment=old"}, "service cart @prod", NULL},
        {{"service.name=cart", "deployment.environment=old"},
         "service cart @old", NULL},
        {{"service.name=cart", "k8s.namespace.name=ns"}, "service cart", NULL},
        {{"service.name=unknown_service:java", "k8s.pod.name=p"},
         "service unknown_service:java", NULL},
        {{"k8s.container.name=c", "k8s.pod.name=p", "k8s.job.name=j",
         "k8s.cronjob.name=cj", "k8s.daemonset.name=d",
         "k8s.statefulset.name=ss", "k8s.replicaset.name=r",
         "k8s.deployment.name=dep"}, "service dep", NULL},
        {{"k8s.container.name=c", "k8s.pod.name=p", "k8s.job.name=j",
         "k8s.cronjob.name=cj", "k8s.daemonset.name=d",
         "k8s.statefulset.name=ss", "k8s.replicaset.name=r"}, "service r",
         NULL},
        {{"k8s.container.name=c", "k8s.pod.name=p", "k8s.job.name=j",
         "k8s.cronjob.name=cj", "k8s.daemonset.name=d"}, "service d", NULL},
        {{"k8s.job.name=j", "k8s.cronjob.name=cj"}, "service cj", NULL},
        {{"k8s.container.name=c", "k8s.pod.name=p"}, "service p", NULL},
        {{"k8s.container.name=c"}, "service c", NULL},
        {{"service.name=", "k8s.container.name=c"}, "service c", NULL},
        {{"service.namespace=shop"}, "service shop/unknown_service", NULL},
        {{NULL}, "service unknown_service", NULL},
        {{"service.name=v", "service.version=1.2.x",
         "vcs.ref.head.revision=a"}, "service v", "version 1.2.x"},
        {{"service.name=v", "vcs.ref.head.revision=a",
         "vcs.repository.ref.revision=b"}, "service v", "version a"},
        {{"service.name=v", "vcs.repository.ref.revision=b"}, "service v",
         "version b"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        set_all(&f->resource, rows[i].attrs);
        struct stub stub = send(f, (struct span){.kind = SPAN_INTERNAL});
        check_node(f, rows[i].service, stub.service, rows[i].service);
        check_node(f, rows[i].service, stub.version, rows[i].version);
        check_node(f, "scope", stub.scope, "scope scope");
    }
    f->cfg.environment_by_k8s_namespace = true;
    set_all(&f->resource, rows[4].attrs);
    struct stub stub = send(f, (struct span){.kind = SPAN_INTERNAL});
    check_node(f, "k8s", stub.service, "service cart @ns");
}

static void
spans_without_resource_or_scope_have_both(void **state)
{
    struct fixture *f = *state;
    struct span span = {.attrs = &f->attrs, .start_ns = NOW, .end_ns = NOW};

    intake_begin(f->lane, NOW, &f->to);
    f->to.span(f->to.ctx, &span);
    f->to.resource(f->to.ctx, &f->resource);
    f->to.scope(f->to.ctx, STR(""), NONE);
    f->to.span(f->to.ctx, &span);
    struct stub_batch *batch = take(f);
    for (uint32_t i = 0; i < 2; i++) {
        check_node(f, "service", batch->stubs[i].service,
                   "service unknown_service");
        check_node(f, "scope", batch->stubs[i].scope, "scope (none)");
    }
    stub_batch_free(batch);
}

static void
a_resource_or_scope_without_spans_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct span span = {.attrs = &f->attrs, .start_ns = NOW, .end_ns = NOW};

    set(&f->resource, "service.name=cart");
    set(&f->resource, "service.version=1.2.x");
    intake_begin(f->lane, NOW, &f->to);
    f->to.resource(f->to.ctx, &f->resource);
    f->to.scope(f->to.ctx, STR("idle"), NONE);
    assert_int_equal(nodes_len(f->nodes), 0);
    f->to.scope(f->to.ctx, STR("busy"), NONE);
    f->to.span(f->to.ctx, &span);
    assert_int_equal(nodes_len(f->nodes), 3);
    stub_batch_free(take(f));
}

static void
a_function_is_what_the_span_calls_it(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *attrs[ATTRS_MAX];
        const char *symbol;
    } rows[] = {
        {{"code.function.name=p.C.m", "code.function=o"}, "symbol p.C.m"},
        {{"code.namespace=p.C", "code.function=m"}, "symbol p.C.m"},
        {{"code.function=m"}, "symbol m"},
        {{"code.function.name=f", "code.namespace=p"}, "symbol f"},
        {{"code.function=m", "nestjs.callback=c"}, "symbol m"},
        {{"nestjs.controller=Cats", "nestjs.callback=all"}, "symbol Cats.all"},
        {{"nestjs.callback=all", "hook.callback.name=h"}, "symbol all"},
        {{"nestjs.controller=Cats", "hook.callback.name=h"}, "symbol h"},
        {{"hook.callback.name=h", "code.file.path=/a.js", "code.line.number=7"},
         "symbol /a.js:h"},
        {{"hook.callback.name=anonymous"}, NULL},
        {{"hook.callback.name=anonymous", "code.file.path=/a.js",
          "code.line.number=7"},
         "symbol /a.js:7"},
        {{"code.filepath=/a.py", "code.lineno=31"}, "symbol /a.py:31"},
        {{"code.file.path=/b.py", "code.filepath=/a.py", "code.lineno=31"},
         "symbol /b.py:31"},
        {{"code.function.name=f", "code.filepath=/a.py", "code.lineno=31"},
         "symbol /a.py:f"},
        {{"code.function=f", "code.filepath=/a.py"}, "symbol /a.py:f"},
        {{"code.function.name=C.f", "code.filepath=/a.py", "code.lineno=31"},
         "symbol C.f"},
        {{"code.namespace=C", "code.function=f", "code.filepath=/a.php"},
         "symbol C.f"},
        {{"code.function=<lambda>", "code.filepath=/a.py", "code.lineno=31"},
         "symbol /a.py:31"},
        {{"code.function=A\\{closure}", "code.filepath=/a.php",
          "code.lineno=9"},
         "symbol /a.php:9"},
        {{"code.function.name=m::f::{{closure}}"}, "symbol m::f::{{closure}}"},
        {{"code.function=<lambda>", "code.filepath=/a.py"}, "symbol <lambda>"},
        {{"code.function=f", "code.filepath=/a.js?v=1"}, "symbol f"},
        {{"code.filepath=/root/.cargo/registry/src/i-1/x-0.1/src/lib.rs",
          "code.lineno=3"},
         NULL},
        {{"code.function.name=P\\Q::f",
          "code.file.path=/usr/local/lib/node_modules/p/q.js"},
         NULL},
        {{"code.function.name=P\\Q::f", "code.file.path=/srv/p/q.js"},
         "symbol P\\Q::f"}, /* whichever of the two comes first */
        {{"code.function.name=P\\Q::g", "code.file.path=/srv/p/q.js"},
         "symbol P\\Q::g"},
        {{"code.function.name=P\\Q::g",
          "code.file.path=/usr/local/lib/node_modules/p/q.js"},
         NULL},
        {{"code.function.name=s.app.f",
          "code.file.path=/usr/lib/python3/site-packages/s/app.py"},
         "symbol s.app.f"},
        {{"code.function=f",
          "code.filepath=/usr/lib/python3/site-packages/s/app.py"},
         "symbol /usr/lib/python3/site-packages/s/app.py:f"},
        {{"code.filepath=/usr/lib/s/app.py", "code.lineno=3"},
         "symbol /usr/lib/s/app.py:3"},
        {{"code.function=f", "code.filepath=/usr/lib/s/node_modules/x/app.js"},
         NULL},
        {{"code.filepath=/app/my_node_modules/q.js", "code.lineno=3"},
         "symbol /app/my_node_modules/q.js:3"},
        {{"code.filepath=/a.py"}, NULL},
        {{"code.filepath=/a.py", "code.lineno=0"}, NULL},
        {{"code.filepath=/a.py", "code.lineno=-3"}, NULL},
        {{"code.filepath=/a.py", "code.lineno=4294967296"}, NULL},
        {{"code.filepath=/a.py", "code.lineno=x"}, NULL},
        {{"code.lineno=31"}, NULL},
        {{"code.namespace=p.C"}, NULL},
        {{"nestjs.controller=Cats"}, NULL},
        {{"code.function.name="}, NULL},
        {{"code.function.name=User#valid?"}, "symbol User#valid?"},
        {{"code.function.name=a.operator=="}, "symbol a.operator=="},
        {{"code.function.name=name="}, "symbol name="},
        {{"code.function.name=Users@show"}, "symbol Users@show"},
        {{"code.function.name=p.(*T).M"}, "symbol p.(*T).M"},
        {{"code.function.name=map<a, b>::at"}, "symbol map<a, b>::at"},
        {{"code.function.name=login('joe')"}, NULL},
        {{"code.function.name=login(\"joe\")"}, NULL},
        {{"code.function.name=f?token=1"}, NULL},
        {{"code.function.name=f(a=1)"}, NULL},
        {{"code.function.name=mail joe@mail.example"}, NULL},
        {{"code.namespace=joe@mail.example", "code.function=f"}, NULL},
        {{"code.filepath=/a.js?v=1", "code.lineno=31"}, NULL},
        {{"code.filepath=https://joe:pw@a.example/a.js", "code.lineno=31"},
         NULL},
        {{"code.filepath=file:///a.js", "code.lineno=31"},
         "symbol file:///a.js:31"},
    };
    static const uint8_t kinds[] = {SPAN_INTERNAL, SPAN_SERVER, SPAN_CLIENT,
                                    SPAN_PRODUCER, SPAN_CONSUMER};

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (size_t i = 0; i < 5 * sizeof(rows) / sizeof(*rows); i++) {
        size_t at = i % (sizeof(rows) / sizeof(*rows));
        set_all(&f->attrs, rows[at].attrs);
        struct stub stub = send(f, (struct span){.kind = kinds[i % 5]});
        check_node(f, "symbol", stub.symbol, rows[at].symbol);
        if (stub.symbol)
            assert_int_equal(nodes_get(f->nodes, stub.symbol).owner,
                             stub.service);
    }
}

static void
of_a_long_path_the_end_is_kept(void **state)
{
    struct fixture *f = *state;
    char text[64 + 2 * NODE_NAME_MAX] = "code.filepath=/";
    const char *const attrs[] = {text, "code.lineno=123", NULL};

    while (strlen(text) < 2 * NODE_NAME_MAX)
        strcat(text, "\xc3\xa9");
    strcat(text, "/a.py");
    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    set_all(&f->attrs, attrs);
    struct stub stub = send(f, (struct span){.kind = SPAN_INTERNAL});
    str name = nodes_get(f->nodes, stub.symbol).name;
    assert_in_range(name.len, NODE_NAME_MAX - 12, NODE_NAME_MAX);
    assert_memory_equal(name.ptr, "\xc3\xa9", 2);
    assert_memory_equal(name.ptr + name.len - 9, "/a.py:123", 9);
}

static void
functions_of_a_service_are_bounded(void **state)
{
    struct fixture *f = *state;
    char text[64];
    const char *const attrs[] = {text, NULL};
    struct stub stub = {0};

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (int i = 0; i <= 3000; i++) {
        (void)snprintf(text, sizeof(text), "code.function.name=f%d", i);
        set_all(&f->attrs, attrs);
        stub = send(f, (struct span){.kind = SPAN_INTERNAL});
        if (i == 2999)
            check_node(f, "the last", stub.symbol, "symbol f2999");
    }
    check_node(f, "one more", stub.symbol, "symbol " NODE_NAME_OVERFLOW);
    set_all(&f->resource, (const char *const[]){"service.name=t", NULL});
    stub = send(f, (struct span){.kind = SPAN_INTERNAL});
    check_node(f, "another service's", stub.symbol, "symbol f3000");
}

static void
probes_are_synthetic(void **state)
{
    struct fixture *f = *state;
    const uint32_t no = IN | STUB_SYNTHETIC;
    static const char *const globs[] = {"/healthz*", "GET /ready", "*/Check",
                                        "GET /static/{**}"};
    /* clang-format off */
    const struct row rows[] = {
        {SPAN_SERVER, "x", {"user_agent.synthetic.type=bot"}, "service s",
         NULL, no},
        {SPAN_SERVER, "x", {"user_agent.original=kube-probe/1.27"},
         "service s", NULL, no},
        {SPAN_SERVER, "x", {"http.user_agent=ELB-HealthChecker/2.0"},
         "service s", NULL, no},
        {SPAN_SERVER, "x", {"user_agent.original=Mozilla/5.0",
         "http.user_agent=GoogleHC/1.0"}, "service s", NULL, IN},
        {SPAN_CLIENT, "x", {"user_agent.original=Prometheus/2.40"}, NULL, NULL,
         OUT | STUB_SYNTHETIC},
        {SPAN_INTERNAL, "x", {"user_agent.original=Prometheus/2.40"}, NULL,
         NULL, STUB_SYNTHETIC},
        {SPAN_CONSUMER, "x", {"user_agent.synthetic.type=test"}, "service s",
         NULL, no},
        {SPAN_CLIENT, "x", {"user_agent.synthetic.type=test",
         "messaging.operation.type=settle"}, NULL, NULL, STUB_SYNTHETIC},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/healthz/live"},
         "route GET /healthz/live", NULL, no},
        {SPAN_SERVER, "x", {"http.method=GET", "url.path=/healthz"},
         "route GET /healthz", NULL, no},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/ready"},
         "route GET /ready", NULL, no},
        {SPAN_SERVER, "x", {"http.method=POST", "http.route=/ready"},
         "route POST /ready", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.method=grpc.health.v1.Health/Check"},
         "rpc grpc.health.v1.Health/Check", NULL, no},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/static/{id}"},
         "route GET /static/{}", NULL, IN},
    };
    /* clang-format on */

    f->cfg.exclude_routes = globs;
    f->cfg.exclude_routes_len = sizeof(globs) / sizeof(*globs);
    CHECK(rows);
}

static void
times_are_clamped_into_the_window(void **state)
{
    struct fixture *f = *state;
    const uint64_t low = NOW - 48 * HOUR;
    const uint64_t high = NOW + HOUR / 6;
    const struct {
        uint64_t start, end, want, duration;
        uint32_t clamped;
        bool backwards;
    } rows[] = {
        {NOW, NOW + 5, NOW, 5, 0, false},
        {NOW, NOW, NOW, 0, 0, false},
        {NOW, NOW - 1, NOW, 0, 0, true},
        {low, low + 7, low, 7, 0, false},
        {low - 1, low + 7, low, 8, 1, false},
        {high, high + 7, high, 7, 0, false},
        {high + 1, high + 7, high, 6, 1, false},
        {NOW + 24 * HOUR, NOW + 24 * HOUR + 3, high, 3, 1, false},
        {5, 9, low, 4, 1, false},  /* 1970: the duration may be right */
        {5, NOW, low, 0, 1, true}, /* two clocks: it cannot be */
        {0, NOW - 9, NOW - 9, 0, 1, true},
        {0, 0, NOW, 0, 1, true},
        {UINT64_MAX, UINT64_MAX, high, 0, 1, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct span span = {.attrs = &f->attrs,
                            .start_ns = rows[i].start,
                            .end_ns = rows[i].end};
        intake_begin(f->lane, NOW, &f->to);
        f->to.span(f->to.ctx, &span);
        struct stub_batch *batch = take(f);
        assert_int_equal(batch->stubs[0].start_ns, rows[i].want);
        assert_int_equal(batch->stubs[0].duration_ns, rows[i].duration);
        assert_int_equal(batch->clamped, rows[i].clamped);
        assert_int_equal(batch->backwards, rows[i].backwards);
        assert_int_equal(!!(batch->stubs[0].flags & STUB_BACKWARDS),
                         rows[i].backwards);
        stub_batch_free(batch);
    }
}

static void
files_may_be_of_any_age(void **state)
{
    struct fixture *f = *state;
    const uint64_t old = UINT64_C(1262304000) * 1000000000; /* 2010 */
    const struct {
        uint64_t start, end, want, duration;
        uint32_t clamped;
        bool backwards;
    } rows[] = {
        {old, old + 4, old, 4, 0, false},
        {old - 1, old - 1, NOW, 0, 1, false}, /* the clock was not set */
        {5, 9, NOW, 4, 1, false},
        {5, NOW - 9, NOW - 9, 0, 1, true},
        {0, 0, NOW, 0, 1, true},
    };

    f->cfg.past_ns = UINT64_MAX;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct span span = {.attrs = &f->attrs,
                            .start_ns = rows[i].start,
                            .end_ns = rows[i].end};
        intake_begin(f->lane, NOW, &f->to);
        f->to.span(f->to.ctx, &span);
        struct stub_batch *batch = take(f);
        assert_int_equal(batch->stubs[0].start_ns, rows[i].want);
        assert_int_equal(batch->stubs[0].duration_ns, rows[i].duration);
        assert_int_equal(batch->clamped, rows[i].clamped);
        assert_int_equal(batch->backwards, rows[i].backwards);
        assert_int_equal(!!(batch->stubs[0].flags & STUB_BACKWARDS),
                         rows[i].backwards);
        stub_batch_free(batch);
    }
}

static void
ids_marks_and_links_are_copied(void **state)
{
    struct fixture *f = *state;
    struct span_link links[] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    struct span one = {.trace_hi = 1,
                       .trace_lo = 2,
                       .span_id = 3,
                       .parent_id = 4,
                       .start_ns = NOW,
                       .end_ns = NOW,
                       .kind = SPAN_CONSUMER,
                       .status = SPAN_ERROR,
                       .flags = SPAN_HAS_IS_REMOTE | SPAN_IS_REMOTE | 1,
                       .trace_state = STR("ot=th:8"),
                       .link_len = 2,
                       .links = links,
                       .attrs = &f->attrs};
    struct span two = {.flags = SPAN_HAS_IS_REMOTE,
                       .status = SPAN_OK,
                       .start_ns = NOW,
                       .end_ns = NOW,
                       .link_len = 1,
                       .links = links + 2,
                       .attrs = &f->attrs};
    struct span three = {.flags = SPAN_IS_REMOTE,
                         .start_ns = NOW,
                         .end_ns = NOW,
                         .attrs = &f->attrs};

    intake_begin(f->lane, NOW, &f->to);
    f->to.span(f->to.ctx, &one);
    f->to.span(f->to.ctx, &two);
    f->to.span(f->to.ctx, &three);
    struct stub_batch *batch = take(f);
    const struct stub *s = batch->stubs;
    assert_int_equal(batch->stub_len, 3);
    assert_int_equal(batch->received_ns, NOW);
    assert_int_equal(s[0].trace_hi, 1);
    assert_int_equal(s[0].trace_lo, 2);
    assert_int_equal(s[0].span_id, 3);
    assert_int_equal(s[0].parent_id, 4);
    assert_int_equal(s[0].kind, SPAN_CONSUMER);
    assert_int_equal(s[0].weight, 2 * WEIGHT_ONE);
    assert_int_equal(s[0].flags, STUB_INGRESS | STUB_FAILED |
                                     STUB_REMOTE_KNOWN | STUB_REMOTE |
                                     STUB_WEIGHT_KNOWN);
    assert_int_equal(s[1].flags, STUB_REMOTE_KNOWN);
    assert_int_equal(s[1].weight, WEIGHT_ONE);
    assert_int_equal(s[2].flags, 0);
    assert_int_equal(s[0].link_at, 0);
    assert_int_equal(s[0].link_len, 2);
    assert_int_equal(s[1].link_at, 2);
    assert_int_equal(s[1].link_len, 1);
    assert_int_equal(s[2].link_len, 0);
    assert_int_equal(batch->link_len, 3);
    assert_memory_equal(batch->links, links, sizeof(links));
    stub_batch_free(batch);
}

static void
a_sample_rate_key_must_be_one_that_is_decoded(void **state)
{
    struct fixture *f = *state;
    struct intake_lane *lane;
    struct intake_cfg cfg = f->cfg;

    cfg.sample_rate_key = "my.rate";
    assert_int_equal(intake_lane_new(&lane, &cfg, f->nodes, f->routes),
                     ERR_UNSUPPORTED);
    assert_null(lane);
    cfg.sample_rate_key = "messaging.batch.message_count";
    assert_int_equal(intake_lane_new(&lane, &cfg, f->nodes, f->routes), OK);
    intake_lane_free(lane);
}

/* Secrets in every attribute that must not be kept, and in paths and names. */
static void
what_must_not_be_stored_is_not(void **state)
{
    struct fixture *f = *state;
    static const char *const pairs[] = {
        "http.request.method=GET",
        "url.path=/users/joe@canary.com/canary%20x",
        "http.target=/users/canary-4711-0815-2?canary=1",
        "url.full=https://canary:canary@h/canary1234canary5678",
        "http.url=https://canary:canary@h/canary1234canary5678",
        "network.peer.address=canary",
        "net.sock.peer.addr=canary",
        "net.peer.ip=canary",
        "db.system=redis",
        NULL,
    };

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (uint8_t kind = 0; kind <= SPAN_CONSUMER; kind++) {
        set_all(&f->attrs, pairs);
        (void)send(f, (struct span){.kind = kind,
                                    .name = STR("GET /users/joe@canary.com")});
        set_all(&f->attrs, pairs + 2);
        (void)send(f, (struct span){.kind = kind, .name = STR("canary")});
        set_all(&f->attrs, pairs + 3);
        (void)send(f, (struct span){.kind = kind, .name = STR("canary")});
    }
    for (uint32_t id = 1; id <= nodes_len(f->nodes); id++) {
        str name = nodes_get(f->nodes, id).name;
        if (memmem(name.ptr, name.len, "canary", 6))
            fail_msg("%.*s", (int)name.len, name.ptr);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_service_is_its_namespace_name_and_environment),
        TEST(spans_without_resource_or_scope_have_both),
        TEST(a_resource_or_scope_without_spans_leaves_nothing),
        TEST(a_function_is_what_the_span_calls_it),
        TEST(of_a_long_path_the_end_is_kept),
        TEST(functions_of_a_service_are_bounded),
        TEST(probes_are_synthetic),
        TEST(times_are_clamped_into_the_window),
        TEST(files_may_be_of_any_age),
        TEST(ids_marks_and_links_are_copied),
        TEST(a_sample_rate_key_must_be_one_that_is_decoded),
        TEST(what_must_not_be_stored_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
