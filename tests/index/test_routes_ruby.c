/*
 * Rails, Sinatra, Grape.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(ruby);

static void
rails_routes_follow_their_blocks(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb",
               "Rails.application.routes.draw do\n"
               "  root to: 'home#index'\n"
               "  resources :users, only: [:index, :show] do\n"
               "    member do\n"
               "      post :ban\n"
               "    end\n"
               "    get 'search', on: :collection\n"
               "    resources :posts, only: :index\n"
               "  end\n"
               "  namespace :api do\n"
               "    get 'health', to: 'health#show'\n"
               "    get '/x/:id' => 'things#x'\n"
               "  end\n"
               "  scope '/v1', module: 'v1' do\n"
               "    resource :profile, only: [:show]\n"
               "  end\n"
               "  match 'm', to: 'home#m', via: [:get, :post]\n"
               "end\n"},
              {"app/controllers/users_controller.rb",
               "class UsersController < ApplicationController\n"
               "  def index\n"
               "  end\n"
               "  def ban\n"
               "  end\n"
               "end\n"},
              {"app/controllers/api/health_controller.rb",
               "module Api\n"
               "  class HealthController < ApplicationController\n"
               "    def show\n"
               "    end\n"
               "  end\n"
               "end\n"},
              {"lib/other.rb", "class Other\n"
                               "  get '/no', to: 'a#b'\n"
                               "end\n"}),
        "GET / -> / rails - config/routes.rb:2\n"
        "POST /users/:id/ban -> /users/{}/ban rails ban config/routes.rb:5\n"
        "GET /users/search -> /users/search rails - config/routes.rb:7\n"
        "GET /users/:user_id/posts -> /users/{}/posts rails - "
        "config/routes.rb:8\n"
        "GET /users -> /users rails index config/routes.rb:3\n"
        "GET /users/:id -> /users/{} rails - config/routes.rb:3\n"
        "GET /api/health -> /api/health rails show config/routes.rb:11\n"
        "GET /api/x/:id -> /api/x/{} rails - config/routes.rb:12\n"
        "GET /v1/profile -> /v1/profile rails - config/routes.rb:15\n"
        "GET /m -> /m rails - config/routes.rb:17\n"
        "POST /m -> /m rails - config/routes.rb:17\n");
}

static void
rails_root_is_at_the_root_however_it_is_said(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  root 'home#index'\n"
                                   "  namespace :admin do\n"
                                   "    root 'dash#show'\n"
                                   "  end\n"
                                   "end\n"},
              {"app/controllers/home_controller.rb",
               "class HomeController < ApplicationController\n"
               "  def index\n"
               "  end\n"
               "end\n"}),
        "GET / -> / rails index config/routes.rb:2\n"
        "GET /admin -> /admin rails - config/routes.rb:4\n");
}

static void
rails_concerns_stand_where_they_are_used(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb",
               "Rails.application.routes.draw do\n"
               "  concern :commented do\n"
               "    resources :comments, only: :index\n"
               "    post :flag, on: :member\n"
               "  end\n"
               "  concern :unused do\n"
               "    get 'nowhere', to: 'a#b'\n"
               "  end\n"
               "  concern :round do\n"
               "    get 'turn', to: 'a#b'\n"
               "    concerns :round\n"
               "  end\n"
               "  resources :posts, only: [], concerns: [:commented]\n"
               "  scope '/v1' do\n"
               "    resources :items, only: [] do\n"
               "      concerns :commented\n"
               "    end\n"
               "  end\n"
               "end\n"}),
        "GET /posts/:post_id/comments -> /posts/{}/comments rails - "
        "config/routes.rb:3\n"
        "GET /v1/items/:item_id/comments -> /v1/items/{}/comments rails - "
        "config/routes.rb:3\n"
        "POST /posts/:id/flag -> /posts/{}/flag rails - config/routes.rb:4\n"
        "POST /v1/items/:id/flag -> /v1/items/{}/flag rails - "
        "config/routes.rb:4\n");
}

static void
rails_members_of_what_is_shallow_stand_by_themselves(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb",
               "Rails.application.routes.draw do\n"
               "  scope '/v1' do\n"
               "    resources :articles, only: :show, shallow: true do\n"
               "      resources :notes, only: [:index, :show] do\n"
               "        post :pin, on: :member\n"
               "        get :all, on: :collection\n"
               "        resources :marks, only: :index\n"
               "      end\n"
               "    end\n"
               "  end\n"
               "  shallow do\n"
               "    resources :books, only: [] do\n"
               "      resources :pages, only: :destroy\n"
               "    end\n"
               "  end\n"
               "end\n"}),
        "POST /v1/notes/:id/pin -> /v1/notes/{}/pin rails - "
        "config/routes.rb:5\n"
        "GET /v1/articles/:article_id/notes/all -> "
        "/v1/articles/{}/notes/all rails - config/routes.rb:6\n"
        "GET /v1/notes/:note_id/marks -> /v1/notes/{}/marks rails - "
        "config/routes.rb:7\n"
        "GET /v1/articles/:article_id/notes -> /v1/articles/{}/notes rails - "
        "config/routes.rb:4\n"
        "GET /v1/notes/:id -> /v1/notes/{} rails - config/routes.rb:4\n"
        "GET /v1/articles/:id -> /v1/articles/{} rails - "
        "config/routes.rb:3\n"
        "DELETE /pages/:id -> /pages/{} rails - config/routes.rb:13\n");
}

static void
rails_says_what_is_not_shallow_and_where_the_shallow_is(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb",
               "Rails.application.routes.draw do\n"
               "  resources :as, only: [] do\n"
               "    resources :bs, only: :show, shallow: false\n"
               "  end\n"
               "  shallow do\n"
               "    resources :cs, only: [] do\n"
               "      resources :ds, only: :show, shallow: false do\n"
               "        resources :es, only: :show\n"
               "      end\n"
               "    end\n"
               "  end\n"
               "  scope '/v1', shallow_path: 'flat' do\n"
               "    resources :fs, only: [], shallow: true do\n"
               "      resources :gs, only: [:index, :show]\n"
               "      resources :hs, only: :show, shallow_path: 'own'\n"
               "    end\n"
               "  end\n"
               "end\n"}),
        "GET /as/:a_id/bs/:id -> /as/{}/bs/{} rails - config/routes.rb:3\n"
        "GET /cs/:c_id/ds/:d_id/es/:id -> /cs/{}/ds/{}/es/{} rails - "
        "config/routes.rb:8\n"
        "GET /cs/:c_id/ds/:id -> /cs/{}/ds/{} rails - config/routes.rb:7\n"
        "GET /flat/fs/:f_id/gs -> /flat/fs/{}/gs rails - config/routes.rb:14\n"
        "GET /flat/gs/:id -> /flat/gs/{} rails - config/routes.rb:14\n"
        "GET /flat/own/hs/:id -> /flat/own/hs/{} rails - "
        "config/routes.rb:15\n");
}

static void
rails_files_that_are_drawn_draw_others(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  namespace(:admin) { draw :a }\n"
                                   "end\n"},
              {"config/routes/a.rb", "scope('/x') { draw 'a/b' }\n"},
              {"config/routes/a/b.rb", "get 'y', to: 'c#d'\n"}),
        "GET /admin/x/y -> /admin/x/y rails - config/routes/a/b.rb:1\n");
}

static void
rails_actions_are_of_the_nearest_application(void **state)
{
    (void)state;
    assert_routes(
        FILES({"one/app/controllers/c_controller.rb",
               "class CController\n  def d\n  end\nend\n"},
              {"two/app/controllers/c_controller.rb",
               "class CController\n  def d\n  end\nend\n"},
              {"two/config/routes.rb", "Rails.application.routes.draw do\n"
                                       "  get 'y', to: 'c#d'\n"
                                       "end\n"}),
        "GET /y -> /y rails d two/config/routes.rb:2\n");
}

static void
rails_files_stand_where_they_are_drawn(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  namespace :admin do\n"
                                   "    draw :extra\n"
                                   "  end\n"
                                   "  draw 'api/v1'\n"
                                   "end\n"},
              {"config/routes/extra.rb", "resources :users, only: :index\n"},
              {"config/routes/api/v1.rb", "scope '/v1' do\n"
                                          "  get 'x', to: 'a#x'\n"
                                          "end\n"},
              {"config/routes/never.rb", "get 'y', to: 'a#y'\n"},
              {"config/routes/own.rb", "Rails.application.routes.draw do\n"
                                       "  get 'own', to: 'a#own'\n"
                                       "end\n"}),
        "GET /admin/users -> /admin/users rails - "
        "config/routes/extra.rb:1\n"
        "GET /v1/x -> /v1/x rails - config/routes/api/v1.rb:2\n"
        "GET /own -> /own rails - config/routes/own.rb:2\n");
}

static void
rails_applications_that_are_apis_make_no_forms(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a/config/application.rb",
               "module A\n"
               "  class Application < Rails::Application\n"
               "    config.api_only = true\n"
               "  end\n"
               "end\n"},
              {"a/config/routes.rb", "Rails.application.routes.draw do\n"
                                     "  resource :x, only: :new\n"
                                     "  resource :y, except: [:destroy, "
                                     ":create, :update]\n"
                                     "end\n"},
              {"b/config/application.rb",
               "class Application < Rails::Application\n"
               "  config.api_only = false\n"
               "end\n"},
              {"b/config/routes.rb", "Rails.application.routes.draw do\n"
                                     "  resource :z, except: [:destroy, "
                                     ":create, :update, :edit]\n"
                                     "end\n"}),
        "GET /x/new -> /x/new rails - a/config/routes.rb:2\n"
        "GET /y -> /y rails - a/config/routes.rb:3\n"
        "GET /z/new -> /z/new rails - b/config/routes.rb:2\n"
        "GET /z -> /z rails - b/config/routes.rb:2\n");
}

static void
rails_engines_stand_where_they_are_mounted(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  scope '/x' do\n"
                                   "    mount My::Blog::Engine => '/blog'\n"
                                   "  end\n"
                                   "  mount My::Blog::Engine, at: 'again'\n"
                                   "end\n"},
              {"engines/blog/config/routes.rb",
               "My::Blog::Engine.routes.draw do\n"
               "  get 'posts', to: 'posts#all'\n"
               "end\n"},
              {"engines/blog/app/controllers/blog/posts_controller.rb",
               "class Blog::PostsController\n  def all\n  end\nend\n"},
              {"engines/else/config/routes.rb", "Else::Engine.routes.draw do\n"
                                                "  get 'else', to: 'a#b'\n"
                                                "end\n"}),
        "GET /x/blog/posts -> /x/blog/posts rails all "
        "engines/blog/config/routes.rb:2\n"
        "GET /again/posts -> /again/posts rails all "
        "engines/blog/config/routes.rb:2\n"
        "GET /else -> /else rails - engines/else/config/routes.rb:2 tail\n");
}

static void
rails_actions_may_be_of_a_base(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  resources :people, only: :index\n"
                                   "  resource :status, only: :show\n"
                                   "end\n"},
              {"app/controllers/base_controller.rb",
               "class BaseController\n  def index\n  end\nend\n"},
              {"app/controllers/people_controller.rb",
               "class PeopleController < BaseController\nend\n"},
              {"app/controllers/statuses_controller.rb",
               "class StatusesController\n  def show\n  end\nend\n"}),
        "GET /people -> /people rails index config/routes.rb:2\n"
        "GET /status -> /status rails show config/routes.rb:3\n");
}

static void
rails_loops_over_lists_in_the_code_are_gone_through(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb",
               "Rails.application.routes.draw do\n"
               "  %w[v1 v2].each do |v|\n"
               "    scope \"/api/#{v}\", module: \"api/#{v}\" do\n"
               "      [:up, :down].each do |a|\n"
               "        get \"x/#{a}\", to: \"pages##{a}\"\n"
               "      end\n"
               "    end\n"
               "  end\n"
               "  %i[posts].each { |r| resources r, only: :index }\n"
               "  names.each { |r| resources r }\n"
               "  [].each { |r| resources r }\n"
               "end\n"},
              {"app/controllers/api/v2/pages_controller.rb",
               "class Api::V2::PagesController\n"
               "  def down\n"
               "  end\n"
               "end\n"}),
        "GET /api/v1/x/up -> /api/v1/x/up rails - config/routes.rb:5\n"
        "GET /api/v1/x/down -> /api/v1/x/down rails - config/routes.rb:5\n"
        "GET /api/v2/x/up -> /api/v2/x/up rails - config/routes.rb:5\n"
        "GET /api/v2/x/down -> /api/v2/x/down rails down config/routes.rb:5\n"
        "GET /posts -> /posts rails - config/routes.rb:9\n");
}

static void
rails_loops_in_loops_end(void **state)
{
    char text[4096] = "Rails.application.routes.draw do\n";
    struct fixture f;

    (void)state;
    for (unsigned i = 0; i < 10; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
                       "%%w[a b c d e f g h].each do |x%u|\n", i);
    (void)strcat(text, "get \"#{x0}/#{x9}\", to: 'a#b'\n");
    for (unsigned i = 0; i < 11; i++)
        (void)strcat(text, "end\n");
    fixture_open(&f, FILES({"config/routes.rb", text}));
    assert_int_equal(fixture_find(&f), OK);
    assert_in_range(f.build.route_len, 1, 128);
    fixture_close(&f);
}

static void
rails_names_are_actions_and_texts_are_paths(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  resources :wiki, only: [] do\n"
                                   "    collection do\n"
                                   "      post 'new'\n"
                                   "      post :create\n"
                                   "      patch 'update'\n"
                                   "    end\n"
                                   "  end\n"
                                   "  controller :hello do\n"
                                   "    get 'world' => :show\n"
                                   "  end\n"
                                   "end\n"},
              {"app/controllers/hello_controller.rb", "class HelloController\n"
                                                      "  def show\n"
                                                      "  end\n"
                                                      "end\n"}),
        "POST /wiki/new -> /wiki/new rails - config/routes.rb:4\n"
        "POST /wiki -> /wiki rails - config/routes.rb:5\n"
        "PATCH /wiki/update -> /wiki/update rails - "
        "config/routes.rb:6\n"
        "GET /world -> /world rails show config/routes.rb:10\n");
}

static void
rails_prefixes_that_are_made_up_are_not_known(void **state)
{
    (void)state;
    assert_routes(FILES({"config/routes.rb",
                         "Rails.application.routes.draw do\n"
                         "  scope \"/#{ENV['BASE']}/v1\" do\n"
                         "    get 'x', to: 'a#b'\n"
                         "  end\n"
                         "  resources :as, only: :index, path: ENV['AS']\n"
                         "end\n"}),
                  "GET /v1/x -> /v1/x rails - config/routes.rb:3 tail\n"
                  "GET / -> / rails - config/routes.rb:5 tail\n");
}

static void
sinatra_and_grape_classes_have_routes(void **state)
{
    (void)state;
    assert_routes(FILES({"app.rb", "require 'sinatra/base'\n"
                                   "class App < Sinatra::Base\n"
                                   "  get '/hello/:name' do\n"
                                   "    'x'\n"
                                   "  end\n"
                                   "  namespace '/api' do\n"
                                   "    post '/y' do\n"
                                   "    end\n"
                                   "  end\n"
                                   "end\n"},
                        {"api.rb", "class API < Grape::API\n"
                                   "  version 'v1', using: :path\n"
                                   "  prefix :api\n"
                                   "  resource :carts do\n"
                                   "    route_param :id do\n"
                                   "      get do\n"
                                   "      end\n"
                                   "    end\n"
                                   "    post 'clear' do\n"
                                   "    end\n"
                                   "  end\n"
                                   "end\n"},
                        {"no.rb", "class Thing\n"
                                  "  get '/x' do\n"
                                  "  end\n"
                                  "end\n"}),
                  "GET /hello/:name -> /hello/{} sinatra lambda app.rb:3\n"
                  "POST /api/y -> /api/y sinatra lambda app.rb:7\n"
                  "GET /api/v1/carts/:id -> /api/v1/carts/{} grape lambda "
                  "api.rb:6\n"
                  "POST /api/v1/carts/clear -> /api/v1/carts/clear grape "
                  "lambda api.rb:9\n");
}

static void
grape_classes_are_below_what_mounts_them(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  mount Inner => '/in'\n"
                                   "  mount Other, at: '/'\n"
                                   "  scope '/s' do\n"
                                   "    mount Other => '/o'\n"
                                   "  end\n"
                                   "end\n"},
              {"api.rb", "class Inner < Grape::API\n"
                         "  get('/a') { 1 }\n"
                         "end\n"
                         "class Other < Grape::API\n"
                         "  prefix ENV['PREFIX']\n"
                         "  get('/b') { 1 }\n"
                         "  route(VERBS, '/not/told') { 1 }\n"
                         "end\n"
                         "class Round < Grape::API\n"
                         "  mount Other2 => '/r'\n"
                         "  get('/c') { 1 }\n"
                         "end\n"
                         "class Other2 < Grape::API\n"
                         "  mount Round\n"
                         "  mount Round\n"
                         "end\n"}),
        "GET /in/a -> /in/a grape lambda api.rb:2\n"
        "GET /b -> /b grape lambda api.rb:6 tail\n"
        "GET /r/r/r/r/c -> /r/r/r/r/c grape lambda api.rb:11 tail\n");
}

/* What is mounted from outside has what its base says, as well. */
static void
grape_classes_are_run_by_rack_and_rails(void **state)
{
    (void)state;
    assert_routes(
        FILES({"config.ru", "map '/api' do\n"
                            "  run Users\n"
                            "end\n"
                            "map '/x' do\n"
                            "  map '/y' do\n"
                            "    run Deep\n"
                            "  end\n"
                            "end\n"},
              {"config/routes.rb", "Rails.application.routes.draw do\n"
                                   "  mount Carts, at: '/'\n"
                                   "end\n"},
              {"api.rb", "class Base < Grape::API\n"
                         "  prefix 'p'\n"
                         "  version 'v1'\n"
                         "end\n"
                         "class Users < Base\n"
                         "  get('/u') { 1 }\n"
                         "end\n"
                         "class Carts < Base\n"
                         "  get('/c') { 1 }\n"
                         "end\n"
                         "class Deep < Grape::API\n"
                         "  get('/d') { 1 }\n"
                         "end\n"}),
        "GET /api/p/v1/u -> /api/p/v1/u grape lambda api.rb:6\n"
        "GET /p/v1/c -> /p/v1/c grape lambda api.rb:9\n"
        "GET /y/d -> /y/d grape lambda api.rb:12 tail\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails_routes_follow_their_blocks),
        cmocka_unit_test(rails_root_is_at_the_root_however_it_is_said),
        cmocka_unit_test(rails_concerns_stand_where_they_are_used),
        cmocka_unit_test(rails_members_of_what_is_shallow_stand_by_themselves),
        cmocka_unit_test(
            rails_says_what_is_not_shallow_and_where_the_shallow_is),
        cmocka_unit_test(rails_files_that_are_drawn_draw_others),
        cmocka_unit_test(rails_actions_are_of_the_nearest_application),
        cmocka_unit_test(rails_files_stand_where_they_are_drawn),
        cmocka_unit_test(rails_applications_that_are_apis_make_no_forms),
        cmocka_unit_test(rails_engines_stand_where_they_are_mounted),
        cmocka_unit_test(rails_actions_may_be_of_a_base),
        cmocka_unit_test(rails_loops_over_lists_in_the_code_are_gone_through),
        cmocka_unit_test(rails_loops_in_loops_end),
        cmocka_unit_test(rails_names_are_actions_and_texts_are_paths),
        cmocka_unit_test(rails_prefixes_that_are_made_up_are_not_known),
        cmocka_unit_test(sinatra_and_grape_classes_have_routes),
        cmocka_unit_test(grape_classes_are_below_what_mounts_them),
        cmocka_unit_test(grape_classes_are_run_by_rack_and_rails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
