/*
 * PHP: what the extractor says of each construct.
 */
#include "tests/index/lang_fixture.h"

LINK_LANG(php);

static void
namespaces_and_imports_are_told(void **state)
{
    (void)state;
    assert_facts("a.php",
                 "<html><?php\n"
                 "namespace App\\Http;\n"
                 "use Foo\\Bar as B, \\Foo\\Qux;\n"
                 "use function Foo\\{f1, f2 as g};\n"
                 "use Foo\\{A, function b, Deep\\C};\n"
                 "require_once __DIR__ . '/x.php';\n"
                 "include 'y.php';\n"
                 "const LIMIT = 'x';\n"
                 "define('OTHER', 'v');\n",
                 "package App\\Http", "import name Foo name Bar as B",
                 "import name Foo name Qux", "import name Foo name f1",
                 "import name Foo name f2 as g", "import name Foo name A",
                 "import name Foo name b", "import name Foo\\Deep name C",
                 "import include ./x.php", "import include y.php",
                 "bind #0 local LIMIT = \"x\" const",
                 "def #1 const LIMIT in #0 line 8:6-8 exported",
                 "bind #0 local OTHER = \"v\" const", NULL);
}

static void
types_tell_bases_traits_interfaces_and_attributes(void **state)
{
    (void)state;
    assert_facts(
        "a.php",
        "<?php\n"
        "interface I extends J, K { public function m(int $a): ?string; }\n"
        "trait T { public function t() {} }\n"
        "enum Suit: string implements HasX { case Hearts = 'H'; }\n"
        "#[Route('/x', methods: ['GET'], name: X::Y), Other]\n"
        "abstract class C extends Base implements I, \\L\\M {\n"
        "  use T1, T2;\n"
        "  const A = '/a', B = 2;\n"
        "  private ?Foo $foo = null, $bar;\n"
        "}\n",
        "def #1 interface I in #0 line 2:10-2 exported bases(2) J, K",
        "def #2 method m in #1 line 2:43-2 exported abstract type string",
        "def #3 type T in #0 line 3:6-3 exported trait",
        "def #5 type Suit in #0 line 4:5-4 exported enum bases(1) HasX",
        "bind #5 field Hearts = \"H\" const",
        "def #6 type C in #0 line 6:15-10 exported abstract bases(2) Base, "
        "T1, T2, I, L.M marks Route(\"/x\", methods: [\"GET\"], name: X.Y), "
        "Other",
        "bind #6 field A = \"/a\" const", "bind #6 field B = 2 const",
        "bind #6 field foo: Foo", "bind #6 field bar: Foo", NULL);
}

static void
methods_promote_parameters_and_know_their_class(void **state)
{
    (void)state;
    assert_facts(
        "a.php",
        "<?php class C {\n"
        "  public function __construct(private readonly Svc $svc, $z = 1) {\n"
        "    $this->foo = $svc; parent::__construct($z); }\n"
        "  #[Get('/y')] public static function make(): static {\n"
        "    return new static(); }\n"
        "  private function q() {\n"
        "    self::make()->run($this->svc?->go(1, ...$x), name: 2);\n"
        "    return $this->svc->m(...); }\n"
        "}\n",
        "def #2 method __construct in #1 line 2:18-3 exported ctor",
        "bind #2 param $svc@0: Svc", "bind #1 field svc: Svc",
        "bind #2 param $z@1 = 1", "bind #2 assign self.foo = $svc",
        "call #2 line 3:31 super.__construct($z)",
        "def #3 method make in #1 line 4:38-5 exported static type self marks "
        "Get(\"/y\")",
        "bind #3 return  = new self()", "def #4 method q in #1 line 6:19-8",
        "call #4 line 7:10 self.make()",
        "call #4 line 7:35 self.svc.go(1, ...$x)",
        "call #4 line 7:18 self.make().run(self.svc.go(1, ...$x), name: 2)",
        "bind #4 return  = self.svc.m", NULL);
}

static void
routes_show_classes_strings_and_closures(void **state)
{
    (void)state;
    assert_facts(
        "routes.php",
        "<?php\n"
        "Route::get('users/{id}', [UserController::class, "
        "'show'])->name('x');\n"
        "$app->get('/x', function (Request $req) use ($a) { return h($req); "
        "});\n"
        "$app->get(\"/a/{$b->c()}/d\" . PATH, fn($x) => $x->y());\n"
        "?><b><?= h($x) ?></b>\n",
        "call #0 line 2:7 Route.get(\"users/{id}\", [UserController.class, "
        "\"show\"])",
        "call #0 line 3:6 $app.get(\"/x\", lambda#1)",
        "bind #1 param $req@0: Request", "bind #1 return  = h($req)",
        "call #0 line 4:6 $app.get(concat(\"/a/\", $b.c(), \"/d\", PATH), "
        "lambda#2)",
        "bind #2 return  = $x.y()", "call #2 line 4:49 $x.y()",
        "call #0 line 5:9 h($x)", NULL);
}

static void
names_are_bound_by_all_kinds_of_assignment(void **state)
{
    (void)state;
    assert_facts(
        "a.php",
        "<?php function foo(string $s, A|null $n = null, &...$r): array {\n"
        "  foreach ($s as $k => $v) { $v->go(); }\n"
        "  [$a, $b] = bar(); ['x' => $c] = z();\n"
        "  $x = $y ?: z(); $x ?\?= new \\N\\Foo(1);\n"
        "  $o = new class(1) extends Z { function m() {} };\n"
        "  try { a(); } catch (E|F $e) { \\A\\b(); }\n"
        "  static $st = 1; $m['k'][0]->m();\n"
        "  return match($x) { 1 => a(), default => b() };\n"
        "}\n",
        "bind #1 param $s@0: string", "bind #1 param $n@1: A",
        "bind #1 param $r@2", "bind #1 local $k = elem($s key)",
        "bind #1 local $v = elem($s)", "bind #1 local $a@0 = bar()",
        "bind #1 local $b@1 = bar()", "bind #1 local $c = z().x",
        "bind #1 local $x = alt($y, z())", "bind #1 local $x = new N.Foo(1)",
        "bind #1 local $o = new Z()",
        "def #2 type  in #1 line 5:11-5 exported lambda bases(0) Z",
        "bind #1 local $e: alt(E, F)", "call #1 line 6:35 A.b()",
        "bind #1 local $st = 1", "call #1 line 7:30 $m[\"k\"][0].m()",
        "bind #1 return  = alt(a(), b())", NULL);
}

/* However many there are before it, so that it is the one they move for. */
static void
a_key_is_read_where_its_expression_has_moved_to(void **state)
{
    struct buf text = {0};

    (void)state;
    for (int before = 0; before < 80; before++) {
        buf_reset(&text);
        buf_add(&text, STR("<?php "));
        for (int i = 0; i < before; i++)
            buf_add(&text, STR("$a = 1; "));
        buf_add(&text, STR("['x' => $c] = z();"));
        assert_facts("a.php", buf_cstr(&text), "bind #0 local $c = z().x",
                     NULL);
    }
    buf_fini(&text);
}

static void
single_quotes_keep_backslashes(void **state)
{
    (void)state;
    assert_facts("a.php",
                 "<?php $a = 'App\\name\\\\T'; $b = \"a\\n\"; $c = <<<EOT\n"
                 "x $y z\nEOT;\n",
                 "bind #0 local $a = \"App\\name\\T\"",
                 "bind #0 local $b = \"a\\n\"",
                 "bind #0 local $c = concat(\"x \", $y, \" z\")", NULL);
}

static void
test_cases_are_told(void **state)
{
    (void)state;
    assert_facts("tests/ATest.php",
                 "<?php class ATest extends TestCase {\n"
                 "  public function testA() {}\n"
                 "  #[Test] public function b() {}\n"
                 "  public function helper() {}\n"
                 "}\n"
                 "it('works', function () { go(); });\n",
                 "def #2 method testA in #1 line 2:18-2 exported testcase",
                 "def #3 method b in #1 line 3:26-3 exported testcase marks "
                 "Test",
                 "def #4 method helper in #1 line 4:18-4 exported",
                 "def #5 function works in #0 line 6:12-6 lambda testcase",
                 NULL);
}

static void
later_namespaces_are_defs(void **state)
{
    (void)state;
    assert_facts("a.php",
                 "<?php\nnamespace A { class X {} }\n"
                 "namespace B { class Y {} }\nnamespace { f(); }\n",
                 "package A", "def #1 type X in #0 line 2:20-2 exported",
                 "def #2 package B in #0 line 3:10-3",
                 "def #3 type Y in #2 line 3:20-3 exported", NULL);
}

static void
hostile_source_is_survived(void **state)
{
    (void)state;
    survive_hostile("a.php");
    survive_repeated("a.php", "<?php f(function() { ", 5000);
    survive_repeated("a.php", "<?php [$a, ", 20000);
    survive_repeated("a.php", "<?php [$a, 'k' => $b] = A::B[$c[1]]; ?> ",
                     10000);
    survive_damage("a.php",
                   "<?php namespace A; use B\\{C, D as E};\n#[F('g')]\n"
                   "class H extends I { use J; private ?K $l = null;\n"
                   "function __construct(private M $n) { [$a, 'b' => $c] = "
                   "O::p(fn($q) => \"r{$q->s()}\") ?? new T(u: 1); } }\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namespaces_and_imports_are_told),
        cmocka_unit_test(types_tell_bases_traits_interfaces_and_attributes),
        cmocka_unit_test(methods_promote_parameters_and_know_their_class),
        cmocka_unit_test(routes_show_classes_strings_and_closures),
        cmocka_unit_test(names_are_bound_by_all_kinds_of_assignment),
        cmocka_unit_test(a_key_is_read_where_its_expression_has_moved_to),
        cmocka_unit_test(single_quotes_keep_backslashes),
        cmocka_unit_test(test_cases_are_told),
        cmocka_unit_test(later_namespaces_are_defs),
        cmocka_unit_test(hostile_source_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
