/*
 * tools_schema - words that schemas of tools are put together from.
 *
 * Every client pays for the list of tools in each session, so a schema says of
 * a row which members are always there, and no more.
 *
 * Threads    None; literals.
 */
#ifndef MCP_TOOLS_SCHEMA_H
#define MCP_TOOLS_SCHEMA_H

/* clang-format off */
#define STRING  "{\"type\":\"string\"}"
#define INTEGER "{\"type\":\"integer\"}"
#define OBJECT  "{\"type\":\"object\"}"
#define BOOLEAN "{\"type\":\"boolean\"}"
#define ARRAY   "{\"type\":\"array\"}"
#define OR_NULL(type) "{\"type\":[\"" type "\",\"null\"]}"

#define MEMBER(name, type) "\"" name "\":" type
#define TEXT(name, words) \
    MEMBER(name, "{\"type\":\"string\",\"description\":\"" words "\"}")
#define TEXTS(name) \
    MEMBER(name, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")
#define CHOICE(name, words) \
    MEMBER(name, "{\"type\":\"string\",\"enum\":[" words "]}")
#define COUNT(name, otherwise, most) \
    MEMBER(name, "{\"type\":\"integer\",\"default\":" otherwise \
           ",\"maximum\":" most "}")
#define SINCE  TEXT("since", "15m, 24h, 7d, RFC 3339")
#define ENV    MEMBER("env", STRING)
#define CURSOR MEMBER("cursor", STRING)
#define FORMAT CHOICE("response_format", "\"concise\",\"detailed\"")
#define LEVEL  CHOICE("level", "\"service\",\"endpoint\",\"symbol\"")
#define KIND   CHOICE("kind", "\"call\",\"virtual_in\",\"virtual_out\"," \
                      "\"db\",\"msg\",\"msg_pub\",\"msg_sub\"")

#define INPUT(properties) \
    "{\"type\":\"object\",\"properties\":{" properties \
    "},\"additionalProperties\":false}"
#define INPUT_WITH(required, properties) \
    "{\"type\":\"object\",\"required\":[\"" required \
    "\"],\"properties\":{" properties "},\"additionalProperties\":false}"

/* The envelope: what every reply has, and what lists have too. */
#define OUTPUT(properties, required) \
    "{\"type\":\"object\",\"properties\":{" \
    MEMBER("summary", STRING) "," properties "," \
    MEMBER("data_as_of", OR_NULL("integer")) "," MEMBER("hints", ARRAY) \
    "},\"required\":[\"summary\"," required ",\"data_as_of\",\"hints\"]}"
#define LIST(properties, required) \
    OUTPUT(properties "," MEMBER("total", INTEGER) "," \
           MEMBER("truncated", BOOLEAN) "," \
           MEMBER("next_cursor", OR_NULL("string")), \
           required ",\"total\",\"returned\",\"truncated\"," \
           "\"next_cursor\"")
#define ROWS(name, required) \
    MEMBER(name, "{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
           "\"required\":[" required "]}}")
/* clang-format on */

#endif
