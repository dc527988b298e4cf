/*
 * What people wrote above definitions and routes, in the lines of all
 * languages, and what becomes of it in the graph.
 */
#include "index/comments.h"
#include "index/written.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(go);
LINK_LANG(python);
LINK_LANG(javascript);
LINK_LANG(java);
LINK_LANG(rust);
LINK_LANG(c);
LINK_LANG(php);

/* `line: text` of each, on a line of its own. */
static void
assert_comments(const char *path, const char *source, const char *expected)
{
    str content = str_of(source);
    const struct lang *lang = lang_of_path(str_of(path), content);
    struct facts facts;
    struct facts copy;
    struct buf packed = {0};
    struct buf out = {0};

    assert_non_null(lang);
    assert_int_equal(
        lang_facts(lang, str_of(path), content, &lang_limits_default, &facts),
        OK);
    assert_int_equal(facts_encode(&facts, &packed), OK);
    assert_int_equal(facts_decode(&copy, buf_str(&packed)), OK);
    for (uint32_t i = 1; i < copy.comment_len; i++) {
        str text = facts_text(&copy, copy.comments[i].text);

        buf_printf(&out, "%u: %.*s\n", copy.comments[i].line,
                   FIXTURE_STR(text));
    }
    assert_string_equal(buf_cstr(&out), expected);
    facts_fini(&facts);
    facts_fini(&copy);
    buf_fini(&packed);
    buf_fini(&out);
}

static void
what_stands_above_a_definition_is_its_comment(void **state)
{
    (void)state;
    assert_comments("a.go",
                    "package a\n\n// Add puts a thing\n// into the cart.\n"
                    "func Add() {}\n\n// far away\n\nfunc Far() {}\n"
                    "x := 1 // behind\nfunc Behind() {}\n",
                    "5: Add puts a thing into the cart.\n");
    assert_comments("a.js",
                    "/**\n * Shows the cart.\n * @param {string} id which\n"
                    " */\nfunction show(id) {}\n/* one line */\n"
                    "const hide = () => 1;\n",
                    "5: Shows the cart. @param {string} id which\n"
                    "7: one line\n");
    assert_comments("A.java",
                    "class A {\n    /** Pays. */\n    @Post(\"/pay\")\n"
                    "    void pay() {}\n}\n",
                    "3: Pays.\n");
    assert_comments("a.rs", "/// Opens it.\n#[inline]\nfn open() {}\n",
                    "2: Opens it.\n");
    assert_comments("a.c", "#include <x.h>\nint f(void) { return 1; }\n", "");
    assert_comments("a.php", "<?php\n# Says it.\nfunction say() {}\n",
                    "3: Says it.\n");
    assert_comments("a.php",
                    "<?php\nclass A {\n// Says it.\n#[Route('/say')]\n"
                    "public function say() {}\n}\n",
                    "4: Says it.\n");
    assert_comments("a.proto",
                    "syntax = \"proto3\";\nservice Cart {\n"
                    "  // Add puts it in.\n  rpc Add(A) returns (B);\n}\n",
                    "4: Add puts it in.\n");
}

static void
a_docstring_is_the_comment_of_what_it_stands_in(void **state)
{
    (void)state;
    assert_comments("a.py",
                    "# Above.\ndef f(a=\"x: y\", b={1: 2}) -> int:  # tail\n"
                    "    \"\"\"Counts things.\n\n    Slowly.\n    \"\"\"\n"
                    "    return 1\n\n"
                    "class A:\n    r'''Holds.'''\n\n    @x\n"
                    "    def g(self):\n        'Goes.'\n\n"
                    "    def h(self):\n        return 'not this'\n",
                    "2: Above.\n2: Counts things. Slowly.\n9: Holds.\n"
                    "12: Goes.\n");
    assert_comments("b.py", "def f(): \"never ends\n", "1: never ends\n");
    assert_comments("c.py", "def f(:\n", "");
}

static void
what_is_for_tools_or_lawyers_is_left_out(void **state)
{
    (void)state;
    assert_comments("a.go",
                    "package a\n\n//go:noinline\n// ------\nfunc A() {}\n"
                    "// nolint:all\n// B begins.\nfunc B() {}\n",
                    "8: B begins.\n");
    assert_comments("a.js",
                    "// Copyright 2020 somebody\nfunction a() {}\n"
                    "/* never ends\nfunction b() {}\n",
                    "");
}

static void
above_a_call_that_declares_a_route_is_its_comment(void **state)
{
    (void)state;
    assert_comments("a.js",
                    "// List all carts.\napp.get('/carts', list);\n"
                    "// Not for this.\nlog('some words here', x);\n"
                    "// Nor this.\nrun('/once');\n",
                    "2: List all carts.\n");
}

/* One byte below the limit, at it, and past it, in the middle of a letter. */
static void
a_long_comment_is_cut_at_a_character(void **state)
{
    (void)state;
    for (size_t len = COMMENT_BYTES_MAX - 1; len <= COMMENT_BYTES_MAX + 1;
         len++) {
        struct buf source = {0};
        struct buf expected = {0};

        buf_add(&source, STR("// "));
        buf_add(&expected, STR("2: "));
        for (size_t i = 0; i + 2 < len; i++) {
            buf_add_char(&source, 'a');
            buf_add_char(&expected, 'a');
        }
        buf_add(&source, STR("\xC3\xA9\nfunction f() {}\n"));
        if (len <= COMMENT_BYTES_MAX)
            buf_add(&expected, STR("\xC3\xA9"));
        buf_add_char(&expected, '\n');
        assert_comments("a.js", buf_cstr(&source), buf_cstr(&expected));
        buf_fini(&source);
        buf_fini(&expected);
    }
}

/* Each literal: kind, function or route, text. */
static void
assert_written(const struct route_file *files, const char *expected)
{
    struct fixture f;
    struct buf out = {0};

    fixture_open(&f, files);
    assert_int_equal(fixture_find(&f), OK);
    assert_int_equal(written_find(f.resolver, f.files, f.len, &f.build), OK);
    for (uint32_t i = 0; i < f.build.literal_len; i++) {
        const struct build_literal *row = &f.build.literals[i];
        str name = fixture_text(&f, f.build.nodes[row->node].name);
        str text = fixture_text(&f, row->text);

        buf_printf(&out, "%s %.*s: %.*s\n",
                   row->kind == LITERAL_DOC ? "doc" : "body", FIXTURE_STR(name),
                   FIXTURE_STR(text));
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_fini(&out);
    fixture_close(&f);
}

static void
comments_and_names_are_of_their_functions_and_routes(void **state)
{
    (void)state;
    assert_written(
        (struct route_file[]){
            {"app.js",
             "const app = require('express')();\n"
             "// Shows one cart.\n"
             "function show(request) { return load(request.id, 1); }\n"
             "// The carts of a user.\n"
             "app.get('/carts/:id', show);\n"},
            {NULL, NULL}},
        "doc show: Shows one cart.\n"
        "doc GET /carts/{}: The carts of a user.\n"
        "body show: load request\n");
}

static void
routes_are_found_as_before(void **state)
{
    (void)state;
    assert_routes(
        (struct route_file[]){
            {"app.js", "const app = require('express')();\n"
                       "// Says so.\napp.get('/x', (q, r) => r.end());\n"},
            {NULL, NULL}},
        "GET /x -> /x express lambda app.js:3\n");
}

static void
tests_and_what_is_generated_are_not_read(void **state)
{
    (void)state;
    assert_written(
        (struct route_file[]){
            {"a_test.go",
             "package a\n\n// Tests it.\nfunc TestA() { open() }\n"},
            {"b.pb.go", "// Code generated by x. DO NOT EDIT.\npackage a\n\n"
                        "// Makes it.\nfunc B() { open() }\n"},
            {NULL, NULL}},
        "");
}

static void
names_of_a_body_are_bounded(void **state)
{
    struct buf source = {0};
    struct fixture f;

    (void)state;
    buf_add(&source, STR("function f() {\n"));
    for (int i = 0; i < 200; i++)
        buf_printf(&source, "call%03d(x);\n", i);
    buf_add(&source, STR("}\n"));
    fixture_open(
        &f, (struct route_file[]){{"a.js", buf_cstr(&source)}, {NULL, NULL}});
    assert_int_equal(written_find(f.resolver, f.files, f.len, &f.build), OK);
    assert_int_equal(f.build.literal_len, 1);
    str body = fixture_text(&f, f.build.literals[0].text);
    assert_in_range(body.len, BODY_BYTES_MAX - 8, BODY_BYTES_MAX - 1);
    fixture_close(&f);
    buf_fini(&source);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_above_a_definition_is_its_comment),
        cmocka_unit_test(a_docstring_is_the_comment_of_what_it_stands_in),
        cmocka_unit_test(what_is_for_tools_or_lawyers_is_left_out),
        cmocka_unit_test(above_a_call_that_declares_a_route_is_its_comment),
        cmocka_unit_test(a_long_comment_is_cut_at_a_character),
        cmocka_unit_test(comments_and_names_are_of_their_functions_and_routes),
        cmocka_unit_test(routes_are_found_as_before),
        cmocka_unit_test(tests_and_what_is_generated_are_not_read),
        cmocka_unit_test(names_of_a_body_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
