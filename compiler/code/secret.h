/*
 * secret.h - recognizes files that hold secrets, by name and by content.
 */
#ifndef TRAINC_CODE_SECRET_H
#define TRAINC_CODE_SECRET_H

#include "base/str.h"

enum { SECRET_LOOKS_AT = 64 * 1024 };   /* bytes at the start of a file that are looked at */

/*
 * Says why the file PATH is a secret, as the end of a sentence ("its name is that of a private key of SSH"); NULL if it
 * is none. START is the first SECRET_LOOKS_AT bytes of its content, or all of it.
 */
const char *secret_reason(struct str path, struct str start);

#endif
