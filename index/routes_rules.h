/*
 * routes_rules - the families of frameworks, each a file.
 *
 * A rule is called for each file, made the file at hand before (part_open).
 * Nests are asked for several times before routes are.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_RULES_H
#define INDEX_ROUTES_RULES_H

#include "index/routes_router.h"

typedef void routes_rule(struct parts *p, uint32_t file);

/* JavaScript: functions that are required and called. */
routes_rule nest_required;
routes_rule nest_autoload;
/* What applications are given by methods that are not known. */
routes_rule nest_given_away;
/* PHP: files that are required. */
routes_rule php_nests;
/* Controllers: classes and methods with annotations or attributes. */
routes_rule routes_marks;
routes_rule marks_apps;
/* Files whose place or shape says it: Django's urls.py, Next.js, Rails. */
routes_rule routes_django;
routes_rule django_nests;
/* django_done: which patterns are the root's is known. */
void django_done(struct parts *p);
routes_rule routes_python;
routes_rule python_nests;
routes_rule routes_starlette;
routes_rule starlette_nests;
routes_rule routes_tornado;
routes_rule tornado_nests;
routes_rule routes_litestar;
routes_rule litestar_nests;
routes_rule routes_pyramid;
routes_rule pyramid_nests;
void pyramid_fini(struct parts *p);
routes_rule routes_java;
routes_rule java_nests;
routes_rule routes_spring;
routes_rule routes_servlet;
routes_rule routes_next;
routes_rule routes_folders;
routes_rule routes_rails;
routes_rule routes_ruby;
routes_rule routes_laravel;
routes_rule laravel_nests;
routes_rule routes_symfony;
routes_rule symfony_nests;
/* symfony_open does what its files of YAML say, before any file. */
void symfony_open(struct parts *p);
/* routes_lambda enters what AWS' API Gateway asks of functions. */
void routes_lambda(struct parts *p);
/* C#: classes that a library finds. */
routes_rule carter_nests;
routes_rule routes_fastendpoints;
routes_rule routes_kotlin;
routes_rule kotlin_nests;
/* Services of .proto files, and who implements them. */
routes_rule routes_grpc;
/* grpc_open reads the services, before any file; grpc_done tells those that
 * nothing in the repository implements. */
void grpc_open(struct parts *p);
void grpc_done(struct parts *p);
/* What is asked for, published, consumed; what names spans. */
routes_rule routes_clients;
routes_rule routes_topics;
routes_rule routes_spans;

#endif
