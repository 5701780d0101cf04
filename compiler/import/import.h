/*
 * import.h - makes programs from the manifests of other systems. A manifest is first checked against the rules of the
 * system that it was written for: what that system would refuse is refused, at the line of the manifest. The rest
 * becomes a program without errors: typed fields if there are any, `raw` for the rest, with its comments. What is left
 * out is reported (TJ1104, TJ1110), except for what only the cluster writes, such as `status`. The frameworks of the
 * programs are declarations of the library; this directory knows only the formats of the manifests.
 *
 * Memory: everything lives in the arena of the `struct diags`. Output depends on the texts and the options alone.
 */
#ifndef TRAINC_IMPORT_IMPORT_H
#define TRAINC_IMPORT_IMPORT_H

#include "base/buf.h"
#include "diag/diag.h"

struct import;

struct import_options {
	/* 7 or 9: of the operator whose rules hold, version 1.N; 0: the last that has the kind */
	unsigned operator_minor;
	struct str image;               /* image for scripts that name none; or empty */
	/* images of init containers that the training operator adds, as its options have them; empty: the usual ones */
	struct str init_image, delivery_image;
};

struct import *import_new(struct arena *a, struct sources *sources, struct diags *diags, struct import_options options);

/* Reads the documents of one text and reports errors in them. */
void import_read(struct import *im, const struct source *source);

/* Assigns objects that accompany jobs to their jobs; to be called when all texts were read. */
void import_finish(struct import *im);

/* Number of jobs found so far; a set of accelerators counts as one. */
size_t import_count(const struct import *im);
/*
 * The name of a job, for its file. Programs of the same name have different namespaces; otherwise they were reported.
 */
struct str import_name(const struct import *im, size_t i);

/*
 * The program of one job, or of all of them, in the form of `fmt`.  False, after reports at lines
 * of the manifest, when the compiler would refuse it.
 */
enum { IMPORT_ALL = -1 };
bool import_program(struct import *im, int64_t which, struct buf *out);

#endif
