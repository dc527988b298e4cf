#include "store/sqlite.h"

#include <stddef.h>

#include <sqlite3.h>

const char *
sqlite_version(void)
{
    return sqlite3_libversion();
}

int
sqlite_number(void)
{
    return sqlite3_libversion_number();
}

int64_t
sqlite_memory_bytes(void)
{
    return sqlite3_memory_used();
}

bool
sqlite_may_corrupt(int number)
{
    static const struct {
        int from; /* the first that has it, or has it again */
        int until;
    } rows[] = {{3007000, 3044006}, {3045000, 3050007}, {3051000, 3051003}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (number >= rows[i].from && number < rows[i].until)
            return true;
    return false;
}
