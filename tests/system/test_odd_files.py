# SPDX-License-Identifier: BSD-3-Clause
"""What may stand in a data directory by mistake: check and a start say the same of each, a start that refuses changes
nothing, and recover makes of it a directory that is whole and starts, or says why it cannot."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from support import DIR, Server, SystemTest, UnixSession, edit, entry, get_config, top, wait_for

YARED = os.environ.get("YARE_SYSTEM_YARED", "")
YARE = os.path.join(os.path.dirname(YARED), "yare")
NOBODY = 65534
WHOLE, DAMAGED, UNREADABLE = 0, 1, 2  # exit codes of check

FIRST = "journal.00000001"
ONE = "snapshot.00000000000000000001"


def folder(name):
    return lambda data: os.mkdir(os.path.join(data, name))


def pipe(name):
    return lambda data: os.mkfifo(os.path.join(data, name))


def link(name, to):
    return lambda data: os.symlink(to, os.path.join(data, name))


def copy(name, to):
    return lambda data: shutil.copy(os.path.join(data, name), os.path.join(data, to))


def text(name, content="x"):
    def write(data):
        with open(os.path.join(data, name), "w") as stream:
            stream.write(content)
    return write


def unlinked(name, make):
    """The file itself is replaced by something else."""
    def replace(data):
        os.unlink(os.path.join(data, name))
        make(name)(data)
    return replace


def moved(name):
    """The file is elsewhere, and a link leads there: as good as a file."""
    def move(data):
        os.rename(os.path.join(data, name), os.path.join(data, "elsewhere"))
        os.symlink("elsewhere", os.path.join(data, name))
    return move


def loop(name):
    return link(name, name)


def many(*makes):
    def make_all(data):
        for make in makes:
            make(data)
    return make_all


# What it is, how it is made, what check says, what is kept by recover (None: nothing is to recover).
CASES = [
    ("names that nobody uses", many(text("notes"), folder("backup"), pipe("pipe"), loop("loop"), text("journal"),
                                    text("journal.1"), text("journal.00000002.old"), text("snapshot.0000000x"),
                                    folder("lost+found"), folder("old.tmp"), text("journal.00000000")), WHOLE),
    ("leftovers", many(text("x.tmp"), text("journal.tmp"), text("history.tmp"), pipe("pipe.tmp"), loop("loop.tmp")), WHOLE),
    ("a link to a segment", moved(FIRST), WHOLE),
    ("a link to a snapshot", moved(ONE), WHOLE),
    ("another name of a segment", copy(FIRST, "journal.000000001"), DAMAGED),
    ("another name of a snapshot", copy(ONE, "snapshot.00000001"), DAMAGED),
    ("a segment of another number", copy(FIRST, "journal.00000007"), DAMAGED),
    ("a folder as a segment", folder("journal.00000002"), DAMAGED),
    ("a pipe as a segment", pipe("journal.00000002"), DAMAGED),
    ("a loop as a segment", loop("journal.00000002"), DAMAGED),
    ("a link to nothing as a segment", link("journal.00000002", "nothing"), DAMAGED),
    ("a link to a folder as a segment", link("journal.00000002", "."), DAMAGED),
    ("a device as a segment", link("journal.00000002", "/dev/zero"), DAMAGED),
    ("an empty segment", text("journal.00000002", ""), DAMAGED),
    ("a folder as a snapshot", folder("snapshot.00000000000000000002"), DAMAGED),
    ("a pipe as a snapshot", pipe("snapshot.00000000000000000002"), DAMAGED),
    ("a loop as a snapshot", loop("snapshot.00000000000000000002"), DAMAGED),
    ("a folder as history", unlinked("history", folder), DAMAGED),
    ("a pipe as history", unlinked("history", pipe), DAMAGED),
    ("a loop as history", unlinked("history", loop), DAMAGED),
    ("a folder as txids", unlinked("txids", folder), DAMAGED),
    ("a pipe as txids", unlinked("txids", pipe), DAMAGED),
    ("a loop as txids", unlinked("txids", loop), DAMAGED),
    ("a folder where the journal writes", folder("journal.tmp"), DAMAGED),
    ("a folder where snapshots are written", folder("snapshot.tmp"), DAMAGED),
    ("a folder where labels are written", folder("history.tmp"), DAMAGED),
    ("a folder where ids are written", folder("txids.tmp"), DAMAGED),
    ("a folder where the next segment is made", folder("spare.tmp"), DAMAGED),
    ("recovering", text("recovering"), DAMAGED),
]
# There recover has no lock to take, or nothing that it can take back.
BEYOND_RECOVERY = [
    ("a folder as lock", unlinked("lock", folder), DAMAGED),
    ("a pipe as lock", unlinked("lock", pipe), DAMAGED),
    ("a loop as lock", unlinked("lock", loop), DAMAGED),
    ("a folder as recovering", folder("recovering"), DAMAGED),
]


def tree(data):
    """All there is, but for the lock, which a start makes."""
    found = {}
    for name in sorted(os.listdir(data)):
        where = os.path.join(data, name)
        content = None
        if os.path.isfile(where) and name != "lock":
            with open(where, "rb") as stream:
                content = stream.read()
        found[name] = (os.lstat(where).st_mode, content)
    return found


class OddFilesTest(SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own = tempfile.mkdtemp()  # where others may look
        os.chmod(cls.own, 0o755)
        cls.good = os.path.join(cls.own, "good")
        server = Server.start("--data-dir", cls.good, "--durability", "full", "--segment-size", "65536")
        with UnixSession(server) as session:
            for i in range(3):
                session.ok(edit(top(entry("e%d" % i))))
            cls.expected = session.rpc(get_config()).partition("<data>")[2]
        server.stop()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.own)

    def check(self, data, user=None):
        done = subprocess.run([YARE, "check", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                              user=user)
        return done.returncode, done.stdout.decode()

    def starts(self, data, user=None):
        """Whether a start succeeds; then what is there is what was there."""
        own = tempfile.mkdtemp(dir=self.own)
        os.chmod(own, 0o777)
        path = os.path.join(own, "socket")
        log = os.path.join(own, "log")
        with open(log, "wb") as stream:
            process = subprocess.Popen([YARED, "--yang-dir", os.environ["YARE_SYSTEM_YANG"], "--module", "perf-test",
                                        "--data-dir", data, "--listen-unix", path], stderr=stream, user=user)
        def said():
            with open(log) as stream:
                return stream.read()
        wait_for(lambda: " info ready" in said() or process.poll() is not None, 30, 0.02)
        server = Server(process.pid, 0, path, process, log)
        self.addCleanup(self.end, server)
        if process.poll() is not None:
            self.assertNotRegex(said(), "Sanitizer|runtime error:|assertion")
            self.assertNotEqual(0, process.returncode)
            return False, said()
        with UnixSession(server) as session:
            self.assertEqual(self.expected, session.rpc(get_config()).partition("<data>")[2])
        self.assertEqual(0, server.stop())
        return True, said()

    def copy_of_good(self):
        around = tempfile.mkdtemp(dir=self.own)
        os.chmod(around, 0o755)
        data = os.path.join(around, "data")
        shutil.copytree(self.good, data)
        return data

    def compare(self, make, expected):
        data = self.copy_of_good()
        make(data)
        before = tree(data)
        code, out = self.check(data)
        self.assertEqual(expected, code, out)
        self.assertEqual(before, tree(data))
        started, log = self.starts(data)
        self.assertEqual(code == WHOLE, started, out + log)
        if not started:
            self.assertEqual(before, tree(data))
        return data

    def test_check_and_a_start_agree(self):
        for what, make, expected in CASES:
            with self.subTest(what):
                data = self.compare(make, expected)
                if expected == WHOLE:
                    continue
                done = subprocess.run([YARE, "recover", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
                if what == "recovering":
                    self.assertNotEqual(0, done.returncode)  # it is none of recover's own
                    continue
                self.assertEqual(0, done.returncode, done.stdout.decode())
                self.assertEqual(WHOLE, self.check(data)[0])
                self.assertTrue(self.starts(data)[0])

    def test_beyond_recovery(self):
        for what, make, expected in BEYOND_RECOVERY:
            with self.subTest(what):
                data = self.compare(make, expected)
                before = tree(data)
                done = subprocess.run([YARE, "recover", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
                self.assertNotEqual(0, done.returncode, done.stdout.decode())
                self.assertEqual(before, tree(data))

    @unittest.skipUnless(os.getuid() == 0, "only root can make files that others cannot read")
    def test_what_cannot_be_read(self):
        for name in (FIRST, ONE, "txids", "lock", "."):
            with self.subTest(name):
                data = self.copy_of_good()
                for where in [data] + [os.path.join(data, each) for each in os.listdir(data)]:
                    os.chown(where, NOBODY, NOBODY)
                self.assertTrue(self.starts(data, NOBODY)[0])
                os.chown(os.path.join(data, name), 0, 0)
                os.chmod(os.path.join(data, name), 0o700)
                code, out = self.check(data, NOBODY)
                started, log = self.starts(data, NOBODY)
                self.assertEqual((UNREADABLE, False), (code, started), out + log)
                self.assertIn("Permission denied", log)

    def test_a_hole_of_a_terabyte(self):
        data = self.copy_of_good()
        try:
            os.truncate(os.path.join(data, FIRST), 1 << 40)
        except OSError as error:
            self.skipTest(str(error))
        self.assertEqual(WHOLE, self.check(data)[0])
        self.assertTrue(self.starts(data)[0])
        with open(os.path.join(data, FIRST), "r+b") as stream:  # a torn record far behind
            stream.seek(900 << 30)
            stream.write(b"x")
        code, out = self.check(data)
        self.assertEqual(WHOLE, code)
        self.assertRegex(out, "tail")
        self.assertTrue(self.starts(data)[0])
        self.assertLess(os.path.getsize(os.path.join(data, FIRST)), 1 << 30)
        with open(os.path.join(data, FIRST), "r+b") as stream:
            stream.seek(150)
            stream.write(b"\xff\xff")
        os.truncate(os.path.join(data, FIRST), 1 << 40)
        self.assertEqual(DAMAGED, self.check(data)[0])
        started, log = self.starts(data)
        self.assertFalse(started)
        self.assertTrue(re.search(FIRST + ": damaged at offset", log), log)


if __name__ == "__main__":
    unittest.main()
