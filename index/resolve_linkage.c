/*
 * C and C++: which of several definitions of one name a file sees.
 *
 * A function with linkage is one for all files, and is where its body is; a
 * macro, a static function or one of an unnamed namespace is seen by its own
 * file and by those that include it.  Which files that are is walked once for
 * the file that asks, and kept while there is room.  Folders that a compiler is
 * told to look in are not known here, so an include means the nearest file
 * whose path ends like it.
 */
#include <stdlib.h>
#include <string.h>

#include "index/resolve_linkage.h"

/* For what all files see; there is room for one of them in any case. */
enum { SEEN_BYTES_MAX = 32 << 20 };

/* Of the definitions of one name. */
enum { LOOK = 4096 };

/* What a file sees is a set of bits, one for each file, and the last one says
 * that the walk was cut short. */
static uint64_t
seen_words(const struct resolver *r)
{
    return (uint64_t)r->source_len / 64 + 1;
}

bool
is_defined(struct rows rows)
{
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++)
        if (rows.at[i].kind != ROW_DEF)
            return false;
    return rows.len > 0;
}

bool
linkage_prepare(struct resolver *r)
{
    r->base_next = calloc((size_t)r->source_len + 1, sizeof(*r->base_next));
    r->seen_todo = calloc((size_t)r->source_len + 1, sizeof(*r->seen_todo));
    uint64_t slots = SEEN_BYTES_MAX / (seen_words(r) * sizeof(*r->seen)) + 1;
    r->seen_slots = slots < r->source_len ? (uint32_t)slots : r->source_len + 1;
    r->seen = calloc(r->seen_slots, seen_words(r) * sizeof(*r->seen));
    r->seen_by = calloc(r->seen_slots, sizeof(*r->seen_by));
    if (!r->base_next || !r->seen || !r->seen_by || !r->seen_todo)
        return false;
    for (uint32_t file = r->source_len; file > 0; file--) {
        if (!is_c_family(lang_at(r, file - 1)))
            continue;
        sym base = sym_add(r, path_base(r->sources[file - 1].path));
        r->base_next[file - 1] = map_get(&r->base_first, (uint64_t)base + 1);
        if (!map_put(&r->base_first, (uint64_t)base + 1, file))
            return false;
    }
    return !r->failed;
}

void
linkage_fini(struct resolver *r)
{
    map_fini(&r->base_first);
    map_fini(&r->picked);
    free(r->base_next);
    free(r->seen);
    free(r->seen_by);
    free(r->seen_todo);
}

size_t
path_nearness(const struct resolver *r, uint32_t a, uint32_t b)
{
    str x = r->sources[a].path;
    str y = r->sources[b].path;
    size_t len = 0;

    while (len < x.len && len < y.len && x.ptr[len] == y.ptr[len])
        len++;
    while (len > 0 && x.ptr[len - 1] != '/')
        len--;
    return len;
}

static bool
ends_like(str path, str end)
{
    return path.len > end.len && path.ptr[path.len - end.len - 1] == '/' &&
           str_eq(str_cut(path, path.len - end.len, path.len), end);
}

uint32_t
linkage_included(struct resolver *r, uint32_t file, str path)
{
    sym base = sym_find(r, path_base(path));
    uint32_t best = 0;
    size_t nearest = 0;

    while (str_starts(path, STR("../")))
        path = str_cut(path, 3, path.len);
    for (uint32_t at = map_get(&r->base_first, (uint64_t)base + 1); at && base;
         at = r->base_next[at - 1]) {
        size_t near = path_nearness(r, at - 1, file);
        if ((best && near <= nearest) ||
            !ends_like(r->sources[at - 1].path, path))
            continue;
        best = at;
        nearest = near;
    }
    return best;
}

static void
seen_add(uint64_t *seen, uint32_t file)
{
    seen[file / 64] |= UINT64_C(1) << (file % 64);
}

static void
seen_drop(uint64_t *seen, uint32_t file)
{
    seen[file / 64] &= ~(UINT64_C(1) << (file % 64));
}

static bool
seen_has(const uint64_t *seen, uint32_t file)
{
    return seen[file / 64] >> (file % 64) & 1;
}

/* Past LINKAGE_STEPS_MAX only what the file itself includes counts. */
static void
walk_includes(struct resolver *r, uint32_t file, uint64_t *seen)
{
    uint32_t len = 0;
    uint32_t direct = 0;
    uint32_t steps = 0;

    memset(seen, 0, seen_words(r) * sizeof(*seen));
    seen_add(seen, file);
    r->seen_todo[len++] = file;
    for (uint32_t at = 0; at < len; at++) {
        uint32_t from = r->seen_todo[at];
        struct rows rows = scope_rows(r, star_scope(r, from), 0);
        if (at > 0 && rows.len > LINKAGE_STEPS_MAX - steps) {
            seen_add(seen, r->source_len);
            while (len > direct)
                seen_drop(seen, r->seen_todo[--len]);
            return;
        }
        steps += at > 0 ? rows.len : 0;
        for (uint32_t i = 0; i < rows.len; i++) {
            struct val module = import_value(r, from, rows.at[i].id);
            if (module.kind != VAL_FILE || seen_has(seen, module.file))
                continue;
            seen_add(seen, module.file);
            r->seen_todo[len++] = module.file;
        }
        direct = at > 0 ? direct : len;
    }
}

static const uint64_t *
seen_of(struct resolver *r, uint32_t file)
{
    uint32_t slot = file % r->seen_slots;
    uint64_t *seen = r->seen + slot * seen_words(r);

    if (r->seen_by[slot] != file + 1)
        walk_includes(r, file, seen);
    r->seen_by[slot] = file + 1;
    return seen;
}

static bool
is_seen(struct resolver *r, uint32_t file, uint32_t target)
{
    return seen_has(seen_of(r, file), target);
}

/* Whether |file| may see more than is known. */
static bool
is_seen_in_part(struct resolver *r, uint32_t file)
{
    return seen_has(seen_of(r, file), r->source_len);
}

enum rank { RANK_NONE, RANK_DECLARED, RANK_LINKED, RANK_INCLUDED, RANK_OWN };

static enum rank
rank_of(struct resolver *r, uint32_t file, const struct row *row)
{
    const struct fact_def *def = def_at(r, row->file, row->id);
    bool is_local = (def->flags & DEF_STATIC) && def->kind != CODE_METHOD;

    if (row->file != file && is_local && !is_seen(r, file, row->file))
        return RANK_NONE;
    if (def->flags & DEF_ABSTRACT)
        return RANK_DECLARED;
    if (row->file == file)
        return RANK_OWN;
    return is_seen(r, file, row->file) ? RANK_INCLUDED : RANK_LINKED;
}

static int
compare_name(const void *key, const void *item)
{
    return str_order(*(const str *)key, str_of(*(const char *const *)item));
}

/* C and POSIX: names that every file knows from elsewhere, unless it has or
 * includes one of its own. */
static bool
is_reserved(str name)
{
    static const char *const names[] = {
        "abort",    "abs",          "accept",    "access",     "acos",
        "asin",     "assert",       "atan",      "atan2",      "atexit",
        "atof",     "atoi",         "atol",      "atoll",      "bind",
        "bsearch",  "calloc",       "ceil",      "chdir",      "chmod",
        "clearerr", "clock",        "close",     "closedir",   "connect",
        "cos",      "cosh",         "ctime",     "difftime",   "div",
        "dlclose",  "dlerror",      "dlopen",    "dlsym",      "dup",
        "dup2",     "epoll_create", "epoll_ctl", "epoll_wait", "execv",
        "execve",   "execvp",       "exit",      "exp",        "fabs",
        "fclose",   "fcntl",        "feof",      "ferror",     "fflush",
        "fgetc",    "fgetpos",      "fgets",     "fileno",     "floor",
        "fmod",     "fopen",        "fork",      "fprintf",    "fputc",
        "fputs",    "fread",        "free",      "freopen",    "frexp",
        "fscanf",   "fseek",        "fsetpos",   "fstat",      "fsync",
        "ftell",    "ftruncate",    "fwrite",    "getc",       "getchar",
        "getcwd",   "getenv",       "getopt",    "getpid",     "gettimeofday",
        "gmtime",   "htonl",        "htons",     "ioctl",      "isalnum",
        "isalpha",  "iscntrl",      "isdigit",   "isgraph",    "islower",
        "isprint",  "ispunct",      "isspace",   "isupper",    "isxdigit",
        "kill",     "labs",         "ldexp",     "ldiv",       "link",
        "listen",   "localtime",    "log",       "log10",      "longjmp",
        "lseek",    "lstat",        "malloc",    "mblen",      "mbstowcs",
        "mbtowc",   "memchr",       "memcmp",    "memcpy",     "memmove",
        "memset",   "mkdir",        "mkstemp",   "mktime",     "mmap",
        "modf",     "munmap",       "nanosleep", "ntohl",      "ntohs",
        "open",     "opendir",      "perror",    "pipe",       "poll",
        "pow",      "pread",        "printf",    "putc",       "putchar",
        "puts",     "pwrite",       "qsort",     "raise",      "rand",
        "read",     "readdir",      "readlink",  "realloc",    "realpath",
        "recv",     "recvfrom",     "remove",    "rename",     "rewind",
        "rmdir",    "scanf",        "select",    "send",       "sendto",
        "setbuf",   "setenv",       "setjmp",    "setlocale",  "setsockopt",
        "setvbuf",  "shutdown",     "signal",    "sin",        "sinh",
        "sleep",    "snprintf",     "socket",    "sprintf",    "sqrt",
        "srand",    "sscanf",       "stat",      "strcasecmp", "strcat",
        "strchr",   "strcmp",       "strcoll",   "strcpy",     "strcspn",
        "strdup",   "strerror",     "strftime",  "strlen",     "strncasecmp",
        "strncat",  "strncmp",      "strncpy",   "strndup",    "strnlen",
        "strpbrk",  "strrchr",      "strspn",    "strstr",     "strtod",
        "strtok",   "strtol",       "strtoll",   "strtoul",    "strtoull",
        "strxfrm",  "symlink",      "system",    "tan",        "tanh",
        "time",     "tmpfile",      "tmpnam",    "tolower",    "toupper",
        "ungetc",   "unlink",       "usleep",    "va_arg",     "va_copy",
        "va_end",   "va_start",     "vfprintf",  "vprintf",    "vsnprintf",
        "vsprintf", "wait",         "waitpid",   "wcstombs",   "wctomb",
        "write",
    };

    return bsearch(&name, names, sizeof(names) / sizeof(names[0]),
                   sizeof(names[0]), compare_name) != NULL;
}

/* Where not all that |file| includes is known, one with a body elsewhere may be
 * meant instead. */
static bool
is_doubtful(struct resolver *r, struct rows rows, uint32_t file,
            const struct row *best)
{
    if (!is_seen_in_part(r, file) || is_seen(r, file, best->file))
        return false;
    for (uint32_t i = 0; i < rows.len && i < LOOK; i++) {
        const struct row *row = &rows.at[i];
        if (row->kind == ROW_DEF && row->file != best->file &&
            !(def_at(r, row->file, row->id)->flags & DEF_ABSTRACT))
            return true;
    }
    return false;
}

/* Of those of one rank the first of the nearest file, where there is one. */
static const struct row *
find_nearest(struct resolver *r, struct rows rows, uint32_t file,
             enum rank least)
{
    const struct row *best = NULL;
    enum rank best_rank = RANK_NONE;
    size_t nearest = 0;
    bool is_tie = false;

    for (uint32_t i = 0; i < rows.len && i < LOOK; i++) {
        const struct row *row = &rows.at[i];
        enum rank rank =
            row->kind == ROW_DEF ? rank_of(r, file, row) : RANK_NONE;
        size_t near = path_nearness(r, row->file, file);
        if (rank < least || rank < best_rank)
            continue;
        if (rank == best_rank && (near < nearest || row->file == best->file))
            continue;
        /* Where nothing has a body, any declaration says as much. */
        is_tie = rank == best_rank && near == nearest && rank > RANK_DECLARED;
        if (is_tie)
            continue;
        best = row;
        best_rank = rank;
        nearest = near;
    }
    return best && !is_tie && !is_doubtful(r, rows, file, best) ? best : NULL;
}

/* Where in a file a name is used plays no part: what it means is found once,
 * where it is not found at once. */
static struct val
pick_nearest(struct resolver *r, struct rows rows, uint32_t file,
             enum rank least)
{
    enum { NOTHING = 1, FIRST = 2 };
    bool is_kept = rows.len > LINKAGE_ROWS_FEW;
    uint64_t key = ((uint64_t)file << 32 | (uint64_t)(rows.at - r->rows)) << 1 |
                   (least == RANK_INCLUDED);
    uint32_t known = is_kept ? map_get(&r->picked, key + 1) : 0;

    if (known)
        return known == NOTHING ? (struct val){0}
                                : eval_row(r, &rows.at[known - FIRST]);
    const struct row *row = find_nearest(r, rows, file, least);
    uint32_t found = row ? (uint32_t)(row - rows.at) + FIRST : NOTHING;
    if (is_kept && !map_put(&r->picked, key + 1, found))
        r->failed = true;
    return row ? eval_row(r, row) : (struct val){0};
}

struct val
linkage_pick(struct resolver *r, struct rows rows, uint32_t file)
{
    const struct fact_def *def = def_at(r, rows.at->file, rows.at->id);
    str name = facts_text(r->sources[rows.at->file].facts, def->name);
    enum rank least = is_reserved(name) ? RANK_INCLUDED : RANK_DECLARED;

    return pick_nearest(r, rows, file, least);
}

struct val
linkage_pick_member(struct resolver *r, struct rows rows, uint32_t file)
{
    return pick_nearest(r, rows, file, RANK_DECLARED);
}
