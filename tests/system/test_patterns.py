# SPDX-License-Identifier: BSD-3-Clause
"""Values that each reach the limit of their pattern: an edit of 10,000 of them is answered within a second of the
server's work, and others are served meanwhile."""

import os
import tempfile
import threading
import time

from support import DIR, Server, SystemTest, UnixSession

MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
VALUES = 10000
SECONDS = 1.0
SLACK = 10 if os.environ.get("YARE_SYSTEM_SANITIZED") == "1" else 1


class PatternTest(SystemTest):
    def test_many_slow_values(self):
        server = Server.start("--yang-dir", MODULES, "--module", "example-validation", "--data-dir",
                              tempfile.mkdtemp(dir=DIR))
        self.addCleanup(server.stop)
        values = "".join("<slow>%s%d</slow>" % ("a" * 60, i) for i in range(VALUES))
        request = ("<edit-config><target><running/></target><config>%s</config></edit-config>"
                   % values.replace("<slow>", '<slow xmlns="urn:yare:example-validation">'))
        with UnixSession(server) as session, UnixSession(server) as other:
            began = server.processor_seconds()
            answers = []
            thread = threading.Thread(target=lambda: answers.append(session.rpc(request)))
            thread.start()
            time.sleep(0.05)
            other.rpc("<get-config><source><running/></source></get-config>")
            thread.join()
            spent = server.processor_seconds() - began
            self.assertIn("too much work to match", answers[0])
            self.assertLess(spent, SECONDS * SLACK)
            self.assertNotIn("<slow", other.rpc("<get-config><source><running/></source></get-config>"))
