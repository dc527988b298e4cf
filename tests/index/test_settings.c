/* go.mod, package.json, composer.json, tsconfig.json: what they say of imports,
 * and that what is malformed says nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/settings.h"

static enum err
take(struct settings *settings, const char *path, const char *text)
{
    return settings_take(settings, str_of(path), str_of(text));
}

static void
assert_str(str got, const char *want)
{
    if (!str_eq(got, str_of(want)))
        fail_msg("%.*s, not %s", (int)got.len, got.ptr, want);
}

static void
files_are_known_by_their_names(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "go.mod",
        "a/b/go.mod",
        "package.json",
        "x/composer.json",
        "tsconfig.json",
        "x/tsconfig.app.json",
        "jsconfig.json",
        "tsconfig.base.json",
        "x/src/main/resources/application.yml",
    };
    static const char *const others[] = {
        "go.mods",  "ago.mod",         "go.mod/x",    "package.jsonc",    "",
        "tsconfig", "mytsconfig.json", "tsconfig.js", "a/tsconfig.json/b"};

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        assert_true(settings_wants(str_of(wanted[i])));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(settings_wants(str_of(others[i])));
}

static void
modules_have_folder_name_and_language(void **state)
{
    (void)state;
    struct settings s;
    struct resolve_settings out;

    assert_int_equal(settings_init(&s), OK);
    assert_int_equal(take(&s, "go.mod", "// a\nmodule  example.com/shop \r\n"),
                     OK);
    assert_int_equal(take(&s, "sub/go.mod", "module \"example.com/q\""), OK);
    assert_int_equal(
        take(&s, "web/package.json", "{\"name\":\"@shop/web\",\"x\":[1]}"), OK);
    assert_int_equal(take(&s, "php/composer.json", "{\"name\":\"v/p\"}"), OK);
    assert_int_equal(settings_get(&s, &out), OK);
    assert_int_equal(out.module_len, 4);
    assert_int_equal(out.alias_len, 0);
    assert_str(out.modules[0].folder, "");
    assert_str(out.modules[0].module, "example.com/shop");
    assert_int_equal(out.modules[0].lang, LANG_GO);
    assert_str(out.modules[1].folder, "sub");
    assert_str(out.modules[1].module, "example.com/q");
    assert_str(out.modules[2].folder, "web");
    assert_str(out.modules[2].module, "@shop/web");
    assert_int_equal(out.modules[2].lang, LANG_JAVASCRIPT);
    assert_int_equal(out.modules[3].lang, LANG_PHP);
    settings_fini(&s);
}

static void
aliases_of_tsconfig_are_seen_from_its_folder(void **state)
{
    (void)state;
    struct settings s;
    struct resolve_settings out;

    assert_int_equal(settings_init(&s), OK);
    assert_int_equal(
        take(&s, "web/tsconfig.json",
             "// comment\n{ /* another, */ \"compilerOptions\": {\n"
             "  \"baseUrl\": \"./src\", // \"here\"\n"
             "  \"paths\": { \"@app/*\": [\"app/*\",], \"x\": [\"./y.ts\"],\n"
             "    \"url//kept\": [\"a/*b\"], \"none\": [], \"bad\": [1] },\n"
             "},}\n"),
        OK);
    assert_int_equal(settings_get(&s, &out), OK);
    assert_int_equal(out.alias_len, 4);
    assert_str(out.aliases[0].folder, "web");
    assert_str(out.aliases[0].prefix, "@app/");
    assert_str(out.aliases[0].target, "src/app/");
    assert_str(out.aliases[1].prefix, "x");
    assert_str(out.aliases[1].target, "src/y.ts");
    assert_str(out.aliases[2].prefix, "url//kept");
    assert_str(out.aliases[3].prefix, "");
    assert_str(out.aliases[3].target, "src/");
    settings_fini(&s);
}

static void
what_is_absolute_is_dropped(void **state)
{
    (void)state;
    struct settings s;
    struct resolve_settings out;

    assert_int_equal(settings_init(&s), OK);
    assert_int_equal(take(&s, "apps/web/tsconfig.json",
                          "{\"compilerOptions\":{\"baseUrl\":\".\",\"paths\":{"
                          "\"@lib/*\":[\"../../libs/*\"],"
                          "\"@abs/*\":[\"/etc/*\"]}}}"),
                     OK);
    assert_int_equal(settings_get(&s, &out), OK);
    assert_int_equal(out.alias_len, 2);
    assert_str(out.aliases[0].target, "../../libs/");
    assert_str(out.aliases[1].target, "");
    settings_fini(&s);
}

static void
what_is_malformed_says_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *text;
    } bad[] = {
        {"go.mod", "nothing\n"},
        {"go.mod", ""},
        {"package.json", "{\"name\": 1}"},
        {"package.json", "{"},
        {"package.json", "[]"},
        {"package.json", "{\"name\": \"a"},
        {"composer.json", "\"name\""},
        {"tsconfig.json", "/* never closed"},
        {"tsconfig.json", "// only"},
        {"tsconfig.json", "{\"a\": \"b\\"},
        {"tsconfig.json", "[1,2,]"},
    };
    struct settings s;
    struct resolve_settings out;

    assert_int_equal(settings_init(&s), OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(take(&s, bad[i].path, bad[i].text), ERR_INVALID);
    assert_int_equal(settings_take(&s, STR("go.mod"), STR("module ")),
                     ERR_INVALID);
    assert_int_equal(take(&s, "tsconfig.json", "{\"compilerOptions\":7}"), OK);
    assert_int_equal(settings_get(&s, &out), OK);
    assert_int_equal(out.module_len + out.alias_len, 0);
    settings_fini(&s);
}

static void
deep_and_large_files_are_refused(void **state)
{
    (void)state;
    struct settings s;
    size_t len = (size_t)SETTINGS_BYTES_MAX + 1;
    char *text = malloc(len);

    assert_non_null(text);
    assert_int_equal(settings_init(&s), OK);
    memset(text, ' ', len);
    memcpy(text, "module a\n", 9);
    assert_int_equal(settings_take(&s, STR("go.mod"), (str){text, len - 1}),
                     OK);
    assert_int_equal(settings_take(&s, STR("go.mod"), (str){text, len}),
                     ERR_INVALID);
    memset(text, '[', len);
    assert_int_equal(
        settings_take(&s, STR("package.json"), (str){text, len - 1}),
        ERR_INVALID);
    free(text);
    settings_fini(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_known_by_their_names),
        cmocka_unit_test(modules_have_folder_name_and_language),
        cmocka_unit_test(aliases_of_tsconfig_are_seen_from_its_folder),
        cmocka_unit_test(what_is_absolute_is_dropped),
        cmocka_unit_test(what_is_malformed_says_nothing),
        cmocka_unit_test(deep_and_large_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
