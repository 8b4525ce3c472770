# SPDX-License-Identifier: BSD-3-Clause
"""What the journal gives back after a kill is what was there: order, and values of all types."""

import os
import re
import signal
import tempfile

from support import DIR, Server, SystemTest, UnixSession, get_config

MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
HEAD = ("<edit-config><target><running/></target>%s<config"
        ' xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:yang="urn:ietf:params:xml:ns:yang:1"'
        ' xmlns:dt="urn:yare:example-data"><data xmlns="urn:yare:example-data">%s</data></config></edit-config>')

# Behaviour case 26: each edit moves several, the later ones next to those that the same edit moved.
ORDERS = (
    "".join("<step>%s</step>" % name for name in "abc"),
    '<step yang:insert="after" yang:value="c">a</step><step yang:insert="before" yang:value="a">n</step>',
    "".join("<rule><name>%s</name></rule>" % name for name in "abcde"),
    """<rule yang:insert="after" yang:key="[dt:name='e']"><name>a</name></rule>"""
    """<rule yang:insert="before" yang:key="[dt:name='a']"><name>n</name><action>x</action></rule>"""
    """<rule yang:insert="first"><name>d</name></rule><rule nc:operation="delete"><name>c</name></rule>""",
    '<pair><a>x</a><b>1</b></pair><pair yang:insert="first"><a>x</a><b>2</b></pair>',
)
ORDER = ("<rule><name>d</name></rule><rule><name>b</name></rule><rule><name>e</name></rule>"
         "<rule><name>n</name><action>x</action></rule><rule><name>a</name></rule>"
         "<pair><a>x</a><b>2</b></pair><pair><a>x</a><b>1</b></pair>"
         "<step>b</step><step>c</step><step>n</step><step>a</step>")
VALUES = (
    "<flagged><name>a</name><flag/></flagged><mixed><id>017</id></mixed><mixed><id>x'y</id></mixed>"
    "<number>+7</number><number>seven</number><animal>dt:cat</animal>"
    "<where>/dt:data/dt:mixed[dt:id=\"x'y\"]</where><path>/dt:data[dt:int &lt; 3]</path><int>-017</int>"
    "<decimal>1.50</decimal><bits>three one</bits><text>&#32;&#13;&amp;&#233;&#x1F40D;</text><binary>AAEC</binary>"
    "<empty/><tcp-port>1</tcp-port><tls/><any><x xmlns='urn:x' y='1'>t<!-- no --><z/></x></any>"
)


class ReplayTest(SystemTest):
    def start(self, data):
        server = Server.start("--yang-dir", MODULES, "--module", "example-data", "--data-dir", data,
                              "--durability", "full")
        self.addCleanup(self.end, server)
        return server

    def killed_and_read(self, edits):
        """The data before a kill, and after the start that follows."""
        data = tempfile.mkdtemp(dir=DIR)
        server = self.start(data)
        with UnixSession(server) as session:
            for content in edits:
                session.ok(HEAD % ("", content))
            before = session.rpc(get_config())
        os.kill(server.pid, signal.SIGKILL)
        server.process.wait()
        server = self.start(data)
        with UnixSession(server) as session:
            after = session.rpc(get_config())
        self.assertEqual(server.stop(), 0)
        return tuple(re.search("<data>.*</data>", reply, re.DOTALL).group(0) for reply in (before, after))

    def test_order(self):
        before, after = self.killed_and_read(ORDERS)
        self.assertIn(ORDER, before)
        self.assertEqual(before, after)

    def test_values(self):
        before, after = self.killed_and_read((VALUES,))
        for piece in ("<flag/>", "<int>-17</int>", "<decimal>1.5</decimal>", "<bits>one three</bits>",
                      "<text> &#13;&amp;\u00e9\U0001f40d</text>", "<number>7</number>", "<id>17</id>"):
            self.assertIn(piece, before)
        self.assertEqual(before, after)
