"""Runs trainc for the judges of this directory."""
import json
import subprocess


class Refused(Exception):
    pass


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, argv, text=None):
        done = subprocess.run([self.path] + argv, input=text, capture_output=True, text=True, timeout=60)
        if done.returncode < 0 or done.returncode > 128:
            raise SystemExit("%s died: %d" % (argv, done.returncode))
        return done

    def imported(self, manifests):
        """The program and the output; Refused with the report."""
        done = self.run(["import"] + manifests)
        if done.returncode:
            if "[TJ" not in done.stderr:
                raise SystemExit("refused without a code: %s" % done.stderr)
            raise Refused(done.stderr)
        return done.stdout, done.stderr

    def compiled(self, program, *options):
        done = self.run(["compile", "-", "-o", "json"] + list(options), program)
        if done.returncode:
            raise Refused(done.stderr)
        return json.loads(done.stdout)["items"]

    def environment(self, program):
        """The output of `trainc env`: replica name -> variables of the main container."""
        done = self.run(["env", "-", "-o", "json", "--target", "pods"], program)
        if done.returncode:
            raise Refused(done.stderr)
        found = {}
        for r in json.loads(done.stdout)["jobs"][0]["replicas"]:
            found.setdefault(r["name"], r["env"])           # its other containers follow the main one
        return found
