# SPDX-License-Identifier: BSD-3-Clause
"""An error-path is an expression in the context of its own XML (RFC 6241 4.3): with the prefixes that are declared
there it finds the instance in what the server sends, whatever names are in its keys."""

import os

from lxml import etree

from support import BASE, Server, SystemTest, UnixSession, edit, get_config

DATA = "urn:yare:example-data"
TXID = "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"
LOCK = "urn:ietf:params:xml:ns:netconf:partial-lock:1.0"
MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
HORSE = "/d:data/d:kennel[d:animal='m:horse']"
# The list, its key, a value
ENTRIES = (
    ("rule", "name", "plain"),
    ("rule", "name", "it's \"so\", 'or' \"not\""),
    ("rule", "name", "/d:data/text"),
    ("kennel", "animal", "d:cat"),
    ("kennel", "animal", "m:horse"),
    ("mark", "at", "/d:data/d:tls/d:name"),
    ("mark", "at", "/d:data/d:rule[d:name='/d:data/text']/d:action"),
    ("mark", "at", "/d:data/d:rule[d:name=\"it's\"]"),
    ("mark", "at", "/e:top/m:note"),
    ("mark", "at", HORSE),
    ("mark", "at", HORSE + "/d:places"),
    ("mark", "at", '/d:data/d:mark[d:at="%s"]/d:text' % HORSE),
)


def content(inner):
    return ('<data xmlns="%s" xmlns:d="%s" xmlns:m="urn:yare:example-more" xmlns:e="urn:yare:example?a&amp;b" '
            'xmlns:nc="%s" xmlns:txid="urn:ietf:params:xml:ns:netconf:txid:1.0">%s</data>'
            % (DATA, DATA, BASE, inner))


def entry(name, key, value, attributes="", more=""):
    text = value.replace("&", "&amp;").replace("<", "&lt;")
    return "<%s %s><%s>%s</%s>%s</%s>" % (name, attributes, key, text, key, more, name)


class ErrorPathTest(SystemTest):
    def setUp(self):
        self.server = Server.start("--yang-dir", MODULES, "--module", "example", "--module", "example-data",
                                   "--module", "example-more")
        self.addCleanup(self.server.stop)

    def found(self, reply, name="{%s}error-path" % BASE):
        """The one instance that the reply's only such path selects."""
        paths = etree.fromstring(reply.encode()).findall(".//" + name)
        self.assertEqual(len(paths), 1, reply)
        prefixes = {prefix: ns for prefix, ns in paths[0].nsmap.items() if prefix}
        found = self.data.xpath(paths[0].text, namespaces=prefixes)
        self.assertEqual(len(found), 1, reply)
        return found[0]

    def rpc(self, session, operation, tag):
        reply = session.rpc(operation)
        self.assertIn(tag, reply)
        return reply

    def check_edits(self, session, each):
        by_edit = self.rpc(session, edit(content(entry(*each, attributes='nc:operation="create"'))), "data-exists")
        by_decoder = self.rpc(session, edit(content(entry(*each, more="<other/>"))), "unknown-element")
        by_id = self.rpc(session, edit(content(entry(*each, attributes='txid:etag="?"'))), "mismatch")
        found = self.found(by_edit)
        self.check_filter(session, by_edit, found)
        self.assertEqual(found.tag, "{%s}%s" % (DATA, each[0]))
        for other in (self.found(by_decoder), self.found(by_id), self.found(by_id, "{%s}mismatch-path" % TXID)):
            self.assertEqual(found, other)
        return found

    def check_filter(self, session, reply, found):
        """The same path as a filter finds the same instance."""
        path = etree.fromstring(reply.encode()).find(".//{%s}error-path" % BASE)
        declared = " ".join('xmlns:%s="%s"' % (prefix, ns.replace("&", "&amp;"))
                            for prefix, ns in path.nsmap.items() if prefix)
        select = path.text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        whole = session.rpc('<get-config><source><running/></source><filter type="xpath" %s select="%s"/></get-config>'
                            % (declared, select))
        entries = etree.fromstring(whole.encode()).findall(".//{%s}data/*" % DATA)
        self.assertEqual([etree.tostring(entry, method="c14n", exclusive=True) for entry in entries],
                         [etree.tostring(found, method="c14n", exclusive=True)], whole)

    def check_lock(self, session, other, found, each):
        place = len(list(found.itersiblings(found.tag, preceding=True))) + 1
        granted = other.rpc('<partial-lock xmlns="%s" xmlns:d="%s"><select>/d:data/d:%s[%d]</select></partial-lock>'
                            % (LOCK, DATA, each[0], place))
        refused = self.rpc(session, edit(content(entry(*each, attributes='nc:operation="delete"'))), "in-use")
        self.assertEqual(self.found(refused), found)
        self.assertEqual(self.found(granted, "{%s}locked-node" % LOCK), found)
        number = etree.fromstring(granted.encode()).findtext(".//{%s}lock-id" % LOCK)
        other.ok('<partial-unlock xmlns="%s"><lock-id>%s</lock-id></partial-unlock>' % (LOCK, number))

    def test_path_finds_the_instance(self):
        with UnixSession(self.server) as session, UnixSession(self.server) as other:
            session.ok(edit(content("".join(entry(*each) for each in ENTRIES))))
            reply = etree.fromstring(session.rpc(get_config()).encode())
            self.data = etree.ElementTree(reply.find(".//{%s}data" % DATA))
            seen = set()
            for each in ENTRIES:
                with self.subTest(each=each):
                    found = self.check_edits(session, each)
                    seen.add(found)
                    self.check_lock(session, other, found, each)
            self.assertEqual(len(seen), len(ENTRIES))
