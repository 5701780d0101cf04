/*
 * output_dir.h - writes one file per object: NNN-kind-name.yaml in output order. The directory must be new, empty, or
 * marked as trainc's by a file that lists what trainc wrote. Files in that list that are not written again are removed.
 */
#ifndef TRAINC_COMMAND_OUTPUT_DIR_H
#define TRAINC_COMMAND_OUTPUT_DIR_H

#include "emit/emit.h"

/*
 * Writes the objects of N plans, each with its own options. Returns false with an explanation in WHY (memory of A) if
 * trainc did not make the directory, or if a file cannot be written. Nothing outside of the directory is written: a
 * symbolic link that replaces one of its files is refused. Files written so far are kept, and stay in the list.
 */
bool emit_output_dir(struct arena *a, const struct emit_options *options, const struct plan *const *plans, size_t n,
	struct str directory, struct str *why);

#endif
