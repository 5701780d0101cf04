/*
 * kube_version.h - the versions of Kubernetes that the compiler knows, and the features that they have. A version is
 * its minor number: 34 for "1.34".
 */
#ifndef TRAINC_KUBE_KUBE_VERSION_H
#define TRAINC_KUBE_KUBE_VERSION_H

#include "base/str.h"

enum { KUBE_OLDEST = 28, KUBE_NEWEST = 37, KUBE_DEFAULT = 34 };

enum kube_feature {
#define FEATURE(name, usable, words) KUBE_##name,
#include "kube/features.def"
#undef FEATURE
	KUBE_FEATURES
};

/* Does the version have the feature on by default? */
bool kube_has(unsigned minor, enum kube_feature f);
/* Returns the first version that has the feature on by default. */
unsigned kube_usable_from(enum kube_feature f);
/* Returns the name of the feature in messages: "the success policy". */
const char *kube_words(enum kube_feature f);
/*
 * Reads a version such as "1.34" as its minor number, 34; returns false if it has another form. It need not be a
 * version that the compiler knows.
 */
bool kube_version_parse(struct str text, unsigned *ret_minor);
bool kube_version_known(unsigned minor);

#endif
