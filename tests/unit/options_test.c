/* options_test.c - command lines, and the messages about wrong ones. */
#include "command/options.h"

#include "unit.h"

static struct arena arena;
static struct options options;
static struct str why;

static bool parse(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	why = STR("");
	return options_parse(&arena, n, str_argv(&arena, words), &options, &why);
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void right(void)
{
	CHECK(PARSE("compile", "a.tj") && options.command == COMMAND_COMPILE && options.noperands == 1);
	CHECK(PARSE("compile", "--set", "a=1", "x.tj", "--set=b=2", "y.tj") && options.noperands == 2 &&
		options.ngiven == 2);
	CHECK_TEXT(options.given[1].value, "b=2");
	CHECK(PARSE("--color=never", "--set", "compile=1", "compile", "x.tj") && options.command == COMMAND_COMPILE);
	CHECK_TEXT(option_value(&options, OPTION_SET), "compile=1");
	CHECK(PARSE("compile", "-o", "json", "x.tj"));
	CHECK_TEXT(option_value(&options, OPTION_OUTPUT), "json");
	CHECK(PARSE("compile", "-ojson", "x.tj") && PARSE("compile", "-o=yaml", "x.tj"));
	CHECK_TEXT(option_value(&options, OPTION_OUTPUT), "yaml");
	CHECK(PARSE("env", "-oshell", "-o", "dotenv", "x.tj"));
	CHECK_TEXT(option_value(&options, OPTION_OUTPUT), "dotenv");    /* the last value counts */
	CHECK(PARSE("compile", "--", "--set", "-") && options.noperands == 2 && options.ngiven == 0);
	CHECK(PARSE("compile", "-") && options.noperands == 1);
	CHECK(PARSE("compile", "--unroll", "x.tj") && option_given(&options, OPTION_UNROLL) &&
		!option_given(&options, OPTION_NO_RAW));
	CHECK(option_value(&options, OPTION_PROFILE).p == NULL);
	CHECK(PARSE("compile", "--profile=", "x.tj") && option_value(&options, OPTION_PROFILE).p &&
		!option_value(&options, OPTION_PROFILE).n);
	CHECK(PARSE("explain") && PARSE("explain", "TJ0502"));
}

static void help(void)
{
	CHECK(PARSE("help") && options.command == COMMAND_HELP && options.noperands == 0);
	CHECK(PARSE("compile", "--help") && options.command == COMMAND_HELP);
	CHECK_TEXT(options.operands[0], "compile");
	CHECK(PARSE("-h") && options.command == COMMAND_HELP);
	CHECK(PARSE("--help") && options.command == COMMAND_HELP);
	CHECK(PARSE("--version") && options.command == COMMAND_VERSION);
	CHECK(parse((const char *const[]){ NULL }) && options.command == COMMAND_HELP);
}

static void wrong(void)
{
	CHECK(!PARSE("compile", "--profil", "dev", "x.tj"));
	CHECK_TEXT(why, "trainc: compile has no option '--profil'; did you mean '--profile'?\n");
	CHECK(!PARSE("compile", "--role", "worker", "x.tj"));
	CHECK_TEXT(why, "trainc: compile has no option '--role'\n"
	                "a parameter of the program is set with --set role=VALUE\n");
	CHECK(!PARSE("env", "--rank", "0", "x.tj"));
	CHECK_TEXT(why, "trainc: env has no option '--rank'; write --role ROLE --index N for one replica; replicas of "
		"a role are counted from 0\n");
	CHECK(!PARSE("compile", "-x", "a.tj"));
	CHECK(!PARSE("--colour=never", "compile", "a.tj"));
	CHECK_TEXT(why, "trainc: unknown option '--colour'; did you mean '--color'?\n");
	CHECK(!PARSE("compil", "a.tj"));
	CHECK_TEXT(why, "trainc: unknown command 'compil'; did you mean 'compile'?\n");
	CHECK(!PARSE("compile"));
	CHECK_TEXT(why, "trainc: compile needs at least one file: trainc compile FILE...\n");
	CHECK(!PARSE("env", "a.tj", "b.tj"));
	CHECK_TEXT(why, "trainc: env takes one operand, found 'b.tj' too\n");
	CHECK(!PARSE("version", "x"));
	CHECK(!PARSE("compile", "a.tj", "--set"));
	CHECK_TEXT(why, "trainc: --set needs a value: --set NAME=VALUE\n");
	CHECK(!PARSE("compile", "--unroll=yes", "a.tj"));
	CHECK_TEXT(why, "trainc: --unroll takes no value\n");
	CHECK(!PARSE("compile", "--format", "xml", "a.tj"));
	CHECK_TEXT(why, "trainc: --format cannot be 'xml'; it is text, json, sarif, github, gitlab or junit\n");
}

/* Checks that the help lists every command, and that the help of a command has its options and no others. */
static void table(void)
{
	struct buf b = { 0 };

	options_help(&b);
	for (unsigned i = 0; i < COMMANDS; i++) {
		const char *word = command_word((enum command)i);
		CHECK(memmem(b.p, b.n, word, strlen(word)) != NULL);
	}
	b.n = 0;
	CHECK(options_help_of(STR("env"), &b));
	CHECK(memmem(b.p, b.n, "-o, --output table|json|shell|fish|dotenv", 41) != NULL);
	CHECK(memmem(b.p, b.n, "--output-dir", 12) == NULL);
	CHECK(!options_help_of(STR("superwise"), &b));
	buf_release(&b);
}

int main(void)
{
	right();
	help();
	wrong();
	table();
	arena_release(&arena);
	return unit_end();
}
