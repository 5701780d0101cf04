"""The identity of a run mentions every member of the plan: this test fails when a member is added without a decision."""
import os
import re
import sys

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
plan = open(os.path.join(top, "compiler/plan/plan.h")).read()
identity = open(os.path.join(top, "runtime/run/identity.c")).read()
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL", what)


def members(header):
    """struct name -> its members, without source positions."""
    structs = {}
    head = header[:header.index("/* ---- names ---- */")]
    for name, body in re.findall(r"^struct (plan\w*) \{[^\n]*\n(.*?)^\};", head, re.S | re.M):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        found = []
        for declaration in body.split(";"):
            declaration = declaration.strip()
            if not declaration or declaration.startswith("struct span"):
                continue
            for part in declaration.split(","):
                word = re.search(r"(\w+)\s*(?:\[\w+\])?$", part.strip())
                found.append(word.group(1))
        structs[name] = [m for m in found if m != "from"]
    return structs


def undecided(header, source):
    """Members that are neither written (`x->member`, `x.member`) nor listed as left out."""
    said = set(re.findall(r"(?:->|\.)(\w+)", source))
    for text in re.findall(r"/\*(.*?)\*/", source, re.S):
        said.update(re.findall(r"\w+", text.split("Left out", 1)[1]) if "Left out" in text else ())
        if "are all in there" in text:
            said.update(re.findall(r"\w+", text))
    named = set(re.findall(r"struct (plan\w*)", source))
    missing = []
    for struct, all_members in members(header).items():
        if struct in ("plan_name",):
            continue
        if struct not in named:
            missing.append("struct " + struct)
        missing += [struct + "." + m for m in all_members if m not in said]
    return missing


found = members(plan)
check(len(found) > 15 and "on_failed_pod" in found["plan_role"] and "nroles" in found["plan_job"], "the structs of the plan are read: %s" % list(found))
check(not undecided(plan, identity), "the identity of a run needs a decision about: %s" % ", ".join(undecided(plan, identity)))
# a new member without a decision is found, whatever struct it is added to
for struct in sorted(found):
    changed = re.sub(r"^(struct %s \{[^\n]*\n)" % struct, r"\1\tint64_t surprising_member;\n", plan, count=1, flags=re.M)
    check(undecided(changed, identity) == [struct + ".surprising_member"], "a new member of %s is found: %s" % (struct, undecided(changed, identity)))
check("struct plan_surprise" in undecided("struct plan_surprise {\n\tint64_t kind;\n};\n" + plan, identity), "a new struct is found")
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
