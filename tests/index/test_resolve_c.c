#include "index/resolve_linkage.h"
#include "tests/index/resolve_fixture.h"

LINK_LANG(c);

static void
of_one_name_each_file_sees_its_own(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "src/a.c",
              "#include \"inline.h\"\n"
              "static int own(int x) { return x; }\n"
              "int a(int x) { return own(x) + shared(x) + STEP(x); }\n");
    world_add(&w, "src/b.c",
              "static int own(int x) { return 2 * x; }\n"
              "#define STEP(x) (x)\n"
              "int b(int x) { return own(x) + shared(x) + STEP(x); }\n");
    world_add(&w, "lib/inline.h",
              "static inline int shared(int x) { return x; }\n"
              "#define STEP(x) ((x) + 1)\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "src/a.c#a", "src/a.c#own", NULL);
    assert_edge(&w, "calls", "src/a.c#a", "lib/inline.h#shared", NULL);
    assert_edge(&w, "calls", "src/a.c#a", "lib/inline.h#STEP", NULL);
    assert_edge(&w, "calls", "src/b.c#b", "src/b.c#own", NULL);
    assert_edge(&w, "calls", "src/b.c#b", "src/b.c#STEP", NULL);
    assert_no_edge(&w, "calls", "src/b.c#b", "lib/inline.h#shared");
    world_fini(&w);
}

static void
a_function_is_where_its_body_is(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "include/lib/api.h", "int start(int x);\nint strlen(int);\n");
    world_add(&w, "src/api.c",
              "#include <lib/api.h>\n"
              "#ifdef A\nint start(int x) { return x; }\n"
              "#else\nint start(int x) { return -x; }\n#endif\n");
    world_add(&w, "src/model.c", "int strlen(int x) { return x; }\n");
    world_add(&w, "unix/os.c", "int os(void) { return 1; }\n");
    world_add(&w, "win/os.c", "int os(void) { return 2; }\n");
    world_add(&w, "unix/main.c",
              "#include <lib/api.h>\n"
              "int main(void) { return start(1) + strlen(2) + os(); }\n");
    world_add(&w, "main.c", "int other(void) { return os(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "unix/main.c#main", "src/api.c#start", NULL);
    assert_no_edge(&w, "calls", "unix/main.c#main", "src/model.c#strlen");
    assert_edge(&w, "calls", "unix/main.c#main", "unix/os.c#os", NULL);
    assert_no_edge(&w, "calls", "main.c#other", "unix/os.c#os");
    assert_no_edge(&w, "calls", "main.c#other", "win/os.c#os");
    world_fini(&w);
}

static void
methods_of_cpp_are_where_they_are_defined(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "db/status.h",
              "namespace db {\n"
              "class Status {\n"
              " public:\n"
              "  bool ok() const;\n"
              "  class Iterator {\n   public:\n    void Next();\n  };\n"
              "};\n"
              "#define CHECK(x) (x)\n"
              "}\n");
    world_add(&w, "db/status.cc",
              "#include \"db/status.h\"\n"
              "namespace db {\n"
              "bool Status::ok() const { return true; }\n"
              "void Status::Iterator::Next() { Step(); }\n"
              "static int Key(int i) { return i; }\n"
              "}\n");
    world_add(&w, "db/use.cc",
              "#include \"db/status.h\"\n"
              "namespace db {\n"
              "static int Key(int i) { return 2 * i; }\n"
              "void use(Status *s, Status::Iterator *i) {\n"
              "  s->ok(); i->Next(); Key(1); CHECK(1);\n"
              "}\n"
              "class UseTest {\n public:\n  Status *s;\n"
              "  void Open() {}\n};\n"
              "TEST(UseTest, Opens) { Open(); s->ok(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "db/use.cc#db.use", "db/status.cc#db.Status.ok",
                "receiver_type");
    assert_edge(&w, "calls", "db/use.cc#db.use",
                "db/status.cc#db.Status.Iterator.Next", "receiver_type");
    assert_edge(&w, "calls", "db/use.cc#db.use", "db/use.cc#db.Key", NULL);
    assert_edge(&w, "calls", "db/use.cc#db.use", "db/status.h#CHECK", NULL);
    assert_edge(&w, "calls", "db/use.cc#db.UseTest.UseTest.Opens",
                "db/use.cc#db.UseTest.Open", NULL);
    assert_edge(&w, "calls", "db/use.cc#db.UseTest.UseTest.Opens",
                "db/status.cc#db.Status.ok", NULL);
    world_fini(&w);
}

static void
add_repeated(struct buf *out, const char *line, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        buf_add(out, str_of(line));
}

/* b.h includes |count| times; a.c includes near.h and b.h, which includes
 * deep.h. */
static void
add_includes(struct world *w, uint32_t count)
{
    struct buf hub = {0};

    add_repeated(&hub, "#include \"none.h\"\n", count - 1);
    buf_add(&hub, STR("#include \"deep.h\"\n"));
    buf_add_char(&hub, '\0');
    assert_false(hub.failed);
    world_add(w, "x/a.c",
              "#include \"b.h\"\n#include \"near.h\"\n"
              "int a(void) { return near() + deep() + both() + lone(); }\n");
    world_add(w, "b.h", hub.ptr);
    world_add(w, "near.h", "static int near(void) { return 1; }\n");
    world_add(w, "deep.h",
              "static int deep(void) { return 1; }\n"
              "static int both(void) { return 1; }\n");
    world_add(w, "x/other.c",
              "static int near(void) { return 2; }\n"
              "int both(void) { return 2; }\n"
              "int lone(void) { return 2; }\n");
    world_resolve(w);
    assert_edge(w, "calls", "x/a.c#a", "near.h#near", NULL);
    assert_edge(w, "calls", "x/a.c#a", "x/other.c#lone", NULL);
    assert_no_edge(w, "calls", "x/a.c#a", "x/other.c#both");
    buf_fini(&hub);
}

static void
so_many_includes_are_followed(void **state)
{
    (void)state;
    struct world w = {0};

    add_includes(&w, LINKAGE_STEPS_MAX);
    assert_edge(&w, "calls", "x/a.c#a", "deep.h#deep", NULL);
    assert_edge(&w, "calls", "x/a.c#a", "deep.h#both", NULL);
    world_fini(&w);
}

static void
past_that_what_is_included_further_on_is_not_known(void **state)
{
    (void)state;
    struct world w = {0};

    add_includes(&w, LINKAGE_STEPS_MAX + 1);
    assert_no_edge(&w, "calls", "x/a.c#a", "deep.h#deep");
    assert_no_edge(&w, "calls", "x/a.c#a", "deep.h#both");
    world_fini(&w);
}

/* |count| functions of one name, of which a.c has one and uses it as often as
 * what is kept needs. */
static void
check_many(uint32_t count)
{
    struct world w = {0};
    struct buf many = {0};

    add_repeated(&many, "int same(void) { return 1; }\n", count - 3);
    buf_add_char(&many, '\0');
    assert_false(many.failed);
    world_add(&w, "x/a.c",
              "static int same(void) { return 0; }\n"
              "int a(void) { return same(); }\n"
              "int b(void) { return same() + same(); }\n");
    world_add(&w, "y/b.c",
              "#include \"own.h\"\n"
              "int c(void) { return same(); }\n"
              "int d(void) { return same() + same(); }\n");
    world_add(&w, "own.h", "#define same() 1\n");
    world_add(&w, "y/c.c", "int same(void) { return 2; }\n");
    world_add(&w, "z/many.c", many.ptr);
    world_add(&w, "e.c",
              "int e(void) { return same(); }\n"
              "int f(void) { return same() + same(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "x/a.c#a", "x/a.c#same", NULL);
    assert_edge(&w, "calls", "x/a.c#b", "x/a.c#same", NULL);
    assert_edge(&w, "calls", "y/b.c#c", "own.h#same", NULL);
    assert_edge(&w, "calls", "y/b.c#d", "own.h#same", NULL);
    assert_no_edge(&w, "calls", "y/b.c#d", "y/c.c#same");
    /* Two would do. */
    for (size_t i = 0; i < 2; i++) {
        assert_no_edge(&w, "calls", i ? "e.c#f" : "e.c#e", "y/c.c#same");
        assert_no_edge(&w, "calls", i ? "e.c#f" : "e.c#e", "z/many.c#same");
    }
    buf_fini(&many);
    world_fini(&w);
}

static void
every_use_in_a_file_means_the_same(void **state)
{
    (void)state;

    check_many(LINKAGE_ROWS_FEW);
    check_many(LINKAGE_ROWS_FEW + 1);
    check_many(5000);
}

/* Which of two builds is made, only the build knows. */
static void
members_of_a_type_that_may_be_a_librarys_are_not_told(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "view.h",
              "#ifdef HAS_STD\n"
              "namespace a {\nNS_BEGIN\nusing View = std::string_view;\n"
              "NS_END\n}\n"
              "#else\n"
              "namespace a {\nNS_BEGIN\n"
              "class View { public: int size() const { return 1; } };\n"
              "class Own { public: int size() const { return 2; } };\n"
              "NS_END\n}\n"
              "#endif\n");
    world_add(&w, "use.cc",
              "#include \"view.h\"\n"
              "int of_view(a::View v) { return v.size(); }\n"
              "int of_own(a::Own v) { return v.size(); }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "of_own", "a.Own.size", "receiver_type");
    assert_no_edge(&w, "calls", "of_view", "a.View.size");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_name_each_file_sees_its_own),
        cmocka_unit_test(a_function_is_where_its_body_is),
        cmocka_unit_test(methods_of_cpp_are_where_they_are_defined),
        cmocka_unit_test(so_many_includes_are_followed),
        cmocka_unit_test(past_that_what_is_included_further_on_is_not_known),
        cmocka_unit_test(every_use_in_a_file_means_the_same),
        cmocka_unit_test(members_of_a_type_that_may_be_a_librarys_are_not_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
