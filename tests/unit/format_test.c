/* format_test.c - tests the canonical style of programs. */
#include "syntax/dump.h"
#include "syntax/format.h"

#include "unit.h"

static struct arena arena;

static bool format(struct str text, struct str *ret)
{
	struct sources sources = { .arena = &arena };
	struct names names = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct buf out = { 0 };
	bool ok = format_source(&arena, &names, &diags, source_add(&sources, STR("t.tj"), text), &out);

	*ret = buf_take(&out, &arena);
	buf_release(&out);
	return ok;
}

/* Checks that formatting TEXT gives WANT, and that formatting WANT changes nothing. */
static void becomes(int line, const char *text, const char *want)
{
	struct str once, twice;

	check_at(line, format(str_of(text), &once), "is formatted");
	check_text_at(line, once, want);
	check_at(line, format(once, &twice) && str_eq(once, twice), "formatted again it stays");
}
#define BECOMES(text, want) becomes(__LINE__, text, want)
#define STAYS(text) becomes(__LINE__, text, text)

static void spaces(void)
{
	BECOMES("", "");
	BECOMES("\n\n\nlet a=1\n\n\n\nlet b  =  2", "let a = 1\n\nlet b = 2\n");
	BECOMES("let a = ( 1+2 )*-3\r\nlet bcd = f ( x ,y = 2 ) [ 0 ] . z\r\n",
		"let a   = (1 + 2) * -3\nlet bcd = f(x, y = 2)[0].z\n");
	BECOMES("param n :int( 1 .. 64 )?=4\n", "param n: int(1..64)? = 4\n");
	BECOMES("let a = 1 : 8\nlet b = 1 .. 8\nlet c = not( a )\nlet d = a ?? - 1\n",
	        "let a = 1:8\nlet b = 1..8\nlet c = not (a)\nlet d = a ?? -1\n");
	BECOMES("fn f( a:int ,b:int=2 )->int=a//b\n", "fn f(a: int, b: int = 2) -> int = a // b\n");
	BECOMES("job \"a\":std.f( x=1 ){}\n", "job \"a\": std.f(x = 1) {}\n");
	BECOMES("let a = [ x for x,y in xs if x>0 ]\n", "let a = [x for x, y in xs if x > 0]\n");
	STAYS("let a = \"keep   ${ b+c }  \"\nlet d = 1_000\n");
}

static void bodies(void)
{
	STAYS("let a = { b = 1, c = 2 }\n");
	BECOMES("let a = {b=1,c=2,}\n", "let a = { b = 1, c = 2 }\n");
	BECOMES("let a = { b = 1, c = 2, d = 3, e = 4 }\n", "let a = {\n  b = 1\n  c = 2\n  d = 3\n  e = 4\n}\n");
	BECOMES("let a = {\n\n  b = 1,\n\n\n  c = 2\n\n}\n", "let a = {\n  b = 1\n\n  c = 2\n}\n");
	BECOMES("let a = f({\n  b = 1 })\n", "let a = f({\n  b = 1\n})\n");
	BECOMES("job \"a\" {\n  for k,v in m { (k)=v }\n  if a { b = 1 }\n  else { c = 2 }\n  ...x\n}\n",
	        "job \"a\" {\n  for k, v in m { (k) = v }\n  if a { b = 1 } else { c = 2 }\n  ...x\n}\n");
}

/* Commas between names inside an expression do not end an item. */
static void local_names(void)
{
	STAYS("let a = let b = 1, c = b in b + c\n");
	STAYS("job \"a\" {\n  env {\n    A  = let b = 1, c = (b == 2) in str(c)\n    DE = \"${let d = 1, e = d in e}\"\n  }\n}\n");
	BECOMES("let a = { b = let c=1,d = (let e=c,f=e in f) in d,c = 2 }\n",
		"let a = { b = let c = 1, d = (let e = c, f = e in f) in d, c = 2 }\n");
}

static void alignment(void)
{
	BECOMES("job \"a\" {\n  image = \"x\"\n  cpu = 1\n  role worker { cpu = 1 }\n  role ps { cpu = 2 }\n  memory = 1Gi\n}\n",
	        "job \"a\" {\n  image = \"x\"\n  cpu   = 1\n  role worker { cpu = 1 }\n  role ps     { cpu = 2 }\n  memory = 1Gi\n}\n");
	BECOMES("job \"a\" {\n  image = \"x\"\n\n  cpu = 1\n}\n", "job \"a\" {\n  image = \"x\"\n\n  cpu = 1\n}\n");
	/* an item of several lines ends a group of aligned items */
	BECOMES("job \"a\" {\n  cpu = 1\n  command = [\n    \"a\"]\n  longer_name = 2\n  x = 3\n}\n",
	        "job \"a\" {\n  cpu     = 1\n  command = [\n    \"a\",\n  ]\n  longer_name = 2\n  x           = 3\n}\n");
	/* named blocks are aligned with each other, and so are blocks that extend existing ones */
	BECOMES("job \"a\" {\n  env { A = 1 }\n  mounts { }\n  role w { cpu = 1 }\n  role worker { cpu = 1 }\n}\n",
	        "job \"a\" {\n  env    { A = 1 }\n  mounts {}\n  role w      { cpu = 1 }\n  role worker { cpu = 1 }\n}\n");
	BECOMES("job \"a\" {\n  mounts { a = 1 }\n  env {\n  }\n}\n",
		"job \"a\" {\n  mounts { a = 1 }\n  env    {}\n}\n");
	STAYS("type T {\n  a: int = 1\n  longer: string\n}\n");
}

static void long_lists(void)
{
	BECOMES("let list = [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\", \"cccccccccccccccccccccccccc\"]\n",
	        "let list = [\n  \"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n  \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\",\n"
	        "  \"cccccccccccccccccccccccccc\",\n]\n");
	STAYS("let list = [\n  1,\n  2,\n]\n");
	BECOMES("let list = [1,\n  2]\n", "let list = [1, 2]\n");
	STAYS("check a == 1\n  else \"message\"\n");
	/* an `else` after a block of several lines, no matter whether the input has these line breaks */
	BECOMES("check options([\"run\", \"--no_python\", \"prog\"], flags_of_the_program = [\"no\"]) == "
		"{ \"no-python\" = [\"\"] }\n"
		"  else \"flags, however they are written\"\n",
		"check options([\"run\", \"--no_python\", \"prog\"], flags_of_the_program = [\"no\"]) == {\n"
		"  \"no-python\" = [\"\"]\n} else \"flags, however they are written\"\n");
	STAYS("check options([\"run\", \"--no_python\", \"prog\"], flags_of_the_program = [\"no\"]) == {\n"
		"  \"no-python\" = [\"\"]\n} else \"flags, however they are written\"\n");
	BECOMES("check (if a.else > 1 then f(if b then c else d) else true) or b == 1 else if c then \"a message that takes\" else \"a line\"\n",
	        "check (if a.else > 1 then f(if b then c else d) else true) or b == 1\n"
	        "  else if c then \"a message that takes\" else \"a line\"\n");
	BECOMES("job \"a\" {\n  warn if aaaaaaaaaaaaaaaaa then bbbbbbbbbbbbbbbbbbbbbbb else ccccccccccccccccccccc else \"${f(x)} is a message\"\n}\n",
	        "job \"a\" {\n  warn if aaaaaaaaaaaaaaaaa then bbbbbbbbbbbbbbbbbbbbbbb else ccccccccccccccccccccc\n"
	        "    else \"${f(x)} is a message\"\n}\n");
	STAYS("let a = if b\n  then c\n  else if d then e else f\n");
}

static void comments(void)
{
	BECOMES("#one\n##two\nlet a = 1#three\n\n\n# four\n", "#one\n## two\nlet a = 1 #three\n\n# four\n");
	STAYS("job \"a\" { # why\n  # before\n  cpu = 1   # behind\n\n  # last\n}\n");
	BECOMES("let a = [1, # one\n 2]\n", "let a = [\n  1, # one\n  2,\n]\n");
	BECOMES("let a = { b = 1 # c\n}\n", "let a = {\n  b = 1 # c\n}\n");
}

static void strings(void)
{
	STAYS("let a = \"\"\"\n      text\n    more\n    \"\"\"\nlet b = r\"\\d\"\n");
	BECOMES("let a = \"\"\"\r\n  text\r\n  \"\"\"\r\n", "let a = \"\"\"\n  text\n  \"\"\"\n");
}

static void imports(void)
{
	BECOMES("# head\n\nimport \"b.tj\" as b\nimport std.pytorch # why\nimport acme.x\nimport std.nvidia\nimport \"a.tj\" as a\nlet x = 1\n",
	        "# head\n\nimport std.nvidia\nimport std.pytorch # why\n\nimport acme.x\n\nimport \"a.tj\" as a\nimport \"b.tj\" as b\nlet x = 1\n");
	STAYS("import std.tpu\n\n# this one stays behind\nimport std.jax\n");
	/* imports are compared without blanks */
	BECOMES("import std .tpu\nimport std.jax\nimport std.aws  as b\nimport std.aws as a\n",
	        "import std.aws as a\nimport std.aws as b\nimport std.jax\nimport std.tpu\n");
}

static void refused(void)
{
	struct str out;

	CHECK(!format(STR("let a = \n"), &out));
	CHECK(out.n == 0);
}

int main(void)
{
	spaces();
	bodies();
	local_names();
	alignment();
	long_lists();
	comments();
	strings();
	imports();
	refused();
	arena_release(&arena);
	return unit_end();
}
