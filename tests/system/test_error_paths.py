# SPDX-License-Identifier: BSD-3-Clause
"""An error-path is an expression in the context of its own XML (RFC 6241 4.3): with the prefixes that are declared
there it finds the instance in what the server sends, whatever names are in its keys."""

import os

from lxml import etree

from support import BASE, Server, SystemTest, UnixSession, edit, get_config

DATA = "urn:yare:example-data"
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
            'xmlns:nc="%s">%s</data>' % (DATA, DATA, BASE, inner))


def entry(name, key, value, attributes="", more=""):
    text = value.replace("&", "&amp;").replace("<", "&lt;")
    return "<%s %s><%s>%s</%s>%s</%s>" % (name, attributes, key, text, key, more, name)


class ErrorPathTest(SystemTest):
    def setUp(self):
        self.server = Server.start("--yang-dir", MODULES, "--module", "example", "--module", "example-data",
                                   "--module", "example-more")
        self.addCleanup(self.server.stop)

    def found(self, data, reply):
        """What the reply's only error-path selects."""
        paths = etree.fromstring(reply.encode()).findall(".//{%s}error-path" % BASE)
        self.assertEqual(len(paths), 1, reply)
        prefixes = {prefix: ns for prefix, ns in paths[0].nsmap.items() if prefix}
        return data.xpath(paths[0].text, namespaces=prefixes)

    def test_path_finds_the_instance(self):
        with UnixSession(self.server) as session:
            session.ok(edit(content("".join(entry(*each) for each in ENTRIES))))
            reply = etree.fromstring(session.rpc(get_config()).encode())
            data = etree.ElementTree(reply.find(".//{%s}data" % DATA))
            seen = set()
            for each in ENTRIES:
                with self.subTest(each=each):
                    by_edit = session.rpc(edit(content(entry(*each, attributes='nc:operation="create"'))))
                    by_decoder = session.rpc(edit(content(entry(*each, more="<other/>"))))
                    self.assertIn("data-exists", by_edit)
                    self.assertIn("unknown-element", by_decoder)
                    found = self.found(data, by_edit)
                    self.assertEqual(len(found), 1, by_edit)
                    self.assertEqual(found, self.found(data, by_decoder), by_decoder)
                    self.assertEqual(found[0].tag, "{%s}%s" % (DATA, each[0]))
                    seen.add(found[0])
            self.assertEqual(len(seen), len(ENTRIES))
