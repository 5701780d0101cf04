/*
 * control_path.h - the address of a run's socket for paths of any length. An address holds 107 bytes, and a state
 * directory may have a longer path. Then the directory is opened, and the address leads through /proc/self/fd.
 */
#ifndef TRAINC_RUNTIME_LOCAL_CONTROL_PATH_H
#define TRAINC_RUNTIME_LOCAL_CONTROL_PATH_H

#include <sys/socket.h>
#include <sys/un.h>

#include "base/str.h"

struct control_path {
	struct sockaddr_un address;
	int directory;                  /* descriptor of the directory, open as long as the address is used, or -1 */
};

/* Makes the address of the socket in RUN_DIR; false with errno. */
bool control_path_open(struct control_path *p, struct str run_dir);
void control_path_close(struct control_path *p);

#endif
