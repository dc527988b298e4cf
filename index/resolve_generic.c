/*
 * The table of generic types, and what their methods give.
 */
#include "index/resolve_generic.h"
#include "index/resolve_rust.h"

static const struct {
    const char *name;
    enum generic_use use;
} generics[] = {
    {"*", USE_ITSELF},
    {"&", USE_ITSELF},
    {"Optional", USE_ITSELF},
    {"Annotated", USE_ITSELF},
    {"Final", USE_ITSELF},
    {"ClassVar", USE_ITSELF},
    {"Required", USE_ITSELF},
    {"NotRequired", USE_ITSELF},
    {"Readonly", USE_ITSELF},
    {"Partial", USE_ITSELF},
    {"NonNullable", USE_ITSELF},
    {"Box", USE_ITSELF},
    {"Arc", USE_ITSELF},
    {"Rc", USE_ITSELF},
    {"unique_ptr", USE_ITSELF},
    {"shared_ptr", USE_ITSELF},
    {"Type", USE_CLASS},
    {"type", USE_CLASS},
    {"[]", USE_FIRST},
    {"...", USE_FIRST},
    {"chan", USE_FIRST},
    {"List", USE_FIRST},
    {"list", USE_FIRST},
    {"Sequence", USE_FIRST},
    {"Iterable", USE_FIRST},
    {"Iterator", USE_FIRST},
    {"Generator", USE_FIRST},
    {"AsyncIterator", USE_FIRST},
    {"AsyncIterable", USE_FIRST},
    {"AsyncGenerator", USE_FIRST},
    {"Set", USE_FIRST},
    {"set", USE_FIRST},
    {"FrozenSet", USE_FIRST},
    {"frozenset", USE_FIRST},
    {"Tuple", USE_FIRST},
    {"tuple", USE_FIRST},
    {"Collection", USE_FIRST},
    {"MutableSequence", USE_FIRST},
    {"deque", USE_FIRST},
    {"Deque", USE_FIRST},
    {"Array", USE_FIRST},
    {"ReadonlyArray", USE_FIRST},
    {"ReadonlySet", USE_FIRST},
    {"ArrayList", USE_FIRST},
    {"Stream", USE_FIRST},
    {"HashSet", USE_FIRST},
    {"LinkedList", USE_FIRST},
    {"Queue", USE_FIRST},
    {"IEnumerable", USE_FIRST},
    {"IList", USE_FIRST},
    {"ICollection", USE_FIRST},
    {"IReadOnlyList", USE_FIRST},
    {"Vec", USE_FIRST},
    {"vector", USE_FIRST},
    {"Option", USE_FIRST},
    {"Result", USE_FIRST},
    {"Mutex", USE_FIRST},
    {"RwLock", USE_FIRST},
    {"RefCell", USE_FIRST},
    {"MutableList", USE_FIRST},
    {"IterableIterator", USE_FIRST},
    {"map", USE_MAP},
    {"Map", USE_MAP},
    {"Dict", USE_MAP},
    {"dict", USE_MAP},
    {"DefaultDict", USE_MAP},
    {"defaultdict", USE_MAP},
    {"OrderedDict", USE_MAP},
    {"Mapping", USE_MAP},
    {"MutableMapping", USE_MAP},
    {"Record", USE_MAP},
    {"HashMap", USE_MAP},
    {"BTreeMap", USE_MAP},
    {"ReadonlyMap", USE_MAP},
    {"WeakMap", USE_MAP},
    {"Dictionary", USE_MAP},
    {"IDictionary", USE_MAP},
    {"ConcurrentHashMap", USE_MAP},
    {"MutableMap", USE_MAP},
    {"TreeMap", USE_MAP},
    {"SortedMap", USE_MAP},
    {"NavigableMap", USE_MAP},
    {"LinkedHashMap", USE_MAP},
    {"ConcurrentMap", USE_MAP},
    {"Entry", USE_ENTRY},
    {"TreeSet", USE_FIRST},
    {"SortedSet", USE_FIRST},
    {"NavigableSet", USE_FIRST},
    {"LinkedHashSet", USE_FIRST},
    {"ArrayDeque", USE_FIRST},
    {"PriorityQueue", USE_FIRST},
    {"BlockingQueue", USE_FIRST},
    {"CopyOnWriteArrayList", USE_FIRST},
    {"AtomicReference", USE_FIRST},
    {"Supplier", USE_FIRST},
    {"Promise", USE_AWAITED},
    {"PromiseLike", USE_AWAITED},
    {"Awaitable", USE_AWAITED},
    {"Coroutine", USE_AWAITED},
    {"Task", USE_AWAITED},
    {"ValueTask", USE_AWAITED},
    {"Future", USE_AWAITED},
    {"CompletableFuture", USE_AWAITED},
    {"Awaited", USE_ITSELF},
    {"Union", USE_FIRST_ARM},
    {"AbstractContextManager", USE_AWAITED},
    {"ContextManager", USE_AWAITED},
    {"AbstractAsyncContextManager", USE_AWAITED},
    {"AsyncContextManager", USE_AWAITED},
};

bool
generics_prepare(struct resolver *r)
{
    for (size_t i = 0; i < sizeof(generics) / sizeof(generics[0]); i++) {
        sym name = sym_add(r, str_of(generics[i].name));
        if (!name || !map_put(&r->generics, name, generics[i].use))
            return false;
    }
    return true;
}

enum generic_use
generic_use_of(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *generic = expr_at(r, file, expr);
    const struct fact_expr *base = expr_at(r, file, generic->a);

    if (base->kind != EXPR_NAME && base->kind != EXPR_MEMBER)
        return USE_NONE;
    sym name = sym_of(r, file, base->text);
    bool is_jvm =
        lang_at(r, file) == LANG_JAVA || lang_at(r, file) == LANG_KOTLIN;
    /* Python's may be absent, and is else itself; this one is asked for it. */
    if (is_jvm && sym_is(r, name, "Optional"))
        return USE_FIRST;
    if (lang_at(r, file) == LANG_RUST && rust_wraps(r, name))
        return USE_FIRST;
    return (enum generic_use)map_get(&r->generics, name);
}

/* Methods that give something like what they are called on. */
static const char *const same_methods[] = {
    "filter",   "slice",  "sort",      "reverse",  "copy",   "stream",
    "iter",     "concat", "values",    "ToList",   "toList", "Where",
    "iterator", "sorted", "into_iter", "iter_mut", "as_ref", "clone",
};

struct val
eval_through(struct resolver *r, struct val of, sym method)
{
    static const char *const elements[] = {"get",
                                           "pop",
                                           "shift",
                                           "at",
                                           "find",
                                           "first",
                                           "last",
                                           "single",
                                           "orElse",
                                           "orElseThrow",
                                           "next",
                                           "peek",
                                           "poll",
                                           "unwrap",
                                           "expect",
                                           "lock",
                                           "borrow",
                                           "popleft",
                                           "setdefault",
                                           "findFirst",
                                           "FirstOrDefault",
                                           "First",
                                           "write",
                                           "read",
                                           "getOrDefault",
                                           "popitem",
                                           "remove",
                                           "unwrap_or_default",
                                           "peekFirst",
                                           "peekLast",
                                           "pollFirst",
                                           "pollLast",
                                           "getFirst",
                                           "getLast",
                                           "removeFirst",
                                           "removeLast"};
    str name = sym_str(r, method);

    if (of.kind != VAL_GENERIC && of.kind != VAL_ARRAY)
        return (struct val){0};
    if (of.kind == VAL_GENERIC &&
        generic_use_of(r, of.file, of.id) == USE_ENTRY)
        return str_eq(name, STR("getKey"))     ? eval_arg(r, of, 0)
               : str_eq(name, STR("getValue")) ? eval_arg(r, of, 1)
                                               : (struct val){0};
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
        if (str_eq(name, str_of(elements[i])))
            return eval_element(r, of, ELEMENT_INDEXED);
    if (str_eq(name, STR("values")) && of.kind == VAL_GENERIC &&
        generic_use_of(r, of.file, of.id) == USE_MAP)
        return (struct val){0};
    for (size_t i = 0; i < sizeof(same_methods) / sizeof(same_methods[0]); i++)
        if (str_eq(name, str_of(same_methods[i])))
            return of;
    return (struct val){0};
}
