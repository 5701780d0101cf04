/*
 * set.h - jobs that are several sets of pods, each with a template: JobSet,
 * TrainJob, Volcano's Job.
 *
 * Each set becomes a role.  The names by which its pods call each other are those
 * of the other system: in texts they become `ROLE.host(i)`.
 */
#ifndef TRAINC_IMPORT_SET_H
#define TRAINC_IMPORT_SET_H

#include "import/role.h"

struct set_role {
	struct str name;                /* in the manifest */
	struct str word;                /* in the program */
	const struct data *template;    /* of the pods */
	struct span place;              /* in the manifest */
	struct span count_at;
	int64_t jobs, per;              /* replicas are jobs * per */
	struct role_kind kind;
	struct role_field fields[8];    /* what fieldRef may name; ends with an empty path */
	struct lines *body;
	struct line *line;
};

struct set {
	struct import_manifest m;
	struct imported *job;
	struct lines *body;             /* of the job */
	struct set_role *roles;
	size_t n;
	bool all_replicas;              /* say 1 too: the framework has another number */
};

/* Words for all roles, from their names; no two are alike.  NULL names get their number. */
void set_words(struct set *s);
/* VALUE of a label of the controller names the role R, in selectors. */
void set_label(struct set *s, const struct set_role *r, struct str value);
struct set_role *set_find(const struct set *s, struct str name);
/* Pods of a role are called HEAD-I-J (`two`) or HEAD-I, and are reached within a subdomain. */
void set_hosts(struct set *s, const struct set_role *r, struct str head, bool two, struct str subdomain);
/* Begin a role's body, with its replicas and its pods; false when it has no container, after reporting. */
bool set_role_open(struct set *s, struct set_role *r);
/* The condition `what(a) and what(b)` of some roles; an empty text when there are none. */
void set_condition(struct buf *out, const char *what, const struct set_role *r, bool any, const char *joint);
/* Put the roles into the job. */
void set_finish(struct set *s);

/* ---- a framework of the program ---- */

/*
 * A declaration `framework WORD { }` whose roles are those of the set; its body is
 * returned, and the call of it is to be made after framework_done(), which gives it its
 * name: equal declarations are one.
 */
struct line *framework_new(struct set *s, const char *doc);
struct str framework_done(struct set *s, struct line *framework, const char *word);

#endif
