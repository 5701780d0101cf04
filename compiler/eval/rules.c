#include "eval/rules.h"

void rules_job(struct job *j)
{
	rules_roles(j);
	rules_resources(j);
	rules_mounts(j);
	rules_text(j);
}
