# SPDX-License-Identifier: BSD-3-Clause
"""Operations that options and modules bring, by ncclient over SSH: files as sources and targets, partial locks,
factory-reset, basic modes, rpcs and actions of modules."""

import os
import shutil
import tempfile

from ncclient.xml_ import to_ele

from support import DIR, PERF, USER, Server, entry, top
from test_ncclient import NcclientCase, names_of

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
PARTIAL = "urn:ietf:params:xml:ns:netconf:partial-lock:1.0"
FACTORY = "urn:ietf:params:xml:ns:yang:ietf-factory-default"
OPERATIONS = "urn:yare:example:operations"
BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"


def config(content):
    return '<config xmlns="%s">%s</config>' % (BASE, content)


class OwnServerCase(NcclientCase):
    def start(self, *options):
        self.server = Server.start("--admin", USER, *options)
        self.addCleanup(self.server.stop)


class UrlTest(OwnServerCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=DIR)
        self.addCleanup(shutil.rmtree, self.folder)
        self.start("--url-dir", self.folder)
        self.connection = self.connect()

    def test_there_and_back(self):
        self.assertIn(":url", self.connection.server_capabilities)
        self.connection.edit_config(target="running", config=config(top(entry("a"))))
        self.assertTrue(self.connection.copy_config(source="running", target="file:///a.xml").ok)
        with open(os.path.join(self.folder, "a.xml")) as stream:
            self.assertIn("<name>a</name>", stream.read())
        self.assertEqual(os.listdir(self.folder), ["a.xml"])
        self.assertTrue(self.connection.copy_config(source="file:///a.xml", target="candidate").ok)
        self.assertEqual(names_of(self.connection.get_config(source="candidate")), ["a"])
        self.assertTrue(self.connection.validate(source="file:///a.xml").ok)
        self.assertTrue(self.connection.delete_config(target="file:///a.xml").ok)
        self.assertEqual(os.listdir(self.folder), [])

    def test_nothing_outside(self):
        os.symlink("/etc/passwd", os.path.join(self.folder, "passwd"))
        os.symlink("/tmp", os.path.join(self.folder, "tmp"))
        for url in ("file:///passwd", "file:///../x", "file:///tmp/x", "http://127.0.0.1/x"):
            with self.subTest(url=url):
                self.refused(self.connection.validate, source=url)
                self.refused(self.connection.copy_config, source="running", target=url)
        self.assertFalse(os.path.exists("/tmp/x"))


class PartialLockTest(NcclientCase):
    def test_others_wait(self):
        owner, other = self.connect(), self.connect()
        owner.edit_config(target="running", config=config(top(entry("a") + entry("b"))))
        lock = to_ele('<partial-lock xmlns="%s" xmlns:p="%s"><select>/p:top-container/p:local-list[p:name="a"]'
                      "</select></partial-lock>" % (PARTIAL, PERF))
        self.assertIn(":partial-lock", owner.server_capabilities)
        self.assertIn("local-list", owner.dispatch(lock).xml)
        self.assertEqual(self.refused(other.dispatch, lock).tag, "lock-denied")
        self.assertEqual(self.refused(other.lock, target="running").tag, "lock-denied")
        error = self.refused(other.edit_config, target="running", config=config(top(entry("a", "ethernet"))))
        self.assertEqual(error.tag, "in-use")
        other.edit_config(target="running", config=config(top(entry("b", "ethernet"))))
        owner.close_session()
        other.edit_config(target="running", config=config(top(entry("a", "ethernet"))))


class FactoryTest(OwnServerCase):
    def test_reset(self):
        with tempfile.NamedTemporaryFile("w", dir=DIR, suffix=".xml") as default:
            default.write(config(top(entry("factory"))))
            default.flush()
            self.start("--factory-default", default.name)
        connection = self.connect()
        connection.edit_config(target="running", config=config(top(entry("a"))))
        connection.edit_config(target="candidate", config=config(top(entry("b"))))
        self.assertTrue(connection.dispatch(to_ele('<factory-reset xmlns="%s"/>' % FACTORY)).ok)
        for datastore in ("running", "candidate"):
            self.assertEqual(names_of(connection.get_config(source=datastore)), ["factory"])


class ModuleTest(OwnServerCase):
    def test_rpc_and_action(self):
        self.start("--yang-dir", SCENARIOS, "--module", "example-operations")
        connection = self.connect()
        error = self.refused(connection.dispatch, to_ele('<nobody xmlns="%s"/>' % OPERATIONS))
        self.assertEqual((error.tag, error.path.split(":")[-1]), ("missing-element", "there"))
        whole = to_ele('<nobody xmlns="%s"><there>x</there></nobody>' % OPERATIONS)
        self.assertEqual(self.refused(connection.dispatch, whole).tag, "operation-not-supported")
        action = to_ele('<action xmlns="urn:ietf:params:xml:ns:yang:1"><server xmlns="%s"><name>a</name>'
                        "<reset><at>2026-11-30</at></reset></server></action>" % OPERATIONS)
        self.assertEqual(self.refused(connection.dispatch, action).tag, "data-missing")


class BasicModeTest(OwnServerCase):
    def test_capability(self):
        for mode in ("report-all", "trim"):
            with self.subTest(mode=mode):
                self.start("--with-defaults-basic", mode)
                found = [c for c in self.connect().server_capabilities if "basic-mode=" in c]
                self.assertEqual(len(found), 1)
                self.assertIn("basic-mode=%s&" % mode, found[0])
