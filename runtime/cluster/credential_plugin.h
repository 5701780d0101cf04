/*
 * credential_plugin.h - one run of a credential plugin: started without a shell, at most
 * 60 s, its answer checked.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CREDENTIAL_PLUGIN_H
#define TRAINC_RUNTIME_CLUSTER_CREDENTIAL_PLUGIN_H

#include "runtime/cluster/kubeconfig.h"
#include "runtime/cluster/loop.h"

/* What a plugin answered; the texts live in the arena of the run. */
struct credential_answer {
	struct str token, certificate, key;
	int64_t expiry;                 /* ns since 1970; 0: while this process lives */
};

struct credential_run;

/*
 * Starts the plugin of ACCESS.  DONE is called once with the answer, or with NULL and a
 * sentence; the run is released by then.  NULL when it cannot be started: the sentence is in WHY.
 */
struct credential_run *credential_run_start(struct loop *l, struct arena *a, const struct kubeconfig_access *access,
	bool stdin_free,
	void (*done)(void *to, const struct credential_answer *answer, struct str why), void *to, struct str *why);
/* Kills it; DONE is not called. */
void credential_run_cancel(struct credential_run *r);

/* KUBERNETES_EXEC_INFO as the plugin gets it. */
struct str credential_exec_info(struct arena *a, const struct kubeconfig_access *access, bool interactive);
/* Checks what a plugin printed. */
bool credential_read_answer(struct arena *a, const struct kubeconfig_exec *exec, struct str text,
	struct credential_answer *ret, struct str *why);

#endif
