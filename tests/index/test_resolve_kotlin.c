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
negated_calls_and_labels_reach_members(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.kt",
              "package shop\n"
              "class Cart(private val next: Cart) {\n"
              "  fun empty(): Boolean = true\n"
              "  fun open(): Boolean = true\n"
              "  fun own() { if (!empty()) return }\n"
              "  fun other() { if (!next.next.open()) return }\n"
              "  inner class Item {\n"
              "    fun open(): Boolean = true\n"
              "    fun outer() { this@Cart.open() }\n"
              "  }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.own", "Cart.empty", "self");
    assert_edge(&w, "calls", "Cart.other", "Cart.open", "receiver_type");
    assert_edge(&w, "calls", "Cart.Item.outer", "Cart.open", "self");
    assert_no_edge(&w, "calls", "Cart.Item.outer", "Cart.Item.open");
    world_fini(&w);
}

static void
scope_functions_give_their_object_or_what_the_lambda_does(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.kt",
              "package shop\n"
              "class Item { fun ship() {} }\n"
              "class Builder {\n"
              "  fun name(n: String) = apply { note(n) }\n"
              "  private fun note(n: String) {}\n"
              "  fun build(): Item = Item()\n"
              "  fun ship() {}\n"
              "}\n"
              "fun chained() { Builder().name(\"a\").build().ship() }\n"
              "fun object_() { Builder().also { println(it) }.build() }\n"
              "fun result() { Builder().let { it.build() }.ship() }\n"
              "fun named() { Builder().let { b -> b.build() } }\n"
              "fun outer() { with(Builder()) { build() } }\n"
              "class Shop {\n"
              "  fun build() {}\n"
              "  fun ship() {}\n"
              "  fun inner(b: Builder) { b.run { build() } }\n"
              "  fun own(b: Builder) { b.let { build() } }\n"
              "  fun self(b: Builder) { b.apply { this.ship() } }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Builder.name.anonymous1", "Builder.note", "self");
    assert_edge(&w, "calls", "chained", "Builder.build", "receiver_type");
    assert_edge(&w, "calls", "chained", "Item.ship", "receiver_type");
    assert_edge(&w, "calls", "object_", "Builder.build", "receiver_type");
    assert_edge(&w, "calls", "result.anonymous1", "Builder.build",
                "receiver_type");
    assert_edge(&w, "calls", "result", "Item.ship", "receiver_type");
    assert_no_edge(&w, "calls", "result", "Builder.ship");
    assert_edge(&w, "calls", "named.anonymous1", "Builder.build",
                "receiver_type");
    assert_edge(&w, "calls", "outer.anonymous1", "Builder.build",
                "receiver_type");
    assert_edge(&w, "calls", "Shop.inner.anonymous1", "Builder.build",
                "receiver_type");
    assert_no_edge(&w, "calls", "Shop.inner.anonymous1", "Shop.build");
    assert_edge(&w, "calls", "Shop.own.anonymous1", "Shop.build", "self");
    assert_no_edge(&w, "calls", "Shop.own.anonymous1", "Builder.build");
    assert_edge(&w, "calls", "Shop.self.anonymous1", "Builder.ship",
                "receiver_type");
    assert_no_edge(&w, "calls", "Shop.self.anonymous1", "Shop.ship");
    world_fini(&w);
}

static void
an_own_method_with_the_name_of_a_scope_function_takes_as_many(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.kt",
              "package shop\n"
              "class Spec {\n"
              "  fun apply(socket: String, again: Boolean) {}\n"
              "  fun close() {}\n"
              "  fun library() { Spec().apply { close() } }\n"
              "  fun own() { apply(\"a\", true) }\n"
              "}\n"
              "class Job {\n"
              "  fun run(f: () -> Unit) {}\n"
              "  fun twice() { Job().run { } }\n"
              "}\n");
    world_resolve(&w);
    assert_no_edge(&w, "calls", "Spec.library", "Spec.apply");
    assert_edge(&w, "calls", "Spec.own", "Spec.apply", "self");
    assert_edge(&w, "calls", "Job.twice", "Job.run", "receiver_type");
    world_fini(&w);
}

static void
extensions_of_types_of_libraries_are_found_where_they_are_seen(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "util/Texts.kt",
              "package shop.util\n"
              "import java.io.Closeable\n"
              "fun String.trimmed(): String = this\n"
              "fun Closeable.closeQuietly() {}\n"
              "fun Long.hex(): String = \"\"\n"
              "fun Int.hex(): String = \"\"\n"
              "fun Buffer.startsWith(b: Buffer): Boolean = true\n"
              "infix fun Int.and(mask: Long): Long = 0\n");
    world_add(
        &w, "Cart.kt",
        "package shop\n"
        "import java.net.Socket\n"
        "import shop.util.*\n"
        "import shop.util.closeQuietly\n"
        "class Cart(private val socket: Socket, private val s: String) {\n"
        "  private fun Socket.twice() {}\n"
        "  fun close() { socket.closeQuietly() }\n"
        "  fun text() { s.trimmed() }\n"
        "  fun other() { s.startsWith(\"a\") }\n"
        "  fun long(n: Long) { n.hex() }\n"
        "  fun any() { mystery().hex() }\n"
        "  fun bits(n: Int) { n and 3 }\n"
        "  fun own() { socket.twice() }\n"
        "}\n"
        "fun unseen(s: Socket) { s.twice() }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Cart.close", "Closeable.closeQuietly", "import");
    assert_edge(&w, "calls", "Cart.text", "String.trimmed", NULL);
    assert_edge(&w, "calls", "Cart.long", "Long.hex", NULL);
    assert_no_edge(&w, "calls", "Cart.long", "Int.hex");
    assert_no_edge(&w, "calls", "Cart.any", "Long.hex");
    assert_no_edge(&w, "calls", "Cart.any", "Int.hex");
    assert_no_edge(&w, "calls", "Cart.other", "Buffer.startsWith");
    assert_no_edge(&w, "calls", "Cart.bits", "Int.and");
    assert_edge(&w, "calls", "Cart.own", "Cart.twice", NULL);
    assert_no_edge(&w, "calls", "unseen", "Cart.twice");
    world_fini(&w);
}

/* So many of one name are looked at, and of more none is said to be meant. */
static void
extensions_of_one_name_are_bounded(void **state)
{
    (void)state;

    for (int len = 64; len <= 65; len++) {
        struct world w = {0};
        struct buf text = {0};
        buf_add(&text, STR("package shop\n"));
        for (int i = 0; i < len; i++)
            buf_printf(&text, "fun Type%d.hex() {}\n", i);
        buf_add(&text, STR("fun main(x: Type3) { x.hex() }\n"));
        world_add(&w, "A.kt", buf_cstr(&text));
        world_resolve(&w);
        if (len == 64)
            assert_edge(&w, "calls", "main", "Type3.hex", NULL);
        else
            assert_no_edge(&w, "calls", "main", "Type3.hex");
        world_fini(&w);
        buf_fini(&text);
    }
}

static void
locals_around_a_lambda_come_before_what_its_this_has(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "A.kt",
              "package shop\n"
              "class Item { fun ship() {} }\n"
              "class Box { fun ship() {} }\n"
              "class Cart {\n"
              "  val item: Box = Box()\n"
              "  fun close() {}\n"
              "}\n"
              "class Desk {\n"
              "  val item: Item = Item()\n"
              "  fun close() {}\n"
              "  fun passed(item: Item, c: Cart) { c.apply { item.ship() } }\n"
              "  fun deep(item: Item, c: Cart) {\n"
              "    listOf(c).forEach { c.apply { item.ship() } }\n"
              "  }\n"
              "  fun own(c: Cart) { c.apply { item.ship(); close() } }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Desk.passed.anonymous1", "Item.ship",
                "receiver_type");
    assert_no_edge(&w, "calls", "Desk.passed.anonymous1", "Box.ship");
    assert_edge(&w, "calls", "Desk.deep.anonymous1.anonymous1", "Item.ship",
                "receiver_type");
    assert_no_edge(&w, "calls", "Desk.deep.anonymous1.anonymous1", "Box.ship");
    /* One past the function: the type around comes after. */
    assert_edge(&w, "calls", "Desk.own.anonymous1", "Box.ship",
                "receiver_type");
    assert_edge(&w, "calls", "Desk.own.anonymous1", "Cart.close",
                "receiver_type");
    assert_no_edge(&w, "calls", "Desk.own.anonymous1", "Desk.close");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locals_around_a_lambda_come_before_what_its_this_has),
        cmocka_unit_test(negated_calls_and_labels_reach_members),
        cmocka_unit_test(
            scope_functions_give_their_object_or_what_the_lambda_does),
        cmocka_unit_test(
            an_own_method_with_the_name_of_a_scope_function_takes_as_many),
        cmocka_unit_test(
            extensions_of_types_of_libraries_are_found_where_they_are_seen),
        cmocka_unit_test(extensions_of_one_name_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
