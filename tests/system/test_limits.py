# SPDX-License-Identifier: BSD-3-Clause
"""What clients can make the server hold: silent ones, requests without end, entities that grow."""

import getpass
import re
import socket
import time

from support import (BASE, PERF, SANITIZED, Server, SystemTest, UnixSession, edit, entry, error_of, get_config,
                     hello, top, wait_for)
from test_transport import ParamikoConnection

MEBIBYTE = 1 << 20
MONITORING = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"
STATISTICS = '<get><filter><netconf-state xmlns="%s"><statistics/></netconf-state></filter></get>' % MONITORING


class LimitsTest(SystemTest):
    def start(self, *options):
        server = Server.start(*options)
        self.addCleanup(self.end, server)
        return server

    def assert_memory(self, server, before, limit):
        if not SANITIZED:
            self.assertLess(server.memory() - before, limit)

    def test_silent_clients(self):
        """Case 3: who sends no hello is closed in time; its descriptor is free, and it is counted as a bad hello."""
        server = self.start("--hello-timeout", "1000")
        with UnixSession(server) as session:
            session.rpc(get_config())
            descriptors, clients = server.descriptors(), []
            for _ in range(40):
                clients.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                clients[-1].settimeout(30)
                clients[-1].connect(server.socket_path)
            self.assertTrue(wait_for(lambda: server.descriptors() >= descriptors + 40, 5))
            for client in clients:
                while client.recv(1 << 16):  # the server's hello, then the end
                    pass
            self.assertTrue(wait_for(lambda: server.descriptors() <= descriptors))
            found = dict(re.findall(r"<(in-[a-z-]+)>(\d+)<", session.rpc(STATISTICS)))
            self.assertEqual((found["in-sessions"], found["in-bad-hellos"]), ("41", "40"))
            for client in clients:
                client.close()

    def test_request_without_end(self):
        """Case 14: it is refused at the limit, not at its end; the server never has more of it."""
        server = self.start("--max-request", str(MEBIBYTE), "--linger-size", str(MEBIBYTE))
        with UnixSession(server) as other:
            other.rpc(get_config())
            for head in (b"\n#4294967295\n", b""):
                with UnixSession(server, version="1.1" if head else "1.0") as session:
                    before, sent = server.memory(), 0
                    session.send_bytes(head + b'<rpc xmlns="%s" message-id="1"><edit-config><target><running/></target>'
                                       b"<config><!-- " % BASE.encode())
                    try:
                        for _ in range(1024):
                            session.send_bytes(b"x" * 65536)
                            sent += 65536
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    self.assertLess(sent, 4 * MEBIBYTE)
                    self.assert_memory(server, before, 6 * MEBIBYTE)
                self.assertIn("<data", other.rpc(get_config()))

    def test_entities(self):
        """Case 9: entities are not expanded, neither nested nor long ones."""
        server = self.start()
        nested = '<!ENTITY a0 "aaaaaaaaaa">' + "".join(
            '<!ENTITY a%d "%s">' % (i, ("&a%d;" % (i - 1)) * 10) for i in range(1, 10))
        long = '<!ENTITY a9 "%s">' % ("a" * 50000)
        with UnixSession(server) as other:
            other.rpc(get_config())
            for entities in (nested, long):
                for version, tag in (("1.1", "malformed-message"), ("1.0", "operation-failed")):
                    with UnixSession(server, version=version) as session:
                        before = server.memory()
                        session.send_bytes(session.frame(
                            '<!DOCTYPE rpc [%s]><rpc xmlns="%s" message-id="1"><get><filter>%s</filter></get></rpc>'
                            % (entities, BASE, "&a9;" * 20000)))
                        self.assertIn("<error-tag>%s</error-tag>" % tag, session.read())
                        self.assertTrue(session.at_end())
                        self.assert_memory(server, before, 6 * MEBIBYTE)
                    self.assertIn("<data", other.rpc(get_config()))

    def assert_ends_with(self, session, tag):
        self.assertEqual(error_of(session.read())["error-tag"], tag)
        self.assertTrue(session.at_end())

    def test_sizes_of_a_message(self):
        """Each limit on what is read: reached, and passed by one."""
        server = self.start("--max-value", "1000", "--max-attributes", "4", "--max-envelope", "300", "--max-depth", "20",
                            "--max-parameters", "100000")
        name = "n" * 1000
        with UnixSession(server) as session:
            session.ok(edit(top(entry(name))))
            session.post(edit(top(entry(name + "n"))))
            self.assert_ends_with(session, "too-big")
        attributes = "".join(' xmlns:p%d="urn:p"' % i for i in range(4))
        with UnixSession(server) as session:
            self.assertIn("<data", session.rpc("<get-config%s><source><running/></source></get-config>" % attributes))
            session.post("<get-config%s xmlns:q='urn:q'><source><running/></source></get-config>" % attributes)
            self.assert_ends_with(session, "too-big")
        message = '<rpc xmlns="%s" message-id="%s"><get-config><source><running/></source></get-config></rpc>'
        with UnixSession(server) as session:
            session.send_bytes(session.frame(message % (BASE, "1" * 280)))
            self.assertIn("<data", session.read())
            session.send_bytes(session.frame(message % (BASE, "1" * 300)))
            self.assertTrue(session.at_end())  # the reply could not say whose it is
        with UnixSession(server) as session:
            reply = session.rpc("<get-config><source><running/></source><filter>%s</filter></get-config>" % ("<a/>" * 5000))
            self.assertEqual(error_of(reply)["error-tag"], "too-big")
            self.assertIn("<data", session.rpc(get_config()))

    def test_hello_that_is_large(self):
        server = self.start("--max-hello", "2000")
        for size, good in ((1000, True), (3000, False)):
            with UnixSession(server, greet=False) as session:
                session.read_end_of_message()
                session.send_bytes((hello("1.1").replace("</capabilities>", "<capability>urn:%s</capability></capabilities>"
                                                          % ("x" * size)) + "]]>]]>").encode())
                if good:
                    self.assertIn("<data", session.rpc(get_config()))
                else:
                    self.assertTrue(session.at_end())

    def test_partial_locks(self):
        server = self.start("--max-partial-nodes", "3")
        lock = ('<partial-lock xmlns="urn:ietf:params:xml:ns:netconf:partial-lock:1.0" xmlns:p="%s">'
                "<select>/p:top-container/p:local-list[%s]</select></partial-lock>")
        with UnixSession(server) as session:
            session.ok(edit(top("".join(entry(str(i)) for i in range(5)))))
            self.assertIn("<lock-id", session.rpc(lock % (PERF, "p:name &lt; 2")))
            self.assertEqual(error_of(session.rpc(lock % (PERF, "p:name &gt; 2")))["error-tag"], "resource-denied")
            self.assertIn("<lock-id", session.rpc(lock % (PERF, "p:name = 4")))

    def test_ssh_connections(self):
        """Those that are not logged in, what they send, how often they try, and channels."""
        server = self.start("--max-unauthenticated", "2", "--max-login-size", "20000", "--max-channels", "2",
                            "--max-login-attempts", "1")
        silent = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(3)]
        self.assertTrue(wait_for(lambda: " connections are not logged in yet" in server.log_text()))
        for client in silent[:2]:
            self.assertTrue(client.recv(100).startswith(b"SSH-2.0-"))
        self.assertEqual(silent[2].recv(100), b"")
        with self.assertRaises(OSError):  # more than it may send
            for _ in range(1000):
                silent[0].sendall(b"x" * 1000)
                time.sleep(0.001)
        for client in silent:
            client.close()
        self.assertTrue(wait_for(lambda: server.ssh("true", key="other").returncode == 255))
        self.assertTrue(wait_for(lambda: "too many failed logins" in server.log_text()))
        connection = ParamikoConnection(server)
        self.addCleanup(connection.close)
        kept = [connection.session(), connection.session()]
        with self.assertRaises(Exception):
            connection.channel()
        self.assertIn("<data", kept[1].rpc(get_config()))

    def test_options(self):
        """No limit may be 0 where nothing could be served with that; none is larger than what holds it."""
        for name in ("value", "attributes", "envelope", "hello", "unauthenticated", "login-attempts", "login-size", "channels",
                     "partial-nodes"):
            with self.assertRaisesRegex(AssertionError, "--max-%s must be greater than 0" % name):
                self.start("--max-" + name, "0")
        with self.assertRaisesRegex(AssertionError, "--max-value is more than"):
            self.start("--max-value", str(1 << 30))

    HOG = ('<get-config><source><running/></source><filter type="xpath" xmlns:p="%s" '
           "select=\"//*[//*[//*[//*[. = 'nothing']]]]\"/></get-config>" % PERF)

    def start_with_entries(self, *options):
        """Of the limits of a filter only time is left."""
        server = self.start("--max-filter-steps", str(1 << 60), "--max-filter-memory", str(1 << 40), *options)
        with UnixSession(server) as session:
            session.ok(edit(top("".join(entry("e%d" % i) for i in range(1000)))))
        return server

    def test_filter_time(self):
        """An expression that is cheap to send and dear to evaluate is ended after its time."""
        server = self.start_with_entries("--max-filter-time", "300")
        with UnixSession(server) as session:
            reply = session.rpc(self.HOG)
            self.assertIn("<error-tag>resource-denied</error-tag>", reply)
            self.assertIn("max-filter-time", reply)

    def test_interrupted(self):
        """What is evaluated for a session ends with it, and with the server."""
        server = self.start_with_entries("--max-filter-time", "0", "--admin", "admin",
                                         "--admin", getpass.getuser())
        with UnixSession(server) as killer, UnixSession(server) as victim:
            victim.post(self.HOG)
            time.sleep(0.5)
            began = time.monotonic()
            killer.ok("<kill-session><session-id>%d</session-id></kill-session>" % victim.session_id)
            self.assertLess(time.monotonic() - began, 10)
        with UnixSession(server) as session:
            session.post(self.HOG)
            time.sleep(0.5)
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 10)
