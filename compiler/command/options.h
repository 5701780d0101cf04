/*
 * options.h - reads the command line: the command, its options and operands. Everything comes from options.def. Options
 * may be before or after operands and before the command; `--` ends them; `--name=value` and `--name value` are the
 * same. If an option is given twice the last one counts, unless it may be repeated.
 */
#ifndef TRAINC_OPTIONS_H
#define TRAINC_OPTIONS_H

#include "base/buf.h"

enum command_group {
#define GROUP(id, page, title) GROUP_##id,
#include "command/options.def"
	GROUPS
};

enum command {
#define COMMAND(id, group, word, operands, least, most, doc) COMMAND_##id,
#include "command/options.def"
	COMMANDS
};

/* The options. Options with the same long name are one option, whatever the command. */
enum option {
#define OPTION(id, commands, short, long, argument, choices, doc) OPTION_##id,
#include "command/options.def"
	OPTIONS
};

struct given {
	enum option option;
	struct str value;               /* the value of the option; empty for a switch */
};

struct options {
	enum command command;
	struct given *given;            /* the options that were given, in order */
	size_t ngiven;
	struct str *operands;
	size_t noperands;
};

/*
 * Reads the words after the program's name. Returns false with the errors in WHY (whole lines, for standard error);
 * the exit status is then 2. `-h` and `--help` anywhere give COMMAND_HELP with the command as operand; so does an
 * empty command line.
 */
bool options_parse(struct arena *a, int argc, char *const *argv, struct options *ret, struct str *why);

bool option_given(const struct options *o, enum option option);
/* Returns the value of an option, the last one if it was given several times; p == NULL if it was not given. */
struct str option_value(const struct options *o, enum option option);

/*
 * The first function appends the help for all commands, the second one that for a single command; it returns false if
 * no command has that name.
 */
void options_help(struct buf *out);
bool options_help_of(struct str command, struct buf *out);
const char *command_word(enum command command);
const char *command_doc(enum command command);
/*
 * Returns the operands of a command as options.def has them: "FILE...", "[TOPIC]", "bash|zsh|fish"; "" if the command
 * has no operands.
 */
const char *command_operands(enum command command);
enum command_group command_group(enum command command);
/* Returns the name of a group's manual page, without the section. */
const char *group_page(enum command_group group);

struct option_row {
	enum option option;
	uint64_t commands;              /* set of the commands that take the option, a bit for each */
	char letter;                    /* the short form of the option; 0: it has no short form */
	const char *word, *argument, *choices, *doc;
};
/* Returns the option of a command that follows the given one; NULL stands for the position before the first. */
const struct option_row *option_next(enum command command, const struct option_row *after);
/* Returns the first row of an option. */
const struct option_row *option_row(enum option option);
/* Returns the message about an unknown command: a sentence with the nearest name. */
struct str command_unknown(struct arena *a, struct str word);

#endif
