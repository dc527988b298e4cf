/*
 * Flask, FastAPI, Starlette, Django, aiohttp and their likes.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

static void
flask_rules_carry_the_prefixes_of_blueprints(void **state)
{
    (void)state;
    assert_routes(
        FILES({"app.py", "from flask import Flask\n"
                         "from shop.views import bp, admin\n"
                         "app = Flask(__name__)\n"
                         "app.register_blueprint(bp)\n"
                         "app.register_blueprint(admin, url_prefix='/ops')\n"
                         "@app.route('/')\n"
                         "def home():\n"
                         "    return 'x'\n"
                         "@app.route('/items/<int:item_id>',\n"
                         "           methods=['GET', 'PUT'])\n"
                         "def item(item_id):\n"
                         "    return 'x'\n"
                         "def health():\n"
                         "    return 'ok'\n"
                         "app.add_url_rule('/health', view_func=health)\n"},
              {"shop/views.py", "from flask import Blueprint\n"
                                "PREFIX = '/shop'\n"
                                "bp = Blueprint('b', __name__,\n"
                                "               url_prefix=PREFIX + '/v1')\n"
                                "admin = Blueprint('a', __name__)\n"
                                "loose = Blueprint('l', __name__)\n"
                                "@bp.get('/carts/<id>')\n"
                                "def cart(id):\n"
                                "    return 'x'\n"
                                "@admin.post('/reload')\n"
                                "def reload():\n"
                                "    return 'x'\n"
                                "@loose.route('/lost')\n"
                                "def lost():\n"
                                "    return 'x'\n"},
              {"shop/__init__.py", ""}),
        "GET / -> / flask home app.py:6\n"
        "GET /items/<int:item_id> -> /items/{} flask item app.py:9\n"
        "PUT /items/<int:item_id> -> /items/{} flask item app.py:9\n"
        "GET /health -> /health flask health app.py:15\n"
        "GET /shop/v1/carts/<id> -> /shop/v1/carts/{} flask cart "
        "shop/views.py:7\n"
        "POST /ops/reload -> /ops/reload flask reload shop/views.py:10\n"
        "GET /lost -> /lost flask lost shop/views.py:13 tail\n");
}

static void
flask_apps_reach_functions_and_classes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"factory.py", "from flask import Flask\n"
                             "import routes\n"
                             "def create_app():\n"
                             "    app = Flask(__name__)\n"
                             "    routes.install(app)\n"
                             "    return app\n"},
              {"routes.py", "from flask.views import MethodView\n"
                            "class Users(MethodView):\n"
                            "    def get(self):\n"
                            "        return 'x'\n"
                            "    def post(self):\n"
                            "        return 'x'\n"
                            "def install(app):\n"
                            "    @app.route('/inner')\n"
                            "    def inner():\n"
                            "        return 'x'\n"
                            "    app.add_url_rule('/users',\n"
                            "        view_func=Users.as_view('users'))\n"}),
        "GET /inner -> /inner flask inner routes.py:8\n"
        "GET /users -> /users flask get routes.py:11\n"
        "POST /users -> /users flask post routes.py:11\n");
}

static void
fastapi_routers_nest(void **state)
{
    (void)state;
    assert_routes(
        FILES({"main.py", "from fastapi import FastAPI\n"
                          "from api import users\n"
                          "from api.items import router as items\n"
                          "app = FastAPI()\n"
                          "app.include_router(users.router, prefix='/v1')\n"
                          "app.include_router(users.router, prefix='/v2')\n"
                          "app.include_router(items)\n"
                          "@app.get('/health')\n"
                          "async def health():\n"
                          "    return {}\n"},
              {"api/__init__.py", ""},
              {"api/users.py", "from fastapi import APIRouter\n"
                               "router = APIRouter(prefix='/users')\n"
                               "@router.get('/{user_id}')\n"
                               "async def read(user_id: int):\n"
                               "    return {}\n"},
              {"api/items.py", "import fastapi\n"
                               "router = fastapi.APIRouter()\n"
                               "@router.post('/items/{p:path}')\n"
                               "def make(p):\n"
                               "    return {}\n"
                               "@router.api_route('/both',\n"
                               "                  methods=['GET', 'POST'])\n"
                               "def both():\n"
                               "    return {}\n"}),
        "GET /health -> /health fastapi health main.py:8\n"
        "GET /v1/users/{user_id} -> /v1/users/{} fastapi read "
        "api/users.py:3\n"
        "GET /v2/users/{user_id} -> /v2/users/{} fastapi read "
        "api/users.py:3\n"
        "POST /items/{p:path} -> /items/{**} fastapi make api/items.py:3\n"
        "GET /both -> /both fastapi both api/items.py:6\n"
        "POST /both -> /both fastapi both api/items.py:6\n");
}

static void
django_patterns_are_told_from_the_root(void **state)
{
    (void)state;
    assert_routes(
        FILES({"site/site/settings.py", "ROOT_URLCONF = 'site.urls'\n"},
              {"site/site/urls.py",
               "from django.urls import include, path, re_path\n"
               "from shop import views\n"
               "urlpatterns = [\n"
               "    path('', views.index),\n"
               "    path('shop/', include('shop.urls')),\n"
               "    path('again/', include('shop.urls')),\n"
               "    re_path(r'^old/(?P<id>[0-9]+)/$', views.old),\n"
               "]\n"},
              {"site/shop/urls.py", "from django.urls import path\n"
                                    "from . import views\n"
                                    "urlpatterns = [\n"
                                    "    path('<int:pk>/', "
                                    "views.Detail.as_view(), name='d'),\n"
                                    "]\n"},
              {"site/shop/views.py", "from django.views import View\n"
                                     "def index(request):\n"
                                     "    return 1\n"
                                     "def old(request, id):\n"
                                     "    return 1\n"
                                     "class Detail(View):\n"
                                     "    def get(self, request, pk):\n"
                                     "        return 1\n"
                                     "    def post(self, request, pk):\n"
                                     "        return 1\n"},
              {"site/lost/urls.py", "from django.urls import path\n"
                                    "urlpatterns = [path('x', print)]\n"}),
        "ANY  -> / django index site/site/urls.py:4\n"
        "ANY ^old/(?P<id>[0-9]+)/$ -> /old/{} django old "
        "site/site/urls.py:7\n"
        "GET shop/<int:pk>/ -> /shop/{} django get site/shop/urls.py:4\n"
        "GET again/<int:pk>/ -> /again/{} django get site/shop/urls.py:4\n"
        "POST shop/<int:pk>/ -> /shop/{} django post site/shop/urls.py:4\n"
        "POST again/<int:pk>/ -> /again/{} django post site/shop/urls.py:4\n"
        "ANY x -> /x django - site/lost/urls.py:2 tail\n");
}

static void
django_lists_are_included_where_they_stand_and_by_name(void **state)
{
    (void)state;
    assert_routes(
        FILES({"settings.py", "ROOT_URLCONF = 'urls'\n"},
              {"urls.py",
               "from django.urls import include, path\n"
               "import views\n"
               "named = [path('named/', views.named)]\n"
               "urlpatterns = [\n"
               "    path('t/<slug:t>/', include([\n"
               "        path('stats/', views.stats),\n"
               "        path('deep/', include(([\n"
               "            path('end/', views.end),\n"
               "            path('far/', include('far')),\n"
               "        ], 'deep'))),\n"
               "    ])),\n"
               "    path('a/', include((named, 'a'), namespace='a')),\n"
               "    path('b/', include(named)),\n"
               "    path('last/', views.last),\n"
               "]\n"},
              {"far.py", "from django.urls import path\n"
                         "import views\n"
                         "urlpatterns = [path('x', views.far)]\n"},
              {"views.py", "def named(r): pass\n"
                           "def stats(r, t): pass\n"
                           "def end(r, t): pass\n"
                           "def far(r, t): pass\n"
                           "def last(r): pass\n"}),
        "ANY a/named/ -> /a/named django named urls.py:3\n"
        "ANY b/named/ -> /b/named django named urls.py:3\n"
        "ANY t/<slug:t>/stats/ -> /t/{}/stats django stats urls.py:6\n"
        "ANY t/<slug:t>/deep/end/ -> /t/{}/deep/end django end urls.py:8\n"
        "ANY last/ -> /last django last urls.py:14\n"
        "ANY t/<slug:t>/deep/far/x -> /t/{}/deep/far/x django far far.py:3\n");
}

static void
view_sets_have_the_routes_of_their_actions(void **state)
{
    (void)state;
    assert_routes(
        FILES({"urls.py", "from django.urls import include, path\n"
                          "from rest_framework.routers import DefaultRouter\n"
                          "from views import Users\n"
                          "router = DefaultRouter()\n"
                          "router.register(r'users', Users)\n"
                          "urlpatterns = [path('api/', "
                          "include(router.urls))]\n"},
              {"views.py", "from rest_framework import viewsets\n"
                           "from rest_framework.decorators import action\n"
                           "class Users(viewsets.ReadOnlyModelViewSet):\n"
                           "    def retrieve(self, request, pk):\n"
                           "        return 1\n"
                           "    @action(detail=True, methods=['post'])\n"
                           "    def ban(self, request, pk):\n"
                           "        return 1\n"}),
        "GET api/$ -> /api django - urls.py:4\n"
        "GET api/users/$ -> /api/users django Users urls.py:5\n"
        "GET api/users/(?P<pk>[^/.]+)/$ -> /api/users/{} django retrieve "
        "urls.py:5\n"
        "POST api/users/(?P<pk>[^/.]+)/ban/$ -> /api/users/{}/ban django ban "
        "urls.py:5\n");
}

static void
starlette_tornado_and_falcon_have_lists_and_resources(void **state)
{
    (void)state;
    assert_routes(
        FILES({"s.py", "from starlette.applications import Starlette\n"
                       "from starlette.routing import Route, Mount\n"
                       "async def home(request):\n"
                       "    return 1\n"
                       "inner = [Route('/{id}', home, methods=['POST'])]\n"
                       "app = Starlette(routes=[\n"
                       "    Route('/', endpoint=home),\n"
                       "    Mount('/api', routes=inner),\n"
                       "])\n"},
              {"t.py", "import tornado.web\n"
                       "class Main(tornado.web.RequestHandler):\n"
                       "    def get(self, id):\n"
                       "        pass\n"
                       "def make():\n"
                       "    return tornado.web.Application("
                       "[(r'/t/([0-9]+)', Main)])\n"},
              {"f.py", "import falcon\n"
                       "class Things:\n"
                       "    def on_get(self, req, resp):\n"
                       "        pass\n"
                       "app = falcon.App()\n"
                       "app.add_route('/things', Things())\n"}),
        "POST /api/{id} -> /api/{} starlette home s.py:5 mounted\n"
        "GET / -> / starlette home s.py:7\n"
        "GET /t/([0-9]+) -> /t/{} tornado get t.py:6\n"
        "GET /things -> /things falcon on_get f.py:6\n");
}

static void
web_sockets_are_got(void **state)
{
    (void)state;
    assert_routes(
        FILES({"f.py", "from fastapi import APIRouter, FastAPI\n"
                       "app = FastAPI()\n"
                       "api = APIRouter(prefix='/api')\n"
                       "@api.websocket('/ws/{room}')\n"
                       "async def room(socket, room):\n"
                       "    pass\n"
                       "app.include_router(api)\n"},
              {"s.py", "from starlette.applications import Starlette\n"
                       "from starlette.endpoints import WebSocketEndpoint\n"
                       "from starlette.routing import WebSocketRoute\n"
                       "async def feed(socket):\n"
                       "    pass\n"
                       "class Chat(WebSocketEndpoint):\n"
                       "    async def on_receive(self, socket, data):\n"
                       "        pass\n"
                       "app = Starlette(routes=[\n"
                       "    WebSocketRoute('/feed', feed),\n"
                       "    WebSocketRoute('/chat', endpoint=Chat),\n"
                       "])\n"}),
        "GET /api/ws/{room} -> /api/ws/{} fastapi room f.py:4\n"
        "GET /feed -> /feed starlette feed s.py:10\n"
        "GET /chat -> /chat starlette Chat s.py:11\n");
}

static void
a_suffix_tells_the_methods_of_falcon(void **state)
{
    (void)state;
    assert_routes(
        FILES({"f.py", "import falcon\n"
                       "class Things:\n"
                       "    def on_get(self, req, resp):\n"
                       "        pass\n"
                       "    def on_post(self, req, resp):\n"
                       "        pass\n"
                       "    def on_get_parts(self, req, resp):\n"
                       "        pass\n"
                       "    def on_put_parts(self, req, resp):\n"
                       "        pass\n"
                       "app = falcon.App()\n"
                       "things = Things()\n"
                       "app.add_route('/things', things)\n"
                       "app.add_route('/parts', things, suffix='parts')\n"
                       "app.add_route('/not', things, suffix=unknown)\n"}),
        "GET /things -> /things falcon on_get f.py:13\n"
        "POST /things -> /things falcon on_post f.py:13\n"
        "GET /parts -> /parts falcon on_get_parts f.py:14\n"
        "PUT /parts -> /parts falcon on_put_parts f.py:14\n");
}

static void
aiohttp_and_pyramid_have_routes(void **state)
{
    (void)state;
    assert_routes(
        FILES({"a.py", "from aiohttp import web\n"
                       "routes = web.RouteTableDef()\n"
                       "@routes.get('/deco')\n"
                       "async def deco(request):\n"
                       "    pass\n"
                       "async def show(request):\n"
                       "    pass\n"
                       "app = web.Application()\n"
                       "app.add_routes(routes)\n"
                       "app.add_routes([web.post('/list/{id}', show)])\n"
                       "app.router.add_get('/add', show)\n"
                       "sub = web.Application()\n"
                       "sub.router.add_get('/x', show)\n"
                       "app.add_subapp('/sub', sub)\n"
                       "res = app.router.add_resource('/res/{id}')\n"
                       "res.add_route('PATCH', show)\n"
                       "res.add_route('*', show)\n"},
              {"p.py", "from pyramid.config import Configurator\n"
                       "from pyramid.view import view_config\n"
                       "@view_config(route_name='item', "
                       "request_method='GET')\n"
                       "def item(request):\n"
                       "    pass\n"
                       "def main():\n"
                       "    config = Configurator()\n"
                       "    config.add_route('item', '/items/{id}')\n"
                       "    config.add_view(item, route_name='item', "
                       "request_method='PUT')\n"}),
        "GET /deco -> /deco aiohttp deco a.py:3\n"
        "POST /list/{id} -> /list/{} aiohttp show a.py:10\n"
        "GET /add -> /add aiohttp show a.py:11\n"
        "GET /sub/x -> /sub/x aiohttp show a.py:13\n"
        "PATCH /res/{id} -> /res/{} aiohttp show a.py:16\n"
        "ANY /res/{id} -> /res/{} aiohttp show a.py:17\n"
        "GET /items/{id} -> /items/{} pyramid item p.py:8\n"
        "PUT /items/{id} -> /items/{} pyramid item p.py:8\n");
}

/* A router that is included is of the application; one mounted is apart. */
static void
what_is_mounted_is_marked_so(void **state)
{
    (void)state;
    assert_routes(FILES({"m.py", "from fastapi import APIRouter, FastAPI\n"
                                 "app = FastAPI()\n"
                                 "sub = FastAPI()\n"
                                 "both = APIRouter()\n"
                                 "app.include_router(both, prefix='/in')\n"
                                 "sub.include_router(both)\n"
                                 "app.mount('/sub', sub)\n"
                                 "@both.get('/x')\n"
                                 "def x():\n"
                                 "    pass\n"}),
                  "GET /in/x -> /in/x fastapi x m.py:8\n"
                  "GET /sub/x -> /sub/x fastapi x m.py:8 mounted\n");
}

static void
what_pyramid_includes_has_the_prefix(void **state)
{
    (void)state;
    assert_routes(
        FILES({"p.py", "from pyramid.config import Configurator\n"
                       "from pyramid.view import view_config\n"
                       "from api import routes\n"
                       "def more(config):\n"
                       "    config.add_route('deep', '/deep')\n"
                       "def own(config):\n"
                       "    config.add_route('item', '/items/{id}')\n"
                       "    config.include(more, route_prefix='/more')\n"
                       "def never(config):\n"
                       "    config.add_route('lost', '/lost')\n"
                       "def main():\n"
                       "    config = Configurator()\n"
                       "    config.include(own, route_prefix='/own')\n"
                       "    config.include(routes, route_prefix='api')\n"
                       "    config.include(routes, '/at')\n"
                       "    config.include(routes)\n"},
              {"api.py", "from pyramid.view import view_config\n"
                         "def routes(config):\n"
                         "    config.add_route('thing', '/things')\n"
                         "@view_config(route_name='thing')\n"
                         "def thing(request):\n"
                         "    pass\n"}),
        "ANY /own/more/deep -> /own/more/deep pyramid - p.py:5\n"
        "ANY /own/items/{id} -> /own/items/{} pyramid - p.py:7\n"
        "ANY /api/things -> /api/things pyramid thing api.py:3\n"
        "ANY /at/things -> /at/things pyramid thing api.py:3\n"
        "ANY /things -> /things pyramid thing api.py:3\n");
}

static void
routers_mounted_in_a_circle_end(void **state)
{
    (void)state;
    assert_routes(FILES({"c.py", "from fastapi import APIRouter, FastAPI\n"
                                 "a = APIRouter()\n"
                                 "b = APIRouter()\n"
                                 "a.include_router(b, prefix='/b')\n"
                                 "b.include_router(a, prefix='/a')\n"
                                 "app = FastAPI()\n"
                                 "app.include_router(a)\n"
                                 "@b.get('/x')\n"
                                 "def x():\n"
                                 "    pass\n"}),
                  "GET /b/x -> /b/x fastapi x c.py:8\n");
}

static void
what_tests_put_together_is_none(void **state)
{
    (void)state;
    assert_routes(FILES({"tests/test_app.py", "from flask import Flask\n"
                                              "app = Flask('x')\n"
                                              "@app.route('/x')\n"
                                              "def x():\n"
                                              "    pass\n"}),
                  "");
}

static void
what_only_looks_like_a_route_is_none(void **state)
{
    (void)state;
    assert_routes(
        FILES({"near.py", "import requests\n"
                          "from starlette.testclient import TestClient\n"
                          "from main import app\n"
                          "cache = {}\n"
                          "class Thing:\n"
                          "    def get(self, path):\n"
                          "        return path\n"
                          "    def route(self, path):\n"
                          "        return path\n"
                          "def test():\n"
                          "    client = TestClient(app)\n"
                          "    client.get('/health')\n"
                          "    client.post('/items', json={})\n"
                          "    Thing().get('/x')\n"
                          "    cache.get('/y')\n"
                          "    app.state.get('/z')\n"
                          "t = Thing()\n"
                          "@t.route('/mine')\n"
                          "def mine():\n"
                          "    pass\n"},
              {"main.py", "from fastapi import FastAPI\n"
                          "app = FastAPI()\n"}),
        "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flask_rules_carry_the_prefixes_of_blueprints),
        cmocka_unit_test(flask_apps_reach_functions_and_classes),
        cmocka_unit_test(fastapi_routers_nest),
        cmocka_unit_test(django_patterns_are_told_from_the_root),
        cmocka_unit_test(
            django_lists_are_included_where_they_stand_and_by_name),
        cmocka_unit_test(web_sockets_are_got),
        cmocka_unit_test(what_pyramid_includes_has_the_prefix),
        cmocka_unit_test(a_suffix_tells_the_methods_of_falcon),
        cmocka_unit_test(view_sets_have_the_routes_of_their_actions),
        cmocka_unit_test(starlette_tornado_and_falcon_have_lists_and_resources),
        cmocka_unit_test(aiohttp_and_pyramid_have_routes),
        cmocka_unit_test(what_is_mounted_is_marked_so),
        cmocka_unit_test(routers_mounted_in_a_circle_end),
        cmocka_unit_test(what_tests_put_together_is_none),
        cmocka_unit_test(what_only_looks_like_a_route_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
