/*
 * changes.h - reports the changes that a command has made: a line for each change, or with -o json one document at the
 * end.
 *
 * The document is {"schemaVersion":1,"runs":[{"name","namespace","result"}]}; a run that was scaled also has "roles",
 * and a run that was deleted from a cluster also has "objects".
 */
#ifndef TRAINC_RUNTIME_COMMAND_CHANGES_H
#define TRAINC_RUNTIME_COMMAND_CHANGES_H

#include "command/session.h"

struct changes {
	struct session *session;
	bool json;
	struct buf runs;                /* the elements of "runs" so far */
	struct buf parts;               /* the parts of the next run: its objects or its roles */
	bool any;                       /* at least one run has been added */
	const char *list;               /* the list that `parts` contains: "objects" or "roles"; NULL: `parts` is
					 * empty */
};

struct changes changes_begin(struct session *s);
/* Notes an object of the next run: "Job/bert-worker", "deleted". */
void changes_object(struct changes *c, struct str name, const char *result);
/* Notes the new size of a role or cell of RUN. */
void changes_role(struct changes *c, struct str run, struct str role, int64_t from, int64_t to);
/* Notes the result for a run: "deleted". */
void changes_run(struct changes *c, struct str name, struct str ns, const char *result);
/* Writes the document if the user asked for one, and releases C. */
void changes_end(struct changes *c);
/* Releases C without writing: another command writes the document. */
void changes_drop(struct changes *c);

#endif
