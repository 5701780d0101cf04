/*
 * upload_code.h - writes the archive with code to a claim, by a short pod that mounts it: the step of the role's pods
 * reads it there (code { via = pvc(...) }).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_UPLOAD_CODE_H
#define TRAINC_RUNTIME_CLUSTER_UPLOAD_CODE_H

#include "data/data.h"
#include "runtime/cluster/cluster.h"

struct code_upload {
	struct str ns, claim;
	struct str path;                /* directory of the claim in which the files are; empty: the claim itself */
	struct str id, packed;
	/*
	 * The spec of a pod of the role, and its step of unpacking: the pod that writes has the same image, credentials
	 * for it, user, and choice of nodes
	 */
	const struct data *pod, *step;
	/* result */
	bool was_there;                 /* the claim had the file */
};

/*
 * Finds the spec of pods in TREE, an object of a run, whose step reads the file U->id in U->path of U->claim; sets the
 * members `pod` and `step`. False if no pod does.
 */
bool upload_code_find(const struct data *tree, struct code_upload *u);
/*
 * Asks the claim for the file and sends it if it is not there or is another one. The pod is deleted in any case, also
 * after an interrupt. False after reporting an error.
 */
bool upload_code(struct cluster *k, struct code_upload *u, int *ret_status);

#endif
