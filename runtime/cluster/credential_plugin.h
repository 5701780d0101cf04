/*
 * credential_plugin.h - one run of a credential plugin: the plugin is started without a shell and stopped after 60 s,
 * and its answer is checked.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CREDENTIAL_PLUGIN_H
#define TRAINC_RUNTIME_CLUSTER_CREDENTIAL_PLUGIN_H

#include "runtime/cluster/kubeconfig.h"
#include "runtime/cluster/loop.h"

/* The answer of a plugin; the texts live in the arena of the run. */
struct credential_answer {
	struct str token, certificate, key;
	int64_t expiry;                 /* when the credential expires, in ns since 1970; 0: the credential is valid as
					 * long as this process lives */
};

struct credential_run;

/*
 * Starts the plugin of ACCESS. DONE is called once, with the answer, or with NULL and an explanation; the run has been
 * freed by then. Returns NULL with an explanation in WHY if the plugin cannot be started.
 */
struct credential_run *credential_run_start(struct loop *l, struct arena *a, const struct kubeconfig_access *access,
	bool stdin_free,
	void (*done)(void *to, const struct credential_answer *answer, struct str why), void *to, struct str *why);
/* Kills the plugin; DONE is not called. */
void credential_run_cancel(struct credential_run *r);

/* The value of KUBERNETES_EXEC_INFO for the plugin. */
struct str credential_exec_info(struct arena *a, const struct kubeconfig_access *access, bool interactive);
/* Checks and reads the output of a plugin. */
bool credential_read_answer(struct arena *a, const struct kubeconfig_exec *exec, struct str text,
	struct credential_answer *ret, struct str *why);

#endif
