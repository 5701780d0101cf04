/*
 * cluster_kubeconfig_test.c - which server and which user are chosen: files, merging, paths, contradictions, the
 * service account of a pod.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "runtime/cluster/kubeconfig.h"
#include "unit.h"

static char dir[] = "/tmp/kubeconfig-test-XXXXXX";
static struct arena arena;
static struct kubeconfig_access access_now;
static struct str why, warnings;

static void put(const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static struct str path_of(const char *name) { return str_printf(&arena, "%s/%s", dir, name); }

/* Replaces the path of the test's directory by "DIR", so that texts can be compared. */
static struct str plain(struct str s)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < s.n; i++) {
		if (s.n - i >= strlen(dir) && memcmp(s.p + i, dir, strlen(dir)) == 0) {
			buf_z(&b, "DIR");
			i += strlen(dir) - 1;
		} else {
			buf_char(&b, s.p[i]);
		}
	}
	struct str r = buf_take(&b, &arena);
	buf_release(&b);
	return r;
}

static bool read_options(struct kubeconfig_options o)
{
	return kubeconfig_access(&arena, &o, &access_now, &warnings, &why);
}

static bool read_file(const char *text)
{
	put("config", text);
	return read_options((struct kubeconfig_options){ .file = path_of("config") });
}

#define REFUSES(text, want) do { CHECK(!read_file(text)); CHECK_TEXT(plain(why), want); } while (0)

#define HEAD "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: k, user: u, namespace: team}\n"
#define CLUSTER "clusters:\n- name: k\n  cluster: {server: 'https://api.example:6443'}\n"
#define USER(fields) HEAD CLUSTER "users:\n- name: u\n  user: " fields "\n"
#define SERVER(fields) HEAD "users:\n- {name: u, user: {token: t}}\nclusters:\n- name: k\n  cluster: " fields "\n"

static void one_file(void)
{
	CHECK(read_file(USER("{token: secret}")));
	CHECK_TEXT(access_now.server, "https://api.example:6443");
	CHECK_TEXT(access_now.host, "api.example");
	CHECK(access_now.port == 6443 && access_now.tls);
	CHECK_TEXT(access_now.namespace, "team");
	CHECK_TEXT(access_now.token, "secret");
	CHECK_TEXT(plain(access_now.origin), "context 'c' of DIR/config");
	CHECK(read_file("\xef\xbb\xbf" USER("{token: secret}")));
	CHECK(read_file("{\"current-context\":\"c\",\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}],"
	                "\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":\"https://h\"}}]}"));
	CHECK(access_now.port == 443);
	CHECK_TEXT(access_now.namespace, "default");
	CHECK(access_now.namespace_is_default);
	CHECK(read_file("kind: Config\r\ncurrent-context: c\r\ncontexts:\r\n- name: c\r\n  context: {cluster: k, user: u}\r\n"
	                "clusters:\r\n- {name: k, cluster: {server: 'https://h'}}\r\nusers:\r\n- name: u\r\n  user: {token: t}\r\n"));
	CHECK_TEXT(access_now.token, "t");
	CHECK(read_file("x: &k {server: 'https://anchored'}\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
	                "clusters: [{name: k, cluster: *k}]\n"));
	CHECK_TEXT(access_now.host, "anchored");
	CHECK(!read_file("a: &a [*a]\n"));
	CHECK(str_starts(plain(why), STR("DIR/config:1: the file cannot be read as YAML or JSON: this alias")));
	REFUSES("- 1\n", "DIR/config:1: this is not a kubeconfig: the file holds a list, not a mapping");
	REFUSES("kind: Pod\n", "DIR/config:1: this is not a kubeconfig: 'kind' must be Config");
	REFUSES("clusters: {}\n", "DIR/config:1: 'clusters' must be a list, not a mapping");
	REFUSES("users: [{user: {}}]\n", "DIR/config:1: each entry of 'users' needs a 'name' that is a string");
	REFUSES("users:\n- {name: a}\n- {name: a}\n",
		"DIR/config:3: 'users' has the name 'a' twice; remove one of the two entries");
}

/* A file of 5 MiB is read within a second. */
static void large_file(void)
{
	struct buf b = { 0 };
	buf_z(&b, HEAD CLUSTER "users:\n");
	for (int i = 0; b.n < 5 << 20; i++)
		buf_printf(&b, "- {name: user-%d, user: {token: '%0100d'}}\n", i, i);
	buf_z(&b, "- {name: u, user: {token: last}}\n");
	buf_char(&b, 0);
	CHECK(read_file(b.p));
	CHECK_TEXT(access_now.token, "last");
	buf_release(&b);
}

static void merging(void)
{
	struct kubeconfig_options o = { 0 };
	put("one", "clusters:\n- {name: k, cluster: {server: 'https://one'}}\nusers:\n- {name: u, user: {token: one, username: x}}\n"
	    "contexts: [{name: a, context: {cluster: k}}]\n");
	put("two", "current-context: b\nclusters:\n- {name: k, cluster: {server: 'https://two', insecure-skip-tls-verify: true}}\n"
	    "users:\n- {name: u, user: {token: two}}\n- {name: v, user: {tokenFile: t/token}}\n"
	    "contexts:\n- {name: b, context: {cluster: k, user: v}}\n- {name: d, context: {cluster: k, user: u}}\n");
	o.variable = str_printf(&arena, ":%s/one::%s/absent:%s/one:%s/two:", dir, dir, dir, dir);
	CHECK(read_options(o));
	/* The whole cluster comes from the first file; current-context, user and its directory from the second. */
	CHECK_TEXT(access_now.host, "one");
	CHECK(!access_now.insecure);
	CHECK_TEXT(plain(access_now.token_file), "DIR/t/token");
	o.context = STR("d");
	CHECK(!read_options(o));
	CHECK_TEXT(plain(why), "DIR/one:4: user 'u' has a token and a username; remove one of them");
	o.context = STR("bb");
	CHECK(!read_options(o));
	CHECK_TEXT(why, "the kubeconfig files: context 'bb' does not exist; its names are a, b, d");
	struct kubeconfig_names names = { 0 };
	CHECK(kubeconfig_contexts(&arena, &o, &names, &why) && names.n == 3);
	CHECK_TEXT(names.at[2], "d");
	CHECK_TEXT(names.current, "b");
}

static void which_files(void)
{
	struct kubeconfig_options o = { .file = path_of("absent") };
	CHECK(!read_options(o));
	CHECK_TEXT(plain(why), "cannot read the kubeconfig DIR/absent: no such file");
	o = (struct kubeconfig_options){ .variable = path_of("absent") };
	CHECK(!read_options(o));
	CHECK_TEXT(plain(why),
		"no cluster is configured: DIR/absent does not exist; set KUBECONFIG or pass --kubeconfig FILE");
	o = (struct kubeconfig_options){ .variable = str_of(dir) };
	CHECK(!read_options(o));
	CHECK_TEXT(plain(why), "cannot read the kubeconfig DIR: is a directory");
	CHECK(!read_options((struct kubeconfig_options){ 0 }));
	CHECK_TEXT(why, "no cluster is configured: neither KUBECONFIG nor HOME is set; pass --kubeconfig FILE");
	put("broken", "a: [\n");
	o = (struct kubeconfig_options){ .variable = str_printf(&arena, "%s/one:%s/broken", dir, dir) };
	CHECK(!read_options(o));
	char home[512];
	snprintf(home, sizeof home, "%s/.kube", dir);
	mkdir(home, 0700);
	put(".kube/config", USER("{token: home}"));
	CHECK(read_options((struct kubeconfig_options){ .home = str_of(dir) }));
	CHECK_TEXT(access_now.token, "home");
	REFUSES("kind: Config\n", "DIR/config: no context is defined; add one with 'kubectl config set-context'");
	REFUSES("contexts: [{name: a, context: {cluster: x}}]\n",
		"DIR/config: no current-context is set; choose one with --context NAME; "
	        "its only name is a");
	REFUSES("current-context: a\ncontexts: [{name: a, context: {cluster: x}}]\n",
	        "DIR/config:2: context 'a' names the cluster 'x', which does not exist");
	REFUSES("current-context: a\ncontexts: [{name: a, context: {cluster: k, user: x}}]\n" CLUSTER,
	        "DIR/config:2: context 'a' names the user 'x', which does not exist");
	if (geteuid() != 0) {
		put("secret", USER("{token: t}"));
		chmod(path_of("secret").p, 0);
		CHECK(!read_options((struct kubeconfig_options){ .variable = path_of("secret") }));
	}
}

static void namespaces(void)
{
	struct kubeconfig_options o = { .file = path_of("config") };
	CHECK(read_file(USER("{token: t}")));
	o.program_namespace = STR("program");
	CHECK(read_options(o));
	CHECK_TEXT(access_now.namespace, "program");
	o.namespace = STR("flag");
	CHECK(read_options(o));
	CHECK_TEXT(access_now.namespace, "flag");
}

static void paths(void)
{
	put("ca.pem", "CA");
	put("crt.pem", "CRT");
	put("key.pem", "KEY");
	CHECK(read_file(SERVER("{server: 'https://h', certificate-authority: ca.pem}")));
	CHECK_TEXT(access_now.ca, "CA");
	CHECK(read_file(USER("{client-certificate: crt.pem, client-key: ./key.pem}")));
	CHECK_TEXT(access_now.certificate, "CRT");
	CHECK_TEXT(access_now.key, "KEY");
	REFUSES(SERVER("{server: 'https://h', certificate-authority: ~/ca.pem}"),
	        "DIR/config:11: cannot read 'certificate-authority' from DIR/~/ca.pem: no such file (a kubeconfig does not expand '~'; write the whole path)");
	CHECK(read_file(USER("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/x}}")));
	CHECK_TEXT(plain(access_now.exec.command), "DIR/./bin/x");
	CHECK(access_now.exec.stdin_mode == KUBECONFIG_STDIN_IF_AVAILABLE);
	CHECK(read_file(USER("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: x, args: [a, b], "
	                     "env: [{name: A, value: '1'}], provideClusterInfo: true}}")));
	CHECK_TEXT(access_now.exec.command, "x");
	CHECK(access_now.exec.nargs == 2 && access_now.exec.nenv == 1 && access_now.exec.cluster_info);
}

static void credentials(void)
{
	CHECK(read_file(USER("{token: first, tokenFile: /t}")) && access_now.token.n && access_now.token_file.n);
	CHECK(read_file(USER("{client-certificate-data: Q1JU, client-key-data: S0VZ}")));
	CHECK_TEXT(access_now.certificate, "CRT");
	CHECK(read_file(USER("{username: a, password: b}")));
	CHECK_TEXT(access_now.basic_password, "b");
	REFUSES(USER("{client-certificate-data: Q1JU, client-certificate: crt.pem}"),
	        "DIR/config:12: 'client-certificate' and 'client-certificate-data' are both set; remove one of them");
	REFUSES(USER("{client-certificate-data: Q1JU}"),
		"DIR/config:12: user 'u' has a client-certificate but no client-key");
	REFUSES(USER("{client-key-data: Q1JU}"), "DIR/config:12: user 'u' has a client-key but no client-certificate");
	REFUSES(USER("{client-certificate-data: '!!'}"),
		"DIR/config:12: 'client-certificate-data' is not valid base64");
	REFUSES(USER("{token: a, username: b}"),
		"DIR/config:12: user 'u' has a token and a username; remove one of them");
	REFUSES(USER("{password: b}"), "DIR/config:12: user 'u' has a password but no username");
	REFUSES(USER("{token: 123456}"),
		"DIR/config:12: 'token' must be a string, but YAML reads this as a number; put it in quotes");
	CHECK(read_file(USER("{token: t, exec: {command: x}}")));
	CHECK(!access_now.exec.command.n);
	CHECK_TEXT(warnings, "user 'u' has a credential and a plugin ('exec'); the plugin is not run\n");
	REFUSES(USER("{exec: {command: x, apiVersion: client.authentication.k8s.io/v1}}"),
	        "DIR/config:12: a plugin with apiVersion client.authentication.k8s.io/v1 needs 'interactiveMode': Never, IfAvailable or Always");
	REFUSES(USER("{exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}}"),
	        "DIR/config:12: the plugin's apiVersion must be client.authentication.k8s.io/v1 or v1beta1: v1alpha1 was removed in Kubernetes 1.24; "
	        "update the plugin and write v1");
	REFUSES(USER("{exec: {apiVersion: client.authentication.k8s.io/v1beta1}}"),
		"DIR/config:12: the plugin under 'exec' has no 'command'");
	REFUSES(USER("{auth-provider: {name: gcp}}"),
		"DIR/config:12: user 'u' uses the auth-provider 'gcp', which is not supported; "
	        "run 'gcloud container clusters get-credentials', which sets up gke-gcloud-auth-plugin");
	CHECK(read_file(USER("{token: t, as: boss, as-uid: '7', as-groups: [a, b], as-user-extra: {k: [one, two]}}")));
	CHECK(access_now.as.ngroups == 2 && access_now.as.nextra == 2);
	CHECK_TEXT(access_now.as.extra[1].value, "two");
	REFUSES(USER("{token: t, as-groups: [a]}"),
		"DIR/config:12: user 'u' sets as-uid, as-groups or as-user-extra without 'as'");
}

static void servers(void)
{
	CHECK(read_file(SERVER("{server: 'https://h:1/k8s/c-1/', tls-server-name: other, proxy-url: 'socks5://p:1', disable-compression: true}")));
	CHECK_TEXT(access_now.prefix, "/k8s/c-1");
	CHECK_TEXT(access_now.tls_server_name, "other");
	CHECK(access_now.disable_compression);
	CHECK(read_file(SERVER("{server: 'https://[::1]:6443'}")));
	CHECK_TEXT(access_now.host, "::1");
	CHECK_TEXT(access_now.server, "https://[::1]:6443");
	CHECK(read_file(SERVER("{server: 'http://h'}")) && !access_now.tls && access_now.port == 80);
	CHECK(read_file(SERVER("{server: 'h:8080'}")) && !access_now.tls);
	CHECK(read_file(SERVER("{server: 'h:8080', insecure-skip-tls-verify: true}")) && access_now.tls);
	REFUSES(SERVER("{}"), "DIR/config:11: cluster 'k' has no 'server'");
	REFUSES(SERVER("{server: 'https://'}"),
		"DIR/config:11: 'server' is not a URL of an API server: 'https://'; write https://HOST:PORT");
	REFUSES(SERVER("{server: 'https://h:99999'}"),
	        "DIR/config:11: 'server' is not a URL of an API server: 'https://h:99999'; write https://HOST:PORT");
	REFUSES(SERVER("{server: 'https://a@h'}"),
		"DIR/config:11: 'server' is not a URL of an API server: 'https://a@h'; write https://HOST:PORT");
	REFUSES(SERVER("{server: 'https://h', insecure-skip-tls-verify: true, certificate-authority: ca.pem}"),
	        "DIR/config:11: cluster 'k' sets insecure-skip-tls-verify and a certificate-authority; remove one of them");
	REFUSES(SERVER("{server: 'https://h', proxy-url: 'p:1'}"),
	        "DIR/config:11: 'proxy-url' must be a URL that begins with http://, https:// or socks5://");
	CHECK(read_file(SERVER("{server: 'https://h', extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: a}}]}")));
	CHECK(access_now.exec_config && access_now.exec_config->kind == DATA_MAP);
}

static void pods(void)
{
	struct kubeconfig_options o = { .home = path_of("nowhere"), .service_host = STR("fd00::1"),
		.service_port = STR("443"), .account = path_of("account") };
	CHECK(!read_options(o));                /* fails: there is no token file */
	mkdir(path_of("account").p, 0700);
	put("account/token", "tok\n");
	CHECK(!read_options(o));
	CHECK_TEXT(plain(why), "cannot read DIR/account/ca.crt: no such file");
	put("account/ca.crt", "CA");
	put("account/namespace", "pods\n");
	CHECK(read_options(o));
	CHECK_TEXT(access_now.server, "https://[fd00::1]:443");
	CHECK_TEXT(access_now.namespace, "pods");
	CHECK_TEXT(plain(access_now.token_file), "DIR/account/token");
	o.pod_namespace = STR("from-env");
	CHECK(read_options(o));
	CHECK_TEXT(access_now.namespace, "from-env");
	o.context = STR("prod");                /* fails: the cluster of the pod must not be used silently */
	CHECK(!read_options(o));
	CHECK_TEXT(why, "context 'prod' does not exist: the pod has no kubeconfig, and its "
		"service account has no contexts; set KUBECONFIG or leave --context out");
	o.variable = path_of("one");            /* a kubeconfig takes precedence over the pod's service account */
	o.context = STR("a");
	CHECK(read_options(o));
	CHECK_TEXT(access_now.host, "one");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	one_file();
	large_file();
	merging();
	which_files();
	namespaces();
	paths();
	credentials();
	servers();
	pods();
	char command[600];
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	CHECK(system(command) == 0);
	arena_release(&arena);
	return unit_end();
}
