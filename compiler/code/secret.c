/*
 * secret.c - the table of names, and what is looked for in contents.
 */
#include "code/secret.h"

/* What a file of some name must contain to be a secret. */
enum secret_content { CONTENT_ANY, CONTENT_KEY, CONTENT_TOKEN };

static const struct secret_name {
	const char *name;               /* the last part of the path; with '*' at its start, any name with that end */
	const char *below;              /* a directory that must be the one before it, or NULL */
	enum secret_content content;
	const char *reason;
} names[] = {
	{ ".env", NULL, CONTENT_ANY, "a file of this name sets passwords and tokens" },
	{ "id_rsa", NULL, CONTENT_ANY, "its name is that of a private key of SSH" },
	{ "id_dsa", NULL, CONTENT_ANY, "its name is that of a private key of SSH" },
	{ "id_ecdsa", NULL, CONTENT_ANY, "its name is that of a private key of SSH" },
	{ "id_ed25519", NULL, CONTENT_ANY, "its name is that of a private key of SSH" },
	{ "*.pem", NULL, CONTENT_KEY, "it is a private key, or binary" },
	{ "*.key", NULL, CONTENT_KEY, "it is a private key, or binary" },
	{ "*.p12", NULL, CONTENT_KEY, "a file of this name holds private keys" },
	{ "*.pfx", NULL, CONTENT_KEY, "a file of this name holds private keys" },
	{ "*.jks", NULL, CONTENT_KEY, "a file of this name holds private keys" },
	{ ".netrc", NULL, CONTENT_ANY, "a file of this name holds passwords" },
	{ ".pgpass", NULL, CONTENT_ANY, "a file of this name holds passwords" },
	{ ".pypirc", NULL, CONTENT_ANY, "a file of this name holds passwords" },
	{ ".npmrc", NULL, CONTENT_TOKEN, "it has the token or password of a registry" },
	{ ".git-credentials", NULL, CONTENT_ANY, "a file of this name holds passwords" },
	{ "credentials", ".aws", CONTENT_ANY, "it holds keys of a cloud account" },
	{ "application_default_credentials.json", NULL, CONTENT_ANY, "it holds keys of a cloud account" },
	{ "kubeconfig", NULL, CONTENT_ANY, "it gives access to a cluster" },
	{ "*.kubeconfig", NULL, CONTENT_ANY, "it gives access to a cluster" },
	{ "config", ".kube", CONTENT_ANY, "it gives access to a cluster" },
	{ ".dockerconfigjson", NULL, CONTENT_ANY, "it holds passwords of registries" },
	{ "config.json", ".docker", CONTENT_ANY, "it holds passwords of registries" },
};

static bool has_secret_word(struct str text, const char *part)
{
	return text.n && memmem(text.p, text.n, part, strlen(part));
}

static bool is_binary(struct str start) { return start.n && memchr(start.p, '\0', start.n); }

/*
 * Is this what may be before a key on its line: a mark of Unicode, blanks, quotes, and the name that the key is given,
 * as in `key: "` or `export KEY='`?
 */
static bool is_before_key(struct str text)
{
	bool word = false, named = false;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = (struct str){ text.p + 3, text.n - 3 };
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
			c == '.' || c == '-';
		if ((letter && named) || (!letter && !strchr(" \t\"'`=:,", c)))
			return false;
		word = word || letter;
		named = named || c == '=' || c == ':';
	}
	return named || !word;
}

/*
 * Is there `-----BEGIN ... PRIVATE KEY-----` at the start of a line, or after the name of a value? A quote at its end
 * means that a program looks for this line, and does not have a key.
 */
static bool has_private_key(struct str start)
{
	static const struct str begin = { "-----BEGIN ", 11 }, end = { "PRIVATE KEY", 11 };

	for (size_t i = 0; i < start.n; ) {
		const char *newline = memchr(start.p + i, '\n', start.n - i);
		struct str line = { start.p + i, newline ? (size_t)(newline - start.p) - i : start.n - i };
		i += line.n + 1;
		const char *first = line.n ? memmem(line.p, line.n, begin.p, begin.n) : NULL;
		if (!first || !is_before_key((struct str){ line.p, (size_t)(first - line.p) }))
			continue;
		line = (struct str){ first, line.n - (size_t)(first - line.p) };
		const char *key = memmem(line.p, line.n, end.p, end.n);
		struct str rest = { key, key ? line.n - (size_t)(key - line.p) : 0 };
		size_t n = !key ? 0 : str_starts(rest, STR("PRIVATE KEY-----")) ? 16 :
			str_starts(rest, STR("PRIVATE KEY BLOCK-----")) ? 22 : 0;
		if (n && (rest.n == n || !strchr("\"'`", rest.p[n])))
			return true;
	}
	return false;
}

/* Finds the text after NAME and a colon, as YAML and JSON write a key; false if the text has no such key. */
static bool has_data_key(struct str text, const char *name, struct str *ret)
{
	size_t n = strlen(name);

	for (const char *p = text.p, *end = text.p + text.n; p && p < end; p++) {
		p = memmem(p, (size_t)(end - p), name, n);
		if (!p)
			break;
		char before = p == text.p ? '\n' : p[-1];
		const char *after = p + n;
		if (!strchr(" \t\n\r{,-\"'", before))
			continue;
		while (after < end && strchr(" \t\"'", *after))
			after++;
		if (after == end || *after != ':')
			continue;
		*ret = (struct str){ after + 1, (size_t)(end - after - 1) };
		return true;
	}
	return false;
}

/* Is the value of the key NAME the word WORD? */
static bool key_is(struct str text, const char *name, const char *word)
{
	struct str value;

	for (; has_data_key(text, name, &value); text = value) {
		while (value.n && strchr(" \t\r\n\"'", *value.p))
			value = (struct str){ value.p + 1, value.n - 1 };
		size_t n = strlen(word);
		if (str_starts(value, str_of(word)) && (value.n == n || strchr(" \t\r\n\"',}", value.p[n])))
			return true;
	}
	return false;
}

static const char *content_reason(struct str start)
{
	struct str value;

	if (has_private_key(start))
		return "it has a private key";
	if (key_is(start, "kind", "Config") && (has_data_key(start, "client-key-data", &value) ||
		has_data_key(start, "token", &value) || has_data_key(start, "password", &value)))
		return "it gives access to a cluster";
	if (key_is(start, "type", "service_account") && has_data_key(start, "private_key", &value))
		return "it is the key of a service account";
	return NULL;
}

static bool is_name_like(struct str name, const char *pattern)
{
	return *pattern == '*' ? name.n > strlen(pattern) - 1 && str_ends(name, str_of(pattern + 1))
	                       : str_is(name, pattern);
}

/* Is NAME the directory, or one of those above it? */
static bool is_in_directory(struct str directory, const char *name)
{
	for (struct str end = str_of(name); directory.n; ) {
		if (str_ends(directory, end) && (directory.n == end.n || directory.p[directory.n - end.n - 1] == '/'))
			return true;
		const char *slash = memrchr(directory.p, '/', directory.n);
		directory.n = slash ? (size_t)(slash - directory.p) : 0;
	}
	return false;
}

/* .env.local and the like, but not the examples that projects keep for newcomers. */
static bool is_environment(struct str name)
{
	return str_starts(name, STR(".env.")) && !str_is(name, ".env.example") && !str_is(name, ".env.sample") &&
		!str_is(name, ".env.template");
}

const char *secret_reason(struct str path, struct str start)
{
	const char *slash = memrchr(path.p, '/', path.n);
	struct str name = slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path,
		directory = { path.p, slash ? (size_t)(slash - path.p) : 0 };

	if (is_environment(name))
		return names[0].reason;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct secret_name *row = &names[i];
		if (!is_name_like(name, row->name) || (row->below && !is_in_directory(directory, row->below)))
			continue;
		if (row->content == CONTENT_ANY ||
			(row->content == CONTENT_KEY && (is_binary(start) || has_private_key(start))) ||
			(row->content == CONTENT_TOKEN &&
			(has_secret_word(start, "_authToken") || has_secret_word(start, "_password"))))
			return row->reason;
	}
	return content_reason(start);
}
