/*
 * Rails: what is said around routes or in lists and cannot be read, and routes
 * that would stand in more places than there is room for.
 */
#include "tests/index/routes_fixture.h"

#include "graph/routes.h"

LINK_LANG(ruby);

static void
lists_that_cannot_be_read_leave_out_nothing(void **state)
{
    (void)state;
    assert_routes(FILES({"config/routes.rb",
                         "FOO = %i[index create].freeze\n"
                         "BAR = %i[show]\n"
                         "Rails.application.routes.draw do\n"
                         "  scope except: %i[new edit update destroy] do\n"
                         "    resources :a, except: [:show, *FOO, :edit,\n"
                         "                           :update, :destroy]\n"
                         "  end\n"
                         "  resource :b, only: FOO, except: [:new, :edit,\n"
                         "                                   :update]\n"
                         "  resources :c, only: BAR\n"
                         "  resources :d, only: []\n"
                         "end\n"}),
                  "GET /a -> /a rails - config/routes.rb:5\n"
                  "POST /a -> /a rails - config/routes.rb:5\n"
                  "GET /a/new -> /a/new rails - config/routes.rb:5\n"
                  "POST /b -> /b rails - config/routes.rb:8\n"
                  "GET /b -> /b rails - config/routes.rb:8\n"
                  "DELETE /b -> /b rails - config/routes.rb:8\n"
                  "GET /c/:id -> /c/{} rails - config/routes.rb:10\n");
}

static void
options_are_those_of_each_call_in_their_block(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  with_options only: [:index] do\n"
                                   "    resources :posts\n"
                                   "  end\n"
                                   "  with_options controller: 'about' do |o|\n"
                                   "    o.get 'about/us', action: :us\n"
                                   "    other.get 'no/no', action: :us\n"
                                   "  end\n"
                                   "  o.get 'no/no'\n"
                                   "end\n"},
              {"app/controllers/about_controller.rb", "class AboutController\n"
                                                      "  def us\n"
                                                      "  end\n"
                                                      "end\n"}),
        "GET /posts -> /posts rails - config/routes.rb:3\n"
        "GET /about/us -> /about/us rails us config/routes.rb:6\n");
}

static void
namespaces_by_what_is_not_known_are_not_known(void **state)
{
    (void)state;
    struct fixture f;

    fixture_open(
        &f,
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  namespace ENV['PREFIX'] do\n"
                                   "    resources :users, only: :index\n"
                                   "  end\n"
                                   "  %w[v1].each do |v|\n"
                                   "    namespace v do\n"
                                   "      resources :users, only: :index\n"
                                   "    end\n"
                                   "  end\n"
                                   "end\n"},
              {"app/controllers/users_controller.rb", "class UsersController\n"
                                                      "  def index\n"
                                                      "  end\n"
                                                      "end\n"}));
    assert_int_equal(fixture_find(&f), OK);
    assert_int_equal(f.build.route_len, 2);
    assert_int_equal(f.build.routes[0].flags, ROUTE_PREFIX_UNKNOWN);
    assert_int_equal(f.build.routes[0].handler, 0);
    assert_int_equal(f.build.routes[1].flags, 0);
    assert_true(
        str_eq(fixture_text(&f, f.build.routes[1].raw), STR("/v1/users")));
    fixture_close(&f);
}

/* Of a concern of |len| resources that |uses| others use, the routes that are
 * told with what is before them, and without. */
static void
count_used(unsigned len, unsigned uses, uint32_t *whole, uint32_t *tails)
{
    struct buf text = {0};
    struct fixture f;

    buf_printf(&text, "Rails.application.routes.draw do\nconcern :a do\n");
    for (unsigned i = 0; i < len; i++)
        buf_printf(&text, "  resources :q%u\n", i);
    buf_printf(&text, "end\n");
    for (unsigned i = 0; i < uses; i++)
        buf_printf(&text, "resources :y%u, only: [], concerns: :a\n", i);
    buf_printf(&text, "end\n");
    fixture_open(&f, FILES({"config/routes.rb", buf_cstr(&text)}));
    assert_int_equal(fixture_find(&f), OK);
    *whole = 0;
    *tails = 0;
    for (uint32_t i = 0; i < f.build.route_len; i++)
        ++*(f.build.routes[i].flags & ROUTE_PREFIX_UNKNOWN ? tails : whole);
    fixture_close(&f);
    buf_fini(&text);
}

/* 32,768 routes of a file and eight for each expression of it. */
static void
routes_of_too_many_places_are_told_without_them(void **state)
{
    uint32_t whole;
    uint32_t tails;

    (void)state;
    count_used(100, 40, &whole, &tails);
    assert_int_equal(whole, 100 * 40 * 8);
    assert_int_equal(tails, 0);
    count_used(300, 200, &whole, &tails);
    assert_in_range(whole, 32768, 80000);
    assert_in_range(tails, 8, 300 * 8);
    assert_int_equal(tails % 8, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_cannot_be_read_leave_out_nothing),
        cmocka_unit_test(options_are_those_of_each_call_in_their_block),
        cmocka_unit_test(namespaces_by_what_is_not_known_are_not_known),
        cmocka_unit_test(routes_of_too_many_places_are_told_without_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
