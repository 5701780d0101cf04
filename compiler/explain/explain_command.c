/* explain_command.c - explains the commands of trainc. */
#include "explain/explain.h"
#include "command/options.h"

bool explain_command(struct explain *e)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		enum command command = (enum command)i;
		const char *word = command_word(command), *operands = command_operands(command),
			*doc = command_doc(command);

		suggest_add(&e->near, str_of(word));
		if (!str_is(e->topic, word))
			continue;
		explain_next(e);
		buf_printf(e->out, "%s: command\n\n%c%s.\n\n  trainc %s%s%s\n\n'trainc help %s' shows its options, "
			"'man %s' the manual.\n", word,
		           doc[0] - 'a' + 'A', doc + 1, word, operands[0] ? " " : "", operands, word,
		           group_page(command_group(command)));
		return true;
	}
	return false;
}
