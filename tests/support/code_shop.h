/*
 * code_shop - a small repository of two commits and the traffic that ran
 * through it, for tests of what joins the two.
 *
 * github.com/acme/shop is the code of service `shop`: routes and functions in
 * JavaScript, a package in Go, tests of both.  `retry` and `again` call each
 * other.  `worker` calls `query` by a guess that is weaker than its way through
 * `saveUser`.  `putUser` asks pay for POST /charge, which never ran, and was
 * observed to ask `audit` for POST /log, which stands nowhere.  The second
 * commit adds dropUser, gives saveUser another signature and takes its call of
 * retry away.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CODE_SHOP_H
#define TESTS_SUPPORT_CODE_SHOP_H

#include "tests/support/db_fixture.h"

#define SHOP_URL "github.com/acme/shop"
/* The qualified name of what is |name| in it. */
#define SHOP_QUALIFIED(name) SHOP_URL "://" name
/* The 40 letters of the commits. */
#define SHOP_FIRST  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHOP_SECOND "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* code_shop_index stores both commits in the directory of |f|. */
void code_shop_index(struct db_fixture *f);
/* code_shop_observe adds what traces tell. */
void code_shop_observe(struct db_fixture *f);
/* code_shop_wide stores a repository with |callers| callers of `hub`, and as
 * many ways from `from` to `to`; and `each`, which passes on what calls
 * `saved`. */
void code_shop_wide(struct db_fixture *f, uint32_t callers);

#endif
