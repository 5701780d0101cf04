/* wanted.h - the wanted objects of a run: the objects to send, their order, and the source position of each object. */
#ifndef TRAINC_RUNTIME_CLUSTER_WANTED_H
#define TRAINC_RUNTIME_CLUSTER_WANTED_H

#include "emit/listed.h"
#include "runtime/cluster/applyset.h"

/*
 * The annotation that prevents anybody from guessing the content of a Secret from its digest. The annotation contains
 * random digits, and only users who may read the Secret can read them.
 */
#define WANTED_SALT "trainc.dev/salt"

/*
 * The order of sending: objects of one stage are sent in parallel, and a stage starts when the previous one is
 * complete.
 */
enum wanted_stage { STAGE_NAMESPACE, STAGE_CONFIGURATION, STAGE_SERVICE, STAGE_GANG, STAGE_WORKLOAD, STAGES };

enum wanted_outcome {
	WANTED_UNCHANGED, WANTED_CREATED, WANTED_CONFIGURED, WANTED_ADOPTED, WANTED_RECREATED,
	WANTED_FAILED,                  /* the server refused the object */
	WANTED_SKIPPED                  /* the object was not sent, because an earlier stage failed */
};
const char *wanted_outcome_word(enum wanted_outcome o);         /* "created" */

struct wanted {
	const struct emit_listed *from;
	struct data *tree;              /* the object to send, with source positions */
	struct resource resource;       /* `plural` is empty until discovery has found it */
	struct str ns;                  /* namespace; empty for a kind without namespaces */
	enum wanted_stage stage;
	struct str hash;                /* digest of the tree that the program wants */
	struct str uid;                 /* uid of the existing object; empty if the object does not exist, or its uid is
					 * unknown */
	bool stale;                     /* the object must be sent: it is new, changed, or was deleted */
	bool exists;                    /* an object of that name exists */
	bool unowned;                   /* a ConfigMap with code that exists without an owner: no run may change it */
	bool outdated;                  /* the object itself is unchanged, but a controller created it from another
					 * object of the run, and that object changes */
	struct str drift;               /* a field that somebody has changed since the object was applied */
	enum wanted_outcome outcome;
	struct answer *answer;
};

struct wanted_list {
	struct wanted *at;
	size_t n;
	struct str ns;                  /* namespace of the run */
	struct str hash;                /* wanted_digest() once the salts are known */
};

/*
 * The objects of J as members of the set ID. NS is the namespace of objects to which the program gives no namespace.
 * Everything lives in A.
 */
struct wanted_list wanted_of(struct arena *a, const struct plan *plan, const struct plan_job *j, struct str ns,
	struct str id);

/* The ConfigMaps with the code of J, which are members of no set. */
struct wanted_list wanted_code_of(struct arena *a, const struct plan *plan, const struct plan_job *j, struct str ns);

/* Is the object a Secret whose values are in the program, so that its digest needs a salt? */
bool wanted_has_salt(const struct wanted *w);
/* Gives the object the salt SALT, or a new one if SALT is empty, and computes its digest again. */
void wanted_salt(struct arena *a, struct wanted *w, struct str salt);
/* The digest of all objects. */
struct str wanted_digest(struct arena *a, const struct wanted_list *all);
/*
 * Identifies what the program wants, without telling anything about its Secrets: if it writes Secrets, the text is
 * different each time.
 */
struct str wanted_goal(struct arena *a, const struct wanted_list *all);
/* The request body for one object: its tree on one line. */
struct str wanted_body(struct arena *a, const struct wanted *w);
/* Sets an annotation of an object. */
void wanted_annotate(struct arena *a, struct data *object, struct str key, struct str value);
/* Adds the ConfigMap OWNER with the UID to the owners of an object, but not as its controller. */
void wanted_own(struct arena *a, struct data *object, struct str owner, struct str uid);
/* Adds an owner of any kind, such as a Job, to the owner references of the object. */
void wanted_own_by(struct arena *a, struct data *object, struct str api_version, struct str kind, struct str owner,
	struct str uid);
/* The name for messages: "Job ml/bert-worker", or "Job/bert-worker" if the object is in the namespace of the run. */
struct str wanted_name(struct arena *a, const struct wanted_list *all, const struct wanted *w);
/* The value at a path of keys with dots between them, for the caller to replace; NULL if the path does not exist. */
struct data *wanted_value(const struct wanted *w, const char *path);

#endif
