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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails_routes_follow_their_blocks),
        cmocka_unit_test(sinatra_and_grape_classes_have_routes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
