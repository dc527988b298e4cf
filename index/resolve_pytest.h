/*
 * resolve_pytest - what pytest passes to tests: fixtures, by their names.
 *
 *     @pytest.fixture
 *     def shop(): return Shop()
 *
 *     def test_open(shop): shop.open()     what shop() gives
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_PYTEST_H
#define INDEX_RESOLVE_PYTEST_H

#include "index/resolve_impl.h"

/* pytest_passed is what the fixture that the parameter |bind| names gives;
 * VAL_NONE: it names none. */
struct val pytest_passed(struct resolver *r, uint32_t file, uint32_t bind);

#endif
