# SPDX-License-Identifier: BSD-3-Clause
"""Service that goes on, and comes back: a disk that is full at any place and is freed, a file system and a folder that cannot be
written for a while, no descriptors; ids of transactions under kill -9; a rollback that is as durable as any commit
(cases 122 and 123)."""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import DIR, Server, SystemTest, UnixSession, edit, entry, error_of, get_config, top, wait_for
from test_disk import NOBODY, failing

TXID = "urn:ietf:params:xml:ns:netconf:txid:1.0"
YARE = os.path.join(os.path.dirname(os.environ.get("YARE_SYSTEM_YARED", "")), "yare")


def many(first, count=20):
    return edit(top("".join(entry("e%08d" % (first + i)) for i in range(count))))


def names_of(session):
    return re.findall(r"<name>(e\d+)</name>", session.rpc(get_config()))


class Load:
    """Commits, with what was acknowledged."""

    def __init__(self, session, number=0):
        self.session, self.number, self.names = session, number, names_of(session)

    def commit(self):
        """The reply of one commit of twenty entries."""
        reply = self.session.rpc(many(self.number))
        if "<ok/>" in reply:
            self.names += ["e%08d" % (self.number + i) for i in range(20)]
        self.number += 20
        return reply

    def until_refused(self, most=400):
        for _ in range(most):
            reply = self.commit()
            if "<ok/>" not in reply:
                return error_of(reply)
        raise AssertionError("nothing was refused")


class ServiceTest(SystemTest):
    def start(self, data, *options, user=None):
        """As Server.start, but for the user, who finds its socket elsewhere."""
        if user is None:
            server = Server.start("--data-dir", data, "--durability", "full", "--segment-size", "65536", *options)
        else:
            own = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, own)
            os.chmod(own, 0o777)
            log, path = os.path.join(own, "log"), os.path.join(own, "socket")
            with open(log, "wb") as stream:
                process = subprocess.Popen(
                    [os.environ["YARE_SYSTEM_YARED"], "--yang-dir", os.environ["YARE_SYSTEM_YANG"], "--module",
                     "perf-test", "--data-dir", data, "--segment-size", "65536", "--listen-unix", path] + list(options),
                    stderr=stream, user=user)
            server = Server(process.pid, 0, path, process, log)
            self.assertTrue(wait_for(lambda: " info ready" in server.log_text()), server.log_text())
        self.addCleanup(self.end, server)
        return server

    def data(self):
        return os.path.join(tempfile.mkdtemp(dir=DIR), "data")

    def check_again(self, server, load, data, *options, user=None):
        """Served again; all that was acknowledged is there, now, after a kill, and to check."""
        self.assertIn("<ok/>", load.commit())
        self.assertEqual(load.names, names_of(load.session))
        self.kill(server)
        done = subprocess.run([YARE, "check", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(0, done.returncode, done.stdout.decode())
        server = self.start(data, *options, user=user)
        with UnixSession(server) as session:
            self.assertEqual(load.names, names_of(session))
        self.assertEqual(0, server.stop())

    # ---- a small disk

    @unittest.skipUnless(os.getuid() == 0, "only root can mount")
    def test_a_disk_that_is_full_in_all_places(self):
        disk = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("file systems cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk])
        data = os.path.join(disk, "data")
        options = ("--snapshot-growth", "16384", "--snapshot-pace", "0", "--history", "10")
        server = self.start(data, *options)
        filler = os.path.join(disk, "filler")
        with UnixSession(server) as session:
            load = Load(session)
            for _ in range(3):  # each time at another place
                for _ in range(random.randrange(5, 40)):
                    self.assertIn("<ok/>", load.commit())
                self.fill(filler)
                error = load.until_refused()
                self.assertEqual("resource-denied", error["error-tag"])
                for _ in range(10):  # what was retired meanwhile has room for a label, but for no segment
                    self.fill(filler)
                    reply = session.rpc('<label-version xmlns="urn:yare:history"><version>%d</version>'
                                        "<label>%s</label></label-version>" % (self.newest(session), "x" * 100))
                    if "<rpc-error>" in reply:
                        break
                self.assertIn("<rpc-error>", reply)
                for _ in range(5):  # it stays so, and changes nothing
                    self.assertEqual("resource-denied", error_of(load.commit())["error-tag"])
                self.assertEqual(load.names, names_of(session))
                os.unlink(filler)
                self.assertIn("<ok/>", load.commit())
                session.ok('<label-version xmlns="urn:yare:history"><version>%d</version><label>free</label>'
                           "</label-version>" % self.newest(session))
            text = server.log_text()
            self.assertIn("No space left on device", text)
            self.check_again(server, load, data, *options)

    @staticmethod
    def fill(path):
        """Appends until the disk has no room."""
        with open(path, "ab", buffering=0) as stream:
            try:
                while True:
                    stream.write(b"x" * 4096)
            except OSError:
                pass

    @staticmethod
    def newest(session):
        reply = session.rpc('<list-versions xmlns="urn:yare:history"><count>1</count></list-versions>')
        return int(re.search(r"<id>(\d+)<", reply).group(1))

    # ---- what cannot be written for a while

    def check_refused_for_a_while(self, what):
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            load = Load(session)
            self.assertIn("<ok/>", load.commit())
            with failing(server, what):
                error = load.until_refused()
                self.assertIn(error["error-tag"], ("operation-failed", "resource-denied"))
                self.assertNotIn("error-app-tag", error)
                self.assertEqual(load.names, names_of(session))
            self.assertIn("Read-only file system", server.log_text())
            self.check_again(server, load, data)

    def test_read_only_when_a_segment_is_made(self):
        self.check_refused_for_a_while("fallocate:error=EROFS")

    def test_read_only_when_a_segment_gets_its_name(self):
        self.check_refused_for_a_while("rename:error=EROFS")

    @unittest.skipUnless(os.getuid() == 0, "permissions are nothing to root, who starts it for another user")
    def test_a_folder_without_permission_for_a_while(self):
        around = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, around)
        os.chmod(around, 0o755)
        data = os.path.join(around, "data")
        os.mkdir(data)
        os.chown(data, NOBODY, NOBODY)
        server = self.start(data, user=NOBODY)
        with UnixSession(server) as session:
            load = Load(session)
            self.assertIn("<ok/>", load.commit())
            os.chmod(data, 0o500)
            error = load.until_refused()
            self.assertIn(error["error-tag"], ("operation-failed", "resource-denied"))
            self.assertNotIn("error-app-tag", error)
            self.assertIn("Permission denied", server.log_text())
            self.assertEqual(load.names, names_of(session))
            os.chmod(data, 0o700)
            self.check_again(server, load, data, user=NOBODY)

    # ---- descriptors

    def test_no_descriptors_for_snapshots_and_sessions(self):
        data = self.data()
        options = ("--segment-size", "16777216", "--snapshot-growth", "16384", "--snapshot-pace", "0")
        server = self.start(data, *options)
        with UnixSession(server) as session:
            load = Load(session)
            self.assertIn("<ok/>", load.commit())
            limits = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (1, limits[1]))
            # Commits need none; a snapshot does, and so does a session.
            for _ in range(100):
                self.assertIn("<ok/>", load.commit())
            self.assertTrue(wait_for(lambda: "Too many open files" in server.log_text()))
            before = server.processor_seconds()
            waiting = UnixSession(server, timeout=60, greet=False)
            time.sleep(1)
            self.assertLess(server.processor_seconds() - before, 0.5, "it is busy with what it cannot accept")
            self.assertEqual(load.names, names_of(session))
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limits)
            for _ in range(100):
                self.assertIn("<ok/>", load.commit())
            self.assertIn("<hello", waiting.read_end_of_message())
            waiting.close()
            self.assertTrue(wait_for(lambda: any(int(each[9:]) > 1 for each in os.listdir(data)
                                                 if re.fullmatch(r"snapshot\.\d+", each))))
            self.check_again(server, load, data, *options)

    # ---- kill -9

    def test_ids_of_transactions_are_never_given_again(self):
        data = self.data()
        seen = {}  # id -> what running was
        for i in range(8):
            server = self.start(data, "--snapshot-growth", "4096", "--snapshot-pace", "0")
            with UnixSession(server) as session:
                for k in range(random.randrange(1, 12)):
                    reply = session.rpc('<get-config xmlns:t="%s" t:etag="?"><source><running/></source></get-config>' % TXID)
                    found = re.search(r"<data[^>]*etag=['\"]([^'\"]+)['\"]", reply).group(1)
                    content = re.sub(r" [\w:]*etag=['\"][^'\"]*['\"]| xmlns:\w+=['\"]%s['\"]" % TXID, "",
                                     reply.partition("<data")[2])
                    self.assertEqual(content, seen.setdefault(found, content))
                    session.ok(edit(top(entry("e%d" % (i * 100 + k)))))
                session.post(many(1000 * (i + 1)))  # nobody knows whether this one is made
                time.sleep(random.random() * 0.01)
                os.kill(server.pid, signal.SIGKILL)
                server.process.wait()
        self.assertGreater(len(seen), 8)

    def test_rollback_then_crash(self):
        """Case 122."""
        data = self.data()
        server = self.start(data)
        with UnixSession(server) as session:
            load = Load(session)
            old = self.newest(session)
            load.commit()
            middle = self.newest(session)
            load.commit()
            session.ok('<rollback xmlns="urn:yare:history"><version>%d</version></rollback>' % middle)
            last = self.newest(session)
            os.kill(server.pid, signal.SIGKILL)
            server.process.wait()
        server = self.start(data)
        with UnixSession(server) as session:
            self.assertEqual((load.names[:20], last), (names_of(session), self.newest(session)))
            def differences(source, target):
                return session.rpc('<compare-versions xmlns="urn:yare:history"><source>%d</source><target>%d</target>'
                                   "</compare-versions>" % (source, target))
            self.assertNotIn("<edit>", differences(middle, last))
            # What the comparison says of an old version, applied to that, gives running.
            edits = re.findall(r"<operation>(\w+)</operation>.*?<value>(.*?)</value>", differences(old, last), re.DOTALL)
            expected = session.rpc(get_config()).partition("<data>")[2]
            session.ok('<rollback xmlns="urn:yare:history"><version>%d</version></rollback>' % old)
            self.assertEqual([], names_of(session))
            for operation, value in edits:
                self.assertEqual("create", operation)
                session.ok(edit(value))
            self.assertEqual(expected, session.rpc(get_config()).partition("<data>")[2])

    def test_small_commits_are_replayed_in_time(self):
        """Case 123, in small: a journal of commits alone, and with snapshots, which bound what is replayed."""
        for growth, bound in (("1000000000", None), ("100000", 3000)):
            with self.subTest(growth):
                data = self.data()
                options = ("--snapshot-growth", growth, "--snapshot-pace", "0", "--segment-size", "65536", "--history", "10")
                server = self.start(data, *options)
                with UnixSession(server) as session:
                    for i in range(4000 + 50):
                        if i < 4000:
                            session.post(edit(top(entry("e%d" % (i % 10), "t%d" % i))))
                        if i >= 50:
                            self.assertIn("<ok/>", session.read())
                    expected = session.rpc(get_config())
                self.kill(server)
                records = subprocess.run([YARE, "journal", data, "--json"], stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
                if bound is not None:
                    self.assertLess(records, bound)
                else:
                    self.assertEqual(4000, records)
                began = time.monotonic()
                server = self.start(data, *options)
                self.assertLess(time.monotonic() - began, 20)
                with UnixSession(server) as session:
                    self.assertEqual(expected.partition("<data>")[2], session.rpc(get_config()).partition("<data>")[2])
                server.stop()


if __name__ == "__main__":
    unittest.main()
