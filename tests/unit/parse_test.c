/*
 * parse_test.c - messages about syntax errors: one for each mistake, at the right position, and the rest of the file
 * is still parsed.
 */
#include "base/buf.h"
#include "syntax/dump.h"
#include "syntax/parse.h"
#include "syntax/token.h"
#include "trainc.tab.h"

#include "unit.h"

static struct arena arena;

struct outcome {
	struct node *tree;
	struct diags diags;
	struct source *source;
};

static struct outcome parse(struct str text, bool expression)
{
	struct sources *sources = ARENA_NEW(&arena, struct sources);
	struct names *names = ARENA_NEW(&arena, struct names);
	struct outcome o = { .diags = { .arena = &arena, .sources = sources } };

	sources->arena = names->arena = &arena;
	o.source = source_add(sources, STR("t.tj"), text);
	o.tree = (expression ? parse_expression : parse_source)(&arena, names, &o.diags, o.source);
	diags_finish(&o.diags);
	return o;
}

/* Returns the messages about TEXT as "line:column CODE message". */
static struct str said(struct str text)
{
	struct outcome o = parse(text, false);
	struct buf b = { 0 };

	for (size_t i = 0; i < o.diags.n; i++) {
		const struct diag *d = o.diags.at[i];
		struct place at = source_place(o.diags.sources, d->at.start);
		buf_printf(&b, "%u:%u %s %.*s\n", at.line, at.column, diag_code_name(d->code), STR_ARG(d->message));
	}
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

/* Returns the text after the first fix of every message has been applied. */
static struct str fixed(struct str text)
{
	struct outcome o = parse(text, false);
	struct buf b = { 0 };
	uint32_t at = o.source->base;

	for (size_t i = 0; i < o.diags.n; i++) {
		if (!o.diags.at[i]->fixes)
			continue;
		for (struct diag_edit *e = o.diags.at[i]->fixes->edits; e; e = e->next) {
			buf_put(&b, text.p + (at - o.source->base), e->at.start - at);
			buf_str(&b, e->text);
			at = e->at.end;
		}
	}
	buf_put(&b, text.p + (at - o.source->base), text.n - (at - o.source->base));
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static struct str tree(const char *text)
{
	struct outcome o = parse(str_of(text), false);
	struct buf b = { 0 };

	ast_dump(o.tree, &b);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

#define SAYS(text, want) CHECK_TEXT(said(STR(text)), want)
#define FIXES(text, want) CHECK_TEXT(fixed(STR(text)), want)
#define IN_JOB(items) "job \"a\" {\n" items "}\n"

static void seven_mistakes(void)
{
	SAYS("import std.pytorch as\n"
	     "param nodes int = 4\n"
	     "let x = [1, 2\n"
	     "job \"a\": pytorch.torchrun {\n"
	     "  image = \"a:1\n"
	     "  role worker {\n"
	     "    replicas 4\n"
	     "    cpu == 8\n"
	     "    memory: 64Gi\n"
	     "    env { A = 1 B = 2 }\n"
	     "  }\n"
	     "}\n"
	     "let ok = 1\n",
	     "1:22 TJ0102 expected a name after 'as', found the end of the line\n"
	     "2:13 TJ0102 expected ':' after 'nodes', found 'int'\n"
	     "3:9 TJ0109 '[' opened here is never closed\n"
	     "5:11 TJ0106 this string has no closing quote\n"
	     "7:14 TJ0102 expected '=', ':' or '{' after 'replicas', found '4'\n"
	     "8:9 TJ0103 '==' compares; a field is set with '='\n"
	     "9:13 TJ0111 'memory: 64Gi' declares a type, and '64Gi' is not a type\n"
	     "10:17 TJ0105 expected a new line or ',' before 'B'\n");
}

static void values(void)
{
	SAYS(IN_JOB("  replicas == 4\n"), "2:12 TJ0103 '==' compares; a field is set with '='\n");
	FIXES(IN_JOB("  replicas == 4\n"), IN_JOB("  replicas = 4\n"));
	SAYS(IN_JOB("  image =\n  cpu = 4\n"), "2:10 TJ0104 'image' has no value\n");
	SAYS(IN_JOB("  image =\n    \"a:1\"\n  cpu = 4\n"), "2:10 TJ0104 'image' has no value\n");
	SAYS(IN_JOB("  a =\n  -4\n"), "2:6 TJ0104 'a' has no value\n");
	SAYS(IN_JOB("  a { b = }\n"), "2:10 TJ0104 'b' has no value\n");
	SAYS("let x: int =\n", "1:13 TJ0104 'x' has no value\n");
	SAYS(IN_JOB("  replicas 4\n"), "2:12 TJ0102 expected '=', ':' or '{' after 'replicas', found '4'\n");
	FIXES(IN_JOB("  replicas 4\n"), IN_JOB("  replicas = 4\n"));
	SAYS(IN_JOB("  memory = 64 Gi\n"), "2:12 TJ0102 a quantity is one word\n");
	FIXES(IN_JOB("  memory = 64 Gi\n"), IN_JOB("  memory = 64Gi\n"));
	SAYS("let a = 1 +\nlet b = 2\n", "1:12 TJ0102 expected a value after '+', found the end of the line\n");
	SAYS(IN_JOB("  a = 1 +\n  b = 2\n"), "2:10 TJ0102 expected a value after '+', found the end of the line\n");
	SAYS(IN_JOB("  a = b or\n  c { }\n"), "2:11 TJ0102 expected a value after 'or', found the end of the line\n");
	SAYS("let a = b < c < d\n", "1:15 TJ0102 expected a new line after 'c', found '<'\n");
	SAYS("let a = [1 2]\n", "1:12 TJ0102 expected ',' or ']' after '1', found '2'\n");
	FIXES("let a = [1 2]\n", "let a = [1, 2]\n");
}

static void separators(void)
{
	SAYS(IN_JOB("  cpu = 8 memory = 64Gi\n"), "2:11 TJ0105 expected a new line or ',' before 'memory'\n");
	FIXES(IN_JOB("  cpu = 8 memory = 64Gi\n"), IN_JOB("  cpu = 8, memory = 64Gi\n"));
	SAYS("let a = 1 let b = 2\n", "1:11 TJ0105 expected a new line before 'let'\n");
	/* the item after the error is still parsed */
	CHECK_TEXT(tree("let a = 1 let b = 2\n"), "(file\n  (bad a)\n  (let b (= 2)))\n");
	CHECK_TEXT(tree(IN_JOB("  cpu = 8 memory = 64Gi\n")),
		"(file\n  (job \"a\"\n    (bad cpu)\n    (set memory 64Gi)))\n");
}

static void yaml(void)
{
	SAYS(IN_JOB("  replicas: 4\n"), "2:13 TJ0111 'replicas: 4' declares a type, and '4' is not a type\n");
	FIXES(IN_JOB("  replicas: 4\n"), IN_JOB("  replicas = 4\n"));
	SAYS(IN_JOB("  image: foo\n"), "2:10 TJ0111 'image: foo' declares a type, which is not allowed here\n");
	FIXES(IN_JOB("  image: foo\n"), IN_JOB("  image = \"foo\"\n"));
	SAYS("framework f {\n  role worker { replicas: int(1..) = 1 }\n}\ntype T { a: int }\nfn g(x: int) -> int = x\n",
		"");
	SAYS(IN_JOB("  role worker\n    cpu = 4\n    memory = 1Gi\n  gang = \"kueue\"\n"),
	     "2:14 TJ0112 expected '{' to open the body of 'role worker'\n");
	SAYS(IN_JOB("  role worker:\n    cpu = 4\n  role ps:\n    cpu = 1\n"),
	     "2:14 TJ0112 expected '{' to open the body of 'role worker'\n"
	     "4:10 TJ0112 expected '{' to open the body of 'role ps'\n");
	SAYS(IN_JOB("  env:\n    A: 1\n    B: 2\n  cpu = 1\n"), "2:6 TJ0112 expected '{' to open the body of 'env'\n");
	SAYS(IN_JOB("  args:\n    - \"a\"\n    - \"b\"\n"),
	     "2:7 TJ0112 expected '=' and '[' to begin the list of 'args'\n");
	SAYS("job \"a\"\n{\n  cpu = 4\n}\nlet x = 1\n", "1:8 TJ0112 expected '{' to open the body of 'job \"a\"'\n");
	SAYS(IN_JOB("  if x\n    cpu = 4\n"), "2:7 TJ0112 expected '{' to open the body of 'if'\n");
}

static void words(void)
{
	SAYS("let type = 4\n", "1:5 TJ0113 'type' is a reserved word\n");
	SAYS("fn f(in: int) -> int = 1\n", "1:6 TJ0113 'in' is a reserved word\n");
	SAYS("let x = [job for job in xs]\n", "1:10 TJ0113 'job' is a reserved word\n");
	SAYS(IN_JOB("  for = 4\n  type = 3\n"), "2:3 TJ0113 'for' is a reserved word\n");
	FIXES(IN_JOB("  for = 4\n"), IN_JOB("  \"for\" = 4\n"));
	SAYS(IN_JOB("  a = b.type\n  c = d.in\n  e = f.else\n"), "");
}

static void brackets(void)
{
	SAYS(IN_JOB("  a = f(1, 2\n"), "2:8 TJ0109 '(' opened here is never closed\n");
	SAYS(IN_JOB("  a = [\n    1,\n    2\n  b = 2\n"), "2:7 TJ0109 '[' opened here is never closed\n");
	SAYS(IN_JOB("  a = [1, 2)\n"), "2:12 TJ0109 '[' is closed by ')'\n");
	FIXES(IN_JOB("  a = [1, 2)\n"), IN_JOB("  a = [1, 2]\n"));
	SAYS("job \"a\" {\n  role w {\n    cpu = 1\n  role v {\n    cpu = 2\n  }\n}\njob \"b\" { }\n",
	     "2:10 TJ0109 '{' opened here is never closed\n");
	SAYS("job \"a\" {\n  cpu = 1\n\njob \"b\" {\n  cpu = 2\n\nlet x = 1\n",
	     "1:9 TJ0109 '{' opened here is never closed\n4:9 TJ0109 '{' opened here is never closed\n");
	SAYS("let x = 1\n}\nlet y = 2\n", "2:1 TJ0102 '}' closes nothing: nothing is open here\n");
	SAYS("framework f {\nlet x = 1\n\ncheck x > 0 else \"m\"\n}\n", "");   /* this is ugly, but not an error */
	SAYS(IN_JOB("  a = \"x${b\"\n  c = 1\n"), "2:9 TJ0109 '${' opened here is never closed\n");
	SAYS(IN_JOB("  a = \"x${b\n  c = 1\n"), "2:9 TJ0109 '${' opened here is never closed\n");
	SAYS(IN_JOB("  a = \"${f(1}\"\n"), "2:11 TJ0109 '(' opened here is never closed\n");
	/* a missing opening brace is reported where it should be, not where parsing fails later */
	SAYS("framework f {\n  role a\n    cpu = 1\n  }\n\n  role b {\n    cpu = 2\n  }\n}\nlet x = 1\n",
	     "2:9 TJ0112 expected '{' to open the body of 'role a'\n");
	SAYS("framework f {\n  env\n    A = 1\n  }\n  reserve = []\n}\nlet x = 1\n",
	     "2:6 TJ0112 expected '{' to open the body of 'env'\n");
	SAYS("job \"a\" {\n  env { A = 1 }\n  }\n  cpu = 1\n}\n", "3:3 TJ0102 '}' closes nothing\n");
	SAYS(IN_JOB("  args = \"a\", \"b\"]\n  cpu = 1\n"), "2:18 TJ0102 ']' closes nothing\n");
	SAYS("fn f(\n  a: int(1.. = 1,\n  b: int,\n) -> int = a\n", "2:9 TJ0109 '(' opened here is never closed\n");
	/* the body of a declaration with a missing brace is dropped, but its name is known */
	CHECK_TEXT(tree("framework f {\n  a = 1\n\nlet x = 1\njob \"b\" { }\n"),
		"(file\n  (bad f)\n  (let x (= 1))\n  (job \"b\"))\n");
}

static void strings(void)
{
	SAYS("let a = [\"x, \"y\"]\nlet b = 1\n", "1:10 TJ0106 this string has no closing quote\n");
	SAYS("let a = \"x\nlet b = \"y\n",
		"1:9 TJ0106 this string has no closing quote\n2:9 TJ0106 this string has no closing quote\n");
	SAYS("job \"a\" {\n  x = \"\"\"\n    text\n", "2:7 TJ0106 this string has no closing quote\n");
	SAYS("let a = \"\\d \\u{110000}\"\n",
		"1:10 TJ0108 '\\d' is not an escape\n1:13 TJ0108 '\\u{110000}' is not a character\n");
	FIXES("let a = \"\\d\"\n", "let a = \"\\\\d\"\n");
	SAYS("let a = \"\"\"\n    x\n   y\n\n    \"\"\"\n",
		"3:4 TJ0107 this line is indented less than the closing quotes\n");
	SAYS("let a = \"\"\"x\n  \"\"\"\n", "1:9 TJ0107 the text of a '\"\"\"' string begins on the next line\n");
	SAYS("let a = \"\"\"\n  x\"\"\"\n", "2:4 TJ0107 the closing quotes share their line with text\n");
}

static void characters(void)
{
	SAYS("let a = \xE2\x80\x9Chi\xE2\x80\x9D\n", "1:9 TJ0101 unexpected character '\xE2\x80\x9C'\n");
	FIXES("let a = \xE2\x80\x9Chi\xE2\x80\x9D\n", "let a = \"hi\"\n");
	SAYS("let a = 'b'\n", "1:9 TJ0101 unexpected character '\n");
	FIXES("let a = 'b'\n", "let a = \"b\"\n");
	SAYS("let a = b; let c = d; \n", "1:10 TJ0101 unexpected character ';'\n");
	SAYS("let a = 1 # \x80\nlet b = \"\xFF\"\n",
		"1:13 TJ0101 unexpected byte 0x80\n2:10 TJ0101 unexpected byte 0xFF\n");
	SAYS("let a = 1\0\nlet b = 2\n", "1:10 TJ0101 unexpected NUL byte\n");
	SAYS("\xEF\xBB\xBFlet a = 1\r\nlet b = \"x\"\r\n", "1:1 TJ0101 unexpected byte-order mark\n");
	FIXES("\xEF\xBB\xBF\xEF\xBB\xBFlet a = 1\n", "let a = 1\n");
	SAYS("let a = 1\r# b\rlet b = a\r", "1:10 TJ0101 the lines of this text end with CR, as on an old Mac\n");
	FIXES("let a = 1\r# b\rlet b = a\r", "let a = 1\n# b\nlet b = a\n");
	SAYS("let a = 1\rlet b = a\n", "1:10 TJ0101 unexpected carriage return without a line feed\n");
	SAYS("let a = \"gr\xC3\xBC\xC3\x9F dich\"  # \xE4\xBD\xA0\xE5\xA5\xBD\n", "");
	SAYS("let a = \"a\tb\"\n", "1:11 TJ0101 unexpected tab in a string\n");
}

static void numbers(void)
{
	SAYS("let a = 9223372036854775807\nlet b = -9223372036854775808\nlet c = 0o777\nlet d = 1_000\nlet e = 4x4x2\n",
		"");
	SAYS("let a = 9223372036854775808\n", "1:9 TJ0301 9223372036854775808 does not fit in 64 bits\n");
	SAYS("let a = 1 - 9223372036854775808\n", "1:13 TJ0301 9223372036854775808 does not fit in 64 bits\n");
	SAYS("let a = 0x1F\n", "1:9 TJ0110 hexadecimal numbers are not supported\n");
	FIXES("let a = 0x1000\n", "let a = 4096\n");
	SAYS("let a = 1__0\nlet b = 1_\n", "1:9 TJ0102 '1__0' is not a number\n2:9 TJ0102 '1_' is not a number\n");
	SAYS("let a = 1.2.3\n", "1:9 TJ0102 '1.2.3' is not a number\n");
	SAYS("let a = 5m30s\n", "1:9 TJ0304 a duration is one number and one unit\n");
	SAYS("let a = 0o89\n", "1:9 TJ0102 '0o89' is not a number\n");
	SAYS("let a = 1x2x3x4\n", "1:9 TJ0102 '1x2x3x4' is not a topology\n");
	SAYS("let a = 1e999\n", "1:9 TJ0301 1e999 does not fit in a float\n");
	/* reported by the checker, which knows whether this is a quantity */
	SAYS("let a = 64GB\n", "");
}

/* Returns HEAD, then N times UNIT, then TAIL. */
static struct str repeat(const char *head, const char *unit, size_t n, const char *tail)
{
	struct buf b = { 0 };

	buf_z(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_z(&b, unit);
	buf_z(&b, tail);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static void depth(void)
{
	CHECK_TEXT(said(repeat(repeat("let x = ", "(", 256, "1").p, ")", 256, "\n")), "");
	CHECK_TEXT(said(repeat(repeat("let x = ", "(", 257, "1").p, ")", 257, "\n")),
		"1:265 TJ0114 brackets are nested more than 256 deep\n");
	CHECK_TEXT(said(repeat("let x = ", "(", 100000, "\n")),
		"1:265 TJ0114 brackets are nested more than 256 deep\n");
	CHECK_TEXT(said(repeat("let x = ", "-", 256, "1\n")), "");
	CHECK_TEXT(said(repeat("let x = ", "not ", 257, "a\n")),
		"1:9 TJ0114 this expression is nested more than 256 deep\n");
	CHECK_TEXT(said(repeat("let x = ", "a + ", 900, "a\n")), "");
	CHECK_TEXT(said(repeat("let x = ", "a + ", 100000, "a\nlet y = 1\n")),
	           "1:9 TJ0114 this expression is nested more than 1000 deep\n");
	CHECK_TEXT(said(repeat("let x = ", "if a then 1 else ", 256, "2\n")), "");
	CHECK_TEXT(said(repeat("let x = ", "if a then 1 else ", 100000, "2\n")),
		"1:9 TJ0114 this expression is nested more than 256 deep\n");
	CHECK_TEXT(said(repeat("job \"a\" {\n  if a { }", " else if b { }", 255, "\n}\n")), "");
	CHECK_TEXT(said(repeat("job \"a\" {\n  if a { }", " else if b { }", 100000, "\n}\n")),
	           "2:3 TJ0114 this expression is nested more than 256 deep\n");
	CHECK(parse(repeat("let x = ", "a ?? ", 200000, "1\n"), false).diags.n == 1);
}

static void expressions(void)
{
	struct outcome o = parse(STR("[1,\n 2]"), true);
	CHECK(o.tree && o.tree->kind == NODE_LIST && o.tree->u.list.n == 2);
	CHECK(!parse(STR(""), true).tree);
	CHECK(!parse(STR("1 2"), true).tree);
	CHECK(!parse(STR("let x = 1"), true).tree);
	o = parse(STR("-9223372036854775808"), true);
	CHECK(o.tree && o.tree->kind == NODE_UNARY);
	o = parse(STR("\"a${b}\""), true);
	CHECK(o.tree && o.tree->kind == NODE_STRING && o.tree->u.string.n == 2);
}

#define TREE(text, want) CHECK_TEXT(tree(text), "(file" want ")\n")

static void trees(void)
{
	TREE("let a = b ?? c ?? d\n", "\n  (let a (= (?? b (?? c d))))");
	TREE("let a = b - c - d\n", "\n  (let a (= (- (- b c) d)))");
	TREE("let a = not b == c and d or e\n", "\n  (let a (= (or (and (not (== b c)) d) e)))");
	TREE("let a = -b.c(1)[2] * 3\n", "\n  (let a (= (* (- (index (call (. b c) 1) 2)) 3)))");
	TREE("let a = b not in 1..2\n", "\n  (let a (= (not in b (.. 1 2))))");
	TREE("let a = if b then c else if d then e else f\n", "\n  (let a (= (if b c else-if d e else f)))");
	TREE("job \"a\" { if b { c = 1 } else if d { } else { e = 2 } }\n",
	     "\n  (job \"a\"\n    (if b\n      (set c 1)\n    (else-if d\n    else\n      (set e 2)))");
	TREE("for k, v in m job \"x-${k}\": f(v) { }\n", "\n  (job (string \"x-\" k) (for (k v) m) (: f v))");
	TREE("job \"a\" { raw job { x = 1 }, type = 2, \"in\" = 3, (b) = 4 }\n",
	     "\n  (job \"a\"\n    (block raw job\n      (set x 1))\n    (set type 2)\n    (set \"in\" 3)\n    (set (key b) 4))");
	TREE("import a.job.b as c\nimport \"x.tj\" as y\n", "\n  (import a.job.b c)\n  (import \"x.tj\" y)");
}

static void texts(void)
{
	TREE("let a = \"\\n\\t\\\\\\\"\\$\\u{E9} $HOME $(x) $$\"\n",
		"\n  (let a (= \"\\n\\t\\\\\\\"$\xC3\xA9 $HOME $(x) $$\"))");
	TREE("let a = r\"\\d${x}\"\n", "\n  (let a (= \"\\\\d${x}\"))");
	TREE("let a = \"\"\"\n    one\n      two\n\n    ${b} three \\\n      four\n    \"\"\"\n",
	     "\n  (let a (= (string \"one\\n  two\\n\\n\" b \" three   four\")))");
	TREE("let a = \"\"\"\r\n  x\r\n  y\r\n  \"\"\"\r\n", "\n  (let a (= \"x\\ny\"))");
	TREE("let a = \"\"\"\n  \"\"\"\n", "\n  (let a (= \"\"))");
	TREE("let a = \"x${f(\"y${z}\")}\"\n", "\n  (let a (= (string \"x\" (call f (string \"y\" z)))))");
	TREE("## Head\n## of file.\n\n## About a.\nlet a = 1\n# plain\n##about b\nlet b = 2\nlet c = 3 ## not c\nlet d = 4\n",
	     " (doc \"Head\\nof file.\")\n  (let a (= 1) (doc \"About a.\"))\n  (let b (= 2) (doc \"about b\"))\n  (let c (= 3))\n  (let d (= 4))");
	TREE("type T {\n  ## Size.\n  size: int\n}\n", "\n  (type T\n    (field size (type int) (doc \"Size.\")))");
}

/* Which newlines end an item, and which do not. */
static void lines(void)
{
	TREE("let a = 1\n  + 2\nlet b = c.type\nlet d = e\n  .f\n",
		"\n  (let a (= (+ 1 2)))\n  (let b (= (. c type)))\n  (let d (= (. e f)))");
	TREE("let a = [\n1\n,\n2\n]\nlet b = f(\n)\nlet c = (\nd\n)\n",
		"\n  (let a (= (list 1 2)))\n  (let b (= (call f)))\n  (let c (= d))");
	TREE("let a = if b\n  then c\n  else d\ncheck e\n  else \"f\"\n",
		"\n  (let a (= (if b c else d)))\n  (check e \"f\")");
	TREE("let a = {\n\n  b = 1,\n  c = 2\n\n}\n", "\n  (let a (= (body\n    (set b 1)\n    (set c 2))))");
	TREE("let a = 1", "\n  (let a (= 1))");
}

/* Messages look ahead by a few tokens; this must be safe even at the last token of a text. */
static void ends(void)
{
	static const char *const texts[] = {
		"", "replicas", "replicas 4", "job a {", "job a { worker {", "job a {}}}", "let a = \"x", "let a = [(",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct outcome o = parse(str_of(texts[i]), false);
		struct tokens ts = { .arena = &arena, .diags = &o.diags, .source = o.source };
		for (int balanced = 0; balanced < 2; balanced++) {
			(balanced ? tokens_balance : tokens_scan)(&ts);
			for (size_t k = 0; k <= TOKENS_AHEAD; k++)
				CHECK(ts.at[ts.n - 1 + k].kind == TOKEN_END);
		}
	}

	/* the lookahead has room even if the last token filled the array */
	for (size_t words = 50; words < 150; words++) {
		struct buf b = { 0 };
		for (size_t i = 0; i < words; i++)
			buf_printf(&b, "a ");
		struct diags ds = { .arena = &arena, .muted = 1 };
		struct source source = { .name = STR("t.tj"), .text = buf_take(&b, &arena), .base = 1 };
		struct tokens ts = { .arena = &arena, .diags = &ds, .source = &source };
		tokens_scan(&ts);
		CHECK(ts.n + TOKENS_AHEAD <= ts.size && ts.at[ts.n - 1 + TOKENS_AHEAD].kind == TOKEN_END);
		buf_release(&b);
	}
}

int main(void)
{
	trees();
	texts();
	lines();
	seven_mistakes();
	values();
	separators();
	yaml();
	words();
	brackets();
	strings();
	characters();
	numbers();
	depth();
	expressions();
	ends();
	arena_release(&arena);
	return unit_end();
}
