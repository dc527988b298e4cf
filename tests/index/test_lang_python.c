#include "tests/index/lang_fixture.h"

LINK_LANG(python);

static void
imports_keep_dots_aliases_and_what_is_for_types_only(void **state)
{
    (void)state;
    assert_facts("a.py",
                 "from __future__ import annotations\n"
                 "import os, a.b.c, x.y as z\n"
                 "from . import views\n"
                 "from .a import b as c, d\n"
                 "from ..pkg.mod import (e, f)\n"
                 "from q import *\n"
                 "try:\n"
                 "    import fast as json\n"
                 "except ImportError:\n"
                 "    import json\n"
                 "if t.TYPE_CHECKING:\n"
                 "    from .t import T\n"
                 "else:\n"
                 "    import u\n"
                 "__all__ = ['foo', \"Bar\"]\n"
                 "__all__ += ['baz']\n",
                 "import module os", "import module a.b.c",
                 "import module x.y as z", "import name . name views",
                 "import name .a name b as c", "import name .a name d",
                 "import name ..pkg.mod name f", "import star q",
                 "import module fast as json", "import module json",
                 "import name .t name T type-only", "import module u",
                 "import export  name foo", "import export  name Bar",
                 "import export  name baz",
                 "!import name __future__ name annotations", NULL);
}

static void
classes_have_bases_keywords_marks_and_fields(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "@dataclass\n"
        "@reg.add('x', n=1)\n"
        "class Bar(Base, pkg.Mixin, Generic[T], metaclass=Meta):\n"
        "    count: int = 0\n"
        "    items: list['Item'] = field(default_factory=list)\n"
        "    NAME = 'n'\n"
        "    kept: ClassVar[Foo]\n"
        "    class Inner: pass\n"
        "class Color(enum.Enum):\n"
        "    RED = 1\n"
        "class Goes(Protocol):\n"
        "    def go(self) -> int: ...\n",
        "def #1 type Bar in #0 line 3:6-8 exported bases(0) Base, pkg.Mixin, "
        "Generic<T> marks dataclass, reg.add(\"x\", n: 1), metaclass: Meta",
        "bind #1 field count: int = 0",
        "bind #1 field items: list<Item> = field(default_factory: list)",
        "bind #1 field NAME = \"n\" const", "bind #1 field kept: Foo",
        "def #2 type Inner in #1 line 8:10-8 exported",
        "def #3 type Color in #0 line 9:6-10 exported enum bases(0) enum.Enum",
        "def #4 interface Goes in #0 line 11:6-12 exported bases(0) Protocol",
        "def #5 method go in #4 line 12:8-12 exported abstract type int",
        "call #0 line 2:5 reg.add(\"x\", n: 1)",
        "call #1 line 5:26 field(default_factory: list)", NULL);
}

static void
methods_know_themselves_and_their_bases(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "class A(B):\n"
        "    def __init__(this, repo: Repo, other=None):\n"
        "        super().__init__(repo)\n"
        "        this.repo = repo or Repo()\n"
        "        this.x: 'X' = other if other else make()\n"
        "    @property\n"
        "    def prop(self) -> Item: return self._p\n"
        "    @prop.setter\n"
        "    def prop(self, v): self._p = v\n"
        "    @staticmethod\n"
        "    def st(self): return self.a()\n"
        "    @classmethod\n"
        "    def cm(cls, a): return cls(a)\n"
        "    @abc.abstractmethod\n"
        "    def ab(self): pass\n"
        "    def run(self):\n"
        "        def inner(): return self.prop.go()\n"
        "        def hidden(self): return self.x()\n"
        "        type(self).cm(1); self.__class__.st(2)\n"
        "        super(A, self).run().all()[0].first()\n",
        "def #2 method __init__ in #1 line 2:8-5 exported ctor",
        "bind #2 param repo@0: Repo", "bind #2 param other@1 = None",
        "bind #2 assign self.repo = alt(repo, Repo())",
        "bind #2 assign self.x: X = alt(other, make())",
        "call #2 line 3:16 super.__init__(repo)",
        "def #3 method prop in #1 line 7:8-7 exported property type Item marks "
        "property",
        "bind #3 return  = self._p",
        "def #4 method prop in #1 line 9:8-9 exported property marks "
        "prop.setter",
        "bind #4 assign self._p = v",
        "def #5 method st in #1 line 11:8-11 exported static marks "
        "staticmethod",
        "bind #5 param self@0", "bind #5 return  = self.a()",
        "def #6 method cm in #1 line 13:8-13 exported marks classmethod",
        "call #6 line 13:27 self(a)",
        "def #7 method ab in #1 line 15:8-15 exported abstract marks "
        "abc.abstractmethod",
        "call #9 line 17:38 self.prop.go()", "call #8 line 19:19 self.cm(1)",
        "call #8 line 19:41 self.st(2)", "bind #10 param self@0",
        "call #8 line 20:23 super.run()",
        "call #8 line 20:29 super.run().all()",
        "call #8 line 20:38 super.run().all()[0].first()", NULL);
}

static void
parameters_have_types_defaults_and_places(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "def f(a: 'pkg.Foo | None', /, b: Optional['x.Y'] = make(1), *args: "
        "int,\n"
        "      c: None | Bar = None, d: Literal['GET'] = 'GET',\n"
        "      db: Annotated[Session, Depends(get_db)], **kw: str) -> "
        "dict[str, list[Foo]]: pass\n"
        "async def _g(p=lambda q: q.run(), *, r): await r.go()\n",
        "def #1 function f in #0 line 1:4-3 exported type dict<str, list<Foo>>",
        "bind #1 param a@0: alt(pkg.Foo, None)",
        "bind #1 param b@1: Optional<x.Y> = make(1)",
        "bind #1 param args@2: []<int>",
        "bind #1 param c@3: alt(Bar, None) = None",
        "bind #1 param d@4: Literal<\"GET\"> = \"GET\"",
        "bind #1 param db@5: Session = Depends(get_db)",
        "bind #1 param kw@6: map<str, str>", "call #0 line 1:51 make(1)",
        "call #0 line 3:29 Depends(get_db)",
        "def #2 function _g in #0 line 4:10-4",
        "def #3 function  in #0 line 4:15-4 lambda",
        "bind #2 param p@0 = lambda#3", "bind #2 param r@1",
        "bind #3 return  = q.run()", "call #2 line 4:49 r.go()", NULL);
}

static void
names_are_bound_by_every_statement_that_binds(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "API: Final[str] = '/api' \"/v1\"\n"
        "PREFIX = API + '/users' + f'/{id}/x'\n"
        "app = db = make()\n"
        "type Al = Foo | Bar\n"
        "def f():\n"
        "    global app\n"
        "    app = other()\n"
        "    x, (y, z), *rest = g()\n"
        "    p, q = P(), Q()\n"
        "    with open(a) as fh, lock() as o.l: fh.read()\n"
        "    async with (s() as t, u): pass\n"
        "    if (n := compute()) is not None: n.go()\n"
        "    c = cast('Foo', y)\n"
        "    try: pass\n"
        "    except (A, b.C) as e: e.log()\n"
        "    table['k'] = f\n"
        "    cb = lambda: f()\n"
        "    def k():\n"
        "        nonlocal c\n"
        "        c = C()\n"
        "    v = d[1:]\n"
        "    w = x and x.y\n"
        "    unknown = 1 < 2\n",
        "bind #0 local API: str = \"/api/v1\" const",
        "bind #0 local PREFIX = concat(API, \"/users\", concat(\"/\", id, "
        "\"/x\")) const",
        "bind #0 local db = make()", "bind #0 local app = make()",
        "bind #0 local Al = alt(Foo, Bar) const", "bind #0 local app = other()",
        "bind #1 local x@0 = g()", "bind #1 local y@0 = g()[1]",
        "bind #1 local z@1 = g()[1]", "bind #1 local rest",
        "bind #1 local p = P()", "bind #1 local q = Q()",
        "bind #1 local fh = open(a)", "bind #1 assign o.l = lock()",
        "bind #1 local t = s()", "bind #1 local n = compute()",
        "bind #1 local c = (y as Foo)", "bind #1 local e: alt(A, b.C)",
        "bind #1 assign table[\"k\"] = f",
        "def #2 function cb in #1 line 17:9-17 lambda",
        "bind #1 local cb = lambda#2", "bind #1 local c = C()",
        "bind #1 local v = (d as )", "bind #1 local w = x.y",
        "bind #1 local unknown", NULL);
}

static void
loops_and_comprehensions_bind_elements(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "def f():\n"
        "    for i, u in enumerate(users): u.save()\n"
        "    for a, b in zip(xs, list(ys)): pass\n"
        "    for s in sorted(list(ts)): pass\n"
        "    for k, v in d.items(): v.go()\n"
        "    async for m in stream(): pass\n"
        "    return [Foo(e) for e in es if e.ok()]\n"
        "def gen():\n"
        "    yield Foo()\n"
        "def more():\n"
        "    yield from gen()\n"
        "g(h(z) for z in zs)\n",
        "bind #1 local i", "bind #1 local u = elem(users)",
        "bind #1 local a = elem(xs)", "bind #1 local b = elem(ys)",
        "bind #1 local s = elem(ts)", "bind #1 local k@0 = elem(d.items())",
        "bind #1 local v@1 = elem(d.items())",
        "bind #1 local m = elem(stream())", "bind #1 local e = elem(es)",
        "bind #1 return  = [Foo(e)]", "call #1 line 7:36 e.ok()",
        "def #2 function gen in #0 line 8:4-9 exported generator",
        "bind #2 return  = [Foo()]", "bind #3 return  = gen()",
        "call #0 line 12:0 g([h(z)])", "bind #0 local z = elem(zs)", NULL);
}

static void
routes_and_calls_keep_their_arguments(void **state)
{
    (void)state;
    assert_facts(
        "a.py",
        "@app.route('/x/<id>', methods=['GET', \"POST\"])\n"
        "@auth.required\n"
        "def handler(id):\n"
        "    requests.get('http://svc/%s/x' % id)\n"
        "    log(f\"{one():>{width()}}\", r'\\d', *more, **kw)\n"
        "    return {'a': 1, k: lambda q: q.run(), **rest}\n"
        "app.add_url_rule('/y', view_func=handler)\n"
        "Foo[int](1).go(a.b, not c())\n",
        "def #1 function handler in #0 line 3:4-6 exported marks "
        "app.route(\"/x/<id>\", methods: [\"GET\", \"POST\"]), auth.required",
        "call #1 line 4:13 requests.get(concat(\"http://svc/\", id, \"/x\"))",
        "call #1 line 5:4 log(concat(one()), \"\\d\", ...more, ...kw)",
        "call #1 line 5:11 one()", "call #1 line 5:19 width()",
        "bind #1 return  = {a: 1, k: lambda#2, ...rest}",
        "call #0 line 7:4 app.add_url_rule(\"/y\", view_func: handler)",
        "call #0 line 8:0 Foo[int](1)",
        "call #0 line 8:12 Foo[int](1).go(a.b, _)", "call #0 line 8:24 c()",
        NULL);
}

static void
patterns_bind_names_with_the_class_they_match(void **state)
{
    (void)state;
    assert_facts("a.py",
                 "def f(cmd):\n"
                 "    match cmd.get():\n"
                 "        case Foo(a=b) as d if q(): pass\n"
                 "        case {'k': v, **r}: pass\n"
                 "        case [h, *t]: pass\n"
                 "        case other: pass\n",
                 "bind #1 local b", "bind #1 local d: Foo", "bind #1 local v",
                 "bind #1 local r", "bind #1 local h", "bind #1 local t",
                 "bind #1 local other", "call #1 line 2:14 cmd.get()",
                 "call #1 line 3:30 q()", NULL);
}

static void
tests_are_known_in_test_files_only(void **state)
{
    (void)state;
    static const char source[] = "def test_a(): pass\n"
                                 "def helper(): pass\n"
                                 "class TestB:\n"
                                 "    def test_b(self): pass\n"
                                 "    def other(self): pass\n";

    assert_facts("tests/x.py", source,
                 "def #1 function test_a in #0 line 1:4-1 exported testcase",
                 "def #2 function helper in #0 line 2:4-2 exported",
                 "def #4 method test_b in #3 line 4:8-4 exported testcase",
                 "def #5 method other in #3 line 5:8-5 exported", NULL);
    assert_facts("src/x.py", source,
                 "def #1 function test_a in #0 line 1:4-1 exported", NULL);
}

static void
hostile_bytes_give_facts_or_an_error(void **state)
{
    (void)state;
    survive_hostile("a.py");
    survive_repeated("a.py", "if x:\n ", 3000);
    survive_repeated("a.py", "lambda: ", 3000);
    survive_repeated("a.py", "x[", 3000);
    survive_damage("a.py",
                   "@a.b('c')\nclass A(B, m=C):\n"
                   "    x: 'D[E]' = f\"{g()}\"\n"
                   "    def h(self, *i) -> J | None:\n"
                   "        for k, l in zip(m, n): yield [o for o in p]\n"
                   "        with q() as r, s: pass\n"
                   "        match t:\n"
                   "            case U(v) as w: super().x('%s' % y)\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_keep_dots_aliases_and_what_is_for_types_only),
        cmocka_unit_test(classes_have_bases_keywords_marks_and_fields),
        cmocka_unit_test(methods_know_themselves_and_their_bases),
        cmocka_unit_test(parameters_have_types_defaults_and_places),
        cmocka_unit_test(names_are_bound_by_every_statement_that_binds),
        cmocka_unit_test(loops_and_comprehensions_bind_elements),
        cmocka_unit_test(routes_and_calls_keep_their_arguments),
        cmocka_unit_test(patterns_bind_names_with_the_class_they_match),
        cmocka_unit_test(tests_are_known_in_test_files_only),
        cmocka_unit_test(hostile_bytes_give_facts_or_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
