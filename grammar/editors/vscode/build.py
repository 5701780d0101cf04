#!/usr/bin/env python3
"""build.py DIRECTORY MODULE OUTPUT - builds the extension of VS Code; the same sources give the same bytes.

DIRECTORY has the packages of node/package-lock.json (esbuild and the language client); MODULE is trainc.wasm.
"""
import json
import os
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="json" ContentType="application/json"/>\
<Default Extension="vsixmanifest" ContentType="text/xml"/><Default Extension="js" ContentType="application/javascript"/>\
<Default Extension="wasm" ContentType="application/wasm"/><Default Extension="md" ContentType="text/markdown"/>\
<Default Extension="txt" ContentType="text/plain"/></Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/><DisplayName>{displayName}</DisplayName>
<Description xml:space="preserve">{description}</Description><Categories>{categories}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace,web"/></Properties>
<License>extension/LICENSE.txt</License></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
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


def main():
    directory, module, output = sys.argv[1:]
    editors = os.path.dirname(HERE)
    about = json.loads(read(HERE + "/package.json"))
    manifest = MANIFEST.format(engine=about["engines"]["vscode"], **{k: about[k] for k in ("name", "version", "publisher", "displayName", "description")},
                               categories=",".join(about["categories"]))
    files = {
        "[Content_Types].xml": TYPES.encode(), "extension.vsixmanifest": manifest.encode(),
        "extension/package.json": read(HERE + "/package.json"), "extension/README.md": read(HERE + "/README.md"),
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
