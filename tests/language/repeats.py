"""repeats.py - a key that is set twice in one body is reported at the second place: in two blocks of a field, in the
passes of a loop, behind an `if`, in the job as in the role, at every depth.  Blocks with different keys merge, a level
overrides another, and an entry that is written out overrides one that is inserted."""
from table import JOB, Table, W

t = Table()
# field: two entries of the same key, and one of another key
FIELDS = {
    "env": ("A = 1", "A = 2", "B = 3"),
    "ports": ("a = 1000", "a = 2000", "b = 3000"),
    "mounts": ('"/x" = scratch("a", 1Gi)', '"/x" = scratch("b", 1Gi)', '"/y" = scratch("c", 1Gi)'),
    "files": ('"/a" = "1"', '"/a" = "2"', '"/b" = "3"'),
    "labels": ('a = "1"', 'a = "2"', 'b = "3"'),
    "annotations": ('a = "1"', 'a = "2"', 'b = "3"'),
    "node": ('a = "1"', 'a = "2"', 'b = "3"'),
    "resources": ('"x.example.com/y" = 1', '"x.example.com/y" = 2', '"x.example.com/z" = 3'),
    "limits": ("cpu = 3", "cpu = 4", "memory = 3Gi"),
}
AMOUNTS = ", cpu = 1, memory = 1Gi\n"
for field, (first, second, other) in FIELDS.items():
    key = first.split(" ")[0].strip('"')
    said = "'%s' is set twice in this body" % key
    block = "%s { %%s }\n" % field
    for name, body in (("two blocks", block % first + block % second), ("if", block % first + "if true { %s }\n" % (block % second).strip()),
                       ("loop", "for i in range(2) { %s }\n" % (block % first).strip()), ("one block", block % (first + ", " + second))):
        t.case("%s, %s, in a role" % (field, name), W("replicas = 1" + AMOUNTS + body), said, status=1)
        if field not in ("node", "resources", "limits"):
            t.case("%s, %s, in a job" % (field, name), JOB(body + "role w { cpu = 1, memory = 1Gi }"), said, status=1)
    t.case("%s, other keys" % field, W("replicas = 1" + AMOUNTS + block % first + block % other), lacks="TJ0206", status=0)
    t.case("%s, a role and its job" % field, JOB(block % first + "role w { cpu = 1, memory = 1Gi\n%s }" % (block % second)), lacks="TJ0206", status=0)
    if field != "limits":       # a record, not a map
        t.case("%s, inserted" % field, "let base = { %s }\n" % first + W("replicas = 1" + AMOUNTS + block % "...base" + block % second), lacks="TJ0206", status=0)
for name, first, second in (("before", "A = 1", "...base"), ("after", "...base", "A = 1")):
    t.case("env, an entry that is written wins, inserted %s" % name, "let base = { A = 2 }\n" + W("env { %s }\nenv { %s }" % (second, first)), 'value: "1"', lacks='value: "2"',
           status=0, command="compile")
t.case("a loop is told what to do", W("for i in range(3) { env { A = i } }"), "write the loop's variable into the key", lacks="keep one", status=1)
t.case("a loop with its variable", W('for i in range(3) { env { "A${i}" = i } }'), "A2", status=0, command="compile")
t.case("both places are shown", W("env { A = 1 }\nenv { A = 2 }"), ["a.tj:3:7: error", "a.tj:2:18: note: first set here"], status=1)
for inner in ("securityContext { runAsUser = 1 }\nsecurityContext { runAsUser = 2 }", "dnsConfig { options { a = 1 } }\ndnsConfig { options { a = 2 } }"):
    t.case("raw pod { %s" % inner, W("raw pod {\n%s }" % inner), "is set twice", status=1)
t.case("values", 'let v = { d { l { a = 1 } }, d { l { a = 2 } } }\n' + W("env { A = json(v) }"), "'a' is set twice", status=1)
t.case("two keys of a value", 'let v = { d { l { a = 1 } }, d { l { b = 2 } } }\n' + W("env { A = json(v) }"), '{"d":{"l":{"a":1,"b":2}}}', status=0, command="compile")
t.case("profiles override", 'param p: map[int] = { a = 1 }\nprofile x { p { a = 2 } }\nprofile y: x { p { a = 3 } }\n' + W('env { A = p["a"] }'), 'value: "3"',
       args=("--profile", "y"), status=0, command="compile")
PROFILE = 'param p: %s\nprofile x { %s }\njob "a" { image = "a:1", command = ["x"]\n  role w { cpu = 1, memory = 1Gi } }\n'
MAP, DEEP = "map[int] = { a = 1 }", "map[map[int]] = { a = { b = 1 } }"
for name, kind, body, key in (("two blocks", MAP, "p { a = 2 }\n p { a = 3 }", "a"),
                              ("three blocks", MAP, "p { b = 2 }\n p { c = 3 }\n p { b = 3 }", "b"),
                              ("a text as the key", MAP, 'p { "a" = 2 }\n p { a = 3 }', "a"),
                              ("one block", MAP, "p { a = 2, a = 3 }", "a"),
                              ("a deeper key", DEEP, "p { a { b = 2 } }\n p { a { b = 3 } }", "b"), ("the second and the third", DEEP, "p { a { b = 2 } }\n p { a { c = 3 } }\n p { a { c = 4 } }", "c"),
                              ("set and extended", DEEP, "p { a = { b = 2 } }\n p { a { b = 3 } }", "a")):
    t.case("a profile, " + name, PROFILE % (kind, body), ["TJ0206", "'%s' is set" % key], status=1)
for name, kind, body in (("other keys", MAP, "p { a = 2 }\n p { b = 3 }"),
                         ("other deeper keys", DEEP, "p { a { b = 2 } }\n p { a { c = 3 } }")):
    t.case("a profile, " + name, PROFILE % (kind, body), lacks="TJ0206", status=0)
    t.case("a profile that is chosen, " + name, PROFILE % (kind, body), lacks="TJ0206", args=("--profile", "x"), status=0)
t.end()
