"""A terminal in memory: only the features that the live table and its neighbors use."""
import re
import unicodedata


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [""]               # everything that was ever shown; the last `rows` are on the screen
        self.row = self.column = 0      # row: in `lines`
        self.wrapped = self.unknown = 0
        self.kept = ""

    def top(self):
        return max(0, len(self.lines) - self.rows)

    def put(self, c):
        if self.column >= self.columns:
            self.wrapped += 1
            self.newline()
            self.column = 0
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + c + line[self.column + 1:]
        self.column += 2 if unicodedata.east_asian_width(c) in "WF" else 1

    def newline(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def control(self, parameters, final):
        n = int(parameters or 1) if parameters.isdigit() or not parameters else 1
        if final == "A":
            self.row = max(self.top(), self.row - n)
        elif final == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif final == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif final != "m":
            self.unknown += 1

    def feed(self, text):
        text = self.kept + text
        self.kept = ""
        i = 0
        while i < len(text):
            c = text[i]
            if c == "\x1b":
                m = re.match(r"\x1b\[([0-9;?]*)([A-Za-z])", text[i:])
                if not m:
                    if len(text) - i < 16:
                        self.kept = text[i:]
                        return
                    self.unknown += 1
                    i += 1
                    continue
                self.control(*m.groups())
                i += m.end()
                continue
            i += 1
            if c == "\r":
                self.column = 0
            elif c == "\n":
                self.newline()
                self.column = 0     # the terminal driver writes \r\n
            elif c >= " ":
                self.put(c)
            else:
                self.unknown += 1

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)
