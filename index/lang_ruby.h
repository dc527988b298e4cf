/*
 * lang_ruby - what the parts of the Ruby extractor share.
 *
 * A bare name is a local variable where one was bound before it in the same
 * method, and else a call: locals are therefore kept while a method is walked.
 *
 * Threads    None.
 */
#ifndef INDEX_LANG_RUBY_H
#define INDEX_LANG_RUBY_H

#include "index/visit.h"

enum {
    K_ALIAS = 1,
    K_ARGUMENTS,
    K_ARRAY,
    K_ASSIGN,
    K_BARE_STRING,
    K_BEGIN,
    K_BINARY,
    K_BLOCK,
    K_BLOCK_ARG,
    K_BODY,
    K_CALL,
    K_CASE,
    K_CHAINED,
    K_CLASS,
    K_CLASS_VAR,
    K_CONDITIONAL,
    K_CONSTANT,
    K_CONTENT,
    K_DESTRUCTURED,
    K_ELEMENT,
    K_ESCAPE,
    K_FOR,
    K_GLOBAL,
    K_HASH,
    K_HASH_KEY,
    K_IDENTIFIER,
    K_IF,
    K_IF_MODIFIER,
    K_IN_CLAUSE,
    K_INSTANCE_VAR,
    K_INTEGER,
    K_INTERPOLATION,
    K_LAMBDA,
    K_LEFT_LIST,
    K_METHOD,
    K_MODULE,
    K_OP_ASSIGN,
    K_OPTIONAL,
    K_PAIR,
    K_PARENS,
    K_REGEX,
    K_RESCUE,
    K_RESCUE_MODIFIER,
    K_RETURN,
    K_RIGHT_LIST,
    K_SCOPE,
    K_SELF,
    K_SINGLETON_CLASS,
    K_SINGLETON_METHOD,
    K_SPLAT,
    K_SPLAT_PARAM,
    K_STRING,
    K_SUPER,
    K_SYMBOL,
    K_THEN,
    K_WHEN,
    K_END,
};

enum {
    F_ALTERNATIVE = 1,
    F_ARGUMENTS,
    F_BLOCK,
    F_BODY,
    F_CONDITION,
    F_CONSEQUENCE,
    F_EXCEPTIONS,
    F_HANDLER,
    F_KEY,
    F_LEFT,
    F_METHOD,
    F_NAME,
    F_OBJECT,
    F_OPERATOR,
    F_PARAMETERS,
    F_PATTERN,
    F_RECEIVER,
    F_RIGHT,
    F_SCOPE,
    F_SUPERCLASS,
    F_VALUE,
    F_VARIABLE,
    F_END,
};

enum { RUBY_LOCALS_MAX = 512 };

struct ruby {
    struct visitor w; /* first: handlers get it */
    str_id locals[RUBY_LOCALS_MAX];
    uint32_t local_len;
    uint32_t local_floor;        /* where those of this method begin */
    struct extract_list *mixins; /* of the class around */
    bool is_private;             /* what follows in this class */
    bool is_static;              /* in `class << self` */
    bool is_shared;              /* behind `module_function` */
    bool in_included;            /* in `included do` */
};

static inline struct ruby *
ruby_of(struct visitor *w)
{
    return (struct ruby *)w;
}

void ruby_add_local(struct visitor *w, str_id name);

visit_fn ruby_class, ruby_module, ruby_singleton_class, ruby_method,
    ruby_singleton_method, ruby_block, ruby_lambda, ruby_call, ruby_super,
    ruby_identifier, ruby_scope, ruby_assign, ruby_update, ruby_return,
    ruby_for, ruby_rescue;

/* ruby_class_body walks what stands directly in a class or module. */
void ruby_class_body(struct visitor *w, TSNode body);
/* ruby_class_methods walks what a concern gives to the classes that include it
 * as methods of their own: its module ClassMethods. */
void ruby_class_methods(struct visitor *w, TSNode node, TSNode block);
/* ruby_property makes the methods of attr_accessor and its like; |is_shared|:
 * those of the class and of its objects. */
struct property {
    str name;
    bool reads;
    bool writes;
    bool is_shared;
};
void
ruby_property(struct visitor *w, const struct property *property, TSNode at);
/* ruby_is_symbol: a symbol or a plain string; its expression is |id|. */
bool ruby_is_symbol(const struct visitor *w, uint32_t id);

#endif
