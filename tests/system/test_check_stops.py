# SPDX-License-Identifier: BSD-3-Clause
"""A check that several threads are at ends with its session, and with the server: soon, and with nothing changed."""

import getpass
import os
import tempfile
import time

from support import DIR, Server, SystemTest, UnixSession, edit, get_config, wait_for

NAMESPACE = "urn:dear"
# Each entry looks at all others, and no index helps: minutes with as many as ENTRIES.
MODULE = """module dear {
  namespace "%s"; prefix d;
  list item {
    key name;
    must "count(/d:item[contains(d:text, concat(current()/d:text, '-'))]) = 0";
    leaf name { type string; }
    leaf text { type string; }
  }
}
""" % NAMESPACE
ENTRIES = 20000
CHECK_THREADS = 4
BOUND_S = 10
WHOLE = "".join('<item xmlns="%s"><name>e%d</name><text>t%d</text></item>' % (NAMESPACE, i, i) for i in range(ENTRIES))
SMALL = '<item xmlns="%s"><name>small</name><text>t</text></item>' % NAMESPACE


class CheckStopsTest(SystemTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(dir=DIR)
        with open(os.path.join(folder, "dear.yang"), "w", encoding="utf-8") as stream:
            stream.write(MODULE)
        self.options = ("--yang-dir", folder, "--module", "dear", "--check-threads", str(CHECK_THREADS), "--check-steps",
                        str(1 << 60), "--admin", getpass.getuser(), "--data-dir", os.path.join(folder, "data"))

    def start(self):
        server = Server.start(*self.options)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def threads(server):
        return len(os.listdir("/proc/%d/task" % server.pid))

    def begin(self, server, session, way):
        """Returns when the threads are at it. Gives how many there were before."""
        if way == "commit":
            session.ok(edit(WHOLE, "candidate", "<test-option>set</test-option>"))
        before = self.threads(server)
        session.post("<commit/>" if way == "commit" else edit(WHOLE))
        self.assertTrue(wait_for(lambda: self.threads(server) >= before + CHECK_THREADS - 1, 60, 0.01))
        used = server.processor_seconds()
        self.assertTrue(wait_for(lambda: server.processor_seconds() > used + 0.2))
        return before

    def test_kill_session(self):
        for way in ("edit", "commit"):
            with self.subTest(way):
                server = self.start()
                with UnixSession(server) as killer, UnixSession(server, timeout=60) as victim:
                    before = self.begin(server, victim, way)
                    begun = time.monotonic()
                    killer.ok("<kill-session><session-id>%d</session-id></kill-session>" % victim.session_id)
                    self.assertTrue(victim.at_end())
                    self.assertTrue(wait_for(lambda: self.threads(server) <= before, BOUND_S))
                    self.assertLess(time.monotonic() - begun, BOUND_S)
                    self.assertNotIn("<item", killer.rpc(get_config()))
                    # The writer's lock is free; what is checked now is small.
                    killer.ok(edit(SMALL))
                    self.assertIn("small", killer.rpc(get_config()))
                    killer.ok("<discard-changes/>")
                    killer.ok(edit("", before="<default-operation>replace</default-operation>"))
                self.end(server)

    def test_end_of_the_server(self):
        for way in ("edit", "commit"):
            with self.subTest(way):
                server = self.start()
                with UnixSession(server) as session:
                    self.begin(server, session, way)
                    begun = time.monotonic()
                    self.assertEqual(server.stop(BOUND_S + 10), 0)
                    self.assertLess(time.monotonic() - begun, BOUND_S)
                server = self.start()
                with UnixSession(server) as session:
                    self.assertNotIn("<item", session.rpc(get_config()))
                self.end(server)
