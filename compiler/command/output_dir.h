/*
 * output_dir.h - one file per object: NNN-kind-name.yaml in output order.
 *
 * The directory must be new, empty, or ours: a marker file says so and lists
 * what we wrote, and files of ours that are not written again are removed.
 */
#ifndef TRAINC_COMMAND_OUTPUT_DIR_H
#define TRAINC_COMMAND_OUTPUT_DIR_H

#include "emit/emit.h"

/*
 * Write the objects of `n` plans, each with its own options.  False with a sentence in `why`
 * (memory of `a`) when the directory is somebody else's or a file cannot be written; files written
 * so far stay, and stay marked as ours.
 */
bool emit_output_dir(struct arena *a, const struct emit_options *options, const struct plan *const *plans, size_t n,
	struct str directory, struct str *why);

#endif
