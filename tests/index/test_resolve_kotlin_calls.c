#include "tests/index/resolve_fixture.h"

LINK_LANG(java);
LINK_LANG(kotlin);
LINK_LANG(csharp);
LINK_LANG(ruby);
LINK_LANG(php);
LINK_LANG(rust);
LINK_LANG(c);
LINK_LANG(go);
LINK_LANG(javascript);

static void
lambdas_have_the_receiver_that_a_function_of_ours_says(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "Module.kt",
        "package shop\n"
        "typealias Declared<T> = Scope.(Params) -> T\n"
        "class Params {\n"
        "  fun first() {}\n"
        "}\n"
        "class Scope {\n"
        "  fun take() {}\n"
        "}\n"
        "class Module {\n"
        "  fun single(make: Declared<String>) {}\n"
        "  fun take() {}\n"
        "}\n"
        "fun module(early: Boolean = false, block: Module.() -> Unit) {}\n"
        "fun each(block: (Params, Module) -> Unit) {}\n");
    world_add(&w, "app/App.kt",
              "package shop.app\n"
              "import shop.module\n"
              "import shop.each\n"
              "fun take() {}\n"
              "fun all() = module { single { take() } }\n"
              "fun it_() = module { single { it.first() } }\n"
              "fun early() = module(true) { take() }\n"
              "fun named() = each { p, m -> p.first(); m.take() }\n"
              "fun other() = listOf(1).forEach { take() }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "all.anonymous1", "Module.single",
                "receiver_type");
    assert_edge(&w, "calls", "all.anonymous1.anonymous1", "Scope.take",
                "receiver_type");
    assert_no_edge(&w, "calls", "all.anonymous1.anonymous1", "take");
    assert_edge(&w, "calls", "it_.anonymous1.anonymous1", "Params.first",
                "receiver_type");
    assert_edge(&w, "calls", "early.anonymous1", "Module.take",
                "receiver_type");
    assert_edge(&w, "calls", "named.anonymous1", "Params.first",
                "receiver_type");
    assert_edge(&w, "calls", "named.anonymous1", "Module.take",
                "receiver_type");
    assert_edge(&w, "calls", "other.anonymous1", "take", NULL);
    world_fini(&w);
}

static void
extensions_see_what_they_extend_also_of_another_package(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Module.kt",
              "package shop\n"
              "class Module {\n"
              "  fun single() {}\n"
              "}\n");
    world_add(&w, "dsl/Dsl.kt",
              "package shop.dsl\n"
              "import shop.Module\n"
              "import java.net.URL\n"
              "fun Module.singleOf() { single() }\n"
              "class Page {\n"
              "  override fun toString(): String = \"\"\n"
              "  fun open() {}\n"
              "  fun URL.text() { toString(); this.open() }\n"
              "  fun own() { toString() }\n"
              "  fun built() = buildString { toString() }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Module.singleOf", "Module.single", "self");
    assert_no_edge(&w, "calls", "Page.text", "Page.toString");
    assert_no_edge(&w, "calls", "Page.text", "Page.open");
    assert_edge(&w, "calls", "Page.own", "Page.toString", "self");
    assert_no_edge(&w, "calls", "Page.built.anonymous1", "Page.toString");
    world_fini(&w);
}

static void
a_call_means_a_function_that_takes_its_arguments(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.kt",
              "package shop\n"
              "class Ping { fun start() { start(this, 1) } }\n"
              "fun start(p: Ping, every: Int, log: Boolean = true) {}\n"
              "open class Base {\n"
              "  open fun copy(a: Int = 1, b: Int = 2) {}\n"
              "}\n"
              "class Name(val parts: Int) : Base() {\n"
              "  override fun copy(a: Int, b: Int) {}\n"
              "  fun headers() {}\n"
              "  val headers: Ping = Ping()\n"
              "  fun parts(i: Int): Int = i\n"
              "}\n"
              "fun overridden(n: Name) { n.copy(b = 3) }\n"
              "fun property(n: Name) { n.headers.start() }\n"
              "fun function(n: Name) { n.headers() }\n"
              "fun wrong(n: Name) { n.copy(c = 3) }\n"
              "fun value(i: Int): Int = i\n"
              "fun local() { val value = value(1); println(value) }\n"
              "fun param(value: String) { value(1) }\n"
              "class Writer {\n"
              "  fun emit(s: String) {}\n"
              "}\n"
              "fun write(block: Writer.() -> Unit) {}\n"
              "class Spec {\n"
              "  fun emit(w: Writer) {}\n"
              "  fun text() = write { emit(this) }\n"
              "}\n"
              "class Tags private constructor(val m: Int) {\n"
              "  companion object {\n"
              "    operator fun invoke(m: Long) = Tags(1)\n"
              "  }\n"
              "}\n"
              "fun tags() { Tags(2) }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Ping.start", "start", NULL);
    assert_no_edge(&w, "calls", "Ping.start", "Ping.start");
    assert_edge(&w, "calls", "overridden", "Name.copy", "receiver_type");
    assert_no_edge(&w, "calls", "overridden", "Base.copy");
    assert_no_edge(&w, "calls", "wrong", "Name.copy");
    assert_edge(&w, "calls", "property", "Ping.start", "receiver_type");
    assert_edge(&w, "calls", "function", "Name.headers", "receiver_type");
    assert_edge(&w, "calls", "local", "value", "lexical");
    assert_edge(&w, "calls", "param", "value", "lexical");
    assert_edge(&w, "calls", "Spec.text.anonymous1", "Spec.emit", "self");
    assert_no_edge(&w, "calls", "Spec.text.anonymous1", "Writer.emit");
    assert_edge(&w, "calls", "tags", "Tags.invoke", NULL);
    world_fini(&w);
}

static void
extensions_go_by_what_a_type_extends_and_stands_for(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "options/Convert.kt",
              "package shop.options\n"
              "class Option\n"
              "fun Option.convert() {}\n");
    world_add(&w, "arguments/Convert.kt",
              "package shop.arguments\n"
              "interface Argument<T>\n"
              "typealias Raw = Argument<String>\n"
              "fun Raw.convert() {}\n");
    world_add(&w, "Media.kt",
              "package shop\n"
              "import java.io.Closeable\n"
              "class Media {\n"
              "  companion object {\n"
              "    fun String.toMedia(): Media = Media()\n"
              "  }\n"
              "}\n"
              "class Snapshot : Closeable\n"
              "fun Closeable.closeQuietly() {}\n"
              "fun java.net.Socket.closeQuietly() {}\n"
              "fun Mapper.read(s: String) { read(s) }\n"
              "fun List<Media>.emit() {}\n"
              "class Spec {\n"
              "  fun emit() {}\n"
              "}\n");
    world_add(&w, "App.kt",
              "package shop.app\n"
              "import shop.arguments.Raw\n"
              "import shop.arguments.convert\n"
              "import shop.options.Option\n"
              "import shop.options.convert\n"
              "import shop.Media.Companion.toMedia\n"
              "import shop.*\n"
              "fun Raw.int() = convert()\n"
              "fun Option.int() = convert()\n"
              "fun media() { \"a\".toMedia() }\n"
              "fun close(s: Snapshot) { s.closeQuietly() }\n"
              "fun unknown() { mystery().emit() }\n"
              "fun library() { mystery().split(1) }\n"
              "fun Option.split(n: Int) {}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Raw.int", "Raw.convert", "import");
    assert_no_edge(&w, "calls", "Raw.int", "Option.convert");
    assert_edge(&w, "calls", "Option.int", "Option.convert", "self");
    assert_edge(&w, "calls", "media", "Media.toMedia", "import");
    assert_edge(&w, "calls", "close", "Closeable.closeQuietly", NULL);
    assert_no_edge(&w, "calls", "Mapper.read", "Mapper.read");
    assert_no_edge(&w, "calls", "unknown", "List.emit");
    assert_no_edge(&w, "calls", "library", "Option.split");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            lambdas_have_the_receiver_that_a_function_of_ours_says),
        cmocka_unit_test(
            extensions_see_what_they_extend_also_of_another_package),
        cmocka_unit_test(a_call_means_a_function_that_takes_its_arguments),
        cmocka_unit_test(extensions_go_by_what_a_type_extends_and_stands_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
