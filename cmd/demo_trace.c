/*
 * The assembler puts the files into the program, as they are in the tree; the
 * Makefile knows that this object is made of them.
 */
#include "cmd/demo.h"

#define EMBED(name, file)                           \
    __asm__(".section .rodata\n"                    \
            ".global " name "_begin\n"              \
            ".global " name "_end\n"                \
            ".balign 16\n" name "_begin:\n"         \
            ".incbin \"" file "\"\n" name "_end:\n" \
            ".byte 0\n"                             \
            ".previous\n")

EMBED("demo_trace", "examples/shop/trace.jsonl");
EMBED("demo_routes", "examples/shop/routes.txt");

extern const char demo_trace_begin[];
extern const char demo_trace_end[];
extern const char demo_routes_begin[];
extern const char demo_routes_end[];

str
demo_trace(void)
{
    return (str){demo_trace_begin, (size_t)(demo_trace_end - demo_trace_begin)};
}

str
demo_routes(void)
{
    return (str){demo_routes_begin,
                 (size_t)(demo_routes_end - demo_routes_begin)};
}
