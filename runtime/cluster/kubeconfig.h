/*
 * kubeconfig.h - determines the API server and the user. Reads and merges kubeconfig files by kubectl's rules, with two
 * differences: localhost:8080 is not a default, and contradictions are errors. Without a usable file, a pod's service
 * account is used. Only reads files; runs no program and opens no connection. Everything lives in the arena. After an
 * error WHY names the file, the entry and the remedy (status 3).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_KUBECONFIG_H
#define TRAINC_RUNTIME_CLUSTER_KUBECONFIG_H

#include "base/str.h"
#include "data/data.h"

/* Settings of the command line and the process.  Absent texts have p == NULL. */
struct kubeconfig_options {
	struct str file;                /* value of --kubeconfig */
	struct str context;             /* value of --context */
	struct str namespace;           /* value of --namespace */
	struct str program_namespace;   /* namespace of the program: it overrides the namespace of the context, and
					 * --namespace overrides both */
	struct str variable;            /* value of $KUBECONFIG */
	struct str home;                /* value of $HOME */
	struct str service_host, service_port;  /* values of $KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT */
	struct str pod_namespace;       /* value of $POD_NAMESPACE */
	struct str account;             /* directory of the service account's files */
};

/* Fills O with the environment of this process; the caller adds the command line. */
void kubeconfig_environment(struct kubeconfig_options *o);

enum kubeconfig_stdin { KUBECONFIG_STDIN_NEVER, KUBECONFIG_STDIN_IF_AVAILABLE, KUBECONFIG_STDIN_ALWAYS };

struct kubeconfig_variable {
	struct str name, value;
};

/* A plugin: a program that prints credentials. */
struct kubeconfig_exec {
	struct str command;             /* path of the program if it contains a '/', else a name to find in PATH; empty:
					 * the user has no plugin */
	struct str *args;
	size_t nargs;
	struct kubeconfig_variable *env;
	size_t nenv;
	struct str api_version;         /* version of the protocol: client.authentication.k8s.io/v1 or v1beta1 */
	struct str install_hint;
	enum kubeconfig_stdin stdin_mode;
	bool cluster_info;              /* the plugin gets the cluster in KUBERNETES_EXEC_INFO */
};

struct kubeconfig_impersonation {
	struct str user, uid;           /* the user to act as, by name and uid; empty `user`: no impersonation */
	struct str *groups;
	size_t ngroups;
	struct kubeconfig_variable *extra;      /* further attributes; a key may occur several times */
	size_t nextra;
};

/* One server and one user: everything that a connection needs. */
struct kubeconfig_access {
	/* source of the access, for messages: "context 'dev' of ~/.kube/config", "the pod's service account" */
	struct str origin;
	struct str context, cluster, user;      /* names in the kubeconfig; empty in a pod */
	struct str namespace;           /* namespace to use by default; never empty */
	bool namespace_is_default;      /* no kubeconfig setting names the namespace, so it is "default" */

	bool absent;                    /* after a failure: nothing configures a cluster */

	struct str server;              /* https://HOST:PORT/PREFIX, without a slash at the end */
	bool tls;
	struct str host;                /* host name or address, without brackets */
	unsigned port;
	struct str prefix;              /* path before /api: "" or "/k8s/clusters/c-1" */
	struct str tls_server_name;     /* name that the certificate must have; empty: the name of the host */
	struct str ca;                  /* certificate authority as PEM; empty: the system's authorities */
	bool insecure;
	struct str proxy_url;           /* URL of the proxy; empty: the environment decides */
	bool disable_compression;
	const struct data *exec_config; /* the cluster's extension for plugins, or NULL */

	struct str token;
	struct str token_file;
	struct str basic_user, basic_password;
	struct str certificate, key;    /* client certificate and its key as PEM: both or neither of them */
	struct kubeconfig_exec exec;
	struct kubeconfig_impersonation as;
};

/* Finds the access that the options select. Warnings are whole lines for standard error. */
bool kubeconfig_access(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_access *ret,
	struct str *warnings, struct str *why);

struct kubeconfig_names {
	struct str *at;
	size_t n;
	struct str current;
};
/* Lists all contexts in the order of the files, for completion. */
bool kubeconfig_contexts(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_names *ret,
	struct str *why);

#endif
