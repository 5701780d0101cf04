/*
 * plugin_path.c - searches PATH. execvp() would take a program from the current directory if an entry of PATH is empty
 * or relative; Go refuses that since 1.19, and so does kubectl.
 */
#include "runtime/cluster/plugin_path.h"

#include <sys/stat.h>
#include <unistd.h>

static bool plugin_is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

struct str plugin_path(struct arena *a, struct str command, const char *path, struct str *why)
{
	if (memchr(command.p, '/', command.n))
		return command;
	for (const char *entry = path ? path : "/usr/local/bin:/usr/bin:/bin", *end; entry; entry = end) {
		size_t n = strcspn(entry, ":");
		end = entry[n] ? entry + n + 1 : NULL;
		struct str dir = n ? (struct str){ entry, n } : STR(".");
		struct str found = str_cat(a, dir, STR("/"), command);
		if (!plugin_is_executable(found.p))
			continue;
		if (found.p[0] == '/')
			return found;
		*why = str_printf(a, "PATH leads to '%.*s' in the current directory, which is not trusted: remove the "
			"entry '%.*s' from PATH, or write the path of the plugin into the kubeconfig", STR_ARG(found),
			(int)n, entry);
		return STR("");
	}
	*why = STR("it is not in PATH");
	return STR("");
}
