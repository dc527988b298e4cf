/*
 * ASP.NET Core: which classes are controllers, and what they have of bases.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(csharp);

/* What overrides an action has its marks, but for [NonAction]. */
static void
aspnet_overrides_have_the_marks_of_their_base(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Base.cs", "using Microsoft.AspNetCore.Mvc;\n"
                          "[Route(\"api/[controller]\")]\n"
                          "public abstract class Base : ControllerBase {\n"
                          "  [HttpGet] public virtual int List() => 1;\n"
                          "  [HttpPut] public virtual int Put(int a) => 1;\n"
                          "  [HttpDelete] public virtual int Drop() => 1;\n"
                          "}\n"},
              {"Things.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "public class ThingsController : Base {\n"
               "  public override int List() => 2;\n"
               "  public int Put(string a, int b) => 2;\n"
               "  [NonAction] public override int Drop() => 2;\n"
               "  [NonAction, HttpGet(\"never\")] public int Never() => 1;\n"
               "}\n"}),
        "ANY api/Things -> /api/Things aspnetcore Put Things.cs:4\n"
        "GET api/Things -> /api/Things aspnetcore List Base.cs:4\n"
        "PUT api/Things -> /api/Things aspnetcore Put Base.cs:5\n");
}

static void
aspnet_controllers_are_told_by_their_base(void **state)
{
    (void)state;
    assert_routes(FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                                 "public class Own : Controller {}\n"
                                 "[Route(\"w/[action]\")]\n"
                                 "public class Wheel : Own {\n"
                                 "  public int Spin() => 1;\n"
                                 "}\n"}),
                  "ANY w/Spin -> /w/Spin aspnetcore Spin A.cs:3\n");
}

/* Nothing can be made of a class that wants a type. */
static void
aspnet_generic_controllers_are_bases(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[ApiController, Route(\"api/[controller]\")]\n"
                       "public class CrudController<T> : ControllerBase {\n"
                       "  [HttpGet] public int All() => 1;\n"
                       "}\n"
                       "public class CatController : CrudController<Cat> {\n"
                       "  [HttpPost] public int Make() => 1;\n"
                       "}\n"
                       "public class TomController : CatController {\n"
                       "  [HttpGet(\"tom\")] public int Tom() => 1;\n"
                       "}\n"}),
        "GET api/Cat -> /api/Cat aspnetcore All A.cs:4\n"
        "POST api/Cat -> /api/Cat aspnetcore Make A.cs:7\n"
        "POST api/Tom -> /api/Tom aspnetcore Make A.cs:7\n"
        "GET api/Tom -> /api/Tom aspnetcore All A.cs:4\n"
        "GET api/Tom/tom -> /api/Tom/tom aspnetcore Tom A.cs:10\n");
}

static void
aspnet_controllers_have_the_route_of_their_base(void **state)
{
    (void)state;
    assert_routes(
        FILES({"Base.cs", "using Microsoft.AspNetCore.Mvc;\n"
                          "[ApiController]\n"
                          "[Route(\"api/[controller]\")]\n"
                          "public abstract class Base : ControllerBase {\n"
                          "  [HttpGet(\"ping\")] public string Ping() => "
                          "\"x\";\n"
                          "}\n"},
              {"Things.cs", "using Microsoft.AspNetCore.Mvc;\n"
                            "public class ThingsController : Base {\n"
                            "  [HttpPost] public int Make() => 1;\n"
                            "}\n"
                            "[Route(\"own\")]\n"
                            "public class OwnController : Base {\n"
                            "  [HttpGet(\"{id:int}\")] public int One(int id) "
                            "=> id;\n"
                            "}\n"}),
        "GET api/Things/ping -> /api/Things/ping aspnetcore Ping Base.cs:5\n"
        "POST api/Things -> /api/Things aspnetcore Make Things.cs:3\n"
        "GET own/ping -> /own/ping aspnetcore Ping Base.cs:5\n"
        "GET own/{id:int} -> /own/{} aspnetcore One Things.cs:7\n");
}

static void
aspnet_serves_what_is_public_only(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[ApiController, Route(\"api/[controller]\")]\n"
                       "internal class HiddenController : ControllerBase {\n"
                       "  [HttpGet] public int All() => 1;\n"
                       "}\n"
                       "[ApiController, Route(\"api/[controller]\")]\n"
                       "class PlainController : ControllerBase {\n"
                       "  [HttpGet] public int All() => 1;\n"
                       "}\n"
                       "public class Outer {\n"
                       "  [ApiController, Route(\"nested\")]\n"
                       "  public class NestedController : ControllerBase {\n"
                       "    [HttpGet] public int All() => 1;\n"
                       "  }\n"
                       "}\n"
                       "[Route(\"api/[controller]\")]\n"
                       "public class ShownController : PlainController {\n"
                       "  [HttpGet(\"one\")] public int One() => 1;\n"
                       "  [HttpGet(\"private\")] private int P() => 1;\n"
                       "  [HttpGet(\"none\")] int N() => 1;\n"
                       "  [HttpGet(\"internal\")] internal int I() => 1;\n"
                       "  [HttpGet(\"protected\")] protected int R() => 1;\n"
                       "  [HttpGet(\"static\")] public static int S() => 1;\n"
                       "}\n"}),
        "GET api/Shown -> /api/Shown aspnetcore All A.cs:8\n"
        "GET api/Shown/one -> /api/Shown/one aspnetcore One A.cs:18\n");
}

static void
aspnet_attributes_may_be_written_in_full(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "[ApiControllerAttribute]\n"
               "[RouteAttribute(\"api/[controller]/[action]\")]\n"
               "public class CatController : ControllerBase {\n"
               "  [HttpGetAttribute] public int All() => 1;\n"
               "  [Microsoft.AspNetCore.Mvc.HttpPostAttribute(\"{id}\")]\n"
               "  public int Make() => 1;\n"
               "  [HttpPut, ActionNameAttribute(\"put\")]\n"
               "  public int Change() => 1;\n"
               "  [NonActionAttribute] public int Help() => 1;\n"
               "}\n"}),
        "GET api/Cat/All -> /api/Cat/All aspnetcore All A.cs:5\n"
        "POST api/Cat/Make/{id} -> /api/Cat/Make/{} aspnetcore Make A.cs:6\n"
        "PUT api/Cat/put -> /api/Cat/put aspnetcore Change A.cs:8\n");
}

static void
aspnet_classes_may_say_what_they_are(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[Controller, Route(\"own/[action]\")]\n"
                       "public class Own {\n"
                       "  [HttpGet] public int One() => 1;\n"
                       "  public int Two() => 1;\n"
                       "}\n"
                       "[NonController, Route(\"none\")]\n"
                       "public class NoneController : ControllerBase {\n"
                       "  [HttpGet] public int One() => 1;\n"
                       "  public int Two() => 1;\n"
                       "}\n"}),
        "ANY own/Two -> /own/Two aspnetcore Two A.cs:2\n"
        "GET own/One -> /own/One aspnetcore One A.cs:4\n");
}

static void
aspnet_controllers_may_stand_in_parts(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "namespace N;\n"
                       "public partial class CartController : Controller {\n"
                       "  [HttpGet(\"a\")] public int A() => 1;\n"
                       "  public int B() => 1;\n"
                       "}\n"
                       "partial class InnerController {\n"
                       "  [HttpGet(\"/x\")] public int X() => 1;\n"
                       "}\n"},
              {"B.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "namespace N;\n"
                       "[Area(\"Shop\"), Route(\"[area]/[controller]\")]\n"
                       "partial class CartController {\n"
                       "  [HttpPost(\"[action]\")] public int C() => 1;\n"
                       "}\n"
                       "[Route(\"inner\")] partial class InnerController {}\n"},
              {"C.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "namespace N;\n"
                       "partial class CartController {\n"
                       "  public int D() => 1;\n"
                       "}\n"}),
        "ANY Shop/Cart -> /Shop/Cart aspnetcore B B.cs:3\n"
        "GET Shop/Cart/a -> /Shop/Cart/a aspnetcore A A.cs:4\n"
        "POST Shop/Cart/C -> /Shop/Cart/C aspnetcore C B.cs:5\n"
        "ANY Shop/Cart -> /Shop/Cart aspnetcore D B.cs:3\n");
}

static void
aspnet_parts_of_one_class_are_of_one_project(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a/A.csproj", "<Project/>\n"}, {"b/B.csproj", "<Project/>\n"},
              {"a/One.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "namespace N;\n"
               "[Route(\"a\")]\n"
               "public partial class CartController : Controller {\n"
               "  [HttpGet(\"one\")] public int One() => 1;\n"
               "}\n"},
              {"a/in/Two.cs", "using Microsoft.AspNetCore.Mvc;\n"
                              "namespace N;\n"
                              "partial class CartController {\n"
                              "  [HttpGet(\"two\")] public int Two() => 1;\n"
                              "}\n"},
              {"b/Three.cs",
               "using Microsoft.AspNetCore.Mvc;\n"
               "namespace N;\n"
               "[Route(\"b\")]\n"
               "public partial class CartController : Controller {\n"
               "  [HttpGet(\"three\")] public int Three() => 1;\n"
               "}\n"}),
        "GET a/one -> /a/one aspnetcore One a/One.cs:5\n"
        "GET a/two -> /a/two aspnetcore Two a/in/Two.cs:4\n"
        "GET b/three -> /b/three aspnetcore Three b/Three.cs:5\n");
}

/* Whether another class extends it or not. */
static void
aspnet_serves_nothing_that_is_generic(void **state)
{
    (void)state;
    assert_routes(
        FILES({"A.cs", "using Microsoft.AspNetCore.Mvc;\n"
                       "[ApiController, Route(\"any\")]\n"
                       "public class AnyController<T> : ControllerBase {\n"
                       "  [HttpGet] public T One() => default;\n"
                       "}\n"
                       "[ApiController, Route(\"own\")]\n"
                       "public class OwnController : ControllerBase {\n"
                       "  [HttpGet] public T One<T>() => default;\n"
                       "}\n"}),
        "GET own -> /own aspnetcore One A.cs:8\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aspnet_overrides_have_the_marks_of_their_base),
        cmocka_unit_test(aspnet_classes_may_say_what_they_are),
        cmocka_unit_test(aspnet_controllers_may_stand_in_parts),
        cmocka_unit_test(aspnet_parts_of_one_class_are_of_one_project),
        cmocka_unit_test(aspnet_serves_nothing_that_is_generic),
        cmocka_unit_test(aspnet_controllers_are_told_by_their_base),
        cmocka_unit_test(aspnet_generic_controllers_are_bases),
        cmocka_unit_test(aspnet_controllers_have_the_route_of_their_base),
        cmocka_unit_test(aspnet_serves_what_is_public_only),
        cmocka_unit_test(aspnet_attributes_may_be_written_in_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
