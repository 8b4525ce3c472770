# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full, fails, or may not be written: the named error, running unchanged, and service again where that
is safe. Failures are the kernel's answers as strace injects them into the running server."""

import contextlib
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

from support import DIR, Server, SystemTest, UnixSession, edit, entry, error_of, get_config, top, wait_for

SEGMENT = 65536
NOBODY = 65534


@contextlib.contextmanager
def failing(server, *what):
    """While it is active, the system calls fail."""
    with tempfile.NamedTemporaryFile(dir=DIR) as said:
        command = ["strace", "-f", "-e", "trace=" + ",".join(w.split(":")[0] for w in what), "-o", "/dev/null",
                   "-p", str(server.pid)]
        for one in what:
            command += ["-e", "inject=" + one]
        process = subprocess.Popen(command, stderr=said)
        def text():
            with open(said.name) as stream:
                return stream.read()
        if not wait_for(lambda: "attached" in text() or process.poll() is not None):
            raise AssertionError("strace does not attach")
        if process.poll() is not None:
            raise unittest.SkipTest("strace may not attach: " + text())
        try:
            yield
        finally:
            process.terminate()
            process.wait()


class DiskTest(SystemTest):
    def start(self):
        self.data = tempfile.mkdtemp(dir=DIR)
        return self.restart()

    def restart(self, *more):
        server = Server.start("--data-dir", self.data, "--durability", "full", "--segment-size", str(SEGMENT), *more)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def found(self, server):
        with UnixSession(server) as session:
            return re.findall(r"<name>(e\d+)</name>", session.rpc(get_config()))

    def fill(self, session, first):
        """Commits until one is refused. Gives the error, and the names that were acknowledged."""
        names = []
        for number in range(first, first + 200):
            reply = session.rpc(edit(top("".join(entry("e%06d%02d" % (number, i)) for i in range(20)))))
            if "<ok/>" not in reply:
                return error_of(reply), names
            names += ["e%06d%02d" % (number, i) for i in range(20)]
        raise AssertionError("nothing was refused")

    def check_refused_for_want_of_room(self, server, session, error, names):
        self.assertEqual("resource-denied", error["error-tag"])
        self.assertEqual(names, self.found(server))

    def check_serves_again(self, server, session, names):
        session.ok(edit(top(entry("e99999999"))))
        names.append("e99999999")
        self.assertEqual(names, self.found(server))
        self.assertEqual(0, server.stop())
        self.assertEqual(names, self.found(self.restart()))

    def test_full_disk(self):
        server = self.start()
        with UnixSession(server) as session:
            with failing(server, "fallocate:error=ENOSPC"):
                error, names = self.fill(session, 0)
                self.check_refused_for_want_of_room(server, session, error, names)
            self.assertIn("No space left on device", server.log_text())
            # Half a segment before that there is a warning, with the room that is left.
            room = re.findall(r" warning .*the next segment cannot be made: .* room for (\d+) bytes", server.log_text())
            self.assertTrue(room and int(room[0]) <= SEGMENT / 2, server.log_text())
            self.check_serves_again(server, session, names)

    def test_no_descriptors(self):
        server = self.start()
        with UnixSession(server) as session, UnixSession(server) as reader:
            reader.rpc(get_config())
            limits = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (server.descriptors(), limits[1]))
            error, names = self.fill(session, 0)
            self.assertEqual("resource-denied", error["error-tag"])
            self.assertEqual(names, re.findall(r"<name>(e\d+)</name>", reader.rpc(get_config())))
            self.assertIn("Too many open files", server.log_text())
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limits)
            self.check_serves_again(server, session, names)

    def check_fails_for_good(self, *what):
        server = self.start()
        with UnixSession(server) as session:
            session.ok(edit(top(entry("e1"))))
            with failing(server, *what):
                error = error_of(session.rpc(edit(top(entry("e2")))))
            self.assertEqual("operation-failed", error["error-tag"])
            self.assertEqual("outcome-unknown", error["error-app-tag"])
            # The disk is well again. The server cannot know that, and acknowledges nothing any more.
            for operation in (edit(top(entry("e3"))), edit(top(entry("e1")))):
                self.assertEqual("operation-failed", error_of(session.rpc(operation))["error-tag"])
            self.assertEqual(["e1"], self.found(server))
        self.assertIn("Input/output error", server.log_text())
        self.assertIn("read-only", server.log_text())
        server.stop()
        server = self.restart()
        self.assertIn(self.found(server), (["e1"], ["e1", "e2"]))
        with UnixSession(server) as session:
            session.ok(edit(top(entry("e3"))))

    def test_failed_sync(self):
        self.check_fails_for_good("pwritev2:error=EIO")

    def test_failed_sync_in_two_calls(self):
        self.check_fails_for_good("pwritev2:error=EINVAL", "fdatasync:error=EIO")

    def test_failed_write(self):
        self.check_fails_for_good("pwritev2:error=EINVAL", "pwrite64:error=EIO")

    def test_no_direct_writes(self):
        """A file system that has none is served with writes and syncs."""
        server = self.start()
        with UnixSession(server) as session:
            session.ok(edit(top(entry("e1"))))
            with failing(server, "pwritev2:error=EINVAL"):
                session.ok(edit(top(entry("e2"))))
            session.ok(edit(top(entry("e3"))))
        self.kill(server)
        server = self.restart()
        self.assertEqual(["e1", "e2", "e3"], self.found(server))

    def start_fails(self, data, user=None):
        """What the log says, of a start on that directory."""
        own = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, own)
        os.chmod(own, 0o777)
        command = [os.environ["YARE_SYSTEM_YARED"], "--yang-dir", os.environ["YARE_SYSTEM_YANG"], "--module",
                   "perf-test", "--data-dir", data, "--listen-unix", os.path.join(own, "socket")]
        done = subprocess.run(command, stderr=subprocess.PIPE, timeout=60, user=user)
        self.assertNotEqual(0, done.returncode)
        return done.stderr.decode()

    def test_directory_without_permission(self):
        data = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, data)
        os.chmod(data, 0o555)
        user = NOBODY if os.getuid() == 0 else None
        for name in ("", "below"):
            text = self.start_fails(os.path.join(data, name), user)
            self.assertRegex(text, re.escape(data) + r"/.*: Permission denied")
        self.assertEqual([], os.listdir(data))

    def test_read_only_file_system(self):
        data = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, data)
        mount = ["mount", "-t", "tmpfs", "-o", "ro", "none", data]
        if os.getuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        try:
            self.assertIn("Read-only file system", self.start_fails(data))
        finally:
            subprocess.run(["umount", data], check=True)


if __name__ == "__main__":
    unittest.main()
