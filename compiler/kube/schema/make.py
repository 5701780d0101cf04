#!/usr/bin/env python3
"""Writes the schema tables, ../schema_VERSION.tbl.

    make.py [--from DIR]

Reads the OpenAPI description in the Go module k8s.io/kubernetes of each version (api/openapi-spec/swagger.json), from
Go's module proxy or from DIR/vVERSION.json.  The tables contain the kinds that can be created, and the names, types,
list types and merge keys of all fields below them, without descriptions.  The first version is written completely, each
later one as its difference from the version before.  schema_text.h describes the form of the tables.
"""
import argparse
import io
import json
import os
import subprocess
import urllib.request
import zipfile

VERSIONS = ["1.28.15", "1.29.6", "1.30.14", "1.31.14", "1.32.13", "1.33.13", "1.34.4", "1.35.4", "1.36.3", "1.37.1"]
MODULE = "k8s.io/kubernetes"
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "time",
}
PREFIXES = ["io.k8s.api.", "io.k8s.apimachinery.pkg.apis.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.apis.",
            "io.k8s.kube-aggregator.pkg.apis.", "io.k8s."]


def fetch(version, directory):
    if directory:
        with open(os.path.join(directory, "v%s.json" % version), encoding="utf-8") as f:
            return json.load(f)
    proxy = subprocess.run(["go", "env", "GOPROXY"], capture_output=True, text=True, check=True).stdout.split(",")[0].strip()
    data = urllib.request.urlopen("%s/%s/@v/v%s.zip" % (proxy, MODULE, version)).read()
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return json.loads(z.read("%s@v%s/api/openapi-spec/swagger.json" % (MODULE, version)))


def short(name):
    for prefix in PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix):]
    return name


class Version:
    """Kinds and types of one version: {(apiVersion, kind): (scope, type)}, {type: {field: words}}."""

    def __init__(self, swagger):
        self.definitions = swagger["definitions"]
        self.types, self.kinds = {}, {}
        scopes = {}
        for path, operations in swagger["paths"].items():
            post = operations.get("post", {})
            gvk = post.get("x-kubernetes-group-version-kind")
            if not gvk or path.endswith(("/binding", "/eviction", "/token")):
                continue
            key = (gvk["group"], gvk["version"], gvk["kind"])
            scopes[key] = "namespaced" if "{namespace}" in path else scopes.get(key, "cluster")
        for name, definition in self.definitions.items():
            for gvk in definition.get("x-kubernetes-group-version-kind", []):
                key = (gvk["group"], gvk["version"], gvk["kind"])
                if key in scopes and len(definition["x-kubernetes-group-version-kind"]) == 1:
                    api = key[1] if not key[0] else key[0] + "/" + key[1]
                    self.kinds[(api, key[2])] = (scopes[key], self.reference(name))

    def reference(self, name):
        """The word for a definition; also describes the definitions that it refers to."""
        if name in SCALARS:
            return SCALARS[name]
        definition = self.definitions[name]
        if not definition.get("properties"):
            return self.word(definition) if definition.get("type") in ("string", "integer", "boolean") else "any"
        known = short(name)
        if known not in self.types:
            fields = self.types[known] = {}
            required = set(definition.get("required", []))
            for field, schema in definition["properties"].items():
                words = [self.word(schema)]
                if field in required:
                    words.append("required")
                kind = schema.get("x-kubernetes-list-type")
                if kind == "map":
                    words.append("map=" + ",".join(schema["x-kubernetes-list-map-keys"]))
                elif kind:
                    words.append(kind)
                elif schema.get("x-kubernetes-map-type") == "atomic":
                    words.append("atomic")
                if "x-kubernetes-patch-merge-key" in schema:
                    words.append("merge=" + schema["x-kubernetes-patch-merge-key"])
                fields[field] = " ".join(words)
        return known

    def word(self, schema):
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[1])
        kind, form = schema.get("type"), schema.get("format")
        if kind == "array":
            return "[]" + self.word(schema["items"])
        if kind == "object":
            return "{}" + self.word(schema["additionalProperties"]) if isinstance(schema.get("additionalProperties"), dict) else "any"
        if kind == "string":
            return {"byte": "bytes", "date-time": "time", "int-or-string": "int-or-string"}.get(form, "string")
        return {"integer": "int", "boolean": "bool", "number": "number"}.get(kind, "any")


def difference(old, new):
    lines = []
    for key in sorted(set(old.kinds) | set(new.kinds)):
        if key not in new.kinds:
            lines.append("-kind %s %s" % key)
        elif old.kinds.get(key) != new.kinds[key]:
            lines.append("kind %s %s %s %s" % (key + new.kinds[key]))
    for name in sorted(set(old.types) | set(new.types)):
        if name not in new.types:
            lines.append("-type " + name)
            continue
        before, after = old.types.get(name), new.types[name]
        if before == after:
            continue
        lines.append("type " + name)
        for field in sorted(set(before or {}) | set(after)):
            if field not in after:
                lines.append("\t-" + field)
            elif (before or {}).get(field) != after[field]:
                lines.append("\t%s %s" % (field, after[field]))
    return lines


class Nothing:
    kinds, types = {}, {}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--from", dest="directory")
    arguments = parser.parse_args()
    before = Nothing
    for version in VERSIONS:
        now = Version(fetch(version, arguments.directory))
        minor = version.rsplit(".", 1)[0]
        with open(os.path.join(HERE, "schema_%s.tbl" % minor), "w", encoding="utf-8") as f:
            f.write("# Made by schema/make.py from %s %s; do not edit.\n" % (MODULE, version))
            f.write("version %s\n" % minor)
            f.writelines(line + "\n" for line in difference(before, now))
        before = now


if __name__ == "__main__":
    main()
