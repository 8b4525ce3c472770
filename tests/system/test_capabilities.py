# SPDX-License-Identifier: BSD-3-Clause
"""What the hello announces: what the server was started with, all of it, and nothing else."""

import re
import tempfile

from support import DIR, Server, SystemTest, UnixSession

CAPABILITY = "urn:ietf:params:netconf:capability:"
ALWAYS = {"urn:ietf:params:netconf:base:1.0", "urn:ietf:params:netconf:base:1.1"} | {
    CAPABILITY + name for name in (
        "writable-running:1.0", "candidate:1.0", "confirmed-commit:1.1", "rollback-on-error:1.0", "validate:1.1",
        "xpath:1.0", "partial-lock:1.0", "with-operational-defaults:1.0", "yang-library:1.0", "yang-library:1.1")}
BASIC = CAPABILITY + "with-defaults:1.0?basic-mode=%s&amp;also-supported=%s"
EXPLICIT = BASIC % ("explicit", "report-all,report-all-tagged,trim")
STATE = ('<get><filter><netconf-state xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"><capabilities/>'
         "</netconf-state></filter></get>")


class CapabilitiesTest(SystemTest):
    def announced(self, *options):
        server = Server.start(*options)
        self.addCleanup(self.end, server)
        with UnixSession(server) as session:
            self.assertEqual(re.findall("<capability>.*</capability>", session.hello),
                             re.findall("<capability>.*</capability>", session.rpc(STATE)))
            found = re.findall("<capability>(urn:ietf:params:netconf:[^<]*)</capability>", session.hello)
        self.end(server)
        # Of the library, whose parameters are the content's; all else to the letter.
        found = [re.sub(r"(:yang-library:1.[01])\?revision=2019-01-04&amp;(module-set|content)-id=\w+$", r"\1", one)
                 for one in found]
        self.assertEqual(len(found), len(set(found)))
        return set(found)

    def test_capabilities(self):
        usual = ALWAYS | {EXPLICIT, CAPABILITY + "txid:etag:1.0"}
        without = self.announced()
        self.assertEqual(without, usual)
        self.assertEqual(self.announced("--data-dir", tempfile.mkdtemp(dir=DIR), "--startup", "separate") - without,
                         {CAPABILITY + "startup:1.0"})
        self.assertEqual(self.announced("--url-dir", tempfile.mkdtemp(dir=DIR)) - without,
                         {CAPABILITY + "url:1.0?scheme=file"})
        for mode, others in (("report-all", "report-all-tagged,trim,explicit"),
                             ("trim", "report-all,report-all-tagged,explicit")):
            self.assertEqual(self.announced("--with-defaults-basic", mode) - without, {BASIC % (mode, others)})
