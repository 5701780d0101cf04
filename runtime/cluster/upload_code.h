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
	struct str id, packed;
	/*
	 * The spec of a pod of the role, and its step of unpacking: the pod that writes has the same image, credentials
	 * for it, tolerations and user
	 */
	const struct data *pod, *step;
	/* result */
	bool was_there;                 /* the claim had the file */
};

/*
 * Finds the spec of the pods in TREE, an object of a run, that unpack the code ID; sets the members `pod` and `step` of
 * RET. False if none does.
 */
bool upload_code_find(const struct data *tree, struct str id, struct code_upload *ret);
/* The directory of the claim in which the files are; empty for the claim itself. */
struct str upload_code_path(const struct code_upload *u);
/*
 * Asks the claim for the file and sends it if it is not there or is another one. The pod is deleted in any case, also
 * after an interrupt. False after reporting an error.
 */
bool upload_code(struct cluster *k, struct code_upload *u, int *ret_status);

#endif
