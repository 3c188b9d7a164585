/* SPDX-License-Identifier: GPL-2.0 */
/* Comparing what was printed with a file in tests/golden/. */

#ifndef _FLOWRING_TESTS_GOLDEN_H
#define _FLOWRING_TESTS_GOLDEN_H

/* Compares; or writes the file, when UPDATE_GOLDEN is in the environment */
void golden(const char *file, const char *got);

#endif /* _FLOWRING_TESTS_GOLDEN_H */
