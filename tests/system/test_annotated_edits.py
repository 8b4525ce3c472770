# SPDX-License-Identifier: BSD-3-Clause
"""Large edits with annotations (RFC 7952) that are prepared while they arrive over SSH: the same as without."""

import os
import re
import tempfile
import time

from support import BASE, DIR, Server, SystemTest, edit, error_of, get_config
from test_transport import ParamikoConnection

SCENARIOS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scenario")
NAMESPACE, MORE = "urn:yare:example?a&amp;b", "urn:yare:example-more"
ENTRIES = 2000  # some 600 KB
PIECES = 50
AHEAD = ("--ahead-size", "1")
PLAIN = ("--ahead-size", "0")
COLOURS = ("red", "blue")


def item(i, first, operation=""):
    """With what is annotated and how by its number; first: where to begin with the colours."""
    colour = ' m:colour="%s"' % COLOURS[(i + first) % 2]
    remark = ' m:remark="%s %d &quot;&#10;"' % ("r" * (i % 60), i)
    at = [(colour if i % 3 == n else "") + (remark if i % 4 == n else "") for n in range(4)]
    return ('<item%s%s><name%s>i%05d</name><kind%s>k</kind><tag%s>a</tag><tag>b</tag>'
            "<detail%s><first%s>f</first></detail><part%s><a>x</a><b>1</b><value%s>v</value></part></item>" %
            (operation, at[0], at[1], i, at[2], at[3], at[1], at[0], at[3], at[2]))


def top(indices, first=0, operation="", annotation=""):
    content = "".join(item(i, first, operation) for i in indices)
    return '<top xmlns="%s" xmlns:m="%s" xmlns:nc="%s"%s>%s</top>' % (NAMESPACE, MORE, BASE, annotation, content)


class AnnotatedEditsTest(SystemTest):
    def start(self, data, *options):
        server = Server.start("--yang-dir", SCENARIOS, "--module", "example", "--module", "example-more", "--data-dir", data,
                              *options)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def send(server, session, operation):
        """In pieces, so that it is looked at before it is whole."""
        data = session.rpc_text(operation).encode()
        size = len(data) // PIECES + 1
        for at in range(0, len(data), size):
            piece = data[at:at + size]
            session.send_bytes(b"\n#%d\n%s" % (len(piece), piece))
            time.sleep(0.002)
        session.send_bytes(b"\n##\n")
        try:
            return session.read()
        except EOFError as error:
            raise AssertionError("the server closed the session: %s" % server.log_text()) from error

    STEPS = (edit(top(range(ENTRIES), annotation=' m:remark="all"')),
             edit(top(range(1, ENTRIES + 500, 2), first=1)),
             edit(top(range(0, ENTRIES, 3), operation=' nc:operation="replace"', first=1)),
             edit(top(range(ENTRIES + 500, ENTRIES + 1500), operation=' nc:operation="create"', annotation=' m:colour="red"')),
             edit(top(range(ENTRIES)), before="<default-operation>replace</default-operation>"))
    REFUSED = edit(top(range(ENTRIES, 2 * ENTRIES)).replace("</top>", '<note m:colour="green">n</note></top>'))

    def run_steps(self, *options):
        """What is there after each step, after one that is refused, and after a restart."""
        data, seen = os.path.join(tempfile.mkdtemp(dir=DIR), "data"), []
        server = self.start(data, *options)
        with ParamikoConnection(server) as connection:
            session = connection.session()
            for step in self.STEPS:
                self.assertIn("<ok/>", self.send(server, session, step))
                seen.append(self.data(session))
            refusal = self.send(server, session, self.REFUSED)
            self.assertEqual(error_of(refusal)["error-tag"], "bad-attribute")
            self.assertEqual(self.data(session), seen[-1])
            seen.append(refusal)
        self.end(server)
        server = self.start(data, *options)
        with ParamikoConnection(server) as connection:
            seen.append(self.data(connection.session()))
        self.end(server)
        return seen

    @staticmethod
    def data(session):
        return re.search("<data.*</data>", session.rpc(get_config()), re.DOTALL).group()

    def test_same_with_and_without(self):
        ahead, plain = self.run_steps(*AHEAD), self.run_steps(*PLAIN)
        self.assertEqual(len(ahead), len(plain))
        for i, (one, other) in enumerate(zip(ahead, plain)):
            self.assertTrue(one == other, "step %d: %.300s\n%.300s" % (i, one, other))
        self.assertEqual(ahead[-1], ahead[-3])
        # All that was sent, each annotation with what it is of.
        first, last = (text.replace(' xmlns:example-more="%s"' % MORE, "").replace("example-more:", "m:")
                       for text in (ahead[0], ahead[-1]))
        for i in range(ENTRIES):
            self.assertTrue(item(i, 0) in first and item(i, 0) in last, i)
        self.assertIn(' m:remark="all"', first)
        self.assertNotIn(' m:remark="all"', last)
