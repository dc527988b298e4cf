/*
 * c_macro - macros that stand in front of a declaration of C or C++ and are no
 * part of it, as far as a reader without their definitions can tell.  To the
 * grammar they are its type.
 *
 * Threads    Any.
 */
#ifndef INDEX_C_MACRO_H
#define INDEX_C_MACRO_H

#include <stddef.h>

#include "base/str.h"

/* So many macros in a row are looked at, and so many bytes of what one is
 * given, with its parentheses. */
enum { C_MACRO_CHAIN_MAX = 16, C_MACRO_ARGUMENTS_MAX = 512 };

/* c_macro_end is where the macro ends that begins at |at| of |text|, where a
 * declaration may begin; |at| where none does:
 * - named like a bracket and alone on its line, `ABSL_NAMESPACE_BEGIN`
 * - in front of what has a type of its own, `LIB_EXPORT int f(void)`
 */
size_t c_macro_end(str text, size_t at);

/* c_macro_of_class is the macros between the word at |at| and the name of what
 * is defined, `class LIB_EXPORT Foo {`; empty where there are none. */
str c_macro_of_class(str text, size_t at);

#endif
