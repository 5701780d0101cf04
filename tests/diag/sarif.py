"""What SARIF 2.1.0 requires of a log, for the part of it that trainc writes.

Each kind of object: the properties that it must have, those it may have of what we write, and further rules; the schema
allows no others.  The log must also agree with the JSON lines. """
import json
import re

MESSAGE = {"text"}
#       kind                  must have                              may have
SHAPE = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "results"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"name", "shortDescription", "fullDescription", "help", "defaultConfiguration"}),
    "text": ({"text"}, {"markdown"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "fixes"}),
    "location": (set(), {"id", "message", "physicalLocation"}),
    "physical": ({"artifactLocation"}, {"region"}),
    "artifact": ({"uri"}, set()),
    "region": (set(), {"startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "change": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "content": (set(), {"text"}),
}
LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"(?:[A-Za-z0-9._~/!$&'()*+,;=:@-]|%[0-9A-F]{2})+")


class Check:
    def __init__(self):
        self.problems = []

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(str(w) for w in what))
        return condition

    def shape(self, kind, thing):
        must, may = SHAPE[kind]
        if not self.expect(isinstance(thing, dict), kind, "is no object:", thing):
            return False
        self.expect(must <= set(thing), kind, "lacks", must - set(thing))
        self.expect(set(thing) <= must | may, kind, "has", set(thing) - must - may)
        return must <= set(thing)

    def texts(self, thing):
        if self.shape("text", thing):
            for value in thing.values():
                self.expect(isinstance(value, str) and value, "an empty text")

    def artifact(self, thing):
        if self.shape("artifact", thing):
            uri = thing["uri"]
            self.expect(URI.fullmatch(uri), "not a URI:", uri)
            self.expect(":" not in uri.split("/")[0], "a colon in the first part of a relative URI:", uri)

    def region(self, r):
        if not self.shape("region", r):
            return
        self.expect("startLine" in r or "byteOffset" in r, "a region without a start")
        for key, least in (("startLine", 1), ("startColumn", 1), ("endLine", 1), ("endColumn", 1), ("byteOffset", 0), ("byteLength", 0)):
            self.expect(key not in r or isinstance(r[key], int) and r[key] >= least, key, r.get(key))
        if "endLine" in r:
            self.expect((r["startLine"], r["startColumn"]) <= (r["endLine"], r["endColumn"]), "a region that ends before it begins", r)

    def location(self, l):
        if not self.shape("location", l):
            return
        if "message" in l:
            self.texts(l["message"])
        if "physicalLocation" in l and self.shape("physical", l["physicalLocation"]):
            self.artifact(l["physicalLocation"]["artifactLocation"])
            self.region(l["physicalLocation"]["region"])

    def fix(self, f):
        if not self.shape("fix", f):
            return
        self.texts(f["description"])
        changes = f["artifactChanges"]
        self.expect(changes and len({json.dumps(c) for c in changes}) == len(changes), "artifactChanges: at least one, all different")
        names = [c["artifactLocation"]["uri"] for c in changes]
        self.expect(len(set(names)) == len(names), "two changes of one file", names)
        for change in changes:
            self.shape("change", change)
            self.artifact(change["artifactLocation"])
            self.expect(change["replacements"], "no replacements")
            for replacement in change["replacements"]:
                self.shape("replacement", replacement)
                self.region(replacement["deletedRegion"])
                self.shape("content", replacement.get("insertedContent", {}))

    def rule(self, r):
        if not self.shape("rule", r):
            return
        for key in ("shortDescription", "fullDescription", "help"):
            if self.expect(key in r, "a rule without", key):
                self.texts(r[key])
        page = r.get("help", {}).get("markdown", "")
        self.expect(page.startswith("# %s " % r["id"]) and "\n**Right:**" in page, "the page of", r["id"], "has no title or no program:", page)
        self.expect(r["defaultConfiguration"].keys() == {"level"} and r["defaultConfiguration"]["level"] in LEVELS, "defaultConfiguration")

    def result(self, result, rules):
        if not self.shape("result", result):
            return
        self.texts(result["message"])
        self.expect(result["level"] in LEVELS, "level", result["level"])
        index = result["ruleIndex"]
        self.expect(0 <= index < len(rules) and rules[index]["id"] == result["ruleId"], "ruleIndex and ruleId disagree", index)
        for l in result["locations"]:
            self.location(l)
        related = result.get("relatedLocations", [])
        self.expect(len({l["id"] for l in related}) == len(related), "relatedLocations share an id")
        for l in related:
            self.location(l)
        for f in result.get("fixes", []):
            self.fix(f)

    def run(self, run):
        if not self.shape("run", run) or not self.shape("tool", run["tool"]) or not self.shape("driver", run["tool"]["driver"]):
            return
        driver = run["tool"]["driver"]
        self.expect(driver["name"] == "trainc", "driver.name", driver["name"])
        self.expect(run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind", run["columnKind"])
        ids = [r["id"] for r in driver["rules"]]
        self.expect(len(set(ids)) == len(ids), "a rule twice", ids)
        for r in driver["rules"]:
            self.rule(r)
        for result in run["results"]:
            self.result(result, driver["rules"])

    def agrees(self, results, said):
        """Each result has the code, the position and the notes of its JSON line."""
        if not self.expect(len(results) == len(said), "%d results, %d diagnostics" % (len(results), len(said))):
            return
        for result, line in zip(results, said):
            self.expect(result["ruleId"] == line["code"] and result["level"] == line["severity"], "not", line["code"], line["severity"])
            self.expect(result["message"]["text"].startswith(line["message"]), "another message than", line["message"])
            primary = [s for s in line["spans"] if s["primary"]]
            regions = [l["physicalLocation"]["region"] for l in result["locations"]]
            self.expect([(r["startLine"], r["startColumn"], r["byteOffset"], r["byteLength"]) for r in regions] ==
                        [(s["line"], s["column"], s["offset"], s["length"]) for s in primary], "another place than", primary)
            self.expect(len(result.get("fixes", [])) == len(line["fixes"]), "another number of fixes than", len(line["fixes"]))


def problems(text, said):
    c = Check()
    log = json.loads(text)
    if c.shape("log", log):
        c.expect(log["version"] == "2.1.0", "version", log["version"])
        c.expect(log["$schema"].startswith("https://") and log["$schema"].endswith("sarif-2.1.0.json"), "$schema", log["$schema"])
        for run in log["runs"]:
            c.run(run)
        c.agrees([result for run in log["runs"] for result in run["results"]], said)
    return c.problems
