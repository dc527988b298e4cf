#include "base/redact_word.h"

#include <ctype.h>
#include <strings.h>

enum { CREDENTIAL_MIN = 8 };

bool
redact_is_any_of(str word, const str *words, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (word.len == words[i].len &&
            strncasecmp(word.ptr, words[i].ptr, word.len) == 0)
            return true;
    return false;
}

/* ---- tokens ---- */

/* Looks like nobody's word: of small and large letters and digits, or of as
 * many of the last two alone. */
static bool
is_random(str s, size_t least)
{
    bool has_digit = false;
    bool has_upper = false;

    for (size_t i = 0; i < s.len; i++) {
        has_digit |= isdigit((unsigned char)s.ptr[i]) != 0;
        has_upper |= isupper((unsigned char)s.ptr[i]) != 0;
    }
    return s.len >= least && has_digit && has_upper;
}

/* One part of |s| looks so by itself, between what joins words. */
static bool
has_random_part(str s, size_t least)
{
    for (size_t at = 0, end; at < s.len; at = end + 1) {
        end = at;
        while (end < s.len && isalnum((unsigned char)s.ptr[end]))
            end++;
        if (is_random(str_cut(s, at, end), least))
            return true;
    }
    return false;
}

bool
redact_is_token(str word)
{
    static const str begins[] = {
        STR_INIT("eyJ"),   STR_INIT("AKIA"),        STR_INIT("ASIA"),
        STR_INIT("ghp_"),  STR_INIT("gho_"),        STR_INIT("ghs_"),
        STR_INIT("ghu_"),  STR_INIT("github_pat_"), STR_INIT("glpat-"),
        STR_INIT("xoxb-"), STR_INIT("xoxp-"),       STR_INIT("sk_live_"),
        STR_INIT("AIza"),  STR_INIT("rk_live_"),    STR_INIT("hvs."),
    };

    /* Names of services begin so as well: with the code of Slovakia. */
    if (str_starts(word, STR("sk-")))
        return has_random_part(word, REDACT_TOKEN_MIN);
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (str_starts(word, begins[i]))
            return is_random(word, begins[i].len + REDACT_TOKEN_MIN);
    return false;
}

/* What is in no plain word: `-`, `_` and `.` only join them, and a capital may
 * begin one. */
bool
redact_is_credential(str word)
{
    for (size_t i = 0; word.len >= CREDENTIAL_MIN && i < word.len; i++) {
        char c = word.ptr[i];

        if (isdigit((unsigned char)c) || c == '+' || c == '/' || c == '=' ||
            (i > 0 && isupper((unsigned char)c)))
            return true;
    }
    return false;
}

/* ---- keys ---- */

bool
redact_is_header(str key)
{
    static const str headers[] = {STR_INIT("authorization"),
                                  STR_INIT("proxy-authorization"),
                                  STR_INIT("cookie"), STR_INIT("set-cookie")};

    return redact_is_any_of(key, headers, sizeof(headers) / sizeof(headers[0]));
}

/* `token` of `token_a`, `tokenId` and `token1`, and not of `tokenizer`.  Where
 * it begins tells nothing: `authtoken`. */
static bool
ends_word(str key, size_t at)
{
    return at == key.len || !isalpha((unsigned char)key.ptr[at]) ||
           (islower((unsigned char)key.ptr[at - 1]) &&
            isupper((unsigned char)key.ptr[at]));
}

static bool
has_part(str key, str part, bool is_word)
{
    for (size_t at = 0; at + part.len <= key.len; at++)
        if (strncasecmp(key.ptr + at, part.ptr, part.len) == 0 &&
            (!is_word || ends_word(key, at + part.len)))
            return true;
    return false;
}

bool
redact_is_secret_key(str key)
{
    static const str parts[] = {
        STR_INIT("password"),   STR_INIT("passwd"),     STR_INIT("passphrase"),
        STR_INIT("pwd"),        STR_INIT("secrets"),    STR_INIT("secretkey"),
        STR_INIT("apikey"),     STR_INIT("api_key"),    STR_INIT("api-key"),
        STR_INIT("accesskey"),  STR_INIT("access_key"), STR_INIT("access-key"),
        STR_INIT("accountkey"), STR_INIT("privatekey"), STR_INIT("private_key"),
        STR_INIT("signature"),  STR_INIT("credential"), STR_INIT("sessionid"),
        STR_INIT("session_id"), STR_INIT("session-id"),
    };
    static const str words[] = {STR_INIT("secret"), STR_INIT("token")};
    static const str wholes[] = {STR_INIT("sig"), STR_INIT("pass"),
                                 STR_INIT("sid")};

    if (redact_is_header(key) || redact_is_any_of(key, wholes, 3))
        return true;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (has_part(key, parts[i], false))
            return true;
    return has_part(key, words[0], true) || has_part(key, words[1], true);
}
