"""parameters.py - values from files and the command line, defaults, profiles, and tests that expect a refusal."""
from table import Table, W

t = Table()


def given(subject, declarations, files, says=(), status=1, args=None, **more):
    """A program with one role; the first of FILES is passed with --params."""
    name = next(iter(files)) if files else None
    args = args if args is not None else ("--params", name)
    t.case(subject, declarations, says, status=status, args=args, files=files, **more)


IMAGE = 'param tag: string\njob "a" { image = "r/x:${tag}"\n  role w { cpu = 1, memory = 1Gi } }\n'
given("null for a string, JSON", IMAGE, {"p.json": '{"tag": null}'}, ["p.json:1:9: error: 'tag' needs a string, found null", "'string?'"])
given("null for a string, YAML", IMAGE, {"p.yaml": "tag: ~\n"}, ["p.yaml:1:6: error: 'tag' needs a string, found null"])
given("an empty value, YAML", IMAGE, {"p.yaml": "tag:\n"}, ["p.yaml:1:", "found null"])
given("null for an image", 'param i: image\njob "a" { image = i, role w { } }\n', {"p.json": '{"i": null}'}, "found null")
given("a number as a tag", IMAGE, {"p.yaml": "tag: 1.0\n"}, "image: r/x:1.0", status=0, command="compile")
given("a word that YAML takes for a bool", IMAGE, {"p.yaml": "tag: no\n"}, "image: r/x:no", status=0, command="compile")

MANY = "param a: float\nparam n: int = 1\nparam d: map[float] = {}\n" + W('command = ["${a} ${n} ${len(d)}"]')
for name, text in (("p.yaml", "a: 1e400\nn: foo\nd: {x: -1e999}\nzzz: 3\n"), ("p.json", '{"a": 1e400, "n": "foo", "d": {"x": -1e999}, "zzz": 3}')):
    given("a number without end beside other mistakes, " + name, MANY, {name: text},
          ["'a' needs a float, found 1e400", "'n' needs an int", "'d.x' needs a float, found -1e999", "unknown parameter 'zzz'"],
          lacks="has no value")
given("a number without end as a text", IMAGE, {"p.yaml": "tag: 1e400\n"}, "image: r/x:1e400", status=0, command="compile")
given("a number without end as a key", MANY, {"p.yaml": "a: 1\n1e400: 2\n"}, "unknown parameter '1e400'")
BUNDLE = "param node: Role = { cpu = 1 }\n" + 'job "a" { image = "r/x:1"\n  role w { ...node } }\n'
given("variables of a bundle", BUNDLE, {"p.yaml": "node: {env: {A: b, N: 3, T: true}, tolerate: [x]}\n"}, ["value: b", 'value: "3"'],
      status=0, command="compile")

OPTIONAL = 'param os: string? = none\n' + W('command = ["x"], env { OS = os ?? "unset" }')
given('"none" in JSON is a text', OPTIONAL, {"p.json": '{"os": "none"}'}, status=0, command="env", stdout="none")
given("null in JSON is none", OPTIONAL, {"p.json": '{"os": null}'}, status=0, command="env", stdout="unset")
given('"none" in a .tj file is a text', OPTIONAL, {"p.params.tj": 'os = "none"\n'}, status=0, command="env", stdout="none")
given("none in a .tj file is none", OPTIONAL, {"p.params.tj": 'os = none\n'}, status=0, command="env", stdout="unset")

TEXT = 'param s: string\n' + W('command = ["x"], files { "/t" = s }')
for literal, value in (('"a\\nb"', "a\n    b"), ('"x"', "x"), ('r"a\\d"', "a\\d"), ('"a\\"b"', 'a"b'), ('"# no comment"', "# no comment"), ("plain", "plain")):
    given("the literal %s of a .tj file" % literal, TEXT, {"p.params.tj": "s = %s\n" % literal}, status=0, command="compile", stdout=value,
          lacks=("\\n", '\\"'))
given("two documents", IMAGE, {"p.yaml": "tag: a\n---\ntag: b\n"}, ["p.yaml:3:1: error: ", "one document"])
given("NUL in JSON", IMAGE, {"p.json": '{"tag": "a\\u0000b"}'}, ["p.json:1:9: error: ", "NUL"])
given("bytes that are not UTF-8 in a file", IMAGE, {"p.params.tj": b's = "a\xff"\n'}, ["p.params.tj:1:7: error: this is not UTF-8"])
given("bytes that are not UTF-8 on the command line", IMAGE, {}, ["this is not UTF-8"], args=("--set", b"tag=a\xffb"))
given("aliases that never end", IMAGE, {"p.yaml": "tag: &x [*x, *x]\n"}, "p.yaml:1:")

LIST = "type M { name: string, lr: float }\nparam ms: list[M]\n" + W('command = [m.name for m in ms]')
yaml = "ms:\n" + "".join("- {name: m%d, lr: %s}\n" % (i, "fast" if i == 12 else "0.1") for i in range(14))
out = t.case("one element of a long list", LIST, ["p.yaml:14:19: error: 'ms[12].lr' needs a float, found \"fast\""], status=1,
             args=("--params", "p.yaml"), files={"p.yaml": yaml})
t.note("the whole list is not printed", "" if "m11" not in out else "it is", out)
given("two mistakes are two messages", LIST, {"p.yaml": "ms:\n- {name: a, lr: x}\n- {name: b, lr: 1, size: 3}\n"},
      ["p.yaml:2:17: error: 'ms[0].lr'", "p.yaml:3:20: error: 'ms[1]' has no field 'size'"])
given("a field that is missing", LIST, {"p.yaml": "ms:\n- {name: a}\n"}, ["p.yaml:2:", "'lr'"])
given("a mapping for a list", LIST, {"p.yaml": "ms: {name: a}\n"}, ["'ms' needs a list", "found a mapping"])
given("quantities, maps and numbers",
      'type D { size: memory, n: int, on: bool, tags: map[string], cpu: cpu, t: duration }\nparam d: D\n' +
      W('command = ["${d.size}", "${d.n}", "${d.on}", d.tags.a, "${d.cpu}", "${d.t}"]'),
      {"p.yaml": 'd: {size: 4Gi, n: 3, on: true, tags: {a: "é"}, cpu: 500m, t: 90s}\n'}, ["- 4Gi", "\"é\"", "- 500m"], status=0, command="compile")

# Defaults are checked where they are written.
t.case("a default of a record outside its type", "type T { x: int(1..5) = 9 }\nparam v: T = { x = 2 }\n" + W('command = ["${v.x}"]'),
       ["a.tj:1:25: error: x = 9 is outside 1..5"], status=1)
t.case("a default that --set replaces", "param t: int(1..5) = 9\n" + W('command = ["${t}"]'), ["a.tj:1:22: error: t = 9 is outside 1..5"],
       status=1, args=("--set", "t=3"))
t.case("a text default outside its pattern", 'param t: string(pattern = "[a-z]+") = "A"\n' + W('command = [t]'), ["a.tj:1:", "TJ0313"], status=1,
       args=("--set", "t=abc"))
t.case("a memory default outside its bounds", "param m: memory(1Gi..2Gi) = 3Gi\n" + W('memory = m'), "a.tj:1:", status=1, args=("--set", "m=1Gi"))

# --set with a quoted key, and with an empty one.
MAP = "param m: map[int] = { x = 1 }\n" + W('command = ["x"], env { A = json(m) }')
for given_, key in (('m."a/b"=3', "a/b"), ('m."a.b"=3', "a.b"), ('m."a=b"=3', "a=b"), ("m.a/b=3", "a/b"), (' m."a" = 3', "a")):
    t.case("--set " + given_, MAP, '{"x":1,"%s":3}' % key, command="env", status=0, args=("--set", given_))
t.case("--set of a field of a quoted key", 'param m: map[{ n: int, k: int }] = { "x.y" = { n = 1, k = 2 } }\n' + W('command = ["x"], env { A = json(m) }'),
       '{"x.y":{"n":7,"k":2}}', command="env", status=0, args=("--set", 'm."x.y".n=7'))
for given_ in ('m."a/b=3', 'm."a/b"c=3', 'm.a"b"=3'):
    t.case("--set " + given_, MAP, ["the quotes of a key do not match", "--set 'm.\"a/b\"=...'"], status=1, args=("--set", given_))
t.case("--set of an empty key", MAP, "a key is empty", status=1, args=("--set", 'm.""=3'))
t.case("--set with a key in brackets", MAP, ["unknown parameter", "--set 'm.\"a/b\"=...'"], status=1, args=("--set", 'm["a/b"]=3'))
for kind, right in (("list[string] = []", "for an empty list write --set 't=[]'"), ("map[int] = {}", "for an empty map write --set 't={}'"),
                    ("int? = none", "for no value write --set t=none"), ("int = 1", "such as --set t=4"), ("memory = 1Gi", "such as --set t=8Gi"),
                    ("cpu = 1", "such as --set t=2"), ("duration = 1h", "such as --set t=30min")):
    t.case("--set t= for " + kind, "param t: %s\n" % kind + W('command = ["${t}"]').replace("${t}", "x"), right, status=1, args=("--set", "t="))
    word = right.split("--set ")[1].strip("'")
    t.case("its help for " + kind, "param t: %s\n" % kind + W('command = ["x"]'), lacks="error", status=0, args=("--set", word))
t.case("--set t= for a string", 'param t: string = "a"\n' + W('command = ["x"], env { A = "<${t}>" }'), "<>", command="env", status=0, args=("--set", "t="))

# A profile that repeats a default, next to another one that does not.
t.case("a default in the other profile", "param n: int = 1\nprofile prod { n = 2 }\nprofile dev { n = 1 }\n" + W('command = ["${n}"]'),
       lacks="TJ1005", status=0)
t.case("a default in the only profile", "param n: int = 1\nprofile dev { n = 1 }\n" + W('command = ["${n}"]'), "TJ1005", status=0)

# Tests that expect a refusal.
NINE = 'param n: int(1..8) = 2\n' + W('command = ["${n}"]')
t.case("fails() covers a parameter", NINE + 'test "nine" { set { n = 9 }\n check fails("TJ0311") else "x" }\ntest "two" { check n == 2 else "x" }\n',
       "2 passed, 0 failed", command="test", status=0)
t.case("refuses covers a parameter", NINE + 'test "nine" { set { n = 9 }, refuses = "TJ0311" }\n', "1 passed", command="test", status=0)
t.case("refuses and a program that compiles", NINE + 'test "eight" { set { n = 8 }, refuses = "TJ0311" }\n',
       ["1 failed", "not refused with TJ0311", "it compiles"], command="test", status=1)
t.case("refuses and another error", NINE + 'test "nine" { set { n = 9 }, refuses = "TJ0901" }\n', ["1 failed", "refused with TJ0311"],
       command="test", status=1)
t.case("a code that does not exist", NINE + 'test "nine" { refuses = "TJ9999" }\n', "code of an error", status=1)
t.case("one broken test does not stop the others", NINE + 'test "nine" { set { n = 9 }\n check n == 9 else "x" }\ntest "two" { check n == 2 else "x" }\n',
       ["ok a.tj: two", "FAIL a.tj: nine", "1 passed, 1 failed"], command="test", status=1)
t.case("refuses covers a policy", NINE + 'test "policy" { refuses = "TJ0901" }\n', "1 passed", command="test", status=0,
       files={"project.tj": 'project { policies = ["p.tj"] }', "p.tj": 'policy "p" { check false else "never" }'})
t.case("refuses covers a check", NINE + 'check n < 4 else "small"\ntest "check" { set { n = 5 }, refuses = "TJ0408" }\n', "1 passed", command="test", status=0)
t.case("refuses covers a framework's check", 'param n: int(1..8) = 2\nframework f { role w { replicas: int(1..) }\n check w.replicas > 1 else "m" }\n'
       'job "a": f { image = "r.e.com/a:1"\n role w { replicas = n } }\ntest "one" { set { n = 1 }, refuses = "TJ0408" }\n', "1 passed", command="test", status=0)
t.case("an empty test", NINE + 'test "x" { }\n', ["a.tj:4:6: error: this test checks nothing"], status=1)
t.end()
