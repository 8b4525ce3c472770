# SPDX-License-Identifier: BSD-3-Clause
"""Transaction ids (draft-ietf-netconf-transaction-id-11) by ncclient over SSH, and over ends of the server."""

import re
import shutil
import tempfile

from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

from support import BASE, DIR, PERF, Server, SystemTest, entry, top

TXID = "urn:ietf:params:xml:ns:netconf:txid:1.0"


def config(content):
    return '<config xmlns="%s" xmlns:nc="%s" xmlns:txid="%s">%s</config>' % (BASE, BASE, TXID, content)


def known(name, etag, content="", attributes=""):
    return ('<local-list txid:etag="%s"%s><name>%s</name>%s</local-list>' % (etag, attributes, name, content))


class TxidTest(SystemTest):
    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(dir=DIR)

    def start(self, data=None, durability="full"):
        server = Server.start("--data-dir", data or self.data, "--durability", durability)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def read(session, content="", attribute=""):
        element = content and "<filter>%s</filter>" % content
        request = ('<get-config xmlns="%s" xmlns:txid="%s" %s><source><running/></source>%s</get-config>'
                   % (BASE, TXID, attribute, element))
        return to_ele(session.dispatch(to_ele(request)).xml)

    def ids(self, session):
        """Ids of the datastore, of the container, and of entries by name."""
        data = next(self.read(session, attribute='txid:etag="?"').iter("{%s}data" % BASE))
        attribute = "{%s}etag" % TXID
        ids = {"": data.get(attribute)}
        for node in data.iter("{%s}top-container" % PERF):
            ids["/"] = node.get(attribute)
        for node in data.iter("{%s}local-list" % PERF):
            ids[node.find("{%s}name" % PERF).text] = node.get(attribute)
        return ids

    def test_entries(self):
        with self.connect_ncclient(self.start()) as session:
            capabilities = list(session.server_capabilities)
            self.assertIn("urn:ietf:params:netconf:capability:txid:etag:1.0", capabilities)
            session.edit_config(target="running", config=config(top(entry("a") + entry("b"))))
            first = self.ids(session)
            session.edit_config(target="running", config=config(top(entry("b", "other"))))
            second = self.ids(session)
            self.assertEqual(second["a"], first["a"])
            self.assertNotEqual(second["b"], first["b"])
            self.assertEqual({second[""], second["/"]}, {second["b"]})
            reply = self.read(session, top(known("a", first["a"]) + known("b", first["b"])).replace(
                "<top-container", '<top-container xmlns:txid="%s"' % TXID))
            entries = {node.find("{%s}name" % PERF).text: len(node)
                       for node in reply.iter("{%s}local-list" % PERF)}
            self.assertEqual(entries, {"a": 1, "b": 2})
            # What another one has changed meanwhile is not changed, and not deleted.
            for attributes in ("", ' nc:operation="delete"'):
                with self.assertRaises(RPCError) as caught:
                    session.edit_config(target="running",
                                        config=config(top(known("b", first["b"], "", attributes))))
                self.assertEqual(caught.exception.tag, "operation-failed")
                self.assertEqual(caught.exception.type, "protocol")
                self.assertIn("<mismatch-etag-value>%s<" % second["b"], caught.exception.info)
                self.assertRegex(caught.exception.info, r"local-list\[[^]]*name='b'\]<")
            session.edit_config(target="running",
                                config=config(top(known("a", first["a"], "", ' nc:operation="delete"'))))
            self.assertNotIn("a", self.ids(session))

    def test_over_ends(self):
        server = self.start()
        with self.connect_ncclient(server) as session:
            for name in "abc":
                session.edit_config(target="running", config=config(top(entry(name))))
        for name in "abcab":
            with self.connect_ncclient(server) as session:
                session.edit_config(target="running", config=config(top(entry(name, "kind" + str(server.pid)))))
                ids = self.ids(session)
                self.assertEqual(len(set(ids.values())), 3)
            self.kill(server)
            server = self.start()
            with self.connect_ncclient(server) as session:
                self.assertEqual(self.ids(session), ids)
        server.stop()
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.ids(session), ids)

    def test_backup_put_back(self):
        server = self.start()
        with self.connect_ncclient(server) as session:
            session.edit_config(target="running", config=config(top(entry("a") + entry("b"))))
            before = self.ids(session)
        server.stop()
        copy = self.data + ".copy"
        shutil.copytree(self.data, copy)
        server = self.start()
        seen = set()
        with self.connect_ncclient(server) as session:
            for kind in ("x", "y", "z"):
                session.edit_config(target="running", config=config(top(entry("b", kind))))
                seen.update(self.ids(session).values())
        server.stop()
        seen -= set(before.values())
        server = self.start(copy)
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.ids(session), before)
            for kind in ("p", "q", "r"):
                session.edit_config(target="running", config=config(top(entry("b", kind))))
                self.assertEqual(set(self.ids(session).values()) & seen, set())
            # Their numbers were given again; a client that has one knows nothing.
            for etag in seen:
                reply = self.read(session, attribute='txid:etag="%s"' % etag)
                self.assertFalse([node for node in reply.iter() if node.get("{%s}etag" % TXID) == "="])

    def test_last_modified(self):
        with self.connect_ncclient(self.start()) as session:
            self.assertTrue(any(re.search(r"ietf-netconf-txid\?.*features=last-modified", capability)
                                for capability in session.server_capabilities)
                            or any("yang-library" in c for c in session.server_capabilities))
            times = []
            for kind in ("x", "y"):
                session.edit_config(target="running", config=config(top(entry("a", kind))))
                reply = self.read(session, attribute='txid:last-modified="?"')
                times.append(next(reply.iter("{%s}data" % BASE)).get("{%s}last-modified" % TXID))
            self.assertLess(times[0], times[1])
