# SPDX-License-Identifier: BSD-3-Clause
"""The history over SSH, as ncclient sees it, and across restarts and kills."""

import re
import tempfile

from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

from support import BASE, DIR, USER, Server, SystemTest, entry, top

HISTORY = "urn:yare:history"


def rpc(name, content=""):
    return '<%s xmlns="%s">%s</%s>' % (name, HISTORY, content, name)


class HistoryTest(SystemTest):
    def start(self, *options):
        server = Server.start("--data-dir", self.data, "--durability", "full", *options)
        self.addCleanup(self.end, server)
        return server

    def setUp(self):
        super().setUp()
        self.data = tempfile.mkdtemp(dir=DIR)

    @staticmethod
    def call(session, name, content=""):
        return session.dispatch(to_ele(rpc(name, content))).xml

    def versions(self, session):
        """Number, user, comment and label of each, newest first."""
        found = []
        for text in re.findall(r"<version .*?</version>", self.call(session, "list-versions"), re.S):
            leafs = dict(re.findall(r"<([a-z-]+)>([^<]*)</", text))
            found.append(tuple(leafs.get(leaf) for leaf in ("id", "user", "comment", "label")))
        return found

    def change(self, session, name, comment=None):
        said = '<comment xmlns="%s">%s</comment>' % (HISTORY, comment) if comment else ""
        self.base(session, "edit-config", "<target><running/></target><config>%s</config>%s"
                  % (top(entry(name)), said))

    @staticmethod
    def base(session, name, content):
        session.dispatch(to_ele('<%s xmlns="%s">%s</%s>' % (name, BASE, content, name)))

    def prepare(self, session, name):
        """On the candidate."""
        self.base(session, "edit-config", "<target><candidate/></target><config>%s</config>"
                  % top(entry(name)))

    @staticmethod
    def names(session):
        return re.findall(r"<name>([^<]*)</name>", session.get_config("running").xml)

    def test_list_show_rollback_label_across_restarts(self):
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.change(session, "a", "the first")
            self.change(session, "b")
            self.call(session, "label-version", "<version>2</version><label>one</label>")
            self.prepare(session, "c")
            self.base(session, "commit", '<comment xmlns="%s">by commit</comment><label xmlns="%s">three</label>'
                      % (HISTORY, HISTORY))
        for how in (self.kill, self.end, self.kill):
            how(server)
            server = self.start()
            with self.connect_ncclient(server) as session:
                self.assertEqual(self.versions(session),
                                 [("4", USER, "by commit", "three"), ("3", USER, None, None),
                                  ("2", USER, "the first", "one"), ("1", None, None, None)])
                reply = self.call(session, "show-version", "<label>one</label><with-data/>")
                self.assertEqual(re.findall(r"<name>([^<]*)</name>", reply), ["a"])
                self.assertIn("127.0.0.1:", reply)
                self.assertNotIn("<name>", self.call(session, "show-version",
                                                     "<version>1</version><with-data/>"))
        with self.connect_ncclient(server) as session:
            self.call(session, "rollback", "<label>one</label>")
            self.assertEqual(self.names(session), ["a"])
        self.kill(server)
        server = self.start()
        with self.connect_ncclient(server) as session:
            self.assertEqual(self.names(session), ["a"])
            self.assertEqual(self.versions(session)[0], ("5", USER, "Rollback to version 2.", None))
            self.call(session, "rollback", "<version>4</version>")
            self.assertEqual(self.names(session), ["a", "b", "c"])
            self.call(session, "rollback", "<version>1</version>")
            self.assertEqual(self.names(session), [])
            reply = session.get(("subtree", '<history xmlns="%s"><version><id>2</id></version></history>'
                                 % HISTORY)).xml
            self.assertIn("<comment>the first</comment><label>one</label>", reply)

    def test_refusals(self):
        server = self.start()
        with self.connect_ncclient(server) as session, self.connect_ncclient(server) as other:
            self.change(session, "a")
            with self.assertRaises(RPCError) as raised:
                self.call(session, "rollback", "<version>9</version>")
            self.assertEqual(raised.exception.tag, "data-missing")
            with other.locked("running"):
                with self.assertRaises(RPCError) as raised:
                    self.call(session, "rollback", "<version>1</version>")
                self.assertEqual(raised.exception.tag, "in-use")
            self.prepare(session, "c")
            session.commit(confirmed=True, timeout="600")
            for one in (session, other):
                with self.assertRaises(RPCError) as raised:
                    self.call(one, "rollback", "<version>1</version>")
                self.assertEqual(raised.exception.tag, "in-use")
            session.commit()
            self.call(other, "rollback", "<version>1</version>")
            self.assertEqual(self.names(session), [])

    def test_as_many_as_are_kept(self):
        server = self.start("--history", "3")
        with self.connect_ncclient(server) as session:
            for name in "abcde":
                self.change(session, name)
            listed = [version[0] for version in self.versions(session)]
            self.assertEqual(listed, ["6", "5", "4"])
        self.kill(server)
        server = self.start("--history", "3")
        with self.connect_ncclient(server) as session:
            self.assertEqual([version[0] for version in self.versions(session)], listed)
            self.call(session, "rollback", "<version>4</version>")
            self.assertEqual(self.names(session), ["a", "b", "c"])
