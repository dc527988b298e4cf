/*
 * Arguments as the schema spells them.  A model copies names and words from
 * other tools, from a signature or from a sentence, and what it means is still
 * plain: to refuse it would cost a turn and teach nothing.  What could mean two
 * things is left for schema_check to refuse.
 */
#include <ctype.h>
#include <string.h>

#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/schema.h"
#include "mcp/synonyms.h"

static bool
is_alias(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "_");
        b += strspn(b, "_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

static bool
is_required(const cJSON *schema, const char *key)
{
    const cJSON *name = NULL;

    cJSON_ArrayForEach(name, json_member(schema, "required"))
    {
        if (str_eq(str_of(cJSON_GetStringValue(name)), str_of(key)))
            return true;
    }
    return false;
}

static str
text_of(const cJSON *arg)
{
    return cJSON_IsString(arg) ? text_trim(str_of(arg->valuestring))
                               : (str){"", 0};
}

/* Whether |arg| says no more of |property| than leaving it out would: null, or
 * of words of a choice none. */
static bool
is_nothing(const cJSON *arg, const cJSON *property)
{
    bool is_no_word = cJSON_IsString(arg) && text_of(arg).len == 0 &&
                      json_member(property, "enum");

    return property && (cJSON_IsNull(arg) || is_no_word) &&
           !schema_fits(arg, property);
}

/* The one of the words of |property| that |arg| is but for its case and the
 * blanks around it, or NULL. */
static const char *
word_of(const cJSON *arg, const cJSON *property)
{
    const cJSON *word = NULL;

    if (text_of(arg).len == 0)
        return NULL;
    cJSON_ArrayForEach(word, json_member(property, "enum"))
    {
        if (text_same(text_of(word), text_of(arg)))
            return word->valuestring;
    }
    return NULL;
}

static void
spell_values(const cJSON *schema, cJSON *args)
{
    const cJSON *properties = json_member(schema, "properties");
    cJSON *next;

    for (cJSON *arg = args ? args->child : NULL; arg; arg = next) {
        const cJSON *property = json_member(properties, arg->string);
        const char *word = word_of(arg, property);

        next = arg->next;
        if (word && strcmp(word, arg->valuestring) != 0)
            cJSON_SetValuestring(arg, word);
        else if (is_nothing(arg, property) && !is_required(schema, arg->string))
            cJSON_Delete(cJSON_DetachItemViaPointer(args, arg));
    }
}

void
schema_spell(const cJSON *schema, cJSON *args)
{
    const cJSON *properties = json_member(schema, "properties");
    cJSON *next;

    for (cJSON *arg = args ? args->child : NULL; arg; arg = next) {
        const cJSON *property = properties ? properties->child : NULL;

        next = arg->next;
        if (json_member(properties, arg->string))
            continue;
        while (property && !is_alias(property->string, arg->string))
            property = property->next;
        if (!property)
            property = synonym_of(properties, arg->string);
        if (property && !json_member(args, property->string))
            json_give(args, property->string,
                      cJSON_DetachItemViaPointer(args, arg));
    }
    spell_values(schema, args);
}
