# SPDX-License-Identifier: BSD-3-Clause
"""The startup datastore over SSH: ncclient's operations on it, starts, kills, and the switch of modes."""

import os
import re
import tempfile

from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

from support import BASE, DIR, USER, Server, SystemTest, entry, top

CONFIG = '<config xmlns="%s">%%s</config>' % BASE


class StartupTest(SystemTest):
    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(dir=DIR)

    def start(self, *options, mode="separate"):
        server = Server.start("--data-dir", self.data, "--durability", "full", "--startup", mode,
                              "--admin", USER, *options)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def put(session, name, target="running"):
        session.edit_config(target=target, config=CONFIG % top(entry(name)))

    @staticmethod
    def names(session, source="running"):
        return re.findall(r"<name>([^<]*)</name>", session.get_config(source).xml)

    def test_operations_and_starts(self):
        server = self.start()
        with self.connect_ncclient(server) as session, self.connect_ncclient(server) as other:
            self.assertIn(":startup", session.server_capabilities)
            self.put(session, "a")
            session.copy_config(source="running", target="startup")
            self.put(session, "b")
            session.validate("startup")
            with session.locked("startup"):
                with self.assertRaises(RPCError) as raised:
                    other.copy_config(source="running", target="startup")
                self.assertEqual(raised.exception.tag, "in-use")
                with self.assertRaises(RPCError) as raised:
                    other.lock("startup")
                self.assertEqual(raised.exception.tag, "lock-denied")
            self.assertEqual(self.names(session, "startup"), ["a"])
            self.assertEqual(self.names(session), ["a", "b"])
        for how in (self.kill, self.end):
            how(server)
            server = self.start()
            with self.connect_ncclient(server) as session:
                self.assertEqual(self.names(session), ["a"])
                self.assertEqual(self.names(session, "startup"), ["a"])
                self.put(session, "c")
        with self.connect_ncclient(server) as session:
            session.copy_config(source="running", target="startup")
        self.kill(server)
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["a", "c"])
            # What was not copied is in the history.
            versions = session.dispatch(to_ele('<list-versions xmlns="urn:yare:history"/>')).xml
            self.assertIn("<startup>copied</startup>", versions)
            session.dispatch(to_ele('<rollback xmlns="urn:yare:history"><version>5</version></rollback>'))
            self.assertEqual(self.names(session), ["a", "b"])

    def test_invalid_content_is_refused(self):
        server = self.start()
        with self.connect_ncclient(server) as session:
            with self.assertRaises(RPCError):
                session.dispatch(to_ele('<copy-config xmlns="%s"><target><startup/></target><source><config>%s'
                                        "</config></source></copy-config>" % (BASE, top(entry("x", kind=None)
                                        .replace("</local-list>", "<bad/></local-list>")))))
            self.assertEqual(self.names(session, "startup"), [])

    def test_deleted(self):
        file = os.path.join(self.data, "factory.xml")
        with open(file, "w") as stream:
            stream.write(top(entry("factory")))
        server = self.start("--init-file", file)
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["factory"])
            self.put(session, "a")
            session.copy_config(source="running", target="startup")
            session.delete_config("startup")
            self.assertEqual(self.names(session, "startup"), [])
            with self.assertRaises(RPCError) as raised:
                session.copy_config(source="startup", target="running")
            self.assertEqual(raised.exception.tag, "data-missing")
        self.kill(server)
        server = self.start("--init-file", file)
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["factory"])
        self.end(server)
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), [])

    def test_delete_is_for_administrators(self):
        server = Server.start("--data-dir", self.data, "--durability", "full", "--startup", "separate")
        self.addCleanup(self.end, server)
        with self.connect_ncclient(server) as session:
            with self.assertRaises(RPCError) as raised:
                session.delete_config("startup")
            self.assertEqual(raised.exception.tag, "access-denied")

    def test_switching_modes(self):
        server = self.start(mode="running")
        with self.connect_ncclient(server) as session:
            self.assertNotIn(":startup", session.server_capabilities)
            self.put(session, "a")
            with self.assertRaises(RPCError) as raised:
                session.copy_config(source="running", target="startup")
            self.assertEqual(raised.exception.tag, "invalid-value")
        self.kill(server)
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["a"])
            self.assertEqual(self.names(session, "startup"), ["a"])
            self.put(session, "b")
        self.end(server)
        server = self.start(mode="running")
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["a", "b"])
        self.kill(server)
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["a", "b"])
            self.assertEqual(self.names(session, "startup"), ["a", "b"])
