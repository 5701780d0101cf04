/*
 * package.h - vendored packages and trainc.lock.
 *
 * trainc.lock is next to project.tj and has one line for each package,
 *
 *     acme sha256:0123...
 *
 * in byte order of their names; lines that begin with # are comments.  The hash
 * covers the `.tj` files of the package's directory and the directories in it:
 * for each, in byte order of its path, the path, the number of bytes and the
 * bytes.
 */
#ifndef TRAINC_CHECK_PACKAGE_H
#define TRAINC_CHECK_PACKAGE_H

#include "check/module.h"

/*
 * The content hash of a directory, as in the lock ("sha256:..."). p == NULL, with the reason in *RET_WHY, when it has
 * no .tj file, too many of them, or one that is unreadable or behind a symbolic link. Hidden files are not included,
 * and cannot be imported.
 */
struct str package_hash(struct arena *a, const struct reader *reader, struct str directory, struct str *ret_why);
/* Compares a package of the project with its entry in the lock (TJ0214); AT is where the project names it. */
void package_verify(struct program *p, struct str name, struct str directory, struct span at);

#endif
