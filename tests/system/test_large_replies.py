# SPDX-License-Identifier: BSD-3-Clause
"""Replies that are made ahead of their clients: those who do not read, read slowly or leave hold up nobody."""

import getpass
import os
import re
import time

from support import SANITIZED, Server, SystemTest, UnixSession, edit, entry, get_config, top, wait_for
from test_transport import ParamikoConnection

ENTRIES = 12000  # some 0.8 MB as a reply
DEAF = 100 if SANITIZED else 500
OF_ONE_MAX = (4 if SANITIZED else 1) << 20  # bytes that one of them takes, with what a sanitizer holds for it
OPTIONS = ("--max-sessions", "600", "--admin", getpass.getuser(), "--job-threads", "2")


def threads(server):
    return len(os.listdir("/proc/%d/task" % server.pid))


class LargeRepliesTest(SystemTest):
    def start(self, *options):
        server = Server.start(*OPTIONS, *options)
        self.addCleanup(self.end, server)
        with UnixSession(server) as session:
            session.ok(edit(top("".join(entry("%d" % i) for i in range(ENTRIES)))))
        return server

    def assert_whole(self, reply):
        self.assertEqual(len(re.findall("<local-list>", reply)), ENTRIES)
        self.assertTrue(reply.endswith("</top-container></data></rpc-reply>"), reply[-100:])

    def deaf(self, server, count):
        sessions = [UnixSession(server) for _ in range(count)]
        for session in sessions:
            self.addCleanup(session.close)
            session.post(get_config())
            session.post(get_config())
        return sessions

    def test_same_reply(self):
        """With and without, over both transports."""
        replies = []
        for size in ("0", "393216", "196608", "10000000"):
            server = self.start("--reply-ahead", size)
            with UnixSession(server) as session:
                replies.append(session.rpc(get_config()))
            with ParamikoConnection(server) as connection:
                replies.append(connection.session().rpc(get_config()))
            self.end(server)
        self.assert_whole(replies[0])
        self.assertEqual(len(set(replies)), 1)

    def test_deaf_clients(self):
        server = self.start()
        before, count = server.memory(), threads(server)
        sessions = self.deaf(server, DEAF)
        with UnixSession(server) as session:
            self.assert_whole(session.rpc(get_config()))
            begun = time.monotonic()
            session.ok(edit(top(entry("1", kind="other"))))
            self.assertLess(time.monotonic() - begun, 5)
            # They cost nothing while nobody reads.
            self.assertTrue(wait_for(server.is_at_rest, 30))
            self.assertEqual(threads(server), count)
            self.assertLess(server.memory() - before, DEAF * OF_ONE_MAX)
            # One is killed, one goes on, the others leave.
            session.ok("<kill-session><session-id>%d</session-id></kill-session>" % sessions[0].session_id)
            self.assertTrue(sessions[0].at_end())
            self.assert_whole(sessions[1].read())
            for other in sessions[2:]:
                other.close()
            self.assert_whole(session.rpc(get_config()))

    def test_leaves_in_the_middle(self):
        server = self.start()
        descriptors = server.descriptors()
        for size in (1, 1000, 100000, 500000):
            for ends in ("close", "vanish"):
                connection = ParamikoConnection(server)
                session = connection.session()
                session.post(get_config())
                while len(session.buffer) < size:
                    session._fill()
                getattr(connection, ends)()
        self.assertTrue(wait_for(lambda: server.descriptors() <= descriptors, 20))
        with UnixSession(server) as session:
            self.assert_whole(session.rpc(get_config()))

    def test_reads_byte_by_byte(self):
        """It is not ended for that, and others are served beside it."""
        server = self.start("--stall-timeout", "3000")
        with ParamikoConnection(server) as connection, UnixSession(server) as other:
            session = connection.session()
            session.post(get_config())
            for _ in range(20):
                session.buffer += session.channel.recv(1)
                self.assertIn("<data", other.rpc(get_config(filter_content=top(entry("7", None)))))
                time.sleep(0.1)
            self.assert_whole(session.read())

    def test_shutdown(self):
        """With replies in the middle that nobody takes: the grace time, and no longer."""
        server = self.start("--grace", "1000")
        self.deaf(server, 20)
        time.sleep(0.5)
        begun = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - begun, 15)
