/* limits.c - which texts Kubernetes accepts as names, labels and keys, and which kinds have no namespace. */
#include "kube/limits.h"

static bool is_lower_case(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
static bool alnum(char c) { return is_lower_case(c) || (c >= 'A' && c <= 'Z'); }

bool kube_dns_label(struct str name)
{
	if (!name.n || !is_lower_case(name.p[0]) || !is_lower_case(name.p[name.n - 1]))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!is_lower_case(name.p[i]) && name.p[i] != '-')
			return false;
	return true;
}

static bool dns_subdomain(struct str name)
{
	size_t start = 0;

	for (size_t i = 0; i <= name.n; i++) {
		if (i < name.n && name.p[i] != '.')
			continue;
		if (!kube_dns_label((struct str){ name.p + start, i - start }))
			return false;
		start = i + 1;
	}
	return true;
}

bool kube_object_name(struct str name) { return name.n <= LIMIT_NAME && dns_subdomain(name); }

bool kube_data_key(struct str key)
{
	for (size_t i = 0; i < key.n; i++)
		if (!alnum(key.p[i]) && key.p[i] != '-' && key.p[i] != '_' && key.p[i] != '.')
			return false;
	return key.n > 0 && key.n <= LIMIT_NAME && !str_is(key, ".") && !str_starts(key, STR(".."));
}

/* Checks the part of a key after its prefix, or a label's value: both have the same rules. */
static bool label_part(struct str s, const char **why)
{
	for (size_t i = 0; i < s.n; i++) {
		if (alnum(s.p[i]) || s.p[i] == '-' || s.p[i] == '_' || s.p[i] == '.')
			continue;
		*why = s.p[i] == ' ' ? "contains a space" : "contains a character that labels cannot have";
		return false;
	}
	if (s.n && (!alnum(s.p[0]) || !alnum(s.p[s.n - 1]))) {
		*why = "must begin and end with a letter or digit";
		return false;
	}
	if (s.n > LIMIT_LABEL) {
		*why = "is longer than 63 characters";
		return false;
	}
	return true;
}

bool kube_label_value(struct str value, const char **why) { return label_part(value, why); }

bool kube_label_key(struct str key, const char **why)
{
	const char *slash = key.n ? memchr(key.p, '/', key.n) : NULL;
	struct str name = key;

	if (slash) {
		struct str prefix = { key.p, (size_t)(slash - key.p) };
		name = (struct str){ slash + 1, key.n - prefix.n - 1 };
		if (prefix.n > LIMIT_PREFIX || !dns_subdomain(prefix)) {
			*why = "has a prefix that is not a DNS name";
			return false;
		}
	}
	if (!name.n) {
		*why = "has no name";
		return false;
	}
	return label_part(name, why);
}

bool kube_port_name(struct str name, const char **why)
{
	bool letter = false;

	if (name.n > LIMIT_PORT_NAME) {
		*why = "is too long";
		return false;
	}
	for (size_t i = 0; i < name.n; i++) {
		letter |= name.p[i] >= 'a' && name.p[i] <= 'z';
		if (i && name.p[i] == '-' && name.p[i - 1] == '-') {
			*why = "contains '--'";
			return false;
		}
	}
	if (!letter || !kube_dns_label(name)) {
		*why = letter ? "must be letters, digits and '-', with no '-' at its ends" : "has no letter";
		return false;
	}
	return true;
}

bool kube_device_resource(struct str name)
{
	const char *slash = memchr(name.p, '/', name.n);
	struct str domain = { name.p, slash ? (size_t)(slash - name.p) : 0 };
	return domain.n && !str_ends(domain, STR("kubernetes.io"));
}

bool kube_cluster_scoped(struct str kind)
{
	static const char *const kinds[] = { "APIService", "CSIDriver", "CSINode", "CertificateSigningRequest",
		"ClusterQueue",
		"ClusterRole", "ClusterRoleBinding", "Cohort", "CustomResourceDefinition", "DeviceClass", "FlowSchema",
		"IngressClass", "IPAddress", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume", "PriorityClass",
		"PriorityLevelConfiguration", "ResourceFlavor", "ResourceSlice", "RuntimeClass", "ServiceCIDR",
		"StorageClass", "Topology", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"ValidatingWebhookConfiguration", "VolumeAttachment", "WorkloadPriorityClass" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_is(kind, kinds[i]))
			return true;
	return false;
}
