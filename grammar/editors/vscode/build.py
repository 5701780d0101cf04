#!/usr/bin/env python3
"""build.py DIRECTORY MODULE OUTPUT - builds the extension of VS Code; the same sources give the same bytes.

DIRECTORY has the packages of node/package-lock.json (esbuild and the language client); MODULE is trainc.wasm. HOMEPAGE,
if it is set, is the address of the project that the extension names.
"""
import json
import os
import re
import struct
import subprocess
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="json" ContentType="application/json"/>\
<Default Extension="vsixmanifest" ContentType="text/xml"/><Default Extension="js" ContentType="application/javascript"/>\
<Default Extension="wasm" ContentType="application/wasm"/><Default Extension="md" ContentType="text/markdown"/>\
<Default Extension="txt" ContentType="text/plain"/><Default Extension="png" ContentType="image/png"/></Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/><DisplayName>{displayName}</DisplayName>
<Description xml:space="preserve">{description}</Description><Categories>{categories}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace,web"/></Properties>
<License>extension/LICENSE.txt</License><Icon>extension/icon.png</Icon></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Changelog" Path="extension/CHANGELOG.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/></Assets>
</PackageManifest>
"""


def read(path):
    with open(path, "rb") as f:
        return f.read()


def bundle(directory, kind):
    """One script with the client library in it; 'vscode' is there when it runs."""
    platform = "node" if kind == "node" else "browser"
    return subprocess.run([directory + "/node_modules/.bin/esbuild", "%s/client-%s.js" % (HERE, kind), "--bundle", "--minify", "--format=cjs",
                           "--platform=" + platform, "--external:vscode", "--legal-comments=inline", "--log-level=warning", "--target=es2021"],
                          check=True, stdout=subprocess.PIPE, env=dict(os.environ, NODE_PATH=os.path.abspath(directory) + "/node_modules")).stdout


def icon(size):
    """The icon of the site, which consists of circles, as a PNG with a transparent background."""
    text = read(ROOT + "/docs/site/icon.svg").decode()
    whole = float(re.search(r'viewBox="0 0 (\d+) \d+"', text).group(1))
    color = bytes.fromhex(re.search('fill="#([0-9a-f]{6})"', text).group(1))
    scale, rows = size / whole, bytearray()
    circles = [[float(n) * scale for n in c] for c in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/>', text)]
    for y in range(size):
        rows.append(0)                                     # no filter
        for x in range(size):
            inside = max(r - ((x + 0.5 - cx) ** 2 + (y + 0.5 - cy) ** 2) ** 0.5 for cx, cy, r in circles)
            rows += color + bytes([round(255 * min(1, max(0, inside + 0.5)))])

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def bundled(directory):
    """The packages of npm that are in the scripts, with the texts of their licences."""
    with open(HERE + "/node/package-lock.json", encoding="utf-8") as f:
        locked = json.load(f)["packages"]
    text = "The scripts of this extension contain these packages:\n"
    for path in sorted(p for p in locked if p and "esbuild" not in p):
        here = os.path.join(directory, path)
        licence = [n for n in sorted(os.listdir(here)) if re.match("licen[cs]e", n, re.I)]
        text += "\n==== %s %s (%s)\n\n" % (path.split("node_modules/")[-1], locked[path]["version"], locked[path]["license"])
        text += read(os.path.join(here, licence[0])).decode()
    return text.encode()


def described():
    """The manifest, with the address of the project if there is one."""
    about = json.loads(read(HERE + "/package.json"))
    home = os.environ.get("HOMEPAGE")
    if home:
        about.update(homepage=home, bugs={"url": home}, repository={"type": "git", "url": home})
    return about


def main():
    directory, module, output = sys.argv[1:]
    editors = os.path.dirname(HERE)
    about = described()
    manifest = MANIFEST.format(engine=about["engines"]["vscode"], **{k: about[k] for k in ("name", "version", "publisher", "displayName", "description")},
                               categories=",".join(about["categories"]))
    files = {
        "[Content_Types].xml": TYPES.encode(), "extension.vsixmanifest": manifest.encode(),
        "extension/package.json": json.dumps(about, indent=2).encode(), "extension/README.md": read(HERE + "/README.md"),
        "extension/icon.png": icon(128), "extension/CHANGELOG.md": read(ROOT + "/CHANGELOG.md"),
        "extension/THIRD-PARTY.txt": bundled(directory),
        "extension/LICENSE.txt": read(ROOT + "/LICENSE"), "extension/trainc.wasm": read(module),
        "extension/language-configuration.json": read(editors + "/language-configuration.json"),
        "extension/snippets.json": read(editors + "/snippets.json"),
        "extension/tj.tmLanguage.json": read(editors + "/textmate/tj.tmLanguage.json"),
        "extension/node.js": bundle(directory, "node"), "extension/web.js": bundle(directory, "web"),
    }
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in sorted(files, key=lambda n: (n.startswith("extension/"), n)):
            entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            out.writestr(entry, files[name])
    print("%s: %d KB" % (output, os.path.getsize(output) // 1024))


if __name__ == "__main__":
    main()
