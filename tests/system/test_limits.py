# SPDX-License-Identifier: BSD-3-Clause
"""What clients can make the server hold: silent ones, requests without end, entities that grow."""

import re
import socket

from support import BASE, SANITIZED, Server, SystemTest, UnixSession, get_config, wait_for

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
