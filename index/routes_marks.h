/*
 * routes_marks - controllers, by their annotations.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_MARKS_H
#define INDEX_ROUTES_MARKS_H

#include "index/routes_rules.h"
#include "index/routes_verbs.h"

enum mark_role {
    MARK_CONTROLLER = 1,
    MARK_DATA,   /* a controller of Spring Data REST */
    MARK_PREFIX, /* of a class; of a method a path without a method */
    MARK_ROUTE,
    MARK_METHOD, /* GET; the path is told by another */
    MARK_VERB,   /* of an annotation's declaration: it is that method */
    MARK_VERBS,  /* its arguments are methods */
    MARK_APP,    /* a prefix of all controllers */
    MARK_CLIENT, /* what its methods tell is asked for, not served */
    MARK_CLIENT_PREFIX,
    MARK_CLIENT_ROUTE,
};

/* What applies to all controllers of an application. */
enum app_says {
    APP_PREFIX = 1,
    APP_VERSIONS, /* that versions are in paths, and how */
    APP_MODULES,  /* that modules have paths, by RouterModule */
    APP_DATA,     /* where Spring Data REST is: what is not read */
    APP_MOVED,    /* that something is put before paths: what is not read */
};

struct mark_rule {
    uint8_t framework;
    uint8_t role;
    const char *name;
    const char *module; /* with its dot */
    const char *method;
};

/* mark_rule is what an annotation means, or NULL. */
const struct mark_rule *mark_rule(struct parts *p, struct at mark);
/* mark_word is the name of one, of C# without its `Attribute`. */
str mark_word(const struct parts *p, struct at callee);
/* mark_at is annotation |i| of a definition, or id 0. */
struct at mark_at(const struct parts *p, struct at def, uint32_t i);
/* mark_is_method: it is `@Method("get", path)` of routing-controllers. */
bool mark_is_method(struct parts *p, struct at mark);
/* mark_path is the expression of its path, or id 0. */
struct at mark_path(struct parts *p, struct at mark);
/* mark_value is |value|, or id 0 if that is an empty list, `path = {}`. */
struct at mark_value(const struct parts *p, struct at value);
/* mark_options is the object that it is given, or that has a name, or id 0. */
struct at mark_options(struct parts *p, struct at mark);

enum { MADE_DEPTH_MAX = 4 };

/* The calls that made a decorator of NestJS, the outermost first, and the
 * functions of the repository that they are of (index/routes_marks_meta.h). */
struct mark_made {
    struct at calls[MADE_DEPTH_MAX];
    struct at defs[MADE_DEPTH_MAX];
    unsigned len;
};

/* What the marks of a class say. */
struct class_marks {
    enum framework framework; /* FW_NONE: no controller */
    struct at prefix;         /* expr, or 0; where marks are inherited, of the
                                 nearest base that has one */
    struct at placed;         /* the class whose marks have the prefix */
    struct at methods;        /* expr, or 0: of Spring, of all its routes */
    struct at client;         /* mark, or 0 */
    struct at mark;
    struct mark_made made; /* of NestJS, what |prefix| is within */
    bool is_placed;        /* of Spring, told where, if only the root */
    bool is_data;          /* of Spring, below where Spring Data REST is */
    bool is_controller;    /* told to be one, not where it is only */
    bool is_unsaid;        /* of JAX-RS, where a locator gives it only */
};
/* marks_class is the router of a class that is a controller, or 0; of one that
 * is abstract, where marks are inherited, what a locator gives. */
uint32_t
marks_class(struct parts *p, struct at type, struct class_marks *found);
/* marks_are_inherited: a class that is extended lends its paths, and one that
 * is abstract serves nothing itself. */
bool marks_are_inherited(enum framework framework);
/* marks_of_base: |type| is such a class, or of ASP.NET a generic one. */
bool marks_of_base(struct parts *p, struct at type, enum framework framework);
/* marks_hide: |def| serves nothing, whatever its marks say.  JAX-RS serves by
 * public methods only; of ASP.NET a method may say so itself. */
bool marks_hide(const struct parts *p, struct at def, enum framework framework);
/* marks_base_of is the next base of |type| that is of the repository, from |*i|
 * on; false: there is no more. */
bool
marks_base_of(struct parts *p, struct at type, uint32_t *i, struct at *base);

/* marks_is_partial: |type| is a part of a class of C#, others may stand
 * elsewhere; marks_part is the part |i| of the class that |type| is (a part)
 * of, or id 0 (index/routes_marks_parts.c). */
bool marks_is_partial(const struct parts *p, struct at type);
struct at marks_part(struct parts *p, struct at type, uint32_t i);

/* marks_know_bases: all of what |type| names as its bases are. */
bool marks_know_bases(struct parts *p, struct at type);

/* The bases that one class was asked for, so that each is looked at once. */
enum { MARKS_SEEN_MAX = 64 };
struct marks_seen {
    struct at at[MARKS_SEEN_MAX];
    uint32_t len;
};
/* marks_see is false for one that was seen, and when there are too many. */
bool marks_see(struct marks_seen *seen, struct at base);

/* marks_overload: |own| has the name of |base|, but may be another method: then
 * the one beside it that takes the same is meant, or |base| itself. */
void marks_overload(struct parts *p, struct at base, struct at *own);

/* What applies to all controllers of an application
 * (index/routes_marks_app.c): a router that theirs is mounted on, or 0. */
uint32_t marks_base(struct parts *p, uint32_t router);
uint32_t
marks_base_at(const struct parts *p, enum framework framework, uint32_t file);
/* marks_app is the call that says |what| for the application that |file| is
 * of, or id 0. */
struct at marks_app(struct parts *p, enum framework framework, uint32_t file,
                    enum app_says what);

/* marks_add_app notes that |at| says |what|, by a |router| or 0. */
void marks_add_app(struct parts *p, enum framework framework, struct at at,
                   uint32_t router, enum app_says what);
/* marks_app_next is the next that was noted of |framework|, from |*i| on;
 * marks_app_holds: what |app| says holds for |file|, by their folders. */
struct marks_app_at {
    struct at at;
    uint32_t router;
};
bool marks_app_next(const struct parts *p, enum framework framework,
                    uint32_t *i, struct marks_app_at *out);
bool marks_app_holds(const struct parts *p, uint32_t app, uint32_t file);

/* marks_server notes |call| if it makes a server of classes, marks_place puts
 * the |router| of a class, whose prefix is |path| or id 0, where such have it
 * (index/routes_controllers.c). */
void marks_server(struct parts *p, struct at call);
void
marks_place(struct parts *p, uint32_t router, struct at type, struct at path);

/* ASP.NET (index/routes_marks_aspnet.c): marks_tokens puts `[controller]` and
 * `[action]` in a text. */
text_id
marks_tokens(struct parts *p, text_id text, struct at type, struct at method);
/* marks_act puts |action| where a class says `[action]` in |path|. */
text_id marks_act(struct parts *p, text_id path, text_id action);
/* marks_named_path is |path|, or what Micronaut and Quarkus take for an empty
 * one: `show-all` of the method |def|, `showAll`. */
text_id marks_named_path(struct parts *p, text_id path, struct at def);
/* marks_have: |def| has an attribute that is written so. */
bool marks_have(const struct parts *p, struct at def, const char *name);
/* marks_aspnet_actions enters the public methods of a controller with a path
 * that no mark of their own tells: they are asked for by any method. */
void marks_aspnet_actions(struct parts *p, uint32_t router, struct at type,
                          const struct class_marks *of);
/* marks_aspnet: a template that begins at the root stands by itself. */
void marks_aspnet(struct parts *p, struct route_entry *entry, text_id path);

#endif
