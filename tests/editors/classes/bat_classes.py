"""bat_classes.py LIST EDITORS BAT - the classes that the Sublime syntax gives, as bat shows them: FILE.bat for each
file of the list.

The theme has a color for each class: the last digit of its red component is the index of the class in LETTERS.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LETTERS = "-csnko"
SCOPES = (("comment", "c"), ("string, constant.character", "s"), ("constant.numeric", "n"), ("keyword, constant.language", "k"), ("keyword.operator", "o"),
          ("meta.interpolation, punctuation.section.interpolation, variable, support, punctuation, source.tj meta.interpolation", "-"))
RULE = "<dict><key>scope</key><string>%s</string><key>settings</key><dict><key>foreground</key><string>#%06x</string></dict></dict>"
THEME = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>name</key><string>classes</string><key>settings</key><array>
<dict><key>settings</key><dict><key>foreground</key><string>#000000</string></dict></dict>%s</array></dict></plist>
"""


def classes(shown):
    """The letter of each character of bat's output."""
    out, letter = "", "-"
    for color, code, text in re.findall(r"\x1b\[(?:38;2;(\d+);\d+;\d+|([0-9;]*))m|([^\x1b]+)", shown):
        if text:
            out += "".join("\n" if c == "\n" else letter for c in text)
        else:
            letter = LETTERS[int(color)] if color else "-"
    return out


def main():
    listed, editors, bat = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        os.makedirs(work + "/syntaxes")
        os.makedirs(work + "/themes")
        shutil.copy(editors + "/sublime/tj.sublime-syntax", work + "/syntaxes")
        with open(work + "/themes/classes.tmTheme", "w") as f:
            f.write(THEME % "".join(RULE % (scope, LETTERS.index(letter) << 16) for scope, letter in SCOPES))
        environment = dict(os.environ, BAT_CACHE_PATH=work + "/cache", BAT_CONFIG_DIR=work, COLORTERM="truecolor", NO_COLOR="")
        environment.pop("NO_COLOR")
        subprocess.run([bat, "cache", "--build", "--source", work, "--target", work + "/cache"], env=environment, check=True, stdout=subprocess.DEVNULL)
        with open(listed, encoding="utf-8") as f:
            entries = [line.rstrip("\n").split("\t") for line in f]
        for source, target in entries:
            shown = subprocess.run([bat, "--no-config", "--color=always", "--style=plain", "--paging=never", "--tabs=0", "--wrap=never", "--theme=classes",
                                    "--language=tj", source], env=environment, check=True, capture_output=True, text=True).stdout
            with open(target + ".bat", "w", encoding="utf-8") as f:
                f.write(classes(shown))


main()
