/* kube_version.c - reads versions of Kubernetes. */
#include "kube/kube_version.h"

static const struct feature {
	unsigned usable;
	const char *words;
} features[] = {
#define FEATURE(name, usable, words) { usable, words },
#include "kube/features.def"
#undef FEATURE
};

bool kube_has(unsigned minor, enum kube_feature f) { return minor >= features[f].usable; }
unsigned kube_usable_from(enum kube_feature f) { return features[f].usable; }
const char *kube_words(enum kube_feature f) { return features[f].words; }
bool kube_version_known(unsigned minor) { return minor >= KUBE_OLDEST && minor <= KUBE_NEWEST; }

bool kube_version_parse(struct str text, unsigned *ret_minor)
{
	unsigned minor = 0;

	if (text.n < 3 || text.n > 5 || !str_starts(text, STR("1.")) || (text.n > 3 && text.p[2] == '0'))
		return false;
	for (size_t i = 2; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		minor = minor * 10 + (unsigned)(text.p[i] - '0');
	}
	*ret_minor = minor;
	return true;
}
