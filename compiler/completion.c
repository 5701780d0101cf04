/*
 * completion.c - one walk over the table for each shell's way of saying it.
 */
#include "completion.h"

#include "options.h"

/* ---- bash ---- */

static void bash_words(enum command command, struct buf *out)
{
	for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o))
		buf_printf(out, " --%s", o->word);
}

/* After an option: its choices, a file, a directory, or nothing that could be known. */
static void bash_values(enum command command, struct buf *out)
{
	for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o)) {
		if (!o->argument[0])
			continue;
		buf_printf(out, "\t\t%s:--%s", command_word(command), o->word);
		if (o->letter)
			buf_printf(out, " | %s:-%c", command_word(command), o->letter);
		buf_z(out, ") ");
		if (o->choices[0]) {
			buf_z(out, "words=\"");
			for (const char *c = o->choices; *c; c++)
				buf_char(out, *c == '|' ? ' ' : *c);
			buf_z(out, "\" ;;\n");
		} else if (strcmp(o->argument, "FILE") == 0) {
			buf_z(out, "COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n");
		} else if (strcmp(o->argument, "DIR") == 0) {
			buf_z(out, "COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n");
		} else {
			buf_z(out, "return ;;\n");
		}
	}
}

static void bash(struct buf *out)
{
	buf_z(out, "_trainc() {\n"
	           "\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=\n"
	           "\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (unsigned i = 0; i < COMMANDS; i++)
		buf_printf(out, "%s%s", i ? " " : "", command_word((enum command)i));
	buf_z(out, "\" -- \"$current\"))\n\t\treturn\n\tfi\n\tcase $command:$before in\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		bash_values((enum command)i, out);
	buf_z(out, "\tesac\n\tif [[ -z $words && $current == -* ]]; then\n\t\tcase $command in\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(out, "\t\t%s) words=\"", command_word((enum command)i));
		bash_words((enum command)i, out);
		buf_z(out, "\" ;;\n");
	}
	buf_z(out, "\t\tesac\n\tfi\n"
	           "\tif [[ -n $words ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	           "\telse\n\t\tCOMPREPLY=($(compgen -f -X '!*.tj' -- \"$current\") $(compgen -d -S / -- \"$current\"))\n\tfi\n}\n"
	           "complete -o filenames -F _trainc trainc\n");
}

/* ---- zsh ---- */

/* Inside '...[...]': no brackets, no quote. */
static void zsh_text(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_z(out, "'\\''");
		else {
			if (strchr("[]:", *text))
				buf_char(out, '\\');
			buf_char(out, *text);
		}
	}
}

static void zsh_option(const struct option_row *o, struct buf *out)
{
	buf_printf(out, " \\\n\t\t\t'--%s[", o->word);
	zsh_text(o->doc, out);
	buf_char(out, ']');
	if (o->argument[0])
		buf_printf(out, ":%s:", o->argument);
	if (o->choices[0]) {
		buf_char(out, '(');
		for (const char *c = o->choices; *c; c++)
			buf_char(out, *c == '|' ? ' ' : *c);
		buf_char(out, ')');
	} else if (strcmp(o->argument, "FILE") == 0) {
		buf_z(out, "_files");
	} else if (strcmp(o->argument, "DIR") == 0) {
		buf_z(out, "_directories");
	}
	buf_char(out, '\'');
}

static void zsh(struct buf *out)
{
	buf_z(out, "#compdef trainc\n_trainc() {\n\tlocal -a commands\n\tcommands=(\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(out, "\t\t'%s:", command_word((enum command)i));
		zsh_text(command_doc((enum command)i), out);
		buf_z(out, "'\n");
	}
	buf_z(out, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (unsigned i = 0; i < COMMANDS; i++) {
		buf_printf(out, "\t\t%s) _arguments", command_word((enum command)i));
		for (const struct option_row *o = option_next((enum command)i, NULL); o; o = option_next((enum command)i, o))
			zsh_option(o, out);
		buf_z(out, " \\\n\t\t\t'*:program:_files -g \"*.tj\"' ;;\n");
	}
	buf_z(out, "\tesac\n}\n_trainc \"$@\"\n");
}

/* ---- fish ---- */

static void fish_text(const char *text, struct buf *out)
{
	buf_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, *text);
	}
	buf_char(out, '\'');
}

static void fish_option(enum command command, const struct option_row *o, struct buf *out)
{
	buf_printf(out, "complete -c trainc -n '__fish_seen_subcommand_from %s' -l %s", command_word(command), o->word);
	if (o->letter)
		buf_printf(out, " -s %c", o->letter);
	if (o->argument[0])
		buf_z(out, strcmp(o->argument, "FILE") == 0 || strcmp(o->argument, "DIR") == 0 ? " -r" : " -x");
	if (o->choices[0]) {
		buf_z(out, " -a '");
		for (const char *c = o->choices; *c; c++)
			buf_char(out, *c == '|' ? ' ' : *c);
		buf_char(out, '\'');
	}
	buf_z(out, " -d ");
	fish_text(o->doc, out);
	buf_char(out, '\n');
}

static void fish(struct buf *out)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		enum command command = (enum command)i;
		buf_printf(out, "complete -c trainc -n __fish_use_subcommand -x -a %s -d ", command_word(command));
		fish_text(command_doc(command), out);
		buf_char(out, '\n');
		for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o))
			fish_option(command, o, out);
	}
}

bool completion_script(struct str shell, struct buf *out)
{
	if (str_is(shell, "bash"))
		bash(out);
	else if (str_is(shell, "zsh"))
		zsh(out);
	else if (str_is(shell, "fish"))
		fish(out);
	else
		return false;
	return true;
}
