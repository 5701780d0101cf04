/* cmd_supervise.c - starts the controller, which is part of the second executable, the one for clusters. */
#include "command/program.h"

int cmd_supervise(struct session *s) { return s->half->supervise(s); }
