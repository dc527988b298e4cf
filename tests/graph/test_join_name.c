/*
 * Names of functions as the runtimes of each language tell them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/join_name.h"

static void
names_are_made_alike(void **state)
{
    static const struct {
        const char *told;
        const char *plain;
    } rows[] = {
        {"show", "show"},
        {"com.x.Told.run", "com.x.Told.run"},
        {"com.x.Told$1.run(int)", "com.x.Told.run"},
        {"com.x.Told$Inner.run", "com.x.Told.Inner.run"},
        {"com.x.Told.lambda$run$0", "com.x.Told.run"},
        {"com.x.Told$$EnhancerBySpringCGLIB$$1f.run", "com.x.Told.run"},
        {"example.org/shop/api.(*Cart).Add", "example.org/shop/api.Cart.Add"},
        {"example.org/shop.Cart.Add-fm", "example.org/shop.Cart.Add"},
        {"main.Map[...].Add", "main.Map.Add"},
        {"main.main.func1.2", "main.main.func1.2"},
        {"App\\Cart::add", "App.Cart.add"},
        {"App\\Cart::{closure}", "App.Cart"},
        {"Shop::Cart#add", "Shop.Cart.add"},
        {"shop::cart::add", "shop.cart.add"},
        {"shop::cart::add::{{closure}}", "shop.cart.add"},
        {"<shop::Cart as shop::Basket>::add", "shop.Cart.add"},
        {"<shop::Cart<T> as shop::Basket<U>>::add", "shop.Cart.add"},
        {"<shop::Cart<<T as U>::V> as Basket>::add", "shop.Cart.add"},
        {"<<T as U>::V as Basket>::add", "T.V.add"},
        {"<F<fn() -> T> as Basket>::add", "F.add"},
        {"shop::cart::{{closure}}::{{closure}}", "shop.cart"},
        {"std::vector<int, std::allocator<int> >::push_back",
         "std.vector.push_back"},
        {"shop::Cart<A<B<C>>, D>::add", "shop.Cart.add"},
        {"main.Map[int,[]string].Add", "main.Map.Add"},
        {"Shop.Cart`1[[System.Int32]].Add", "Shop.Cart`1.Add"},
        {"shop::Cart<A<B::add", "shop.Cart"},
        {">", ">"},
        {"shop.show.<locals>.inner", "shop.show.inner"},
        {"shop.show.<locals>.<lambda>", "shop.show"},
        {"<module>", ""},
        {"Shop.Cart+<Add>d__1.MoveNext", "Shop.Cart.Add"},
        {"Shop.Cart.<Add>b__0_1", "Shop.Cart.Add"},
        {"Shop.Cart+Line.Add", "Shop.Cart.Line.Add"},
        {"Object.<anonymous>", "Object"},
        {"Shop.Cart.add/2", "Shop.Cart.add"},
        {"/2", "/2"},
        {"()", ""},
        {"<", ""},
        {"a[", "a"},
        {"$", ""},
        {"a(", "a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf out = {0};
        join_name_plain(str_of(rows[i].told), &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.ptr, rows[i].plain);
        buf_fini(&out);
    }
}

static void
parts_end_at_dots_and_slashes(void **state)
{
    (void)state;
    str name = STR("a.b/c.d");
    assert_int_equal(join_name_parts(name), 4);
    assert_int_equal(join_name_parts(STR("")), 0);
    assert_int_equal(join_name_next(name, 0), 2);
    assert_int_equal(join_name_next(name, 2), 4);
    assert_int_equal(join_name_next(name, 6), name.len);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_alike),
        cmocka_unit_test(parts_end_at_dots_and_slashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
