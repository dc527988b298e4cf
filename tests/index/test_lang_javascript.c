#include "tests/index/lang_fixture.h"

LINK_LANG(javascript);

static void
imports_of_every_form(void **state)
{
    (void)state;
    assert_facts("a.ts",
                 "import React, { useState as us, type FC } from \"react\";\n"
                 "import * as ns from './ns';\n"
                 "import type { T1 } from \"./types\";\n"
                 "import \"./side.css\";\n"
                 "import { default as dd, x } from './d';\n"
                 "import fs = require(\"fs\");\n"
                 "import short = A.B.C;\n"
                 "const lazy = load(() => import('./lazy'));\n"
                 "async function f() {\n"
                 "  const m = await import('./mod');\n"
                 "  const { z } = await import(\"./z\");\n"
                 "}\n",
                 "import default react as React",
                 "import name react name useState as us",
                 "import name react name FC type-only",
                 "import module ./ns as ns",
                 "import name ./types name T1 type-only",
                 "import effect ./side.css", "import default ./d as dd",
                 "import name ./d name x", "import module fs as fs",
                 "bind #0 local short = A.B.C const", "import effect ./lazy",
                 "import module ./mod as m", "import name ./z name z", NULL);
}

static void
exports_of_every_form(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "export { a, b as c } from \"./re\";\n"
        "export * from './all';\n"
        "export * as every from './every';\n"
        "export { local, other as default };\n"
        "export type { T1 } from './t';\n"
        "export const k = 1, g = () => h();\n"
        "export default class {}\n"
        "export function f() {}\n"
        "export interface I {}\n",
        "import export ./re name a", "import export ./re name b as c",
        "import export-star ./all", "import export-star ./every as every",
        "import export  name local", "import export  name other as default",
        "import export ./t name T1 type-only",
        "def #1 const k in #0 line 6:13-6 exported",
        "def #2 function g in #0 line 6:20-6 exported lambda",
        "def #3 type  in #0 line 7:15-7 exported default",
        "def #4 function f in #0 line 8:16-8 exported",
        "def #5 interface I in #0 line 9:17-9 exported", NULL);
    assert_facts("b.ts", "export default foo;\n",
                 "import export  name foo as default", NULL);
    assert_facts("c.ts", "export default new Router();\n",
                 "import export  name default as default",
                 "bind #0 local default = new Router() const", NULL);
    assert_facts("d.ts", "export default async () => { go(); };\n",
                 "def #1 function  in #0 line 1:15-1 exported default lambda",
                 NULL);
    assert_facts("e.ts", "class A {}\nexport = A;\n",
                 "bind #0 assign module.exports = A", NULL);
}

static void
common_js_is_understood(void **state)
{
    (void)state;
    assert_facts(
        "a.js",
        "const express = require('express'), join = require(\"path\").join;\n"
        "const { Router, a: b = 1, c: d } = require('express');\n"
        "const log = require('debug')('x');\n"
        "module.exports = { run, go: start, stop() {} };\n"
        "exports.f = function (q) { return q.z(); };\n"
        "module.exports.g = async () => { await h(); };\n"
        "Foo.prototype.bar = function bar() { this.baz(); };\n"
        "if (x) { require('./cond'); }\n",
        "import module express as express",
        "import name path name join as join", "import name express name Router",
        "import name express name a as b", "import name express name c as d",
        "import effect debug", "import effect ./cond",
        "bind #0 local log = require(\"debug\")(\"x\") const",
        "bind #0 assign module.exports = {run: run, go: start, stop: lambda#2}",
        "def #2 method stop in #0 line 4:35-4",
        "def #3 function f in #0 line 5:8-5 exported lambda",
        "bind #0 assign exports.f = lambda#3",
        "def #4 function g in #0 line 6:15-6 exported lambda",
        "def #5 method (Foo).bar in #0 line 7:14-7 lambda",
        "bind #0 assign Foo.prototype.bar = lambda#5",
        "call #5 line 7:42 self.baz()", NULL);
}

static void
classes_have_members_bases_and_decorators(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "@Injectable({ scope: 'x' })\n"
        "@Plain\n"
        "export class Svc<T extends Base> extends Parent<T> implements I1, "
        "ns.I2 {\n"
        "  private readonly repo: Repo<User>;\n"
        "  static count = init();\n"
        "  #secret: string | null = null;\n"
        "  handle = async (e: Event): Promise<void> => { this.repo.save(e); "
        "};\n"
        "  constructor(private readonly db: Db, @Inject(TOK) public name?: "
        "string, plain = 3) { super(db); this.other = new Other<T>(db); }\n"
        "  @Get(':id')\n"
        "  @Auth\n"
        "  async find(id: string): Promise<User[]> { return []; }\n"
        "  get size(): number { return this.#secret!.length; }\n"
        "  static create(): Svc<any> { return new this(null); }\n"
        "  over(a: string): void;\n"
        "  over(a: any) { super.over(a); }\n"
        "  [Symbol.iterator]() {}\n"
        "  static { boot(); }\n"
        "}\n"
        "abstract class Abs { abstract run(): Thing; }\n",
        "def #1 type Svc in #0 line 3:13-18 exported bases(2) Parent<T>, I1, "
        "ns.I2 marks Injectable({scope: \"x\"}), Plain",
        "bind #1 local T: Base const", "bind #1 field repo: Repo<User> const",
        "bind #1 field count = init()", "bind #1 field #secret: string",
        "def #2 method handle in #1 line 7:2-7 lambda type Promise<void>",
        "bind #1 field handle = lambda#2",
        "call #2 line 7:58 self.repo.save(e)",
        "def #3 method constructor in #1 line 8:2-8 ctor",
        "bind #3 param db@0: Db", "bind #1 field db: Db = db",
        "bind #1 field name: string = name", "bind #3 param plain@2 = 3",
        "!bind #1 field plain = 3", "call #3 line 8:40 Inject(TOK)",
        "call #3 line 8:87 super(db)",
        "bind #3 assign self.other = new Other<T>(db)",
        "def #4 method find in #1 line 11:8-11 type Promise<[]<User>> marks "
        "Get(\":id\"), Auth",
        "def #5 method size in #1 line 12:6-12 property type number",
        "def #6 method create in #1 line 13:9-13 static type Svc<any>",
        "call #6 line 13:41 new self(_)",
        "def #7 method over in #1 line 14:2-14 abstract type void",
        "def #8 method over in #1 line 15:2-15",
        "call #8 line 15:23 super.over(a)",
        "def #9 method [Symbol.iterator] in #1 line 16:2-16",
        "call #1 line 17:11 boot()",
        "def #10 type Abs in #0 line 19:15-19 abstract",
        "def #11 method run in #10 line 19:30-19 abstract type Thing", NULL);
    assert_facts(
        "a.js",
        "class A extends mixin(B) { x = 1; #p = new P(); static s = () => sx();"
        " async *gen() { yield y(); } set v(a) {} }\n"
        "const C = class Named extends D {};\n",
        "def #1 type A in #0 line 1:6-1 bases(0) mixin(B)",
        "call #1 line 1:16 mixin(B)", "bind #1 field #p = new P()",
        "def #2 method s in #1 line 1:55-1 static lambda",
        "def #3 method gen in #1 line 1:78-1 generator",
        "call #3 line 1:92 y()", "def #4 method v in #1 line 1:103-1 property",
        "def #5 type C in #0 line 2:6-2 bases(0) D",
        "bind #0 local C = lambda#5 const", NULL);
}

static void
interfaces_aliases_enums_and_namespaces(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "interface Repo<E> extends Other<E>, ns.Foo {\n"
        "  save(e: E): Promise<E>;\n"
        "  on: (x: number) => Res;\n"
        "  prop?: Opt;\n"
        "  (x: string): Called;\n"
        "}\n"
        "type Obj = { m(): R; f: () => R2; readonly g: G } & Base2;\n"
        "type Un = A | B | null;\n"
        "type Fn = (a: A) => B;\n"
        "type Look = Obj[\"g\"];\n"
        "type Cond<T> = T extends U ? X[] : [Y, typeof z];\n"
        "enum Color { Red, Green = compute() }\n"
        "namespace N.M { export function inner() { outer(); } export const v "
        "= 1; }\n"
        "declare module \"ext\" { function g(): void; }\n"
        "declare function ext(a: string): Ret;\n"
        "function over1(a: string): X;\n"
        "function over1(a: any): a is X { return true; }\n"
        "let p: { a: A; m(b: B): C };\n",
        "def #1 interface Repo in #0 line 1:10-6 type func<Called, string> "
        "bases(0) Other<E>, ns.Foo",
        "def #2 method save in #1 line 2:2-2 abstract type Promise<E>",
        "bind #2 param e@0: E",
        "def #3 method on in #1 line 3:2-3 abstract type Res",
        "bind #1 field on: func<Res, number>", "bind #1 field prop: Opt",
        "def #4 type Obj in #0 line 7:5-7 bases(0) Base2",
        "def #5 method m in #4 line 7:13-7 abstract type R",
        "bind #4 field g: G const",
        "def #7 type Un in #0 line 8:5-8 type alt(A, B)",
        "def #8 type Fn in #0 line 9:5-9 type func<B, A>",
        "def #9 type Look in #0 line 10:5-10 type Obj.g",
        "def #10 type Cond in #0 line 11:5-11 type alt([]<X>, [Y, typeof<z>])",
        "def #11 type Color in #0 line 12:5-12 enum",
        "bind #11 field Red const", "bind #11 field Green = compute() const",
        "def #12 package N.M in #0 line 13:10-13",
        "def #13 function inner in #12 line 13:32-13 exported",
        "def #14 const v in #12 line 13:66-13 exported",
        "def #15 package ext in #0 line 14:15-14",
        "def #16 function g in #15 line 14:32-14 abstract type void",
        "def #17 function ext in #0 line 15:17-15 abstract type Ret",
        "def #18 function over1 in #0 line 16:9-16 abstract type X",
        "def #19 function over1 in #0 line 17:9-17",
        "bind #0 local p: {a: A, m: func<C, B>}", NULL);
}

static void
functions_are_known_by_what_they_are_bound_to(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "const arrow = (a: number, ...more: string[]) => call(a);\n"
        "const fe = function self() { self(); };\n"
        "const conf = { path: \"/a\", handler: h, m() { mm(); }, arrow: () => "
        "aa(), [key()]: v, short, ...sp };\n"
        "run(function named() {}, x => x.y());\n"
        "function* gen(this: Foo) {}\n"
        "(function () { iife(); })();\n"
        "const wrapped = (() => w()) as Fn;\n",
        "def #1 function arrow in #0 line 1:6-1 lambda",
        "bind #1 param a@0: number", "bind #1 param more@1: []<string>",
        "bind #1 return  = call(a)", "bind #0 local arrow = lambda#1 const",
        "def #2 function fe in #0 line 2:6-2 lambda",
        "bind #2 local self = lambda#2 const", "call #2 line 2:29 self()",
        "bind #0 local conf = {path: \"/a\", handler: h, m: lambda#3, arrow: "
        "lambda#4, key(): v, short: short, ...sp} const",
        "def #3 method m in #0 line 3:39-3",
        "def #4 function arrow in #0 line 3:54-3 lambda",
        "def #6 function named in #0 line 4:13-4 lambda",
        "def #7 function  in #0 line 4:25-4 lambda", "bind #7 param x@0",
        "bind #7 return  = x.y()",
        "def #8 function gen in #0 line 5:10-5 generator",
        "bind #8 receiver this: Foo", "call #0 line 6:1 lambda#9()",
        "call #9 line 6:15 iife()",
        "def #10 function wrapped in #0 line 7:6-7 lambda", NULL);
}

static void
patterns_take_values_apart(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "async function f({ a, b: { c } }: Opts, { d = dflt() } = base, [x, , "
        "y]: Pair) {\n"
        "  const { rows, n: [first, , third] } = await db.query<Row>(`s "
        "${id}`);\n"
        "  const [state, setState] = useState<S>(mk());\n"
        "  const { e = other(), ...rest } = obj;\n"
        "  for (const { p } of list) p.go();\n"
        "  for (const [k, [v, w]] of map) {}\n"
        "  for (q in table) {}\n"
        "  [m, n] = pair();\n"
        "  ({ o, p: q.r } = obj());\n"
        "  try {} catch ({ message }) { report(message); }\n"
        "  cfg.handler ?\?= () => hh();\n"
        "  const { [key()]: keyed } = obj;\n"
        "}\n",
        "bind #1 param @0: Opts", "bind #1 local a = ( as Opts).a",
        "bind #1 local c = ( as Opts).b.c", "bind #1 param @1 = base",
        "bind #1 local d = alt(base.d, dflt())", "bind #1 param @2: Pair",
        "bind #1 local x@0 = ( as Pair)", "bind #1 local y@2 = ( as Pair)",
        "bind #1 local rows = await db.query<Row>(concat(\"s \", id)).rows "
        "const",
        "bind #1 local third@2 = await db.query<Row>(concat(\"s \", id)).n "
        "const",
        "bind #1 local state@0 = useState<S>(mk()) const",
        "bind #1 local setState@1 = useState<S>(mk()) const",
        "bind #1 local e = alt(obj.e, other()) const",
        "bind #1 local rest = obj const",
        "bind #1 local p = elem(list).p const",
        "bind #1 local k@0 = elem(map) const",
        "bind #1 local w@1 = elem(map)[1] const",
        "bind #1 assign q = elem(table key)", "bind #1 assign n@1 = pair()",
        "bind #1 assign o = obj().o", "bind #1 assign q.r = obj().p",
        "bind #1 local message", "call #1 line 10:31 report(message)",
        "bind #1 local keyed const", "call #1 line 12:11 key()",
        "bind #1 assign cfg.handler = lambda#2",
        "def #2 function handler in #1 line 11:6-11 lambda", NULL);
}

static void
calls_stand_at_the_last_name_of_the_callee(void **state)
{
    (void)state;
    assert_facts(
        "a.ts",
        "a?.b?.(c)!.d();\n"
        "new ns.Cls<T>(1).run();\n"
        "router.get(\"/p/\" + id, mw, ctrl.method, async (req, res) => "
        "res.json(1));\n"
        "tag`hello ${name()}`;\n"
        "obj['method'](/x+/g, ...args);\n"
        "obj[idx()]();\n"
        "(x as Foo).bar<B>();\n"
        "let v = (g() ? h() : i()) || j();\n"
        "let w = k() && l();\n"
        "import('./dyn').then((m) => m.x());\n"
        "if (!q() || r() > -s()) t(u(), `x`);\n"
        "super1.z[0].y();\n"
        "(0, mod_1.fn)(1);\n"
        "f2(2)(3);\n"
        "class K { [name1()]() {} static [name2()] = 1; }\n",
        "call #0 line 13:10 mod_1.fn(1)", "call #0 line 14:0 f2(2)",
        "call #0 line 14:5 f2(2)(3)", "call #5 line 15:11 name1()",
        "call #5 line 15:33 name2()", "call #0 line 1:3 a.b(c)",
        "call #0 line 1:11 a.b(c).d()", "call #0 line 2:7 new ns.Cls<T>(1)",
        "call #0 line 2:17 new ns.Cls<T>(1).run()",
        "call #0 line 3:7 router.get(concat(\"/p/\", id), mw, ctrl.method, "
        "lambda#1)",
        "call #1 line 3:64 res.json(1)",
        "call #0 line 4:0 tag(concat(\"hello \", name()))",
        "call #0 line 5:4 obj.method(/x+/, ...args)", "call #0 line 6:4 idx()",
        "call #0 line 6:0 obj[idx()]()",
        "call #0 line 7:11 (x as Foo).bar<B>()",
        "bind #0 local v = alt(alt(h(), i()), j())", "call #0 line 8:9 g()",
        "bind #0 local w = l()", "call #0 line 9:8 k()",
        "call #0 line 10:0 import(\"./dyn\")", "call #4 line 10:30 m.x()",
        "call #0 line 11:5 q()", "call #0 line 11:19 s()",
        "call #0 line 11:24 t(u(), \"x\")",
        "call #0 line 12:12 super1.z[0].y()", NULL);
    assert_facts("b.ts", "let x = <Bar>y();\n",
                 "bind #0 local x = (y() as Bar)", NULL);
}

static void
elements_are_calls_of_their_component(void **state)
{
    (void)state;
    assert_facts(
        "a.tsx",
        "export default function Main({ title }: Props) {\n"
        "  const cb = useCallback(async () => { await doIt(); }, []);\n"
        "  return <Layout title={t(\"k\")} open {...rest}>\n"
        "    <div onClick={() => click()}>\n"
        "      {items.map(i => <Item.Row key={i.id} />)}\n"
        "    </div>\n"
        "  </Layout>;\n"
        "}\n",
        "def #1 function Main in #0 line 1:24-8 exported default",
        "bind #1 local title = ( as Props).title",
        "call #1 line 2:13 useCallback(lambda#2, [])",
        "call #2 line 2:45 doIt()", "call #1 line 3:24 t(\"k\")",
        "call #1 line 3:10 Layout({title: t(\"k\"), open: _, ...rest})",
        "bind #1 return  = Layout({title: t(\"k\"), open: _, ...rest})",
        "def #3 function onClick in #1 line 4:9-4 lambda",
        "call #3 line 4:24 click()", "call #1 line 5:13 items.map(lambda#4)",
        "call #4 line 5:28 Item.Row({key: i.id})", NULL);
    assert_facts("b.jsx", "let el = <div><Foo.Bar on={go} /></div>;\n",
                 "call #0 line 1:19 Foo.Bar({on: go})", NULL);
}

static void
callbacks_of_test_calls_are_test_cases(void **state)
{
    (void)state;
    assert_facts(
        "a.test.ts",
        "describe(\"suite\", () => {\n"
        "  it.only(\"works\", async () => { expect(foo()).toBe(1); });\n"
        "  test.each([1])(`n ${n}`, function () {});\n"
        "  beforeEach(() => {});\n"
        "});\n"
        "regexp.test(\"x\", () => {});\n",
        "def #1 function  in #0 line 1:18-5 lambda testcase",
        "def #2 function  in #1 line 2:19-2 lambda testcase",
        "call #2 line 2:40 foo()",
        "def #3 function  in #1 line 3:27-3 lambda testcase",
        "def #4 function  in #1 line 4:13-4 lambda",
        "def #5 function  in #0 line 6:17-6 lambda", NULL);
}

static void
only_what_stands_at_the_top_is_a_constant_of_the_file(void **state)
{
    (void)state;
    assert_facts(
        "a.js",
        "const A = 'x', { B } = conf();\n"
        "var c;\n"
        "for (let i = 0; i < 1; i++) {}\n"
        "if (c) { const hidden = 1; }\n",
        "def #1 const A in #0 line 1:6-1", "bind #0 local A = \"x\" const",
        "def #2 const B in #0 line 1:17-1", "bind #0 local B = conf().B const",
        "def #3 var c in #0 line 2:4-2", "bind #0 local i = 0",
        "bind #0 local hidden = 1 const", "!def #4 var i in #0 line 3:9-3",
        "!def #4 const hidden in #0 line 4:15-4", NULL);
}

static void
nothing_is_taken_from_within_an_error(void **state)
{
    (void)state;
    assert_facts("a.js",
                 "function f() { ok(); }\n"
                 "function g() { a b c ) hidden( }\n"
                 "function h() { fine(); }\n",
                 "partial", "call #1 line 1:15 ok()", NULL);
}

static void
long_sums_and_lists_are_bounded(void **state)
{
    struct buf text = {0};
    enum err err;

    (void)state;
    buf_add(&text, STR("var s = \"0\""));
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, " + f%d()", i);
    buf_add(&text, STR(";\nvar l = [0"));
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, ", g%d()", i);
    buf_add(&text, STR("];\n"));
    char *dump = dump_source("a.js", buf_str(&text), &err);

    assert_int_equal(err, OK);
    assert_non_null(strstr(dump, " f0()\n"));
    assert_non_null(strstr(dump, " f4999()\n"));
    assert_non_null(strstr(dump, " g4999()\n"));
    assert_null(strstr(dump, "g63(), g64()"));
    free(dump);
    buf_fini(&text);
}

static void
hostile_input_gives_facts_or_an_error(void **state)
{
    static const char source[] =
        "import a, {b as c} from 'd'; export default class A<T> extends B {\n"
        " @D() x = ({e, f: [g, , h]}: I = {}) => <J k={l}>{m}</J>;\n"
        " constructor(private n?: O) { super(`p${q}`); } }\n"
        "const {r = 1, ...s} = await import('t'); for (const u in v) w?.x!();\n"
        "export = y; type Z = {a(): B} & C | D['e'];\n";

    (void)state;
    survive_hostile("a.js");
    survive_hostile("a.ts");
    survive_hostile("a.tsx");
    survive_damage("a.js", source);
    survive_damage("a.ts", source);
    survive_damage("a.tsx", source);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_of_every_form),
        cmocka_unit_test(exports_of_every_form),
        cmocka_unit_test(common_js_is_understood),
        cmocka_unit_test(classes_have_members_bases_and_decorators),
        cmocka_unit_test(interfaces_aliases_enums_and_namespaces),
        cmocka_unit_test(functions_are_known_by_what_they_are_bound_to),
        cmocka_unit_test(patterns_take_values_apart),
        cmocka_unit_test(calls_stand_at_the_last_name_of_the_callee),
        cmocka_unit_test(elements_are_calls_of_their_component),
        cmocka_unit_test(callbacks_of_test_calls_are_test_cases),
        cmocka_unit_test(only_what_stands_at_the_top_is_a_constant_of_the_file),
        cmocka_unit_test(nothing_is_taken_from_within_an_error),
        cmocka_unit_test(long_sums_and_lists_are_bounded),
        cmocka_unit_test(hostile_input_gives_facts_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
