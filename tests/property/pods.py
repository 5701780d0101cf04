"""What a container sees, computed from emitted objects as the kubelet does.

The compiler promises that every replica gets the same environment whether its role is one indexed Job or one Job per
replica, and that `trainc env` prints exactly that.  This module computes the environment of replica i from the objects
alone; it shares no code with the compiler. """

import copy

INDEX_ANNOTATION = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def expand(text, known):
    """Kubernetes' $(NAME) expansion: $$ is $, an unknown name stays unchanged."""
    out, i = [], 0
    while i < len(text):
        if text[i] != "$" or i + 1 == len(text):
            out.append(text[i])
            i += 1
        elif text[i + 1] == "$":
            out.append("$")
            i += 2
        elif text[i + 1] == "(" and ")" in text[i + 2:]:
            end = text.index(")", i + 2)
            name = text[i + 2:end]
            out.append(known.get(name, "$(%s)" % name))
            i = end + 1
        else:
            out.append(text[i:i + 2])
            i += 2
    return "".join(out)


def of_objects(container, maps):
    """The variables of whole objects, of those that are there; later ones replace earlier ones, and `env` all."""
    found, own = {}, {e["name"] for e in container.get("env", [])}
    for source in container.get("envFrom", []):
        ref = source.get("configMapRef") or source["secretRef"]
        for key, value in maps.get(("Secret/" if "secretRef" in source else "") + ref["name"], {}).items():
            name = source.get("prefix", "") + key
            found.pop(name, None)
            found[name] = value
    return {name: value for name, value in found.items() if name not in own}


def environment(container, index, maps={}):
    """Ordered list of (name, value); values that only the pod knows are <path>, references are tuples."""
    whole, known = of_objects(container, maps), {}
    result = list(whole.items())
    for entry in container.get("env", []):
        name, source = entry["name"], entry.get("valueFrom")
        if source is None:
            value = expand(entry.get("value", ""), known)
            known[name] = value
        elif "fieldRef" in source:
            path = source["fieldRef"]["fieldPath"]
            value = str(index) if path == INDEX_ANNOTATION else "<%s>" % path
            known[name] = value
        else:
            kind = next(iter(source))
            value = (kind, source[kind]["name"], source[kind]["key"])
        result.append((name, value))
    return dict(whole, **known), result


def view(container, index, maps={}):
    """The final environment without the compiler's own variables, command and arguments."""
    known, env = environment(container, index, maps)
    return {
        "env": [(n, v) for n, v in env if not n.startswith("TRAINC_")],
        "command": [expand(t, known) for t in container.get("command", [])],
        "args": [expand(t, known) for t in container.get("args", [])],
        "image": container.get("image"),
        "ports": container.get("ports", []),
    }


def files(pod, container, index, maps):
    """Contents of generated files by path, following projected volumes and ConfigMaps."""
    known, _ = environment(container, index)
    volumes = {v["name"]: v for v in pod.get("volumes", [])}
    result = {}
    for mount in container.get("volumeMounts", []):
        volume = volumes[mount["name"]]
        names = [s["configMap"]["name"] for s in volume.get("projected", {}).get("sources", []) if "configMap" in s]
        key = mount.get("subPath") or (expand(mount["subPathExpr"], known) if "subPathExpr" in mount else None)
        for name in names:
            if key in maps.get(name, {}):
                result[mount["mountPath"]] = maps[name][key]
    return result


def jobs_of(o):
    """The Jobs that a set's controller creates: it sets names and subdomain."""
    spec = o["spec"]["template"]["spec"] if o["kind"] == "TrainingRuntime" else o["spec"]
    for replicated in spec["replicatedJobs"]:
        metadata = dict(replicated["template"]["metadata"], name="%s-%s-0" % (o["metadata"]["name"], replicated["name"]))
        job = copy.deepcopy(replicated["template"]["spec"])
        if spec["network"]["enableDNSHostnames"]:
            job["template"]["spec"]["subdomain"] = o["metadata"]["name"]
        yield {"kind": "Job", "metadata": metadata, "spec": job}


def replicas(objects):
    """(job, role, index) -> (host, pod spec, ConfigMaps) of every replica that Jobs create, or that is a Pod."""
    maps = {o["metadata"]["name"]: o.get("data", {}) for o in objects if o["kind"] == "ConfigMap"}
    maps.update({"Secret/" + o["metadata"]["name"]: o.get("stringData", {}) for o in objects if o["kind"] == "Secret"})
    result = {}
    objects = objects + [job for o in objects if o["kind"] in ("JobSet", "TrainingRuntime") for job in jobs_of(o)]
    for o in objects:
        labels = o["metadata"].get("labels", {})
        if o["kind"] == "Pod":
            host = o["spec"].get("hostname", o["metadata"]["name"])
            result[(labels["trainc.dev/job"], labels["trainc.dev/role"], int(labels["trainc.dev/index"]))] = (host, o["spec"], maps)
        if o["kind"] != "Job" or o.get("apiVersion", "batch/v1") != "batch/v1":
            continue
        template = o["spec"]["template"]
        labels = template["metadata"]["labels"]
        job, role = labels["trainc.dev/job"], labels.get("trainc.dev/role")
        if role is None:
            continue
        spec = template["spec"]
        if o["spec"].get("completionMode") == "Indexed":
            for i in range(o["spec"]["completions"]):
                host = "%s-%d" % (o["metadata"]["name"], i)
                result[(job, role, int(labels.get("trainc.dev/index", i)))] = (host, spec, maps)
        else:
            i = int(labels["trainc.dev/index"])
            result[(job, role, i)] = (spec.get("hostname"), spec, maps)
    return result
