/*
 * workspace.h - access to the machine's files for the language server, besides reading them.
 */
#ifndef TRAINC_WORKSPACE_H
#define TRAINC_WORKSPACE_H

#include "base/str.h"

/*
 * Calls EACH with every .tj file below DIRECTORY, in byte order: at most 5,000
 * of them, 16 directories deep; hidden directories and symbolic links are left out.
 */
void workspace_files(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str path),
	void *to);

/*
 * Writes TEXT below the user's cache directory, once for each version of the compiler; returns false if that is not
 * possible.
 */
bool workspace_keep(void *context, struct arena *a, struct str name, struct str text, struct str *ret_path);

/*
 * Makes the directory of workspace_keep(), so that a restricted server may write there. False, without a path in *RET,
 * if there is none.
 */
bool workspace_cache(struct arena *a, struct str *ret);

#endif
