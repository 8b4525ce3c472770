# SPDX-License-Identifier: BSD-3-Clause
"""Sessions that end over what their client sends: it comes to read why, and holds nothing for long."""

import socket
import time

from support import BASE, Server, SystemTest, UnixSession, error_of, get_config, wait_for
from test_transport import ParamikoConnection

KIBIBYTE = 1 << 10
MEBIBYTE = 1 << 20
LIMIT = 64 * KIBIBYTE


def large_request(size):
    return ('<rpc xmlns="%s" message-id="1"><edit-config><target><running/></target><config><!-- ' % BASE
            + "x" * size + " --></config></edit-config></rpc>")


class LingerTest(SystemTest):
    def start(self, *options):
        server = Server.start("--max-request", str(LIMIT), *options)
        self.addCleanup(self.end, server)
        return server

    def sessions(self, server):
        """A session over each transport, with what closes it."""
        yield UnixSession(server), None
        connection = ParamikoConnection(server)
        yield connection.session(), connection

    def end_session(self, session, connection):
        (connection or session).close()

    def assert_alone(self, server, descriptors):
        self.assertTrue(wait_for(lambda: server.descriptors() <= descriptors, 20))

    def test_answer_is_read(self):
        """A client that writes all of a request, far beyond the limit, before it reads."""
        server = self.start()
        for session, connection in self.sessions(server):
            begun = time.monotonic()
            session.send_bytes(session.frame(large_request(16 * MEBIBYTE)))
            error = error_of(session.read())
            self.assertEqual((error["error-type"], error["error-tag"]), ("rpc", "too-big"))
            self.assertTrue(session.at_end())
            self.assertLess(time.monotonic() - begun, 8)  # nobody waited for the end of the time
            self.end_session(session, connection)

    def test_answers_before_it_are_read(self):
        """Broken framing in mid-flight: what was asked before is answered, in both transports."""
        server = self.start()
        for session, connection in self.sessions(server):
            session.send_bytes(session.frame(session.rpc_text(get_config())) + b"\n#x" + b"y" * MEBIBYTE)
            self.assertIn("<data", session.read())
            self.assertTrue(session.at_end())
            self.end_session(session, connection)

    def test_who_sends_for_ever(self):
        """No more than the size is read; the connection is gone then."""
        server = self.start("--linger-size", str(MEBIBYTE), "--linger-time", "60000")
        descriptors = server.descriptors()
        for session, connection in self.sessions(server):
            session.send_bytes(b"\n#4294967295\n" + large_request(0)[:-40].encode())
            sent = 0
            with self.assertRaises((OSError, EOFError)):
                for _ in range(1024):
                    session.send_bytes(b"x" * LIMIT)
                    sent += LIMIT
            self.assertLess(sent, 8 * MEBIBYTE)
            self.end_session(session, connection)
            self.assert_alone(server, descriptors)

    def test_who_stays(self):
        """Silent, or a byte now and then: after the time it is gone, whatever it does."""
        server = self.start("--linger-time", "1000")
        descriptors = server.descriptors()
        for session, connection in self.sessions(server):
            begun = time.monotonic()
            session.send_bytes(b"\n#4294967295\n" + large_request(2 * LIMIT).encode())
            error = error_of(session.read())
            self.assertEqual(error["error-tag"], "too-big")
            with self.assertRaises((OSError, EOFError)):
                while time.monotonic() - begun < 20:
                    session.send_bytes(b"x")
                    time.sleep(0.05)
            self.assertGreater(time.monotonic() - begun, 0.8)
            self.end_session(session, connection)
            self.assert_alone(server, descriptors)

    def test_off(self):
        """Without lingering it closes at once."""
        server = self.start("--linger-time", "0")
        with UnixSession(server) as session:
            session.send_bytes(b"\n#4294967295\n" + large_request(2 * LIMIT)[:-40].encode())
            begun = time.monotonic()
            self.assertTrue(session.at_end())
            self.assertLess(time.monotonic() - begun, 5)
            with self.assertRaises(OSError):
                for _ in range(100):
                    session.send_bytes(b"x")
                    time.sleep(0.01)

    def test_server_ends(self):
        """Who lingers does not hold up the end of the server."""
        server = self.start("--linger-time", "60000", "--grace", "30000")
        with UnixSession(server) as session:
            session.send_bytes(b"\n#4294967295\n" + large_request(2 * LIMIT)[:-40].encode())
            self.assertIn("too-big", session.read())
            session.socket.settimeout(0.2)
            with self.assertRaises((socket.timeout, EOFError)):
                session.read()
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begun, 15)
