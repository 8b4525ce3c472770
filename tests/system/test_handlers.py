# SPDX-License-Identifier: BSD-3-Clause
"""Programs that perform operations (--handler): what they get, what becomes of what they do, and their limits."""

import os
import re
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree

from support import Server, SystemTest, UnixSession, edit, error_of, get_config, wait_for

NS = "urn:yare:example:operations"
MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
ACTION = '<action xmlns="urn:ietf:params:xml:ns:yang:1">%s</action>'
SERVER = '<server xmlns="%s"><name>%%s</name><weight>%%d</weight></server>' % NS


def rpc(name, content=""):
    return '<%s xmlns="%s">%s</%s>' % (name, NS, content, name)


class HandlersTest(SystemTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.options = ["--yang-dir", MODULES, "--module", "example-operations"]

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as stream:
            stream.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def handle(self, operation, text):
        path = self.program(operation.replace("/", "-"), text)
        self.options += ["--handler", "example-operations:%s=%s" % (operation, path)]

    def start(self, *options):
        server = Server.start(*self.options, *options)
        self.addCleanup(self.end, server)
        return server

    def kept(self, name):
        with open(os.path.join(self.folder, name)) as stream:
            return stream.read()

    def running(self, name):
        """Processes that are it, by their command lines; the server's own names it, too."""
        found = subprocess.run(["pgrep", "-f", "^/bin/sh " + os.path.join(self.folder, name)], stdout=subprocess.PIPE)
        return found.stdout.split()

    def assert_failed(self, reply, message):
        error = error_of(reply)
        self.assertEqual((error["error-type"], error["error-tag"]), ("application", "operation-failed"))
        self.assertRegex(error["error-message"], message)

    def test_input_and_output(self):
        self.handle("activate", "cat >%s/input; env >%s/env; echo '<image>new</image><tag>a</tag><tag>b</tag>'"
                    % (self.folder, self.folder))
        self.handle("server/reset", "cat >%s/action; echo '<?xml version=\"1.0\"?><r:done-at xmlns:r=\"%s\">now</r:done-at>'"
                    % (self.folder, NS))
        self.handle("ping", "exit 0")
        server = self.start()
        with UnixSession(server) as session:
            session.ok(edit(SERVER % ("a&amp;b", 20) + SERVER % ("c", 1)))
            reply = session.rpc(rpc("activate", "<retries>07</retries><image>x&lt;y</image><server>c</server><delay>3</delay>"))
            self.assertIn('<image xmlns="%s">new</image><tag xmlns="%s">a</tag><tag xmlns="%s">b</tag>' % (NS, NS, NS), reply)
            # As it came, values in canonical form, defaults in use with it.
            found = ElementTree.fromstring(self.kept("input"))
            self.assertEqual(found.tag, "{%s}activate" % NS)
            self.assertEqual([(child.tag.rsplit("}", 1)[1], child.text) for child in found],
                             [("image", "x<y"), ("server", "c"), ("retries", "7"), ("window", None), ("delay", "3")])
            self.assertEqual(found.find("{%s}window/{%s}from" % (NS, NS)).text, "8")
            environment = dict(line.split("=", 1) for line in self.kept("env").splitlines() if "=" in line)
            self.assertEqual(environment["YARE_SESSION_ID"], str(session.session_id))
            self.assertEqual(environment["YARE_USER"], subprocess.check_output(["id", "-un"]).decode().strip())
            self.assertEqual((environment["YARE_TRANSPORT"], environment["YARE_OPERATION"]),
                             ("unix", "example-operations:activate"))
            # An action: what it is on stands around it.
            action = "<name>a&amp;b</name><reset><at>2026-11-30</at><heavy/></reset>"
            reply = session.rpc(ACTION % ('<server xmlns="%s">%s</server>' % (NS, action)))
            self.assertIn('<done-at xmlns="%s">now</done-at>' % NS, reply)
            self.assertEqual(re.sub(' xmlns="%s"' % NS, "", self.kept("action")), "<server>%s</server>" % action)
            session.ok(rpc("ping"))
            # What is not valid does not come to it; what nobody handles is as before.
            os.remove(os.path.join(self.folder, "input"))
            self.assertEqual(error_of(session.rpc(rpc("activate")))["error-tag"], "missing-element")
            self.assertFalse(os.path.exists(os.path.join(self.folder, "input")))
            self.assertEqual(error_of(session.rpc(rpc("nobody", "<there>x</there>")))["error-tag"],
                             "operation-not-supported")

    def test_encodings(self):
        """The output is read in the encoding that it declares."""
        self.handle("activate", "exec %s/present" % self.folder)
        server = self.start()
        latin = "printf '<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><image>\\374</image><tag>a</tag>'"
        wide = "printf '\\377\\376'; printf '<image>\\303\\274</image><tag>a</tag>' | iconv -f UTF-8 -t UTF-16LE"
        unknown = "printf '<?xml version=\"1.0\" encoding=\"none\"?><image>x</image>'"
        with UnixSession(server) as session:
            for text in (latin, wide):
                self.program("present", text + "\n")
                reply = session.rpc(rpc("activate", "<image>x</image>"))
                self.assertIn('<image xmlns="%s">\u00fc</image><tag xmlns="%s">a</tag>' % (NS, NS), reply)
            self.program("present", unknown + "\n")
            self.assert_failed(session.rpc(rpc("activate", "<image>x</image>")), "not valid")
        self.assertIn("the encoding 'none' is not known", server.log_text())

    def test_failures(self):
        """Exit codes, signals, output that is not valid in every way; the session goes on each time."""
        cases = (
            ("exit 4", "exit code 4"),
            ("echo 'no <disk>' >&2; exit 1", "^no <disk>$"),
            ("echo '<image>x</image>'; printf 'a\\nb\\001\\377\\n' >&2; exit 1", "^a b\\?\\?$"),
            ("kill -KILL $$", "signal 9"),
            ("echo '<image>x</image><image>y</image>'", "not valid"),
            ("echo '<image>x'", "not valid"),
            ("echo '</output><image/>'", "not valid"),
            ("echo 'text'", "not valid"),
            ("echo '<nothing/>'", "not valid"),
            ("echo '<image xmlns=\"urn:other\">x</image>'", "not valid"),
            ("echo '<retries>300</retries>'", "not valid"),
            ("echo '<step><id>a</id><order>1</order></step><step><id>a</id></step>'", "not valid"),
            ("echo '<step><order>1</order></step>'", "not valid"),
            ("echo '<step><id>a</id><order>201</order></step>'", "not valid"),
            ("echo '<!DOCTYPE x><image>x</image>'", "not valid"),
        )
        self.handle("activate", "exec %s/present" % self.folder)
        server = self.start()
        with UnixSession(server) as session:
            for text, message in cases:
                self.program("present", text + "\n")
                self.assert_failed(session.rpc(rpc("activate", "<image>x</image>")), message)
            os.remove(os.path.join(self.folder, "activate"))
            self.assert_failed(session.rpc(rpc("activate", "<image>x</image>")), "No such file")
            self.assertIn("<data", session.rpc(get_config()))

    def test_limits(self):
        self.handle("ping", "sleep 600")
        self.handle("activate", "yes '<tag>x</tag>'")
        server = self.start("--handler-timeout", "500", "--handler-output", "100000")
        with UnixSession(server) as session:
            self.assert_failed(session.rpc(rpc("ping")), "more time")
            self.assert_failed(session.rpc(rpc("activate", "<image>x</image>")), "gave more")
            self.assertTrue(wait_for(lambda: not self.running("ping") and not self.running("activate")))

    def test_large_input(self):
        """More than a pipe holds, and than a worker takes."""
        self.handle("activate", "echo \"<image>$(wc -c)</image>\"")
        server = self.start()
        lines = "".join("<line><text>%d</text></line>" % i for i in range(20000))
        with UnixSession(server) as session:
            reply = session.rpc(rpc("activate", "<image>x</image>" + lines))
            self.assertGreater(int(re.search(r">\s*(\d+)\s*</image>", reply).group(1)), len(lines))

    def test_others_go_on(self):
        """As many as may run at a time do; other sessions are served, large requests too; the next one waits."""
        self.handle("ping", "echo begun >>%s/begun; while ! [ -e %s/go ]; do sleep 0.05; done" % (self.folder, self.folder))
        server = self.start("--handlers-at-once", "2", "--workers", "1", "--job-threads", "1")
        sessions = [UnixSession(server) for _ in range(4)]
        for session in sessions:
            session.post(rpc("ping"))
        self.assertTrue(wait_for(lambda: os.path.exists(os.path.join(self.folder, "begun")) and
                                 self.kept("begun").count("begun") == 2))
        with UnixSession(server) as other:
            many = "".join(SERVER % ("n%06d" % i, 1) for i in range(3000))
            other.ok(edit(many))
            self.assertIn("n002999", other.rpc(get_config()))
        self.assertEqual(self.kept("begun").count("begun"), 2)
        self.program("go", "")
        for session in sessions:
            self.assertIn("<ok/>", session.read())
            session.close()
        self.assertEqual(self.kept("begun").count("begun"), 4)

    def test_nobody_waits(self):
        """A session that is gone, or was killed, and a server that ends: nothing of it runs on."""
        self.handle("ping", "echo $$ >%s/pid; sleep 600 & wait" % self.folder)

        def is_begun():
            return os.path.exists(os.path.join(self.folder, "pid")) and self.running("ping")

        def is_gone():
            return not self.running("ping")

        server = self.start("--grace", "300", "--admin", subprocess.check_output(["id", "-un"]).decode().strip())
        with UnixSession(server) as session:
            session.post(rpc("ping"))
            self.assertTrue(wait_for(is_begun))
        self.assertTrue(wait_for(is_gone))
        with UnixSession(server) as session, UnixSession(server) as killer:
            session.post(rpc("ping"))
            self.assertTrue(wait_for(is_begun))
            killer.ok("<kill-session><session-id>%d</session-id></kill-session>" % session.session_id)
            self.assertTrue(wait_for(is_gone))
        with UnixSession(server) as session:
            session.post(rpc("ping"))
            self.assertTrue(wait_for(is_begun))
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begun, 15)
            self.assertTrue(wait_for(is_gone))

    def test_options(self):
        """What cannot work is refused at the start."""
        there = self.program("there", "")
        for handler in ("example-operations:ping", "ping=%s" % there, "example-operations:ping=there",
                        "example-operations:ping=/no/such", "example-operations:none=%s" % there, "other:ping=%s" % there,
                        "example-operations:server/none=%s" % there, "ietf-netconf:get=%s" % there,
                        "ietf-netconf-monitoring:get-schema=%s" % there):
            with self.assertRaises(AssertionError, msg=handler):
                Server.start(*self.options, "--handler", handler)
