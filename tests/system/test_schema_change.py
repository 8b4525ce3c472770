# SPDX-License-Identifier: BSD-3-Clause
"""A data directory that a server finds under other modules than it was written under."""

import json
import os
import signal
import tempfile

from support import BASE, DIR, Server, SystemTest, UnixSession

OLD = """module m { yang-version 1.1; namespace "urn:m"; prefix m;
  container top { leaf kept { type string; } leaf gone { type string; } leaf number { type string; }
    list item { key id; leaf id { type string; } leaf size { type string; } } } }"""
NEW = """module m { yang-version 1.1; namespace "urn:m"; prefix m;
  container top { leaf kept { type string; } leaf number { type uint8; }
    list item { key id; leaf id { type uint8; } leaf size { type uint16; } } } }"""
DATA = ('<top xmlns="urn:m"><kept>k</kept><gone>g</gone><number>%s</number>'
        "<item><id>1</id><size>7</size></item><item><id>one</id><size>8</size></item></top>")


class SchemaChangeTest(SystemTest):
    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(dir=DIR)
        self.yang = tempfile.mkdtemp(dir=DIR)

    def start(self, module, *options):
        with open(os.path.join(self.yang, "m.yang"), "w") as stream:
            stream.write(module)
        server = Server.start("--data-dir", self.data, "--durability", "full", "--yang-dir", self.yang,
                              "--module", "m", *options)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def end(server):
        if server.process.poll() is None:
            server.stop()

    @staticmethod
    def kill(server):
        os.kill(server.pid, signal.SIGKILL)
        server.process.wait()

    @staticmethod
    def put(session, content):
        session.ok("<edit-config><target><running/></target><config>%s</config></edit-config>" % content)

    @staticmethod
    def running(session):
        return session.rpc("<get-config><source><running/></source></get-config>")

    def test_refused_then_set_aside(self):
        server = self.start(OLD)
        with UnixSession(server) as session:
            self.put(session, DATA % "many")
        self.kill(server)
        with self.assertRaises(AssertionError) as raised:
            self.start(NEW)
        told = str(raised.exception)
        for path in ("/m:top/gone = 'g'", "/m:top/number = 'many'", "/m:top/item[id='one']/size = '8'"):
            self.assertIn(path, told)
        self.assertNotIn("kept", told)
        # The old modules still have it all.
        server = self.start(OLD)
        with UnixSession(server) as session:
            self.assertIn("<gone>g</gone>", self.running(session))
        self.kill(server)
        server = self.start(NEW, "--on-schema-mismatch", "quarantine")
        self.assertIn("quarantine.2.running.json", server.log_text())
        for _ in range(2):
            with UnixSession(server) as session:
                self.assertIn('<top xmlns="urn:m"><kept>k</kept><item><id>1</id><size>7</size></item></top>',
                              self.running(session))
                self.assertIn("set aside: quarantine.2.", session.rpc(
                    '<list-versions xmlns="urn:yare:history"><count>1</count></list-versions>'))
            self.kill(server)
            server = self.start(NEW)
        with open(os.path.join(self.data, "quarantine.2.running.json")) as stream:
            content = json.load(stream)["ietf-yang-instance-data:instance-data-set"]["content-data"]
        self.assertEqual(content, {"m:top": {"gone": "g", "number": "many",
                                             "item": [{"id": "one", "size": "8"}]}})

    def test_corrected_before_the_change(self):
        server = self.start(OLD)
        with UnixSession(server) as session:
            self.put(session, DATA % "many")
            self.put(session, '<top xmlns="urn:m" xmlns:nc="%s"><gone nc:operation="delete"/>'
                     '<number>9</number><item nc:operation="delete"><id>one</id></item></top>' % BASE)
        self.kill(server)
        server = self.start(NEW)
        with UnixSession(server) as session:
            self.assertIn("<number>9</number>", self.running(session))
