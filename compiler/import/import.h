/*
 * import.h - makes programs from the manifests of other systems. A manifest is first checked against the rules of the
 * system that it was written for: what that system would refuse is refused, at the line of the manifest. The rest
 * becomes a program without errors: typed fields if there are any, `raw` for the rest, with its comments. Everything
 * that is left out is reported (TJ1104, TJ1110), except for fields that only the cluster writes, such as `status`.
 * The frameworks of the programs are declarations of the library; this directory knows only the formats of the
 * manifests.
 *
 * Memory: everything lives in the arena of the `struct diags`. Output depends on the texts and the options alone.
 */
#ifndef TRAINC_IMPORT_IMPORT_H
#define TRAINC_IMPORT_IMPORT_H

#include "base/buf.h"
#include "diag/diag.h"

struct import;

struct import_options {
	/*
	 * minor version of the training operator whose rules apply: 7 or 9, for 1.7 or 1.9; 0: the latest that has the
	 * kind
	 */
	unsigned operator_minor;
	/* each job becomes a program of its own: errors in one leave the others as they are */
	bool separate;
	struct str image;               /* image for scripts that do not name one; may be empty */
	/* images of init containers that the training operator is configured to add; empty: its defaults */
	struct str init_image, delivery_image;
};

struct import *import_new(struct arena *a, struct sources *sources, struct diags *diags, struct import_options options);

/* Reads the documents of one text and reports errors in them. */
void import_read(struct import *im, const struct source *source);

/* Assigns objects that accompany jobs to their jobs; call this after all texts have been read. */
void import_finish(struct import *im);

/* Returns the number of jobs found so far; the accelerators of one configuration count as one. */
size_t import_count(const struct import *im);
/* The name of a job, for its file. Jobs of the same name have different namespaces; all others were reported. */
struct str import_name(const struct import *im, size_t i);

/*
 * Appends the program of job WHICH, or of all jobs, formatted as by `trainc fmt`. Returns false if the compiler would
 * refuse the program; the errors are then reported at lines of the manifest.
 */
enum { IMPORT_ALL = -1 };
bool import_program(struct import *im, int64_t which, struct buf *out);

#endif
