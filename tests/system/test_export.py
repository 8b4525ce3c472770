# SPDX-License-Identifier: BSD-3-Clause
"""yare export of any datastore and version that a directory has, against what the server said at the time."""

import json
import os
import random
import re
import subprocess
import tempfile
import time

from support import BASE, DIR, Server, SystemTest, UnixSession, edit, entry, get_config, top

YARE = os.path.join(os.path.dirname(os.environ.get("YARE_SYSTEM_YARED", "")), "yare")
MODULES = ("--yang-dir", os.environ.get("YARE_SYSTEM_YANG", ""), "--module", "perf-test")
NONE, DELETED = "none", "deleted"
EMPTY = edit("", before="<default-operation>replace</default-operation>")


def copy(source, target):
    return "<copy-config><target>%s</target><source>%s</source></copy-config>" % (target, source)


class ExportTest(SystemTest):
    def yare(self, code, *arguments):
        done = subprocess.run((YARE,) + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(code, done.returncode, "%s\n%s%s" % (arguments, done.stdout[-2000:], done.stderr.decode()))
        return done.stdout.decode(), done.stderr.decode()

    def start(self, data, *options):
        server = Server.start("--data-dir", data, "--durability", "full", "--admin", "root", "--segment-size", "16384",
                              "--snapshot-growth", "8192", "--snapshot-pace", "0", "--history", "25", *options)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def data_of(session, source):
        reply = session.rpc(get_config(source))
        return re.search(r"<data>(.*)</data>|<data/>", reply, re.DOTALL).group(1) or ""

    @staticmethod
    def version(session):
        reply = session.rpc('<list-versions xmlns="urn:yare:history"><count>1</count></list-versions>')
        return int(re.search(r"<(?:version|id)>(\d+)<", reply).group(1))

    def change(self, session):
        """Something that makes a version, mostly. Gives what startup is then; None: as before."""
        draw = random.random()
        content = top("".join(entry("e%d" % random.randrange(50), "t%d" % random.randrange(5))
                              for _ in range(random.randrange(1, 12))))
        if draw < 0.6:
            session.ok(edit(content))
            return None
        if draw < 0.65:
            session.ok(EMPTY)
            return None
        if draw < 0.75:
            session.ok(copy("<running/>", "<startup/>"))
        elif draw < 0.95:
            session.ok(copy("<config>%s</config>" % content, "<startup/>"))
        else:
            session.ok("<delete-config><target><startup/></target></delete-config>")
            return DELETED
        return self.data_of(session, "startup")

    def check_version(self, data, version, datastore, expected):
        arguments = ("export", data, "--version", str(version), "--datastore", datastore, "--data-only") + MODULES
        if expected in (NONE, DELETED):
            _, err = self.yare(1, *arguments)
            self.assertIn("deleted" if expected == DELETED else "no startup", err)
            return
        out, _ = self.yare(0, *arguments)
        self.assertEqual(expected, out[:-1], (version, datastore))

    @staticmethod
    def tells_startup(data, version):
        done = subprocess.run((YARE, "export", data, "--version", str(version), "--datastore", "startup", "--data-only")
                              + MODULES, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        return b"is not known: nothing that is kept tells" not in done.stderr

    def test_any_version_of_running_and_startup(self):
        seed = int(os.environ.get("YARE_SEED", time.time()))
        print("\nYARE_SEED=%d" % seed)
        random.seed(seed)
        data = os.path.join(tempfile.mkdtemp(dir=DIR), "data")
        running, startup = {}, {}
        server = self.start(data)
        with UnixSession(server) as session:
            for _ in range(5):
                session.ok(edit(top(entry("e%d" % random.randrange(50)))))
                running[self.version(session)], startup[self.version(session)] = self.data_of(session, "running"), NONE
        server.stop()
        server = self.start(data, "--startup", "separate")
        with UnixSession(server) as session:
            last = self.data_of(session, "startup")
            running[self.version(session)], startup[self.version(session)] = self.data_of(session, "running"), last
            for _ in range(50):
                now = self.change(session)
                last = last if now is None else now
                version = self.version(session)
                running[version], startup[version] = self.data_of(session, "running"), last
        server.stop()
        kept = [int(each) for each in re.findall(r"^version (\d+)", self.yare(0, "journal", data)[0], re.MULTILINE)]
        self.assertGreater(len(kept), 10)
        self.assertGreater(min(kept), 1, "nothing was retired: the test is too short")
        told = [version for version in kept if self.tells_startup(data, version)]
        # A stop between the end of a snapshot and that of the records behind it leaves versions of which nothing tells.
        self.assertEqual(kept[len(kept) - len(told):], told)
        self.assertGreater(len(told), 10)
        for version in kept:
            self.check_version(data, version, "running", running[version])
        for version in told:
            self.check_version(data, version, "startup", startup[version])
        # Without a version, the newest.
        self.assertEqual(running[max(kept)], self.yare(0, "export", data, "--data-only", *MODULES)[0][:-1])

    def test_startup_that_nothing_tells(self):
        """The history goes back behind the only snapshot, so running of a version is known by going back from that. Of startup
        nothing tells before the first change of it that is kept."""
        data = os.path.join(tempfile.mkdtemp(dir=DIR), "data")
        server = self.start(data, "--startup", "separate", "--snapshots", "1", "--history", "60")
        running, startup, changed = {}, {}, []
        with UnixSession(server) as session:
            for number in range(150):
                session.ok(edit(top(entry("e%d" % (number % 7), "%d" % number * 100))))
                if number % 10 == 0:
                    session.ok(copy("<running/>", "<startup/>"))
                    changed.append(self.version(session))
                version = self.version(session)
                running[version], startup[version] = self.data_of(session, "running"), self.data_of(session, "startup")
        server.stop()
        kept = [int(each) for each in re.findall(r"^version (\d+)", self.yare(0, "journal", data)[0], re.MULTILINE)]
        snapshots = [int(name[9:]) for name in os.listdir(data) if name.startswith("snapshot.")]
        first = min(version for version in changed if version >= min(kept))
        self.assertEqual(len(snapshots), 1)
        self.assertTrue(min(kept) < first < snapshots[0], (kept[0], first, snapshots))
        for version in (min(kept), first, max(kept)):
            self.check_version(data, version, "running", running[version])
        for version in (first, first + 2, max(kept)):
            self.check_version(data, version, "startup", startup[version])
        for version in (min(kept), first - 1):
            _, err = self.yare(1, "export", data, "--version", str(version), "--datastore", "startup", *MODULES)
            self.assertIn("what startup was in version %d is not known: nothing that is kept tells" % version, err)

    def make(self):
        """Running has e1, startup e2."""
        data = os.path.join(tempfile.mkdtemp(dir=DIR), "data")
        server = self.start(data, "--startup", "separate")
        with UnixSession(server) as session:
            session.ok(edit(top(entry("e1"))))
            session.ok(copy("<config>%s</config>" % top(entry("e2")), "<startup/>"))
            expected = self.data_of(session, "startup")
            # Not confirmed: a start takes it back, but not from startup.
            session.ok(edit(top(entry("e3")), "candidate"))
            session.ok("<commit><confirmed/></commit>")
        self.kill(server)
        return data, expected

    def test_startup_comes_back_in_both_forms(self):
        data, expected = self.make()
        for form in ("xml", "json"):
            with self.subTest(form):
                backup = os.path.join(os.path.dirname(data), "startup." + form)
                self.yare(0, "export", data, "--datastore", "startup", "--format", form, "--output", backup, *MODULES)
                with open(backup) as stream:
                    text = stream.read()
                if form == "json":
                    found = json.loads(text)["ietf-yang-instance-data:instance-data-set"]
                    self.assertEqual("ietf-datastores:startup", found["datastore"])
                else:
                    self.assertIn('<datastore xmlns:ds="urn:ietf:params:xml:ns:yang:ietf-datastores">ds:startup<', text)
                self.yare(0, "import", data + form, backup, *MODULES)
                self.assertEqual(expected, self.yare(0, "export", data + form, "--data-only", *MODULES)[0][:-1])

    def test_what_is_refused(self):
        data, _ = self.make()
        for arguments, code, says in ((("--version", "0"), 1, "not kept"), (("--version", "999"), 1, "not kept"),
                                      (("--version", "-1"), 2, "not a number"), (("--version", "1x"), 2, "not a number"),
                                      (("--version", ""), 2, "not a number"),
                                      (("--version", "99999999999999999999"), 2, "not a number"),
                                      (("--version", "0", "--datastore", "startup"), 1, "not kept"),
                                      (("--datastore", "candidate"), 2, "running or startup"),
                                      (("--datastore", "factory-default"), 2, "running or startup")):
            with self.subTest(arguments):
                _, err = self.yare(code, "export", data, *arguments, *MODULES)
                self.assertIn(says, err)
