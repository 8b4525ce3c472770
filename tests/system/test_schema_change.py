# SPDX-License-Identifier: BSD-3-Clause
"""A data directory that a server finds under other modules than it was written under."""

import json
import os
import re
import subprocess
import tempfile

from support import BASE, DIR, Server, SystemTest, UnixSession, wait_for

TXID = "urn:ietf:params:xml:ns:netconf:txid:1.0"
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

    def ids(self, session, mechanism):
        """Transaction ids of what running has, in document order: of <data>, <top> and the entry."""
        reply = session.rpc('<get-config xmlns:t="%s" t:%s="?"><source><running/></source></get-config>'
                            % (TXID, mechanism))
        return re.findall(r'<(?:data|top|item)\b[^>]*:%s="([^"]*)"' % mechanism, reply)

    def test_transaction_ids(self):
        """What was set aside may have been anywhere: all ids are other ones, no node's is later than that of what it is
        in, and a client goes on with them."""
        server = self.start(OLD)
        with UnixSession(server) as session:
            self.put(session, DATA % "many")
            before = {mechanism: self.ids(session, mechanism) for mechanism in ("etag", "last-modified")}
        self.kill(server)
        server = self.start(NEW, "--on-schema-mismatch", "quarantine")
        for _ in range(2):
            with UnixSession(server) as session:
                after = {mechanism: self.ids(session, mechanism) for mechanism in before}
                for mechanism, ids in after.items():
                    self.assertEqual(len(set(ids)), 1, ids)
                    self.assertFalse(set(ids) & set(before[mechanism]))
            self.kill(server)
            server = self.start(NEW)
        with UnixSession(server) as session:
            self.assertEqual({mechanism: self.ids(session, mechanism) for mechanism in before}, after)
            self.put(session, '<top xmlns="urn:m" xmlns:t="%s" t:etag="%s"><item><id>1</id><size>8</size></item></top>'
                     % (TXID, after["etag"][1]))
            self.assertFalse(set(self.ids(session, "etag")) & set(after["etag"]))

    def test_transaction_ids_below_known_ones(self):
        """The journal tells that one of two inner entries changed, and so their parent; of the other one nothing is known.
        It is no later than the parent, and is as a client of the parent's id knows it."""
        frame = """module m { yang-version 1.1; namespace "urn:m"; prefix m; %s
          list top { key id; leaf id { type string; }
            list item { key id; leaf id { type string; } leaf size { type string; } } } }"""
        entries = '<top xmlns="urn:m" xmlns:t="%s"%s><id>%s</id>%s</top>'
        one, two = ("<item><id>%s</id><size>%%d</size></item>" % name for name in "12")
        server = self.start(frame % "", "--snapshot-growth", "4096")
        with UnixSession(server) as session:
            self.put(session, entries % (TXID, "", "a", one % 1 + two % 1 + "<item><id>%s</id></item>" % ("x" * 10000)))
            self.assertTrue(wait_for(lambda: "snapshot of version 2" in server.log_text()))
        server.stop()
        server = self.start(frame % "")
        with UnixSession(server) as session:
            self.put(session, entries % (TXID, "", "a", one % 2))
            self.put(session, entries % (TXID, "", "b", one % 1))
        self.kill(server)
        server = self.start(frame % "leaf more { type string; }")
        with UnixSession(server) as session:
            _, a, a_one, a_two, _, b, b_one = self.ids(session, "etag")
            self.assertEqual({a, a_one}, {a_two})
            self.assertEqual(b, b_one)
            self.assertNotEqual(a, b)
            self.put(session, entries % (TXID, ' t:etag="%s"' % a, "a", two % 2))

    def assert_set_aside(self, old, after, data, kept, aside):
        """What of `data` a server with the module `after` has, and what its quarantine file."""
        frame = 'module m { yang-version 1.1; namespace "urn:m"; prefix m; container top { %s } }'
        server = self.start(frame % old)
        with UnixSession(server) as session:
            self.put(session, '<top xmlns="urn:m">%s</top>' % data)
        self.kill(server)
        with self.assertRaises(AssertionError) as raised:
            self.start(frame % after)
        self.assertIn("the schema has no place for it", str(raised.exception))
        server = self.start(frame % after, "--on-schema-mismatch", "quarantine")
        with UnixSession(server) as session:
            self.assertIn('<top xmlns="urn:m">%s</top>' % kept if kept else '<top xmlns="urn:m"/>',
                          self.running(session))
        self.kill(server)
        with open(os.path.join(self.data, "quarantine.2.running.json")) as stream:
            content = json.load(stream)["ietf-yang-instance-data:instance-data-set"]["content-data"]
        self.assertEqual(content, {"m:top": aside})
        self.start(frame % after)

    def test_names_that_become_one(self):
        # '1' and '01' are two strings, but one number: neither is to vanish in the other.
        self.assert_set_aside(
            "list l { key k; leaf k { type string; } leaf v { type string; } }",
            "list l { key k; leaf k { type uint8; } leaf v { type string; } }",
            "<l><k>01</k><v>b</v></l><l><k>1</k><v>a</v></l>", "<l><k>1</k><v>a</v></l>",
            {"l": [{"k": "01", "v": "b"}]})

    def test_values_that_become_one(self):
        self.assert_set_aside(
            "leaf-list l { type union { type string; type uint8; } ordered-by user; }",
            "leaf-list l { type union { type uint8; type string; } ordered-by user; }",
            "<l>01</l><l>x</l><l>1</l>", "<l>x</l><l>1</l>", {"l": ["01"]})

    def test_another_kind_of_content(self):
        self.assert_set_aside(
            "anydata a; anyxml b; anydata c; leaf d { type string; }",
            "anyxml a; anydata b; leaf c { type string; } anydata d;",
            '<a><q xmlns="urn:q"/></a><b><q xmlns="urn:q"/></b><c><q xmlns="urn:q"/></c><d>x</d>', "",
            {"a": '<q xmlns="urn:q"/>', "b": '<q xmlns="urn:q"/>', "c": '<q xmlns="urn:q"/>', "d": "x"})

    def test_two_cases_of_what_became_a_choice(self):
        frame = ('module m { yang-version 1.1; namespace "urn:m"; prefix m; container top { leaf x { type string; }'
                 ' %s } }')
        server = self.start(frame % "leaf a { type string; } leaf b { type string; }")
        with UnixSession(server) as session:
            self.put(session, '<top xmlns="urn:m"><a>1</a><b>2</b></top>')
        self.kill(server)
        server = self.start(frame % "choice c { leaf a { type string; } leaf b { type string; } }")
        self.assertIn("not valid as it is", server.log_text())
        self.assertIn("/m:top/m:b", server.log_text())
        with UnixSession(server) as session:
            # The change is elsewhere; at most one case may be left all the same (RFC 7950 7.9).
            self.put(session, '<top xmlns="urn:m"><x>1</x></top>')
            self.assertIn('<top xmlns="urn:m"><x>1</x><a>1</a></top>', self.running(session))

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

    def test_modules_in_another_order(self):
        """The order of --module is no other schema, but inner nodes keep their own ids."""
        for name in "ab":
            with open(os.path.join(self.yang, name + ".yang"), "w") as stream:
                stream.write('module %s { namespace "urn:%s"; prefix p; container %s { container in { leaf v { type string; } } } }'
                             % (name, name, name))
        content = '<%s xmlns="urn:%s"><in><v>%d</v></in></%s>'
        data = ["--data-dir", self.data, "--yang-dir", self.yang, "--snapshot-growth", "1"]

        def ids(session, name):
            reply = session.rpc('<get-config xmlns:t="%s" t:etag="?"><source><running/></source></get-config>' % TXID)
            part = re.search("<%s .*</%s>" % (name, name), reply).group(0)
            return re.findall(r'<(?:in|%s)\b[^>]*:etag="([^"]*)"' % name, part)

        def start(*names):
            server = Server.start(*data, *(word for name in names for word in ("--module", name)))
            self.addCleanup(self.end, server)
            return server

        server = start("a", "b")
        with UnixSession(server) as session:
            self.put(session, content % ("a", "a", 1, "a"))
            self.put(session, content % ("b", "b", 1, "b"))
            before = ids(session, "a"), ids(session, "b")
            last = os.path.join(self.data, "snapshot.%020d" % 3)
            wait_for(lambda: os.path.exists(last))
        self.assertEqual(server.stop(), 0)
        self.assertNotEqual(before[0], before[1])
        server = start("b", "a")
        with UnixSession(server) as session:
            for name, had in zip("ab", before):
                self.assertTrue(set(ids(session, name)) <= set(had), name)
        self.assertEqual(server.stop(), 0)

    def test_options_are_no_other_schema(self):
        """Features and modules that options bring have no data: what was found valid stays so."""
        default = os.path.join(self.yang, "default.xml")
        with open(default, "w") as stream:
            stream.write('<config xmlns="%s"/>' % BASE)
        server = self.start(OLD, "--url-dir", self.yang, "--startup", "separate", "--factory-default", default)
        with UnixSession(server) as session:
            self.put(session, DATA % "many")
        self.assertEqual(server.stop(), 0)
        check = [os.path.join(os.path.dirname(os.environ["YARE_SYSTEM_YARED"]), "yare"), "check", self.data,
                 "--yang-dir", os.environ["YARE_SYSTEM_YANG"], "--module", "perf-test", "--yang-dir", self.yang, "--module"]
        with open(os.path.join(self.yang, "n.yang"), "w") as stream:
            stream.write('module n { namespace "urn:n"; prefix n; leaf n { type string; } }')
        for more, is_other in (["m"], False), (["m", "--module", "n"], True):
            told = subprocess.run(check + more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True).stdout
            self.assertEqual("another schema" in told, is_other, told)
