# SPDX-License-Identifier: BSD-3-Clause
"""Case 15: a client that vanishes without a word: its session and its locks go once keepalive has missed it."""

import logging
import os
import socket
import unittest

from ncclient import manager

from support import USER, Server, SystemTest, UnixSession, path, wait_for

logging.getLogger("ncclient").setLevel(logging.CRITICAL)
logging.getLogger("paramiko").setLevel(logging.CRITICAL)

TCP_REPAIR = 19  # linux/tcp.h: a socket closed in this state sends neither FIN nor RST
SESSIONS = ('<get><filter><netconf-state xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"><sessions/>'
            "</netconf-state></filter></get>")
LOCK = "<lock><target><running/></target></lock>"


class KeepaliveTest(SystemTest):
    def vanish(self, server):
        """Connects, locks running, and is gone: no FIN."""
        connection = manager.connect(host="127.0.0.1", port=server.port, username=USER,
                                     key_filename=path("client"), hostkey_verify=False, allow_agent=False,
                                     look_for_keys=False, timeout=30)
        connection.lock("running")
        transport = connection._session.transport
        copy = socket.socket(fileno=os.dup(transport.sock.fileno()))
        try:
            copy.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        except PermissionError:
            copy.close()
            connection.close_session()
            raise unittest.SkipTest("needs the right to repair TCP sockets")
        os.dup2(os.open(os.devnull, os.O_RDWR), transport.sock.fileno())
        copy.close()
        return connection

    def test_vanished_peer(self):
        server = Server.start("--keepalive", "1")
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.terminate)
        self.vanish(server)
        with UnixSession(server) as session:
            self.assertIn("lock-denied", session.rpc(LOCK))
            self.assertEqual(session.rpc(SESSIONS).count("<session>"), 2)
            self.assertTrue(wait_for(lambda: "<ok/>" in session.rpc(LOCK), 15, 0.2))
            self.assertEqual(session.rpc(SESSIONS).count("<session>"), 1)

    def test_off(self):
        server = Server.start("--keepalive", "0")
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.terminate)
        self.vanish(server)
        with UnixSession(server) as session:
            self.assertFalse(wait_for(lambda: "<ok/>" in session.rpc(LOCK), 4, 0.5))
