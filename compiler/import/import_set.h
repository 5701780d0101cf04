/*
 * import_set.h - reads jobs that consist of several sets of pods, each with a template: JobSet, TrainJob, Volcano's
 * Job. Each set becomes a role. Its pods address each other by the other system's names; in texts these become
 * `ROLE.host(i)`.
 */
#ifndef TRAINC_IMPORT_IMPORT_SET_H
#define TRAINC_IMPORT_IMPORT_SET_H

#include "import/import_role.h"

struct set_role {
	struct str name;                /* name in the manifest */
	struct str word;                /* name in the program */
	const struct data *template;    /* template of the pods */
	struct span place;              /* position of the set in the manifest */
	struct span count_at;
	int64_t jobs, per;              /* number of Jobs, and of pods in each Job; the role has jobs * per replicas */
	/* each Job is a copy of a cell that is called `word`, and its pods are a role of this name; empty: no cell */
	struct str inner;
	struct span copies_at;
	struct role_kind kind;
	struct role_field fields[8];    /* fields that fieldRef may name; the last one has an empty path */
	struct lines *body;
	struct line *line;
};

struct set {
	struct import_manifest m;
	struct imported *job;
	struct lines *body;             /* body of the job */
	struct set_role *roles;
	size_t n;
	/* `replicas = 1` is also written, because the framework's own default is not 1 */
	bool all_replicas;
	/* annotation by which each copy has a domain of its own; empty: there is none */
	struct str exclusive;
	bool recreated;                 /* a container that ends is not started again: its group of pods is */
	bool no_shm;                    /* the framework mounts memory at /dev/shm, which the manifest's pods lack */
};

/* Gives all roles different identifiers, made from their names. Roles without a name are numbered. */
void set_words(struct set *s);
/* Notes that, in selectors, the value VALUE of the controller's label stands for the role R. */
void set_label(struct set *s, const struct set_role *r, struct str value);
struct set_role *set_find(const struct set *s, struct str name);
/* Notes the form of the names of a role's pods, within a subdomain. */
void set_hosts(struct set *s, const struct set_role *r, struct str head, enum pod_form form, struct str subdomain);
/* Starts a role's body with its replicas and pods. Returns false, after a report, if the role has no container. */
bool set_role_open(struct set *s, struct set_role *r);
/* Appends the condition `WHAT(role)`, joined to the text before it by JOINT; ANY adds `any = true`. */
void set_condition(struct buf *out, const char *what, const struct set_role *r, bool any, const char *joint);
/*
 * Converts the annotation KEY of the set, by which each Job or group has a domain of its own, if its label is that of a
 * usual level: removes it from the job, and writes `place` and `apart` of CELL. Returns false for another label, whose
 * annotation stays; true without the annotation.
 */
bool set_exclusive(struct set *s, struct str key, struct lines *cell, struct line *comments);
/* Puts the roles into the job. */
void set_finish(struct set *s);

/* ---- frameworks that the program declares ---- */

/*
 * Starts a declaration `framework WORD { }` for the roles of the set, and returns its line. framework_done() gives it
 * its name and returns that; equal declarations become one.
 */
struct line *framework_new(struct set *s, const char *doc);
struct str framework_done(struct set *s, struct line *framework, const char *word);

#endif
