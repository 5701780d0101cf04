/* cmd_supervise.c - the controller is a part of the executable for clusters alone. */
#include "command/program.h"

int cmd_supervise(struct session *s) { return s->half->supervise(s); }
