/*
 * Types, as they are written: names and qualified names, arguments of generic
 * types, collections, what is waited for, what may be absent.
 */
#include "index/resolve_kotlin.h"
#include "index/resolve_variable.h"

/* What a generic type of a library is for us. */
enum generic_use {
    USE_NONE = 0,
    USE_ITSELF,  /* its argument: Optional[T], Readonly<T>, pointers */
    USE_CLASS,   /* the type as a value: Type[T] */
    USE_FIRST,   /* holds its first argument */
    USE_MAP,     /* holds its second under its first */
    USE_ENTRY,   /* of a map: its key and its value */
    USE_AWAITED, /* its last argument is waited for */
    USE_FIRST_ARM,
};

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

static enum generic_use
use_of(struct resolver *r, uint32_t file, uint32_t expr)
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
    return (enum generic_use)map_get(&r->generics, name);
}

static bool
is_nothing(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);

    return at->kind == EXPR_NAME &&
           (str_eq(text, STR("None")) || str_eq(text, STR("null")) ||
            str_eq(text, STR("undefined")) || str_eq(text, STR("nil")) ||
            str_eq(text, STR("void")));
}

struct val
eval_instance(struct resolver *r, struct val type)
{
    struct val made = {0};

    switch ((enum val_kind)type.kind) {
    case VAL_DEF: {
        const struct fact_def *def = def_at(r, type.file, type.id);
        /* In JavaScript a function may make instances, too. */
        if (is_type_kind(def->kind) ||
            (def->kind == CODE_FUNCTION &&
             lang_at(r, type.file) == LANG_JAVASCRIPT))
            return val_of(VAL_INSTANCE, type.file, type.id, CODE_BY_TYPE);
        return made;
    }
    case VAL_EXTERNAL:
        made = type;
        made.kind = VAL_FOREIGN;
        made.origin = ORIGIN_NONE;
        return made;
    default:
        return made;
    }
}

/* Python: `T = TypeVar("T", bound=Base)`. */
static struct val
bound_of(struct resolver *r, struct val variable)
{
    const struct fact_expr *made;

    if (variable.kind != VAL_FOREIGN || variable.origin != ORIGIN_EXPR ||
        !sym_is(r, variable.name, "TypeVar"))
        return (struct val){0};
    made = expr_at(r, variable.origin_file, variable.origin_id);
    for (uint32_t i = 0; i < made->list_len; i++) {
        uint32_t arg = list_at(r, variable.origin_file, made->list_at + i);
        const struct fact_expr *pair = expr_at(r, variable.origin_file, arg);
        str key =
            facts_text(r->sources[variable.origin_file].facts, pair->text);
        if (pair->kind == EXPR_PAIR && str_eq(key, STR("bound")))
            return eval_type(r, variable.origin_file, pair->a);
    }
    return (struct val){.kind = VAL_FOREIGN};
}

static struct val
named_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);
    struct val val = name_is_global(r, file, expr)
                         ? eval_global(r, file, expr)
                         : scope_lookup(r, file, at->scope, name, 0);

    if (kotlin_is_function_type(r, val))
        return val; /* an alias: `Block = Cart.() -> Unit` */
    if (val.kind == VAL_INSTANCE || val.kind == VAL_FOREIGN)
        return bound_of(r, val);
    if (val.kind == VAL_VARIABLE)
        return variable_instance(r, val);
    if (val.kind == VAL_GENERIC)
        return val; /* an alias: `Items = List[Item]` */
    val = eval_instance(r, val);
    if (val.kind != VAL_NONE)
        return val;
    if (sym_is(r, name, "Self"))
        return eval_self(r, file, at->scope);
    /* A type of the language, or a parameter: not one of ours. */
    return (struct val){.kind = VAL_FOREIGN, .name = name};
}

/* `"a.b.C"` of a string annotation. */
static struct val
quoted_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);
    struct val val = {0};
    bool is_first = true;

    for (uint32_t parts = 0; text.len > 0 && parts < 16; parts++) {
        const char *dot = memchr(text.ptr, '.', text.len);
        size_t len = dot ? (size_t)(dot - text.ptr) : text.len;
        sym name = sym_add(r, str_cut(text, 0, len));
        val = is_first ? scope_lookup(r, file, at->scope, name, 0)
                       : member_find(r, val, name);
        text = str_cut(text, dot ? len + 1 : len, text.len);
        is_first = false;
    }
    return eval_instance(r, val);
}

static struct val
generic_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val val = val_of(VAL_GENERIC, file, expr, CODE_BY_TYPE);
    uint32_t first = at->list_len ? list_at(r, file, at->list_at) : 0;
    struct val base = {0};

    if (expr_at(r, file, at->a)->kind != EXPR_NAME ||
        sym_of(r, file, expr_at(r, file, at->a)->text) != 0)
        base = eval_type(r, file, at->a);
    if (base.kind == VAL_INSTANCE) {
        base.args_file = file;
        base.args = expr;
        return base;
    }
    switch (use_of(r, file, expr)) {
    case USE_ITSELF:
        return eval_type(r, file, first);
    case USE_CLASS: {
        struct val made = eval_type(r, file, first);
        if (made.kind == VAL_INSTANCE)
            made.kind = VAL_DEF;
        return made;
    }
    case USE_FIRST_ARM:
        for (uint32_t i = 0; i < at->list_len && i < 16; i++) {
            uint32_t arm = list_at(r, file, at->list_at + i);
            if (!is_nothing(r, file, arm))
                return eval_type(r, file, arm);
        }
        return val;
    case USE_NONE:
        if (kotlin_is_function_type(r, base))
            return base;
        base.args_file = file;
        base.args = expr;
        return base;
    default:
        return val;
    }
}

static struct val
find_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    switch ((enum expr_kind)at->kind) {
    case EXPR_NAME:
        return named_type(r, file, expr);
    case EXPR_MEMBER: {
        struct val of = {0};
        if (!name_is_path(r, file, expr))
            of = eval_expr(r, file, at->a);
        struct val val = of.kind == VAL_NONE
                             ? eval_full_name(r, file, expr)
                             : member_find(r, of, sym_of(r, file, at->text));
        val = eval_instance(r, val);
        if (val.kind == VAL_NONE)
            val.kind = VAL_FOREIGN;
        return val;
    }
    case EXPR_GENERIC:
        return generic_type(r, file, expr);
    case EXPR_STRING:
        return quoted_type(r, file, expr);
    case EXPR_ALT:
        for (uint32_t i = 0; i < at->list_len && i < 16; i++) {
            uint32_t arm = list_at(r, file, at->list_at + i);
            if (!is_nothing(r, file, arm))
                return eval_type(r, file, arm);
        }
        return (struct val){0};
    case EXPR_SELF:
        return eval_self(r, file, at->scope);
    case EXPR_CAST:
    case EXPR_SPREAD:
    case EXPR_AWAIT:
    case EXPR_INDEX: /* `T["x"]`, or Python's generics in expressions */
        return eval_type(r, file, at->a);
    case EXPR_OBJECT:
        return val_of(VAL_OBJECT, file, expr, CODE_BY_TYPE);
    default:
        return eval_instance(r, eval_expr(r, file, expr));
    }
}

struct val
eval_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val val = {0};

    if (!expr || r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    val = find_type(r, file, expr);
    r->depth--;
    return val;
}

struct val
eval_arg(struct resolver *r, struct val of, uint32_t index)
{
    uint32_t file = of.kind == VAL_GENERIC ? of.file : of.args_file;
    uint32_t expr = of.kind == VAL_GENERIC ? of.id : of.args;
    const struct fact_expr *at = expr_at(r, file, expr);

    if (!expr || at->kind != EXPR_GENERIC || at->list_len == 0)
        return (struct val){0};
    index = index < at->list_len ? index : at->list_len - 1;
    return eval_type(r, file, list_at(r, file, at->list_at + index));
}

static struct val
element_of_instance(struct resolver *r, struct val of, enum element how)
{
    const char *method = how == ELEMENT_INDEXED ? "__getitem__" : "__iter__";
    const struct fact_def *def = def_at(r, of.file, of.id);
    struct val val = {0};

    if (lang_at(r, of.file) == LANG_PYTHON) {
        val = member_find(r, of, sym_add(r, str_of(method)));
        if (val.kind == VAL_DEF)
            val = eval_return(r, val.file, val.id);
        return how == ELEMENT_INDEXED ? val : eval_element(r, val, how);
    }
    if (def->type)
        return eval_element(r, eval_type(r, of.file, def->type), how);
    return val;
}

struct val
eval_element(struct resolver *r, struct val of, enum element how)
{
    struct val val = {0};

    if (r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    if (of.kind == VAL_ARRAY) {
        const struct fact_expr *array = expr_at(r, of.file, of.id);
        if (array->list_len)
            val = eval_expr(r, of.file, list_at(r, of.file, array->list_at));
    } else if (of.kind == VAL_INSTANCE) {
        val = element_of_instance(r, of, how);
    } else if (of.kind == VAL_GENERIC) {
        enum generic_use use = use_of(r, of.file, of.id);
        bool is_python = lang_at(r, of.file) == LANG_PYTHON;
        bool is_key =
            how == ELEMENT_KEY || (how == ELEMENT_ITERATED && is_python);
        if (use == USE_MAP)
            val = eval_arg(r, of, is_key ? 0 : 1);
        else if (use == USE_FIRST && how != ELEMENT_KEY)
            val = eval_arg(r, of, 0);
    }
    r->depth--;
    return val;
}

struct val
eval_await(struct resolver *r, struct val of)
{
    if (of.kind == VAL_GENERIC && use_of(r, of.file, of.id) == USE_AWAITED)
        return eval_arg(r, of, UINT32_MAX);
    return of;
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
    if (of.kind == VAL_GENERIC && use_of(r, of.file, of.id) == USE_ENTRY)
        return str_eq(name, STR("getKey"))     ? eval_arg(r, of, 0)
               : str_eq(name, STR("getValue")) ? eval_arg(r, of, 1)
                                               : (struct val){0};
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
        if (str_eq(name, str_of(elements[i])))
            return eval_element(r, of, ELEMENT_INDEXED);
    if (str_eq(name, STR("values")) && of.kind == VAL_GENERIC &&
        use_of(r, of.file, of.id) == USE_MAP)
        return (struct val){0};
    for (size_t i = 0; i < sizeof(same_methods) / sizeof(same_methods[0]); i++)
        if (str_eq(name, str_of(same_methods[i])))
            return of;
    return (struct val){0};
}
