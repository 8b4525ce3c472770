# SPDX-License-Identifier: BSD-3-Clause
"""The commands of yare about data directories, beside a server that writes and after one."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time

from support import DIR, Server, SystemTest, UnixSession, edit, entry, get_config, top

WRITERS = 4
SECONDS = float(os.environ.get("YARE_TOOLS_SECONDS", "4"))
YARE = os.path.join(os.path.dirname(os.environ.get("YARE_SYSTEM_YARED", "")), "yare")
MODULES = ("--yang-dir", os.environ.get("YARE_SYSTEM_YANG", ""), "--module", "perf-test")


def yare(*arguments):
    result = subprocess.run((YARE,) + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                            check=False)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class Writer(threading.Thread):
    """Gives two entries the same new value in one edit, again and again."""

    def __init__(self, server, number):
        super().__init__()
        self.server, self.number = server, number
        self.sent = self.acknowledged = 0
        self.problem = None
        self.stopping = False

    def run(self):
        try:
            with UnixSession(self.server) as session:
                while not self.stopping:
                    self.sent += 1
                    value = "t%d" % self.sent
                    name = "w%d" % self.number
                    session.ok(edit(top(entry(name + "-a", value) + entry(name + "-b", value))))
                    self.acknowledged = self.sent
        except Exception as problem:  # pylint: disable=broad-except
            self.problem = problem


def values_of(text):
    """Of an export: the two values of each writer."""
    found = dict(re.findall(r"<name>(w\d-[ab])</name><type>t(\d+)</type>", text))
    found.update(re.findall(r'"name":"(w\d-[ab])","type":"t(\d+)"', text))
    return [(int(found.get("w%d-a" % i, 0)), int(found.get("w%d-b" % i, 0))) for i in range(WRITERS)]


class DataDirTest(SystemTest):
    def start(self, data, *options):
        server = Server.start("--data-dir", data, "--durability", "full", *options)
        self.addCleanup(self.end, server)
        return server

    def run_yare(self, code, *arguments):
        got, out, err = yare(*arguments)
        self.assertEqual(got, code, "yare %s\n%s%s" % (" ".join(arguments), out[-3000:], err[-3000:]))
        return out, err

    @staticmethod
    def running(session):
        return session.rpc(get_config()).partition("<data>")[2]

    def data(self):
        return os.path.join(tempfile.mkdtemp(dir=DIR), "data")

    def look(self, data, form):
        self.run_yare(0, "check", data)
        self.run_yare(0, "journal", "--changes", data)
        return self.run_yare(0, "export", data, "--format", form, *MODULES)[0]

    def assert_existed(self, text, before, after):
        """All of one version, that was one between the two moments."""
        for number, (first, second) in enumerate(values_of(text)):
            self.assertEqual(first, second)
            self.assertGreaterEqual(first, before[number])
            self.assertLessEqual(first, after[number])

    def test_beside_a_server_that_writes(self):
        data = self.data()
        # Segments and snapshots come and go all the time.
        server = self.start(data, "--segment-size", "8192", "--snapshot-growth", "16384", "--snapshot-pace",
                            "0", "--history", "20")
        writers = [Writer(server, i) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        looks, seen, end = 0, set(), time.monotonic() + SECONDS
        try:
            while time.monotonic() < end or looks < 3:
                before = [writer.acknowledged for writer in writers]
                text = self.look(data, "json" if looks % 2 else "xml")
                self.assert_existed(text, before, [writer.sent for writer in writers])
                seen.add(re.search(r"version (\d+)", text).group(1))
                looks += 1
            _, err = self.run_yare(2, "recover", data)
            self.assertIn("a server uses this data directory", err)
            backup = os.path.join(os.path.dirname(data), "backup.xml")
            self.run_yare(0, "export", data, "--output", backup, *MODULES)
            for more in ((), ("--replace",)):
                _, err = self.run_yare(2, "import", data, backup, *MODULES, *more)
                self.assertIn("a server uses this data directory", err)
        finally:
            for writer in writers:
                writer.stopping = True
            for writer in writers:
                writer.join()
        for writer in writers:
            self.assertIsNone(writer.problem)
        self.assertGreater(len(seen), 1)
        first = re.search(r"^version (\d+)", self.run_yare(0, "journal", data)[0], re.MULTILINE).group(1)
        self.assertGreater(int(first), 2, "no segment was retired: the test is too short")
        self.kill(server)
        last = [writer.acknowledged for writer in writers]
        self.assert_existed(self.look(data, "xml"), last, last)
        print("\n%d looks at %d versions, %d acknowledged commits" % (looks, len(seen), sum(last)))

    def test_backup_and_restore(self):
        data, restored = self.data(), self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            session.ok(edit(top("".join(entry("n%d" % i, "é <%d>".replace("<", "&lt;") % i)
                                        for i in range(50)))))
            expected = self.running(session)
        for form in ("xml", "json"):
            with self.subTest(form=form):
                backup = os.path.join(os.path.dirname(data), "backup." + form)
                self.run_yare(0, "export", data, "--format", form, "--output", backup, *MODULES)
                self.run_yare(0, "import", restored + form, backup, *MODULES)
                other = self.start(restored + form)
                with UnixSession(other) as session:
                    self.assertEqual(self.running(session), expected)
                other.stop()
                # The same by yared itself.
                third = self.start(restored + form + "-init", "--init-file", backup)
                with UnixSession(third) as session:
                    self.assertEqual(self.running(session), expected)
                third.stop()
        server.stop()

    def test_import_is_an_ordinary_commit(self):
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            session.ok(edit(top(entry("old"))))
        server.stop()
        backup = os.path.join(os.path.dirname(data), "backup.xml")
        self.run_yare(0, "export", data, "--output", backup, "--version", "1", *MODULES)
        self.run_yare(0, "import", data, backup, "--replace", "--comment", "back to nothing", *MODULES)
        out, _ = self.run_yare(0, "journal", "--json", data)
        last = json.loads(out.splitlines()[-1])
        self.assertEqual((last["version"], last["comment"]), (3, "back to nothing"))
        server = self.start(data)
        with UnixSession(server) as session:
            self.assertNotIn("old", session.rpc(get_config()))

    def test_import_and_startup(self):
        data = self.data()
        server = self.start(data, "--startup", "separate")
        with UnixSession(server) as session:
            session.ok(edit(top(entry("old"))))
            session.ok("<copy-config><target><startup/></target><source><running/></source></copy-config>")
            session.ok(edit(top(entry("newer"))))
        server.stop()
        backup = os.path.join(os.path.dirname(data), "backup.xml")
        self.run_yare(0, "export", data, "--output", backup, *MODULES)
        self.assertIn("startup: a copy of running", self.run_yare(0, "journal", data)[0])
        self.run_yare(0, "import", data, backup, "--replace", *MODULES)
        server = self.start(data, "--startup", "separate")
        with UnixSession(server) as session:
            self.assertIn("newer", session.rpc(get_config()))
            self.assertIn("newer", session.rpc(get_config("startup")))
        server.stop()
        self.run_yare(0, "check", data, *MODULES)

    def test_pending_confirmed_commit(self):
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            session.ok(edit(top(entry("before"))))
            session.ok(edit(top(entry("pending")), target="candidate"))
            session.ok("<commit><confirmed/><persist>x</persist></commit>")
            self.kill(server)
        state = json.loads(self.run_yare(0, "check", "--json", data)[0])
        self.assertEqual((state["version"], state["fallback"]), (3, 2))
        out, err = self.run_yare(0, "export", data, *MODULES)
        self.assertIn("confirmed commit", err)
        self.assertIn("before", out)
        self.assertNotIn("pending", out)
        self.assertIn("pending", self.run_yare(0, "export", data, "--version", "3", *MODULES)[0])
        self.assertIn("back to 2", self.run_yare(0, "journal", data)[0])
        # An import goes back first, as a start does.
        backup = os.path.join(os.path.dirname(data), "backup.xml")
        self.run_yare(0, "export", data, "--output", backup, "--version", "3", *MODULES)
        self.run_yare(0, "import", data, backup, "--replace", *MODULES)
        server = self.start(data)
        with UnixSession(server) as session:
            self.assertIn("pending", session.rpc(get_config()))
            self.assertIn("operation-failed", session.rpc("<cancel-commit/>"))

    def test_torn_tail(self):
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            for i in range(5):
                session.ok(edit(top(entry("n%d" % i))))
            self.kill(server)
        out, _ = self.run_yare(0, "check", "--json", data)
        end = json.loads(out)["segments"][-1]["end"]
        with open(os.path.join(data, "journal.00000001"), "r+b") as stream:
            stream.seek(end - 3)
            stream.write(b"torn")
        state = json.loads(self.run_yare(0, "check", "--json", data)[0])
        tail = [finding for finding in state["findings"] if finding["severity"] == "tail"]
        self.assertEqual((state["verdict"], state["version"], len(tail)), ("whole", 5, 1))
        self.assertIn("nothing to recover", self.run_yare(0, "recover", data)[0])
        server = self.start(data)
        self.assertIn("journal.00000001: cut at offset %d" % tail[0]["offset"], server.log_text())
        with UnixSession(server) as session:
            reply = session.rpc(get_config())
            self.assertIn("<name>n3</name>", reply)
            self.assertNotIn("<name>n4</name>", reply)

    def test_damage(self):
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            for i in range(20):
                session.ok(edit(top(entry("n%d" % i))))
        server.stop()
        segment = os.path.join(data, "journal.00000001")
        with open(segment, "r+b") as stream:
            stream.seek(1000)
            byte = stream.read(1)
            stream.seek(1000)
            stream.write(bytes([byte[0] ^ 1]))
        with self.assertRaises(AssertionError) as refusal:
            self.start(data)
        offset = re.search(r"journal.00000001: damaged at offset (\d+)", str(refusal.exception)).group(1)
        out, _ = self.run_yare(1, "check", data)
        self.assertIn("first at %s offset %s" % (segment, offset), out)
        out, _ = self.run_yare(0, "recover", data)
        kept = int(re.search(r"kept: version (\d+)", out).group(1))
        self.assertIn("lost: versions %d to 21" % (kept + 1), out)
        server = self.start(data)
        with UnixSession(server) as session:
            reply = session.rpc(get_config())
            self.assertIn("<name>n%d</name>" % (kept - 2), reply)
            self.assertNotIn("<name>n%d</name>" % (kept - 1), reply)
            session.ok(edit(top(entry("more"))))
        server.stop()
        self.run_yare(0, "check", data, *MODULES)
