#!/bin/sh
# vendor.sh - packages, locked unmodified; kinds of Kubernetes that are not built in: added to the project, and checked
# there.
. "$(dirname "$0")/cli.inc"

cat >widget.yaml <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.acme.io }
spec:
  group: acme.io
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: { type: string }
          kind: { type: string }
          metadata: { type: object }
          spec:
            type: object
            required: [size, mode]
            properties:
              size: { type: integer }
              mode: { type: string, default: fast }
              amount: { x-kubernetes-int-or-string: true }
              free: { type: object, x-kubernetes-preserve-unknown-fields: true }
              points:
                type: array
                items: { type: object, required: [x], properties: { x: { type: integer }, y: { type: integer } } }
              claim:
                type: object
                properties:
                  apiVersion: { type: string }
                  kind: { type: string }
                  metadata: { type: object }
                  spec: { type: object, properties: { accessModes: { type: array, items: { type: string } }, volumeName: { type: string } } }
                  status: { type: object }
              template:
                type: object
                properties:
                  metadata: { type: object }
                  spec: { type: object, properties: { containers: { type: array, items: { type: object } } } }
  - name: v0
    served: false
    storage: false
    schema: { openAPIV3Schema: { type: object, properties: { old: { type: string } } } }
END
program() { cat >job.tj <<END
job "a" {
  image = "registry.example.com/a:1"
  role task { cpu = 1, memory = 1Gi }
  object w {
    apiVersion = "acme.io/v1"
    kind       = "Widget"
    spec { $1 }
  }
}
END
}

echo 'project { kubernetes = "1.34" }' >project.tj
program 'size = 3'
run 1 check job.tj; says err "no schema for 'acme.io/v1 Widget' [TJ0906]"; says err "trainc vendor crd FILE"
mkdir below
cd below
run 0 vendor crd ../widget.yaml; says out "acme.io/v1 Widget"; silent err
holds test -f ../crds.tbl
holds test ! -e crds.tbl
cd ..
run 0 check job.tj; silent err
cp crds.tbl before
run 0 vendor crd widget.yaml
same before crds.tbl
# explain knows the project's own kinds, in the project directory and below it
run 0 explain Widget; says out "Widget: kind of Kubernetes, apiVersion acme.io/v1, in a namespace"; says out "spec"
run 0 explain Widget.spec.size; says out "Widget.spec.size: whole number, field of WidgetSpec, required"
run 0 explain Widget.spec.sise; says out "WidgetSpec has no field 'sise'; did you mean 'size'?"
cd below; run 0 explain WidgetSpec; says out "size"; cd ..
run 0 explain Pod.spec.hostNetwork; says out "field of PodSpec"
program 'sise = 3'
run 1 check job.tj; says err "WidgetSpec has no field 'sise' [TJ0903]"; says err "did you mean 'size'?"; says err "WidgetSpec needs 'size' [TJ0907]"
program 'size = "3"'
run 1 check job.tj; says err "'size' is a whole number, found text [TJ0904]"
program 'size = 3, amount = "50%", free { what = [1, "two"] }, points = [{ x = 1 }, { y = 2 }]'
run 1 check job.tj; says err "WidgetSpecPoints needs 'x' [TJ0907]"
program 'size = 3, template { spec { containers = [{ name = "c", imag = "x" }] } }'
run 1 check job.tj; says err "Container has no field 'imag' [TJ0903]"; says err "did you mean 'image'?"
# an object in a field is recognized by its spec
program 'size = 3, claim { spec { accessMode = ["ReadWriteMany"] } }'
run 1 check job.tj; says err "PersistentVolumeClaimSpec has no field 'accessMode' [TJ0903]"; says err "did you mean 'accessModes'?"

# fields that a definition leaves open, and words of an enumeration
sed -e '/apiVersion: { type: string }/d' -e '/kind: { type: string }/d' -e '/metadata: { type: object }/d' \
	-e 's/size: { type: integer }/&\n              color: { type: string, enum: [red, blue] }/' widget.yaml >lean.yaml
run 0 vendor crd lean.yaml
program 'size = 3, color = "red"'
run 0 check job.tj; silent err
program 'size = 3, color = "green"'
run 1 check job.tj; says err "'color' cannot be 'green' [TJ0904]"; says err "it is one of red, blue"
program 'size = 3.5'
run 1 check job.tj; says err "found a number with a fraction [TJ0904]"
run 0 vendor crd widget.yaml

# a refused definition leaves the file unchanged
printf 'kind: ConfigMap\n' >other.yaml
printf 'kind: CustomResourceDefinition\nmetadata: { name: x.y }\nspec: { group: y }\n' >half.yaml
printf 'a: [\n' >broken.yaml
run 1 vendor crd other.yaml; says err "'other.yaml' holds no CustomResourceDefinition"
run 1 vendor crd half.yaml; says err "half.yaml:1:1: a CustomResourceDefinition needs 'spec.group' and 'spec.names.kind'"
run 1 vendor crd broken.yaml; says err "broken.yaml:"
run 1 vendor crd missing.yaml; says err "cannot read 'missing.yaml': no such file"
run 1 vendor crd widget.yaml half.yaml
run 2 vendor widget.yaml; says err "trainc vendor crd FILE"
same before crds.tbl
printf 'nonsense\n' >crds.tbl
program 'size = 3'
run 1 check job.tj; says err "the project's kinds cannot be read: line 1: 'nonsense' is not a line of a schema"; says err "trainc vendor crd FILE"

# ---- packages ----
mkdir -p packages/lab/own/sub packages/lab/low packages/none
cd packages
run 1 vendor; says err "project.tj names no packages"; silent out
cd lab
printf 'project { packages { own = "own", low = "low" } }\n' >project.tj
printf 'let size: memory = 1Gi\n' >own/sizes.tj
printf 'let more = 2\n' >own/sub/more.tj
printf 'let less = 1\n' >low/less.tj
printf 'import own.sizes\nimport low.less\njob "a" {\n  role r { image = "registry.example.com/a:1", memory = sizes.size, cpu = 1, replicas = less.less }\n}\n' >job.tj
run 1 check job.tj; says err "package 'own' is not locked [TJ0214]"
run 0 vendor; silent err; cp .out ../first 2>/dev/null || cp "$work/.out" ../first
holds test "$(cut -d' ' -f1 ../first | tr '\n' ' ')" = "low own "
holds grep -qE '^own sha256:[0-9a-f]{64}$' trainc.lock
run 0 check job.tj; silent err
printf 'let more = 3\n' >own/sub/more.tj
run 1 check job.tj; says err "package 'own' does not match 'trainc.lock' [TJ0214]"; says err "run 'trainc vendor'"
cd own
run 0 vendor; silent err
cd ..
run 0 check job.tj; silent err
cp trainc.lock before
rm low/less.tj
run 1 vendor; says err "package 'low' in 'low' was not locked: it holds no .tj file"; same before trainc.lock
printf 'project { packages { out = "../none" } }\n' >project.tj
run 1 vendor; says err "'../none' is outside the project [TJ0210]"; same before trainc.lock
printf 'project { packages {\n' >project.tj
run 1 vendor; says err "project.tj:"; same before trainc.lock
# more types than the table can number
awk 'BEGIN { print "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: wides.example.com}\nspec:"
	print "  group: example.com\n  names: {kind: Wide, plural: wides}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true"
	print "    schema:\n      openAPIV3Schema:\n        type: object\n        properties:"
	for (i = 0; i < 66000; i++) printf "          p%d: {type: object, properties: {f%d: {type: string}}}\n", i, i }' >wide.yaml
run 1 vendor crd wide.yaml; says err "66001 types are more than 65535"
end
