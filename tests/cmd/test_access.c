#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/listen.h"
#include "cmd/tokens.h"
#include "tests/support/dir.h"

static char dir[64];
static char path[80];

static enum err
read_file(struct tokens *tokens, const char *text, struct buf *why)
{
    const struct config_list none = {0};
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return tokens_read(tokens, &none, path, why);
}

static void
a_line_is_a_token_without_the_blanks_around_it(void **state)
{
    struct tokens tokens;
    struct buf why = {0};

    (void)state;
    assert_int_equal(
        read_file(&tokens, "# ours\n\n one\t \r\ntwo words \nlast", &why), OK);
    assert_int_equal(tokens.len, 3);
    assert_string_equal(tokens.item[0], "one");
    assert_string_equal(tokens.item[1], "two words");
    assert_string_equal(tokens.item[2], "last");
    tokens_fini(&tokens);
    buf_fini(&why);
}

static void
a_file_without_a_token_is_refused_as_it_would_let_everyone_in(void **state)
{
    static const char *const texts[] = {"", "\n \t\n", "# none yet\n"};
    struct tokens tokens;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct buf why = {0};
        assert_int_equal(read_file(&tokens, texts[i], &why), ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&why), path));
        assert_int_equal(tokens.len, 0);
        buf_fini(&why);
    }
}

/* Nothing in it is taken from the environment. */
static void
a_line_that_is_no_secret_is_refused(void **state)
{
    static const char *const texts[] = {"good\n${TOKEN}\n", " **** \n",
                                        "${env:TOKEN}"};
    struct tokens tokens;
    struct buf why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        buf_reset(&why);
        assert_int_equal(read_file(&tokens, texts[i], &why), ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&why), path));
        assert_non_null(strstr(buf_cstr(&why), "no secret"));
        assert_int_equal(tokens.len, 0);
    }
    assert_int_equal(read_file(&tokens, "a${b}\n*****", &why), OK);
    assert_int_equal(tokens.len, 2);
    tokens_fini(&tokens);
    buf_fini(&why);
}

static void
a_missing_file_and_an_empty_token_are_refused(void **state)
{
    const char *item[] = {"good", ""};
    const struct config_list list = {item, 2};
    struct tokens tokens;
    struct buf why = {0};

    (void)state;
    assert_int_equal(
        tokens_read(&tokens, &(struct config_list){0}, "/none", &why), ERR_IO);
    assert_non_null(strstr(buf_cstr(&why), "/none"));
    buf_reset(&why);
    assert_int_equal(tokens_read(&tokens, &list, "", &why), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&why), "no secret"));
    assert_int_equal(tokens.len, 0);
    item[1] = "****"; /* as check-config prints it */
    assert_int_equal(tokens_read(&tokens, &list, "", &why), ERR_INVALID);
    item[1] = "${TOKEN}"; /* everybody could guess it */
    assert_int_equal(tokens_read(&tokens, &list, "", &why), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&why), "${env:NAME}"));
    item[1] = "a${b}";
    assert_int_equal(tokens_read(&tokens, &list, "", &why), OK);
    tokens_fini(&tokens);
    buf_fini(&why);
}

/* Says whether a listener with |tls| would be opened, and why not. */
static enum err
try(struct config_tls tls, struct buf *why)
{
    tls.min_version = "1.2";
    tls.max_version = "1.3";
    const struct config_listener cfg = {
        .endpoint = "localhost:0", .body_bytes = 1024, .tls = tls};
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];

    return listen_from_config(&listener, &cfg, 1024, host, why);
}

/* The same of a listener at |endpoint|. */
static enum err
open_at(const char *endpoint, struct buf *why)
{
    const struct config_listener cfg = {
        .endpoint = endpoint,
        .body_bytes = 1024,
        .tls = {.min_version = "1.2", .max_version = "1.3"}};
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];

    return listen_from_config(&listener, &cfg, 1024, host, why);
}

static void
half_a_tls_configuration_is_refused(void **state)
{
    const char *names[] = {"shop"};
    const struct config_list allowed = {names, 1};
    const struct {
        struct config_tls tls;
        const char *lacks;
    } rows[] = {
        {{.cert_file = "c"}, "key_file"},
        {{.key_file = "k"}, "cert_file"},
        {{.client_ca_file = "a"}, "cert_file"},
        {{.allowed_names = allowed}, "client_ca_file"},
        {{.cert_file = "c", .key_file = "k", .allowed_names = allowed},
         "client_ca_file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf why = {0};
        assert_int_equal(try(rows[i].tls, &why), ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&why), rows[i].lacks));
        buf_fini(&why);
    }
    assert_int_equal(try((struct config_tls){0}, NULL), OK);
    assert_int_equal(try((struct config_tls){.cert_file = "c",
                                             .key_file = "k",
                                             .client_ca_file = "a",
                                             .allowed_names = allowed},
                         NULL),
                     OK);
}

static void
an_endpoint_is_an_address_and_a_port_or_a_path(void **state)
{
    static const char *const good[] = {
        "localhost:0",  "127.0.0.1:65535", ":4318",
        "[::1]:4318",   "[::]:0",          "[fe80::1%eth0]:4318",
        "0.0.0.0:4318", "unix:/run/a",     "unix:a"};
    static const char *const bad[] = {
        "",          "localhost",   "localhost:",    "localhost:65536",
        "1.2.3:80",  "1.2.3.4.5:1", "example.com:1", "[::1:80",
        "[::g]:80",  "unix:",       "a b:80",        "localhost:80x",
        "[%eth0]:1", "localhost:-1"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(open_at(good[i], NULL), OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct buf why = {0};
        assert_int_equal(open_at(bad[i], &why), ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&why), bad[i]));
        buf_fini(&why);
    }
}

static void
the_path_of_a_socket_has_as_much_room_as_the_system_gives(void **state)
{
    char endpoint[5 + 108 + 1] = "unix:";
    struct buf why = {0};

    (void)state;
    memset(endpoint + 5, 'a', 107);
    assert_int_equal(open_at(endpoint, NULL), OK);
    endpoint[5 + 107] = 'a';
    assert_int_equal(open_at(endpoint, &why), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&why), "107 bytes"));
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_token_without_the_blanks_around_it),
        cmocka_unit_test(
            a_file_without_a_token_is_refused_as_it_would_let_everyone_in),
        cmocka_unit_test(a_line_that_is_no_secret_is_refused),
        cmocka_unit_test(a_missing_file_and_an_empty_token_are_refused),
        cmocka_unit_test(half_a_tls_configuration_is_refused),
        cmocka_unit_test(an_endpoint_is_an_address_and_a_port_or_a_path),
        cmocka_unit_test(
            the_path_of_a_socket_has_as_much_room_as_the_system_gives),
    };

    dir_make(dir);
    (void)snprintf(path, sizeof(path), "%s/tokens", dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dir_remove(dir);
    return failed;
}
