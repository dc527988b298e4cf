/*
 * resolve_overload - Java's methods of one name: which of them a call means.
 *
 * Methods and variables have names of their own there, so a name that is called
 * is a method's, however a field or a parameter beside it is named.  Of several
 * methods, in a type and its bases, that one is meant which the arguments fit
 * best, as far as their types are known; the nearest of those that fit as well.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_OVERLOAD_H
#define INDEX_RESOLVE_OVERLOAD_H

#include "index/resolve_impl.h"

/* overload_prepare notes what is called, and where parameters begin. */
bool overload_prepare(struct resolver *r);

/* What the name that an expression is can stand for; WANT_ANY for types, for
 * id 0 and outside of Java. */
enum want { WANT_ANY, WANT_METHOD, WANT_VALUE };
enum want overload_want(const struct resolver *r, struct at use);
/* overload_call is the call that |use| is the callee of, in Java, Kotlin and
 * C#; 0: it is called by none. */
uint32_t overload_call(const struct resolver *r, struct at use);

/* overload_member is the member |name| of a type or its bases that |use| means:
 * the method, where it is called; VAL_FOREIGN where one of a base that is not
 * ours may be meant. */
struct val overload_member(struct resolver *r, uint32_t type, sym name,
                           bool skip_self, struct at use);

/* overload_is_of_object: what every object of Java has, which hides methods
 * further out. */
bool overload_is_of_object(const struct resolver *r, sym name);

/* overload_again is the method beside |method|, in its type and the bases, that
 * the call of |use| fits best: for what was found by its name alone. */
struct val overload_again(struct resolver *r, struct val method, struct at use);

/* A call whose arguments are held against parameters.  A method looked at is a
 * step, and so is a type compared; a call has so many, and those of all calls
 * that need many are bounded, too. */
struct passing {
    struct at call;
    uint32_t at; /* of the shapes in r->passed */
    bool has_shapes;
    uint32_t steps;
    bool is_cut; /* more were asked for than there are */
};

enum {
    OVERLOAD_STEPS_FREE = 1 << 8, /* of a call; the repository's are beyond */
    OVERLOAD_STEPS_MAX = 1 << 12, /* of a call */
    OVERLOAD_ALL_STEPS_MAX = 1 << 22
};

/* overload_step says whether one more is left: without it nothing is known. */
bool overload_step(struct resolver *r, struct passing *passing);
void overload_passed(struct resolver *r, const struct passing *passing);

/* overload_takes says whether the method takes so many arguments as the call
 * has; overload_differ, whether neither of two can override the other, by the
 * types of their parameters. */
bool overload_takes(const struct resolver *r, struct at method, struct at call);
bool overload_differ(struct resolver *r, struct at a, struct at b,
                     struct passing *passing);
/* overload_returns says whether two methods of a type are written to return the
 * same. */
bool overload_returns(const struct resolver *r, struct at a, struct at b);

/* overload_fit is how well the arguments of a call fit the method: -1 not at
 * all, else the more the better.  overload_passed forgets their shapes. */
int overload_fit(struct resolver *r, struct at method, struct passing *passing);

#endif
