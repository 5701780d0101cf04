"""Did a server keep what it was sent?  It may add defaults and its own metadata; what was sent must be present with
the same meaning.  Lists keep their order, or are matched by the name of their elements if the server added some."""

import base64
import re
from decimal import Decimal

# Where Kubernetes expects a quantity and may write it in another form.
QUANTITIES = {"requests", "limits", "capacity", "allocatable", "hard", "default", "defaultRequest", "min", "max"}
QUANTITY = {"sizeLimit", "divisor", "storage"}

SUFFIX = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def quantity(text):
    """The amount of a quantity; None if it is not one."""
    match = re.fullmatch(r"([+-]?[0-9]*\.?[0-9]+|[+-]?[0-9]+\.)([eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE]?)", str(text))
    if not match:
        return None
    number, suffix = Decimal(match[1]), match[2]
    if suffix in SUFFIX:
        return number.scaleb(SUFFIX[suffix])
    if suffix in BINARY:
        return number * 2 ** BINARY[suffix]
    return number.scaleb(int(suffix[1:]))


def brief(value):
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."


def differences(sent, kept, path="", is_quantity=False):
    """One line of text for each value that was sent but not kept."""
    if is_quantity and not isinstance(sent, (dict, list)):
        amount = quantity(sent)
        if amount is not None and amount == quantity(kept):
            return []
    elif isinstance(sent, dict) and isinstance(kept, dict):
        return of_maps(sent, kept, path, is_quantity)
    elif isinstance(sent, list) and isinstance(kept, list):
        return of_lists(sent, kept, path)
    elif type(sent) is type(kept) and sent == kept:
        return []
    return [f"{path or '.'}: sent {brief(sent)}, kept {brief(kept)}"]


def of_maps(sent, kept, path, all_quantities):
    found = []
    for key, value in sent.items():
        here = f"{path}.{key}"
        if key == "stringData" and path == "":  # a field of a Secret that is write-only
            for name, text in value.items():
                code = base64.b64encode(text.encode()).decode()
                found += differences(code, kept.get("data", {}).get(name), f".data.{name}")
        elif key == "value" and value == "" and key not in kept:
            pass  # of an environment variable: an empty value is its default
        elif key == "readOnly" and value is False and key not in kept:
            pass  # false is not stored
        elif value in ([], {}) and key not in kept:
            pass  # an empty list or map is not stored
        elif key not in kept:
            found.append(f"{here}: sent {brief(value)}, not kept")
        else:
            inner = key in QUANTITIES and isinstance(value, dict)
            found += differences(value, kept[key], here, all_quantities or inner or key in QUANTITY)
    return found


def of_lists(sent, kept, path):
    pairs = list(zip(range(len(sent)), sent, kept))
    if len(sent) != len(kept):
        by_name = {item["name"]: item for item in kept if isinstance(item, dict) and "name" in item}
        names = [item.get("name") for item in sent if isinstance(item, dict)]
        if len(names) != len(sent) or len(by_name) != len(kept) or not set(names) <= set(by_name):
            return [f"{path}: sent {len(sent)} elements, kept {len(kept)}"]
        pairs = [(name, item, by_name[name]) for name, item in zip(names, sent)]
    return [line for i, one, other in pairs for line in differences(one, other, f"{path}[{i}]")]
