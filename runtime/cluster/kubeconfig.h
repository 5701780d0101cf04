/*
 * kubeconfig.h - which API server, and who we are there.
 *
 * Reads and merges kubeconfig files by kubectl's rules, with two differences: nothing falls back
 * to localhost:8080, and contradictions are errors. Without a usable file a pod's service account
 * is used.
 *
 * Reads files, runs nothing and connects to nothing.  Everything lives in the arena. Fails with
 * sentences in WHY that name the file, the entry and what to do: status 3.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_KUBECONFIG_H
#define TRAINC_RUNTIME_CLUSTER_KUBECONFIG_H

#include "base/str.h"
#include "data/data.h"

/* Settings of the command line and the process.  Absent texts have p == NULL. */
struct kubeconfig_options {
	struct str file;                /* --kubeconfig */
	struct str context;             /* --context */
	struct str namespace;           /* --namespace */
	struct str program_namespace;   /* namespace in the program: it ranks between the other two */
	struct str variable;            /* $KUBECONFIG */
	struct str home;                /* $HOME */
	struct str service_host, service_port;  /* $KUBERNETES_SERVICE_HOST, _PORT */
	struct str pod_namespace;       /* $POD_NAMESPACE */
	struct str account;             /* directory of the service account's files */
};

/* Fills O from the environment of this process; the caller fills in the command line. */
void kubeconfig_environment(struct kubeconfig_options *o);

enum kubeconfig_stdin { KUBECONFIG_STDIN_NEVER, KUBECONFIG_STDIN_IF_AVAILABLE, KUBECONFIG_STDIN_ALWAYS };

struct kubeconfig_variable {
	struct str name, value;
};

/* A program that prints credentials. */
struct kubeconfig_exec {
	struct str command;             /* a path when it has a '/', else looked up in PATH; empty: no plugin */
	struct str *args;
	size_t nargs;
	struct kubeconfig_variable *env;
	size_t nenv;
	struct str api_version;         /* client.authentication.k8s.io/v1 or v1beta1 */
	struct str install_hint;
	enum kubeconfig_stdin stdin_mode;
	bool cluster_info;              /* the cluster goes into KUBERNETES_EXEC_INFO */
};

struct kubeconfig_impersonation {
	struct str user, uid;           /* with an empty user: no impersonation */
	struct str *groups;
	size_t ngroups;
	struct kubeconfig_variable *extra;      /* a key may appear several times */
	size_t nextra;
};

/* One server and one user: all that a connection needs. */
struct kubeconfig_access {
	/* for messages: "context 'dev' of ~/.kube/config", "the pod's service account" */
	struct str origin;
	struct str context, cluster, user;      /* names; empty in a pod */
	struct str namespace;           /* never empty */
	bool namespace_is_default;      /* no context was named */

	struct str server;              /* https://HOST:PORT/PREFIX, without a slash at the end */
	bool tls;
	struct str host;                /* without brackets */
	unsigned port;
	struct str prefix;              /* path before /api: "" or "/k8s/clusters/c-1" */
	struct str tls_server_name;     /* empty: the host */
	struct str ca;                  /* PEM; empty: the system's */
	bool insecure;
	struct str proxy_url;           /* empty: by the environment */
	bool disable_compression;
	const struct data *exec_config; /* the cluster's extension for plugins, or NULL */

	struct str token;
	struct str token_file;
	struct str basic_user, basic_password;
	struct str certificate, key;    /* PEM, both or none */
	struct kubeconfig_exec exec;
	struct kubeconfig_impersonation as;
};

/* The access that the options mean.  Warnings are whole lines for standard error. */
bool kubeconfig_access(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_access *ret,
	struct str *warnings, struct str *why);

struct kubeconfig_names {
	struct str *at;
	size_t n;
	struct str current;
};
/* Names of all contexts in the order of the files, for completion. */
bool kubeconfig_contexts(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_names *ret,
	struct str *why);

#endif
