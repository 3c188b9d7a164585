/* SPDX-License-Identifier: GPL-2.0 */
/* What libFuzzer calls. */
#ifndef _FLOWRING_TESTS_FUZZ_H
#define _FLOWRING_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* _FLOWRING_TESTS_FUZZ_H */
