/*
 * Django's patterns by other names than urlpatterns, and what Django REST
 * framework makes of view sets.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(python);

static void
view_sets_have_the_actions_of_their_bases(void **state)
{
    (void)state;
    assert_routes(
        FILES({"proj/settings.py", "ROOT_URLCONF = 'proj.urls'\n"},
              {"proj/urls.py",
               "from django.urls import path, include\n"
               "from rest_framework import routers\n"
               "from api import views\n"
               "router = routers.DefaultRouter()\n"
               "router.register('groups', views.Groups, basename='group')\n"
               "router.register('only', views.Only)\n"
               "router.register('', views.Plain)\n"
               "router.register(PREFIX, views.Plain)\n"
               "loose = routers.SimpleRouter()\n"
               "loose.register('late', views.Only)\n"
               "urlpatterns = [path('api/', include((router.urls, 'app'), "
               "namespace='v1'))]\n"
               "urlpatterns += loose.urls\n"},
              {"api/base.py",
               "from rest_framework import viewsets\n"
               "from rest_framework.decorators import action\n"
               "class Export:\n"
               "    @action(detail=False, url_path='export-all')\n"
               "    def export(self, request): pass\n"
               "    @action(detail=False)\n"
               "    def hidden(self, request): pass\n"
               "class Base(Export, viewsets.ReadOnlyModelViewSet):\n"
               "    lookup_field = 'slug'\n"
               "    @action(detail=True, methods=('post', 'delete'))\n"
               "    def star(self, request, slug): pass\n"
               "    @action(detail=True, methods=METHODS)\n"
               "    def any(self, request, slug): pass\n"
               "    @action(detail=True, url_path=SECRET)\n"
               "    def secret(self, request, slug): pass\n"},
              {"api/views.py",
               "from rest_framework import viewsets, mixins\n"
               "from rest_framework.decorators import action, list_route, "
               "detail_route\n"
               "from .base import Base\n"
               "class Groups(Base):\n"
               "    def hidden(self, request): pass\n"
               "class Only(mixins.ListModelMixin, mixins.DestroyModelMixin,\n"
               "           viewsets.GenericViewSet):\n"
               "    http_method_names = ['get', 'head']\n"
               "class Plain(viewsets.ViewSet):\n"
               "    def list(self, request): pass\n"
               "    @action(detail=False)\n"
               "    def me(self, request): pass\n"
               "    @me.mapping.put\n"
               "    def put_me(self, request): pass\n"
               "    @list_route(methods=['post'])\n"
               "    def old(self, request): pass\n"
               "    @detail_route()\n"
               "    def older(self, request): pass\n"}),
        "GET api/$ -> /api django - proj/urls.py:4\n"
        "GET api/groups/$ -> /api/groups django Groups proj/urls.py:5\n"
        "GET api/groups/(?P<pk>[^/.]+)/$ -> /api/groups/{} django Groups "
        "proj/urls.py:5\n"
        "POST api/groups/(?P<pk>[^/.]+)/star/$ -> /api/groups/{}/star django "
        "star proj/urls.py:5\n"
        "DELETE api/groups/(?P<pk>[^/.]+)/star/$ -> /api/groups/{}/star django "
        "star proj/urls.py:5\n"
        "ANY api/groups/(?P<pk>[^/.]+)/any/$ -> /api/groups/{}/any django any "
        "proj/urls.py:5\n"
        "GET api/groups/export-all/$ -> /api/groups/export-all django export "
        "proj/urls.py:5\n"
        "GET api/only/$ -> /api/only django Only proj/urls.py:6\n"
        "GET api/$ -> /api django list proj/urls.py:7\n"
        "GET api/me/$ -> /api/me django me proj/urls.py:7\n"
        "PUT api/me/$ -> /api/me django put_me proj/urls.py:7\n"
        "POST api/old/$ -> /api/old django old proj/urls.py:7\n"
        "GET api/(?P<pk>[^/.]+)/older/$ -> /api/{}/older django older "
        "proj/urls.py:7\n"
        "GET ^late/$ -> /late django Only proj/urls.py:10\n");
}

static void
lists_of_patterns_stand_where_they_are_used(void **state)
{
    (void)state;
    assert_routes(
        FILES({"proj/settings.py", "ROOT_URLCONF = 'proj.urls'\n"},
              {"proj/urls.py",
               "from django.urls import path, include\n"
               "from django.conf.urls.i18n import i18n_patterns\n"
               "from .v1 import patterns as v1_patterns\n"
               "from . import v2\n"
               "from .router import router as api_router\n"
               "tail_of = [path(\"of/\", h)]\n"
               "extra = [path('e1/', h)]\n"
               "extra += [path('e2/', h)]\n"
               "urlpatterns = [\n"
               "    path('v1/', include(v1_patterns)),\n"
               "    path('v2/', include(v2.urls)),\n"
               "    path('v3/', include(api_router.urls)),\n"
               "    path('ex/', include(extra)),\n"
               "] + [path('tail/', h)]\n"
               "urlpatterns += i18n_patterns(path('about/', h), path('in/', "
               "include('shop.urls')), prefix_default_language=False)\n"
               "urlpatterns.append(path('app/', h))\n"
               "urlpatterns += tail_of\n"
               "urlpatterns.extend([path('ext/', h)])\n"},
              {"proj/v1.py", "from django.urls import path\n"
                             "patterns = [path('a/', h)]\n"},
              {"proj/v2.py", "from django.urls import path\n"
                             "urls = [path('b/', h)], 'v2'\n"},
              {"proj/router.py",
               "from rest_framework.routers import DefaultRouter\n"
               "class R(DefaultRouter):\n"
               "    trailing_slash = '/?'\n"
               "router = R()\n"
               "router.register('x', X)\n"
               "from rest_framework import viewsets\n"
               "class X(viewsets.ReadOnlyModelViewSet): pass\n"},
              {"shop/urls.py",
               "from django.urls import path, include\n"
               "from rest_framework_nested import routers\n"
               "from . import views\n"
               "router = routers.SimpleRouter(trailing_slash=False)\n"
               "router.register(r'domains', views.D)\n"
               "n1 = routers.NestedSimpleRouter(router, r'domains', "
               "lookup='domain')\n"
               "n1.register(r'hosts', views.D, basename='ns')\n"
               "n2 = routers.NestedSimpleRouter(n1, r'hosts', lookup='host')\n"
               "n2.register(r'ips', views.D, basename='ip')\n"
               "urlpatterns = [ path('', include(router.urls)), path('', "
               "include(n1.urls)), path('', include(n2.urls)) ]\n"},
              {"shop/views.py", "from rest_framework import viewsets, mixins\n"
                                "class D(mixins.ListModelMixin, "
                                "viewsets.GenericViewSet): pass\n"}),
        "ANY of/ -> /of django - proj/urls.py:6\n"
        "ANY ex/e1/ -> /ex/e1 django - proj/urls.py:7\n"
        "ANY ex/e2/ -> /ex/e2 django - proj/urls.py:8\n"
        "ANY tail/ -> /tail django - proj/urls.py:14\n"
        "ANY about/ -> /about django - proj/urls.py:15 tail\n"
        "ANY app/ -> /app django - proj/urls.py:16\n"
        "ANY ext/ -> /ext django - proj/urls.py:18\n"
        "ANY v1/a/ -> /v1/a django - proj/v1.py:2\n"
        "ANY v2/b/ -> /v2/b django - proj/v2.py:2\n"
        "GET v3/$ -> /v3 django - proj/router.py:4\n"
        "GET v3/x/$ -> /v3/x django X proj/router.py:5\n"
        "GET v3/x/(?P<pk>[^/.]+)/$ -> /v3/x/{} django X proj/router.py:5\n"
        "GET in/domains/$ -> /in/domains django D shop/urls.py:5 tail\n"
        "GET in/domains/(?P<domain_pk>[^/.]+)/hosts/$ -> /in/domains/{}/hosts "
        "django D shop/urls.py:7 tail\n"
        "GET in/domains/(?P<domain_pk>[^/.]+)/hosts/(?P<host_pk>[^/.]+)/ips/$ "
        "-> /in/domains/{}/hosts/{}/ips django D shop/urls.py:9 tail\n");
}

static void
what_is_known_in_part_is_told_so(void **state)
{
    (void)state;
    assert_routes(
        FILES(
            {"proj/settings.py", "ROOT_URLCONF = 'proj.urls'\n"},
            {"proj/urls.py", "from rest_framework import routers\n"
                             "from api import views\n"
                             "router = routers.SimpleRouter()\n"
                             "router.register(f'{PREFIX}orders', views.Plain)\n"
                             "router.register('few', views.Few)\n"
                             "router.register('both', views.Both)\n"
                             "urlpatterns = router.urls\n"},
            {"api/views.py", "from rest_framework import viewsets\n"
                             "from rest_framework.decorators import action\n"
                             "class Plain(viewsets.ViewSet):\n"
                             "    def list(self, request): pass\n"
                             "class Few(viewsets.ViewSet):\n"
                             "    http_method_names = ['get', 'post']\n"
                             "    def destroy(self, request, pk): pass\n"
                             "    @action(methods=METHODS, detail=False)\n"
                             "    def any(self, request): pass\n"
                             "    @action(methods=of('x', 'y'), detail=False)\n"
                             "    def made(self, request): pass\n"
                             "    @action(['post'], detail=False)\n"
                             "    def first(self, request): pass\n"
                             "class Wide: http_method_names = ['get', 'post']\n"
                             "class Narrow: http_method_names = ['get']\n"
                             "class Both(Wide, Narrow, viewsets.ViewSet):\n"
                             "    def create(self, request): pass\n"}),
        "GET orders/$ -> /orders django list proj/urls.py:4 tail\n"
        "ANY ^few/any/$ -> /few/any django any proj/urls.py:5\n"
        "ANY ^few/made/$ -> /few/made django made proj/urls.py:5\n"
        "POST ^few/first/$ -> /few/first django first proj/urls.py:5\n"
        "POST ^both/$ -> /both django create proj/urls.py:6\n");
}

static void
views_answer_what_they_say(void **state)
{
    (void)state;
    assert_routes(
        FILES({"urls.py",
               "from django.urls import path\n"
               "from django.views import generic\n"
               "from django.views.decorators.http import require_safe\n"
               "from rest_framework import generics\n"
               "from rest_framework.decorators import api_view\n"
               "from wraps import w\n"
               "@require_safe\n"
               "def safe(r): pass\n"
               "@api_view()\n"
               "def bare(r): pass\n"
               "def plain(r): pass\n"
               "class Mine(generics.RetrieveUpdateAPIView):\n"
               "    http_method_names = ['get', 'put', 'post']\n"
               "    def get(self, r): pass\n"
               "    def delete(self, r): pass\n"
               "class Other(Unknown): pass\n"
               "urlpatterns = [\n"
               "    path('safe/', safe),\n"
               "    path('bare/', bare),\n"
               "    path('mine/', w(1)(Mine.as_view())),\n"
               "    path('other/', Other.as_view()),\n"
               "    path('page/', generic.FormView.as_view()),\n"
               "    path('map/', Mine.as_view({'get': 'x', 'delete': 'y'})),\n"
               "    path('open/', Mine.as_view(ACTIONS)),\n"
               "    path('three/', w(w(w(plain)))),\n"
               "    path('four/', w(w(w(w(plain))))),\n"
               "    path('last/', w(plain, 1, 2, 3)),\n"
               "    path('lost/', w(safe, 1, 2, 3, 4)),\n"
               "]\n"}),
        "HEAD safe/ -> /safe django safe urls.py:18\n"
        "GET safe/ -> /safe django safe urls.py:18\n"
        "GET bare/ -> /bare django bare urls.py:19\n"
        "GET mine/ -> /mine django get urls.py:20\n"
        "PUT mine/ -> /mine django Mine urls.py:20\n"
        "ANY other/ -> /other django Other urls.py:21\n"
        "GET page/ -> /page django - urls.py:22\n"
        "POST page/ -> /page django - urls.py:22\n"
        "PUT page/ -> /page django - urls.py:22\n"
        "GET map/ -> /map django Mine urls.py:23\n"
        "ANY open/ -> /open django Mine urls.py:24\n"
        "ANY three/ -> /three django plain urls.py:25\n"
        "ANY four/ -> /four django - urls.py:26\n"
        "ANY last/ -> /last django plain urls.py:27\n"
        "ANY lost/ -> /lost django safe urls.py:28\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_sets_have_the_actions_of_their_bases),
        cmocka_unit_test(lists_of_patterns_stand_where_they_are_used),
        cmocka_unit_test(what_is_known_in_part_is_told_so),
        cmocka_unit_test(views_answer_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
