# SPDX-License-Identifier: BSD-3-Clause
"""compare and transaction ids over SSH, by ncclient; ids across a restart and a kill."""

import re
import tempfile

from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

from support import BASE, DIR, PERF, Server, SystemTest, entry, top

COMPARE = "urn:ietf:params:xml:ns:yang:ietf-nmda-compare"
DATASTORES = "urn:ietf:params:xml:ns:yang:ietf-datastores"
TXID = "urn:ietf:params:xml:ns:netconf:txid:1.0"
MODULE = "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"


def compare(source, target, more=""):
    return ('<compare xmlns="%s" xmlns:ds="%s"><source>ds:%s</source><target>ds:%s</target>%s</compare>'
            % (COMPARE, DATASTORES, source, target, more))


def config(content, etag=None):
    attribute = ' xmlns:txid="%s" txid:etag="%s"' % (TXID, etag) if etag else ""
    return '<config xmlns="%s" xmlns:nc="%s"%s>%s</config>' % (BASE, BASE, attribute, content)


class CompareTest(SystemTest):
    def start(self):
        server = Server.start("--data-dir", self.data, "--durability", "full")
        self.addCleanup(self.end, server)
        return server

    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(dir=DIR)

    @staticmethod
    def etag(session):
        request = '<get-config xmlns="%s" xmlns:txid="%s" txid:etag="?"><source><running/></source></get-config>'
        reply = session.dispatch(to_ele(request % (BASE, TXID))).xml
        return re.search(r'<data[^>]* txid:etag="([^"]*)"', reply).group(1)

    def edits_of(self, session, request):
        data = to_ele(session.dispatch(to_ele(request)).xml)
        self.assertEqual(len(list(data.iter("{%s}patch-id" % COMPARE))), 1)
        return [(edit.find("{%s}operation" % COMPARE).text, edit.find("{%s}target" % COMPARE).text)
                for edit in data.iter("{%s}edit" % COMPARE)]

    def test_compare(self):
        with self.connect_ncclient(self.start()) as session:
            session.edit_config(target="running", config=config(top(entry("a") + entry("b c"))))
            session.edit_config(target="candidate",
                                config=config(top(entry("a", "other") + entry("b c", None, "delete") + entry("d"))))
            list_path = "/perf-test:top-container/local-list="
            self.assertEqual(self.edits_of(session, compare("running", "candidate")),
                             [("replace", list_path + "a/type"), ("delete", list_path + "b%20c"),
                              ("create", list_path + "d")])
            self.assertEqual(self.edits_of(session, compare("running", "intended")), [])
            only = "<xpath-filter xmlns:p=\"%s\">/p:top-container/p:local-list[p:name='d']</xpath-filter>" % PERF
            self.assertEqual(self.edits_of(session, compare("candidate", "running", only)),
                             [("delete", list_path + "d")])
            nothing = '<subtree-filter><none xmlns="urn:none"/></subtree-filter>'
            self.assertIn("no-matches", session.dispatch(to_ele(compare("running", "candidate", nothing))).xml)
            with self.assertRaises(RPCError) as caught:
                session.dispatch(to_ele(compare("running", "elsewhere")))
            self.assertEqual(caught.exception.tag, "invalid-value")

    def test_conditions(self):
        with self.connect_ncclient(self.start()) as session:
            self.assertIn("urn:ietf:params:netconf:capability:txid:etag:1.0", session.server_capabilities)
            session.edit_config(target="running", config=config(top(entry("a"))))
            known = self.etag(session)
            session.edit_config(target="running", config=config(top(entry("b")), known))
            with self.assertRaises(RPCError) as caught:
                session.edit_config(target="running", config=config(top(entry("c")), known))
            self.assertEqual(caught.exception.tag, "operation-failed")
            self.assertIn("<mismatch-etag-value>%s<" % self.etag(session), caught.exception.info)
            self.assertNotIn(">c<", session.get_config("running").xml)

    def test_ids_over_a_restart_and_a_kill(self):
        server = self.start()
        with self.connect_ncclient(server) as session:
            session.edit_config(target="running", config=config(top(entry("a"))))
            known = self.etag(session)
        server.stop()
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.etag(session), known)
            session.edit_config(target="running", config=config(top(entry("b"))))
            later = self.etag(session)
            self.assertNotEqual(later, known)
        self.kill(server)
        with self.connect_ncclient(self.start()) as session:
            self.assertEqual(self.etag(session), later)
