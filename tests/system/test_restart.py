# SPDX-License-Identifier: BSD-3-Clause
"""A server that is killed, and started again on what it left."""

import tempfile

from support import BASE, DIR, Server, SystemTest, UnixSession, edit, entry, get_config, top

CONFIRMED = "<commit><confirmed/>%s</commit>"


class RestartTest(SystemTest):
    def start(self, data):
        server = Server.start("--data-dir", data, "--durability", "full")
        self.addCleanup(self.end, server)
        return server

    def test_confirmed_commit_is_taken_back(self):
        for kind, parameter in (("plain", ""), ("persistent", "<persist>x</persist>")):
            with self.subTest(kind=kind):
                data = tempfile.mkdtemp(dir=DIR)
                server = self.start(data)
                with UnixSession(server) as session:
                    session.ok(edit(top(entry("before"))))
                    session.ok(edit(top(entry("pending")), target="candidate"))
                    session.ok(CONFIRMED % parameter)
                    session.ok(edit(top(entry("meanwhile"))))
                    self.assertIn("pending", session.rpc(get_config()))
                    self.kill(server)
                server = self.start(data)
                with UnixSession(server) as session:
                    reply = session.rpc(get_config())
                    self.assertIn("before", reply)
                    self.assertNotIn("pending", reply)
                    self.assertNotIn("meanwhile", reply)
                    self.assertIn("invalid-value", session.rpc("<commit><persist-id>x</persist-id></commit>"))
                    self.assertIn("operation-failed", session.rpc("<cancel-commit/>"))
                    session.ok("<lock><target><running/></target></lock>")
                server.stop()

    def test_confirmed_commit_that_was_confirmed_stays(self):
        data = tempfile.mkdtemp(dir=DIR)
        server = self.start(data)
        with UnixSession(server) as session:
            session.ok(edit(top(entry("pending")), target="candidate"))
            session.ok(CONFIRMED % "")
            session.ok("<commit/>")
            self.kill(server)
        server = self.start(data)
        with UnixSession(server) as session:
            self.assertIn("pending", session.rpc(get_config()))
        server.stop()
