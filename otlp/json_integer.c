/*
 * Whole numbers without a detour over floating point, which would round those
 * above 2^53.  Nearly all are plain digits; the rest is put together from the
 * digits and the place of the point.
 */
#include "otlp/json.h"

enum { U64_DIGITS = 20 };

/* More digits than any request has could not be undone by it. */
#define EXPONENT_MAX INT64_C(1000000000000000)

/* Appends a digit; false if that is too much for 64 bits. */
static bool
push_digit(uint64_t *value, unsigned digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, digit, value);
}

/* The exponent behind an `e`, cut at about EXPONENT_MAX. */
static int64_t
exponent_of(str text)
{
    size_t i = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    int64_t value = 0;

    for (; i < text.len; i++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (text.ptr[i] - '0');
    return text.len > 0 && text.ptr[0] == '-' ? -value : value;
}

/* |digits| with an optional point, times ten to |exponent|. */
static bool
scale(str digits, int64_t exponent, uint64_t *out)
{
    const char *point = memchr(digits.ptr, '.', digits.len);
    size_t last = digits.len; /* behind the last digit that is not 0 */

    if (point)
        exponent -= (int64_t)(digits.ptr + digits.len - point - 1);
    while (last > 0 &&
           (digits.ptr[last - 1] == '0' || digits.ptr[last - 1] == '.')) {
        last--;
        exponent += digits.ptr[last] == '0';
    }
    *out = 0;
    if (last == 0)
        return true;
    if (exponent < 0 || exponent > U64_DIGITS)
        return false;
    for (size_t i = 0; i < last; i++)
        if (digits.ptr[i] != '.' &&
            !push_digit(out, (unsigned)(digits.ptr[i] - '0')))
            return false;
    for (; exponent > 0; exponent--)
        if (!push_digit(out, 0))
            return false;
    return true;
}

bool
json_integer(str number, bool *negative, uint64_t *out)
{
    uint64_t value = 0;
    size_t at = 0;

    *negative = number.len > 0 && number.ptr[0] == '-';
    number = str_cut(number, *negative, number.len);
    while (at < number.len && number.ptr[at] >= '0' && number.ptr[at] <= '9' &&
           push_digit(&value, (unsigned)(number.ptr[at] - '0')))
        at++;
    if (at == number.len) {
        *out = value;
        return true;
    }
    while (at < number.len && (number.ptr[at] | 0x20) != 'e')
        at++;
    return scale(str_cut(number, 0, at),
                 exponent_of(str_cut(number, at + 1, number.len)), out);
}
