/* Calls of Python, as runs of its packages' tests show them. */
#include "tests/index/resolve_fixture.h"

LINK_LANG(python);

static void
fixtures_are_passed_by_their_names(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "shop.py",
              "class Shop:\n    def open(self): pass\n"
              "class Till:\n    def ring(self): pass\n"
              "class Bag:\n    def fill(self): pass\n");
    world_add(&w, "tests/conftest.py",
              "import pytest\nfrom shop import Shop, Till, Bag\n"
              "@pytest.fixture\ndef shop():\n    return Shop()\n"
              "@pytest.fixture(scope='module')\ndef till():\n"
              "    yield Till()\n"
              "@pytest.fixture\nasync def bag() -> Bag:\n    return make()\n"
              "def plain():\n    return Shop()\n");
    world_add(&w, "tests/api/test_shop.py",
              "import pytest\nfrom shop import Till, Bag\n"
              "def test_open(shop, till, bag):\n"
              "    shop.open()\n    till.ring()\n    bag.fill()\n"
              "def test_plain(plain):\n    plain.open()\n"
              "def helper(shop):\n    shop.open()\n"
              "@pytest.mark.parametrize('shop, x', [1])\n"
              "def test_given(shop):\n    shop.open()\n"
              "@pytest.mark.parametrize(['till', 'x'], [1])\n"
              "class TestGiven:\n"
              "    def test_listed(self, till):\n        till.ring()\n"
              "class TestOwn:\n"
              "    @pytest.fixture\n"
              "    def shop(self, shop):\n        shop.open()\n"
              "        return Bag()\n"
              "    def test_own(self, shop):\n        shop.fill()\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "test_open", "Shop.open", "receiver_type");
    assert_edge(&w, "calls", "test_open", "Till.ring", "receiver_type");
    assert_edge(&w, "calls", "test_open", "Bag.fill", "receiver_type");
    assert_no_edge(&w, "calls", "test_plain", "Shop.open");
    assert_no_edge(&w, "calls", "helper", "Shop.open");
    assert_no_edge(&w, "calls", "test_given", "Shop.open");
    assert_no_edge(&w, "calls", "TestGiven.test_listed", "Till.ring");
    assert_edge(&w, "calls", "TestOwn.shop", "Shop.open", "receiver_type");
    assert_edge(&w, "calls", "TestOwn.test_own", "Bag.fill", "receiver_type");
    world_fini(&w);
}

static void
a_method_does_not_decorate_itself(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "hooks.py", "def post_load(fn): return fn\n");
    world_add(&w, "schema.py",
              "from hooks import post_load\n"
              "class Schema:\n"
              "    @post_load\n"
              "    def before(self): pass\n"
              "    @post_load(many=True)\n"
              "    def post_load(self): pass\n"
              "    def size(n): return n\n"
              "    width = size(1)\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Schema", "hooks#post_load", "import");
    assert_no_edge(&w, "calls", "Schema", "Schema.post_load");
    assert_edge(&w, "calls", "Schema", "Schema.size", "lexical");
    world_fini(&w);
}

static void
objects_are_made_of_what_is_passed(void **state)
{
    (void)state;
    struct world w = {0};

    world_add(&w, "tree.py",
              "import copy\n"
              "class Tree:\n"
              "    def __new__(cls, *a):\n"
              "        self = super().__new__(cls)\n"
              "        self.grow()\n        return self\n"
              "    @classmethod\n    def load(cls):\n"
              "        inst = cls.__new__(cls)\n"
              "        inst.grow()\n        return inst\n"
              "    def twin(self):\n"
              "        twin = copy.copy(self)\n        twin.grow()\n"
              "    def grow(self): pass\n"
              "def bare():\n    object.__new__(Tree).grow()\n"
              "def loaded():\n    Tree.load().grow()\n"
              "def same(x):\n    copy.copy(x).grow()\n");
    world_resolve(&w);
    assert_edge(&w, "calls", "Tree.__new__", "Tree.grow", "receiver_type");
    assert_edge(&w, "calls", "Tree.load", "Tree.grow", "receiver_type");
    assert_edge(&w, "calls", "Tree.twin", "Tree.grow", "receiver_type");
    assert_edge(&w, "calls", "bare", "Tree.grow", "receiver_type");
    assert_edge(&w, "calls", "loaded", "Tree.grow", "receiver_type");
    assert_no_edge(&w, "calls", "same", "Tree.grow");
    world_fini(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_are_passed_by_their_names),
        cmocka_unit_test(a_method_does_not_decorate_itself),
        cmocka_unit_test(objects_are_made_of_what_is_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
