/*
 * C#: what names mean, and which of several methods a call.
 */
#include "tests/index/resolve_fixture.h"

LINK_LANG(csharp);

static void
qualified_names_begin_with_their_namespace(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Ui.cs",
              "namespace Shop.Ui {\n"
              "  public class Box { public static void Show() {} }\n"
              "}\n");
    world_add(&w, "App.cs",
              "using System;\n"
              "namespace Other {\n"
              "  class App {\n"
              "    void Static() { Shop.Ui.Box.Show(); }\n"
              "    void Made() { var box = new Shop.Ui.Box(); }\n"
              "  }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "App.Static", "Box.Show", NULL);
    assert_edge(&w, "calls", "App.Made", "Box", NULL);
    world_fini(&w);
}

/* `using Wire;` in a namespace is of what is around it. */
static void
usings_begin_at_the_namespaces_around(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "Wire.cs",
        "namespace Bus.Wire {\n"
        "  class Reader { public Reader(int a) {} public void Read() {} }\n"
        "}\n");
    world_add(&w, "Conn.cs",
              "using System;\n"
              "namespace Bus.Core {\n"
              "  using Wire;\n"
              "  class Conn {\n"
              "    void Used(Reader r) { r.Read(); }\n"
              "    void Named() { new Wire.Reader(1).Read(); }\n"
              "  }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Conn.Used", "Reader.Read", "receiver_type");
    assert_edge(&w, "calls", "Conn.Named", "Reader.Read", "receiver_type");
    world_fini(&w);
}

static void
a_property_may_have_the_name_of_its_type(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "App.cs",
              "class Pool { public void Take() {} }\n"
              "static class App {\n"
              "  private static Pool pool = null;\n"
              "  public static Pool Pool { get { return pool; } }\n"
              "  static void Own() { Pool.Take(); }\n"
              "}\n"
              "class User { void Use() { App.Pool.Take(); } }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "App.Own", "Pool.Take", "receiver_type");
    assert_edge(&w, "calls", "User.Use", "Pool.Take", "receiver_type");
    world_fini(&w);
}

static void
the_nearest_method_that_takes_the_arguments_is_meant(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Reader.cs",
              "enum Kind { A }\n"
              "class Token { }\n"
              "class Base {\n"
              "  public void Set(Kind kind, int a = 1) {}\n"
              "  public void Log(string s, params int[] rest) {}\n"
              "}\n"
              "class Reader : Base {\n"
              "  void Set(Token token) {}\n"
              "  void Log() {}\n"
              "  static string GetType(Token t) { return null; }\n"
              "  void Typed(Kind k) { Set(k); }\n"
              "  void Two(Kind k) { Set(k, a: 2); }\n"
              "  void Near() { Set(new Token()); }\n"
              "  void Many() { this.Log(null, 1, 2); }\n"
              "  void Object() { GetType(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Reader.Typed", "Base.Set", "self");
    assert_edge(&w, "calls", "Reader.Two", "Base.Set", "self");
    assert_edge(&w, "calls", "Reader.Near", "Reader.Set", "self");
    assert_edge(&w, "calls", "Reader.Many", "Base.Log", "self");
    assert_no_edge(&w, "calls", "Reader.Object", "Reader.GetType");
    world_fini(&w);
}

static void
what_is_written_for_an_interface_is_not_called_by_the_class(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Bag.cs",
              "interface IBag { void Put(int a); }\n"
              "class Base { public void Put(object a) {} }\n"
              "class Bag : Base, IBag {\n"
              "  void IBag.Put(int a) { Put(a); }\n"
              "  void By(IBag bag) { bag.Put(1); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Bag.Put", "Base.Put", "self");
    assert_edge(&w, "calls", "Bag.By", "IBag.Put", "receiver_type");
    world_fini(&w);
}

static void
extension_methods_are_of_the_namespaces_that_are_used(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "Text.cs",
        "namespace Lib.Text {\n"
        "  public static class Texts {\n"
        "    public static string With(this string s, int a) { return s; }\n"
        "    public static bool IsSet(this Type t) { return true; }\n"
        "    public static void Go(this Shop.Cart c) {}\n"
        "    public static void Add(this IList<int> l, int a) {}\n"
        "#if OLD\n"
        "    public static void Late(this Type t) {}\n"
        "#endif\n"
        "  }\n"
        "}\n");
    world_add(&w, "Cart.cs",
              "namespace Shop {\n"
              "  public class Cart { public void With(int a) {} }\n"
              "}\n");
    world_add(&w, "App.cs",
              "using System;\n"
              "using Lib.Text;\n"
              "class App {\n"
              "  void Literal() { \"a\".With(1); }\n"
              "  void Outside(Type t) { t.IsSet(); }\n"
              "  void Ours(Shop.Cart c) { c.Go(); }\n"
              "  void Member(Shop.Cart c) { c.With(1); }\n"
              "  void Static() { Texts.With(\"a\", 1); }\n"
              "  void Fewer() { \"a\".With(); }\n"
              "  void Other(Type t) { t.With(1); }\n"
              "  void Library(List<int> l) { l.Add(1); }\n"
              "  void Conditional(Type t) { t.Late(); }\n"
              "}\n");
    world_add(&w, "None.cs",
              "class None { void Literal() { \"a\".With(1); } }\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "App.Literal", "Texts.With", "receiver_type");
    assert_edge(&w, "calls", "App.Outside", "Texts.IsSet", "receiver_type");
    assert_edge(&w, "calls", "App.Ours", "Texts.Go", "receiver_type");
    assert_edge(&w, "calls", "App.Member", "Cart.With", "receiver_type");
    assert_edge(&w, "calls", "App.Static", "Texts.With", NULL);
    assert_no_edge(&w, "calls", "App.Fewer", "Texts.With");
    assert_no_edge(&w, "calls", "App.Other", "Texts.With");
    assert_no_edge(&w, "calls", "App.Library", "Texts.Add");
    assert_no_edge(&w, "calls", "App.Conditional", "Texts.Late");
    assert_no_edge(&w, "calls", "None.Literal", "Texts.With");
    world_fini(&w);
}

static void
an_extension_comes_behind_members_that_take_the_arguments(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(
        &w, "Image.cs",
        "enum Rva { None }\n"
        "enum Offset { None }\n"
        "interface IImage { void Open(int at, int len); void Seek(Offset at); "
        "}\n"
        "class Sig { public bool IsNull { get { return this.IsNull(); } } }\n"
        "static class Images {\n"
        "  public static bool IsNull(this Sig sig) { return true; }\n"
        "  public static void Open(this IImage image, int at) {}\n"
        "  public static void Seek(this IImage image, Rva at) {}\n"
        "}\n"
        "class App {\n"
        "  void One(IImage i) { i.Open(1); }\n"
        "  void Two(IImage i) { i.Open(1, 2); }\n"
        "  void Typed(IImage i, Rva at) { i.Seek(at); }\n"
        "  void Own(IImage i, Offset at) { i.Seek(at); }\n"
        "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "App.One", "Images.Open", "receiver_type");
    assert_edge(&w, "calls", "App.Two", "IImage.Open", "receiver_type");
    assert_edge(&w, "calls", "App.Typed", "Images.Seek", "receiver_type");
    assert_edge(&w, "calls", "App.Own", "IImage.Seek", "receiver_type");
    assert_edge(&w, "calls", "Sig.IsNull", "Images.IsNull", "receiver_type");
    world_fini(&w);
}

static void
a_field_is_of_the_type_that_it_is_declared_with(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "Reader.cs",
              "interface IReader { void Read(); }\n"
              "class Memory : IReader { public void Read() {} }\n"
              "class File : IReader { public void Read() {} }\n"
              "class Base { protected IReader reader; }\n"
              "class Body : Base {\n"
              "  Body() { this.reader = new Memory(); }\n"
              "  void Go() { reader.Read(); }\n"
              "}\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Body.Go", "IReader.Read", "receiver_type");
    assert_no_edge(&w, "calls", "Body.Go", "Memory.Read");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qualified_names_begin_with_their_namespace),
        cmocka_unit_test(usings_begin_at_the_namespaces_around),
        cmocka_unit_test(a_property_may_have_the_name_of_its_type),
        cmocka_unit_test(the_nearest_method_that_takes_the_arguments_is_meant),
        cmocka_unit_test(
            what_is_written_for_an_interface_is_not_called_by_the_class),
        cmocka_unit_test(extension_methods_are_of_the_namespaces_that_are_used),
        cmocka_unit_test(
            an_extension_comes_behind_members_that_take_the_arguments),
        cmocka_unit_test(a_field_is_of_the_type_that_it_is_declared_with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
