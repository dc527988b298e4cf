#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/redact.h"

static const struct {
    const char *name;
    const char *left;
} cases[] = {
    /* users of URLs */
    {"amqp://joe:hunter@rabbit/orders", "amqp://{}@rabbit/orders"},
    {"https://hunter@git.example/a", "https://{}@git.example/a"},
    {"postgres://joe:hunter@db:5432/people", "postgres://{}@db:5432/people"},
    {"//joe:hunter@db", "//{}@db"},
    {"https://joe@b:hunter@db/x", "https://{}@db/x"},
    {"https://joe:hun/ter@db/x", "https://{}@db/x"},
    {"https://joe:hun/ter@v1db/x", "https://{}@v1db/x"},
    {"https://joe:hun/ter@v1.db/x", "https://{}@v1.db/x"},
    {"https://joe:hun/ter@v/x", "https://{}@v/x"},
    {"https://joe:hun/ter@10.0.0.1/x", "https://{}@10.0.0.1/x"},
    {"https://joe:${pass}@db/x", "https://{}@db/x"},
    {"https://joe:hun?ter=@db/x", "https://{}@db/x"},
    {"https://joe:hun#ter@db/x", "https://{}@db/x"},
    {"jdbc:x://joe:hun;ter@db/x", "jdbc:x://{}@db/x"},
    {"mongodb://joe:a@h1:1,h2:2/x", "mongodb://{}@h1:1,h2:2/x"},
    {"from amqp://joe:a@h to amqp://jim:b@i",
     "from amqp://{}@h to amqp://{}@i"},
    /* and of no URL */
    {"joe:hunter@db", "{}@db"},
    {"joe:hunter::a@db", "{}@db"},
    {"joe::a:hunter@db", "{}@db"},
    {"joe:@db", "{}@db"},
    {"joe:hunter@sha256", "{}@sha256"},
    {"joe:hunter@sha256:6f1c@db", "{}@db"},
    {"urn:x:joe@shop.example", "{}@shop.example"},
    {"joe@shop.example", "{}@shop.example"},
    {"jessica.rabbit@shop.example", "{}@shop.example"},
    {"rabbit:hunter@node1.cluster.local", "{}@node1.cluster.local"},
    {"amqp://rabbit@node1.cluster.local", "amqp://{}@node1.cluster.local"},
    {"inbox.joe@shop.example.", "{}@shop.example."},
    {"users/joe@shop.example/inbox", "users/{}@shop.example/inbox"},
    {"joe+a@shop.example, jim@shop.example",
     "{}@shop.example, {}@shop.example"},
    /* queries */
    {"https://shop.example/a?sig=1&b=2", "https://shop.example/a?{}"},
    {"sb://h/q?sig=a b", "sb://h/q?{} b"},
    {"x?a=1;b=2,c=3", "x?{}"},
    /* keys */
    {"orders;SharedAccessKey=abc", "orders;SharedAccessKey={}"},
    {"Server=db;User Id=sa;Password=a.b;X=1",
     "Server=db;User Id=sa;Password={};X=1"},
    {"login password = hunter now", "login password = {} now"},
    {"login password: hunter", "login password: {}"},
    {"{\"password\":\"a b\",\"c\":1}", "{\"password\":\"{}\",\"c\":1}"},
    {"pwd='a b' c", "pwd='{}' c"},
    {"pwd='a b c", "pwd='{}"},
    {"X-Api-Key: abc", "X-Api-Key: {}"},
    {"auth_token=abc", "auth_token={}"},
    {"token-a=abc", "token-a={}"},
    {"token1=abc", "token1={}"},
    {"tokenValue=abc", "tokenValue={}"},
    {"X-Auth-Token: abc", "X-Auth-Token: {}"},
    {"authtoken=abc", "authtoken={}"},
    {"AUTHTOKEN=abc", "AUTHTOKEN={}"},
    {"tokenizer_token=abc", "tokenizer_token={}"},
    {"clientsecret=abc", "clientsecret={}"},
    {"secretkey=abc", "secretkey={}"},
    {"SECRETKEY=abc", "SECRETKEY={}"},
    {"secrets=abc", "secrets={}"},
    {"PGPASSWORD=abc", "PGPASSWORD={}"},
    {"Credentials: abc", "Credentials: {}"},
    {"Cookie: a=b; c=d", "Cookie: {}"},
    {"Authorization: Bearer abc", "Authorization: {}"},
    {"mysql --password=abc -h db", "mysql --password={} -h db"},
    {"/a;jsessionid=abc/b", "/a;jsessionid={}"},
    /* tokens, and what announces one */
    {"Bearer xY7Zpq0aab", "Bearer {}"},
    {"basic am9lOmh1bnRlcg==", "basic {}"},
    {"basic am9lomhibnrlcg==", "basic {}"},
    {"bearer abcdefgh-1", "bearer {}"},
    {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc", "{}"},
    {"shop-AKIAIOSFODNN7EXAMPLE", "shop-AKIAIOSFODNN7EXAMPLE"},
    {"shop AKIAIOSFODNN7EXAMPLE", "shop {}"},
    {"sk-proj-a_B1cdefGhijklmNopqr-2", "{}"},
    {"sk-0123456789abcdefABCDEF", "{}"},
    {"ghp_0123456789abcdefABCDEF0123456789abcd", "{}"},
};

/* As they are, for they are only names. */
static const char *const plain[] = {
    "",
    "@",
    "=",
    "?",
    "a@",
    "@a.bc",
    "://@",
    "https://@/",
    "checkout",
    "shop/cart",
    "kafka:orders",
    "celery@worker",
    "celery@worker1",
    "celery@worker1.prod.internal",
    "celery@worker1.prod.celery.pidbox",
    "at rabbit@node1.cluster.local",
    "rabbit@host:5672",
    "@opentelemetry/instrumentation-http",
    "npm/pkg@1.2.3",
    "oteldemo.CheckoutService/PlaceOrder",
    "GET /users/{id}",
    "GET /users/@me",
    "https://shop.example:8080/a/@scope/pkg",
    "https://[::1]:80/@x",
    "grpc://svc:orders/a of b",
    "grpc://svc:orders/a@v1",
    "grpc://svc:orders/a@v1.2/b",
    "http://svc:{port}/a@high",
    "http://svc:${PORT}/a@high",
    "http://svc:$PORT/a@high",
    "valid?",
    "a? b = c",
    "session:refresh",
    "token:revoked",
    "max_tokens=4096",
    "MaxTokens=4096",
    "Tokenizer: english",
    "TOKENIZER=english",
    "tokenised=yes",
    "Secretary: list",
    "tokens of a day",
    "name=shop",
    "basic auth",
    "Basic authentication",
    "basic order-service",
    "Basic user_profile",
    "Bearer auth_service",
    "Basic orders.service",
    "bearer of news",
    "password=",
    "password: ",
    "sk-bratislava-gateway-service-1",
    "sk-Production-Orders2",
    "sk-BRATISLAVA-orders-v2",
    "arn:aws:sqs:eu-west-1:123456789012:Orders",
    "DESKTOP-7Q2K1A:5432",
    "checkout-7d9f8b6c5d-x2x7k",
    "urn:x:Y1",
    "urn:service:orders@v2",
    "URN:service:orders@v2",
    "arn:aws:sqs:eu:123:q@x",
    "Orders::Import@high",
    "a.Orders::Import::Row@high",
    "nginx:1.21@sha256:6f1c",
    "orders:created@v1",
    "netty@4.1.100.Final",
    "foo@1.0.0-rc.next",
    "app/pkg@v1.beta",
    "registry:5000/web/nginx:1.21@sha256:6f1c",
    "docker-pullable://nginx@sha256:6f1c",
    "a\xff@\xfe.\xfd",
};

static const char *
left_of(struct buf *out, str name)
{
    buf_reset(out);
    redact_add(out, name);
    return buf_cstr(out);
}

static void
a_secret_is_taken_out_of_a_name(void **state)
{
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        str name = str_of(cases[i].name);
        bool differs = strcmp(cases[i].name, cases[i].left) != 0;

        assert_string_equal(left_of(&out, name), cases[i].left);
        assert_int_equal(redact_has(name), differs);
        assert_string_equal(left_of(&out, str_of(cases[i].left)),
                            cases[i].left);
        assert_false(redact_has(str_of(cases[i].left)));
    }
    buf_fini(&out);
}

static void
a_name_stays_as_it_is(void **state)
{
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        assert_string_equal(left_of(&out, str_of(plain[i])), plain[i]);
        assert_false(redact_has(str_of(plain[i])));
    }
    redact_add(&out, (str){"a\0@b.cd\0", 8});
    buf_fini(&out);
}

/* Every name is exactly as long as its memory, for ASan to see. */
static void
no_byte_behind_a_name_is_read(void **state)
{
    static const char *const pieces[] = {
        "://", "@", "?", "=", "\"", ":", "a", " ", "/", "Bearer ", "pwd", "{}"};
    enum { PIECES = sizeof(pieces) / sizeof(pieces[0]), LEN = 5 };
    struct buf out = {0};
    size_t all = 1;

    (void)state;
    for (size_t i = 0; i < LEN; i++)
        all *= PIECES;
    for (size_t n = 0; n < all; n++) {
        struct buf name = {0};
        for (size_t i = 0, rest = n; i < LEN; i++, rest /= PIECES)
            buf_add(&name, str_of(pieces[rest % PIECES]));
        char *exact = malloc(name.len);
        assert_non_null(exact);
        memcpy(exact, name.ptr, name.len);
        buf_reset(&out);
        redact_add(&out, (str){exact, name.len});
        assert_int_equal(redact_has((str){exact, name.len}),
                         !str_eq(buf_str(&out), (str){exact, name.len}));
        free(exact);
        buf_fini(&name);
    }
    buf_fini(&out);
}

/* The least of some tries: how long names of |len| bytes are looked at that are
 * |sign| again and again, as many as make up the same number of bytes. */
static uint64_t
time_of(const char *sign, size_t len)
{
    enum { TRIES = 7, BYTES = 1 << 18 };
    struct buf name = {0};
    struct buf out = {0};
    uint64_t least = UINT64_MAX;

    while (name.len < len)
        buf_add(&name, str_of(sign));
    for (int try = 0; try < TRIES; try++) {
        uint64_t start = clock_mono_ns();
        for (size_t done = 0; done < BYTES; done += len) {
            buf_reset(&out);
            redact_add(&out, str_cut(buf_str(&name), 0, len));
        }
        uint64_t took = clock_mono_ns() - start;
        least = took < least ? took : least;
    }
    buf_fini(&name);
    buf_fini(&out);
    return least;
}

/* Were each sign to look for its like to the end, it were 32 times as long. */
static void
a_name_of_signs_is_no_more_work_when_long(void **state)
{
    static const char *const signs[] = {"?", "//a:b", "@",  "a=",  "\"", "://",
                                        " ", "pwd ",  "a:", "eyJ", "=a"};

    (void)state;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        uint64_t shorter = time_of(signs[i], REDACT_MAX / 32);
        uint64_t longer = time_of(signs[i], REDACT_MAX);

        if (longer > 4 * shorter)
            fail_msg("%s: %llu and %llu ns", signs[i],
                     (unsigned long long)shorter, (unsigned long long)longer);
    }
}

/* A word is looked at where it begins.  A key is compared with many others:
 * that is some times the work of reading the name, and not a hundred times. */
static void
a_long_word_is_soon_looked_at(void **state)
{
    char word[REDACT_MAX + 1];
    char key[REDACT_MAX + 1];

    (void)state;
    memset(word, 'a', REDACT_MAX);
    word[0] = ' ';
    word[REDACT_MAX] = '\0';
    memcpy(key, word, sizeof(key));
    memcpy(key + REDACT_MAX - 2, "=x", 2);
    uint64_t of_words = time_of(word, REDACT_MAX / 32);
    uint64_t of_word = time_of(word, REDACT_MAX);
    uint64_t of_key = time_of(key, REDACT_MAX);
    if (of_word > 4 * of_words || of_key > 8 * of_word)
        fail_msg("%llu, %llu and %llu ns", (unsigned long long)of_words,
                 (unsigned long long)of_word, (unsigned long long)of_key);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_is_taken_out_of_a_name),
        cmocka_unit_test(a_name_stays_as_it_is),
        cmocka_unit_test(no_byte_behind_a_name_is_read),
        cmocka_unit_test(a_name_of_signs_is_no_more_work_when_long),
        cmocka_unit_test(a_long_word_is_soon_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
