/*
 * resolve_ruby - Ruby's methods: those of a class itself stand apart from those
 * of its objects.
 *
 * A class is an object, too.  What is asked of it is looked for among its own
 * methods, then in the modules that extend it, then where the class that it
 * extends is asked; what is asked of its objects, in the modules that are
 * prepended, in it, in those that it includes, in the class that it extends.
 * Its own methods are in a scope of their own, singleton_scope.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_RUBY_H
#define INDEX_RESOLVE_RUBY_H

#include "index/resolve_line.h"

/* ruby_def_scopes tells the scopes that a definition in the scope |of| is found
 * in; returns how many. */
uint32_t ruby_def_scopes(const struct resolver *r, const struct fact_def *def,
                         uint32_t of, uint32_t out[2]);
/* ruby_field is the name and the scope of what is assigned to a member of self
 * in |def|, whose type has the scope |type|: `self.x = y` sets what x reads. */
sym ruby_field(struct resolver *r, uint32_t file, uint32_t def, sym name,
               uint32_t *type);

/* ruby_prepare finds the lines of all types: where a base is asked for while
 * its own name is looked up in the class that names it, it would be missing. */
void ruby_prepare(struct resolver *r);
/* ruby_line puts in a line what a type, or a singleton, has its methods from.
 */
void ruby_line(struct resolver *r, struct line *line, uint32_t scope);

/* ruby_self makes of an object of the class around |def| what self is there. */
struct val
ruby_self(struct resolver *r, uint32_t file, uint32_t def, struct val object);
/* ruby_class_member is what a class, or a module, answers to a name. */
struct val ruby_class_member(struct resolver *r, uint32_t type, sym name);
/* ruby_bare is what a bare name is in |def|, whose type is |type|. */
struct val ruby_bare(struct resolver *r, uint32_t file, uint32_t def,
                     uint32_t type, sym name);
/* ruby_capital is the method that `Money(4)` calls. */
struct val ruby_capital(struct resolver *r, uint32_t file, uint32_t expr);
/* ruby_above is the method that self's one named |name| overrides. */
struct val ruby_above(struct resolver *r, struct val self, sym name);
/* ruby_literal is what a string, a number, a list or a hash answers where the
 * repository adds to its class; VAL_FOREIGN: the language. */
struct val ruby_literal(struct resolver *r, struct val of, sym name);
/* ruby_indexed is what `x[1]` gives, which is a method of x. */
struct val ruby_indexed(struct resolver *r, struct val of);
/* ruby_class_of tells what `x.class` gives; false: not known, or none such. */
bool ruby_class_of(struct resolver *r, uint32_t file, uint32_t call,
                   struct val *out);

#endif
