/*
 * library_device.h - finds an accelerator in the library by the name of the product, for messages about programs that
 * do not import its module.
 */
#ifndef TRAINC_CHECK_LIBRARY_DEVICE_H
#define TRAINC_CHECK_LIBRARY_DEVICE_H

#include "base/str.h"

/*
 * Returns the accelerator NAME of the library, or else the first one of that family: "a100" is the family of
 * "a100_80g". *RET_MODULE is the name of its module. Empty if the library has no such accelerator.
 */
struct str library_device(struct str name, struct str *ret_module);
/*
 * Returns an accelerator of the library that requests RESOURCE, such as "example.com/gpu": the one named `gpu` if there
 * is one, since that chooses no product, or else the first. *RET_MODULE is the name of its module, and *RET_COUNTED
 * whether its first argument is a number of devices. Empty if the library has none.
 */
struct str library_device_of(struct str resource, struct str *ret_module, bool *ret_counted);

/*
 * The resource that the accelerators of a library module ask for whose first argument is a number of devices; empty if
 * the module has none of these accelerators.
 */
struct str library_counted(struct str module);
/* The accelerator of a library module whose devices are parts of others, or an empty text. */
struct str library_parts(struct str module);

#endif
