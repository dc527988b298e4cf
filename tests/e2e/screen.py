#!/usr/bin/env python3
"""Run a program on a terminal, press keys, look at the screen.

    screen.py ROWS COLUMNS STEP... -- COMMAND...

Steps, in order, each within ten seconds:
    see:TEXT     until the screen holds TEXT
    gone:TEXT    until it does not
    keys:TEXT    press them; \\e is Escape
    size:RxC     another size
    signal:NAME  to the program: INT, TERM, TSTP, CONT, ...
    save:FILE    write the screen there
    end:CODE     until the program has ended with CODE

Then the terminal must be as it was: settings, cursor, first screen; and on the
second screen nothing may have scrolled.  Prints one line a step; the exit code says whether all went well.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ESCAPE = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])")
SECONDS = 10


class Screen:
    """As much of a terminal as plain ANSI needs; what it does not know is an error."""

    def __init__(self, rows, columns):
        self.pending = b""
        self.cursor_shown = True
        self.second = False
        self.overflows = 0
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def feed(self, data):
        data = self.pending + data
        at = 0
        while at < len(data):
            if data[at] == 0x1B:
                match = ESCAPE.match(data, at)
                if not match:
                    if len(data) - at > 32:
                        raise ValueError("escape %r" % data[at:at + 16])
                    break
                self.escape(match.group(1).decode(), match.group(2).decode())
                at = match.end()
                continue
            size = 1 if data[at] < 0xC0 else 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
            if at + size > len(data):
                break
            self.put(data[at:at + size].decode("utf-8", "replace"))
            at += size
        self.pending = data[at:]

    def put(self, char):
        if char in "\a\0":
            return
        if char == "\b":
            self.x -= self.x > 0
        elif char == "\r":
            self.x = 0
        elif char == "\n":
            self.y += 1
            if self.y == self.rows:
                self.overflows += self.second
                self.y -= 1
                self.cells = self.cells[1:] + [[" "] * self.columns]
        elif self.x < self.columns:
            self.cells[self.y][self.x] = char
            self.x += 1
        else:
            self.overflows += self.second

    def escape(self, numbers, letter):
        if numbers in ("?25", "?1049") and letter in "hl":
            if numbers == "?25":
                self.cursor_shown = letter == "h"
            else:
                self.second = letter == "h"
        elif (numbers, letter) in (("", "H"), ("2", "J"), ("", "J"), ("", "K")):
            if letter == "H":
                self.y = self.x = 0
            if letter in "JK":
                self.cells[self.y][self.x:] = [" "] * (self.columns - self.x)
            if letter == "J":
                for row in range(0 if numbers else self.y + 1, self.rows):
                    self.cells[row] = [" "] * self.columns
        elif letter != "m" and numbers not in ("?2026", "?2004"):
            raise ValueError("escape %s%s" % (numbers, letter))


class Program:
    def __init__(self, rows, columns, command):
        self.screen = Screen(rows, columns)
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execvp(command[0], command)
        os.waitpid(self.pid, os.WUNTRACED)
        self.before = termios.tcgetattr(self.fd)
        os.kill(self.pid, signal.SIGCONT)

    def read(self, seconds):
        """Take what is printed; False once it has ended."""
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            self.screen.feed(data)
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is None

    def until(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                return False
            if not self.read(0.1) and not condition():
                self.read(0.1)
                return condition()
        return True

    def step(self, name, value):
        if name == "see":
            return self.until(lambda: value in self.screen.text())
        if name == "gone":
            return self.until(lambda: value not in self.screen.text())
        if name == "keys":
            os.write(self.fd, value.replace("\\e", "\x1b").encode())
        elif name == "size":
            rows, columns = (int(n) for n in value.split("x"))
            self.screen.resize(rows, columns)
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        elif name == "signal":
            os.kill(self.pid, getattr(signal, "SIG" + value))
        elif name == "save":
            with open(value, "w") as out:
                out.write(self.screen.text() + "\n")
        elif name == "end":
            return self.until(lambda: self.status is not None) and self.status == int(value)
        else:
            raise ValueError(name)
        return True


def main():
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    split = sys.argv.index("--")
    program = Program(rows, columns, sys.argv[split + 1:])
    good = True
    for step in sys.argv[3:split]:
        name, _, value = step.partition(":")
        good = program.step(name, value)
        print("%s %s" % ("did" if good else "DID NOT", step))
        if not good:
            print(program.screen.text())
            break
    if program.status is None:
        os.kill(program.pid, signal.SIGKILL)
        os.waitpid(program.pid, 0)
        good = False
        print("DID NOT end")
    for what, holds in (
        ("the settings are as before", termios.tcgetattr(program.fd) == program.before),
        ("the cursor is shown", program.screen.cursor_shown),
        ("the first screen is back", not program.screen.second),
        ("no line was too long, nothing scrolled", program.screen.overflows == 0),
    ):
        if not holds:
            print("NOT SO: " + what)
            good = False
    return 0 if good else 1


sys.exit(main())
