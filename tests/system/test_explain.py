# SPDX-License-Identifier: BSD-3-Clause
"""yare explain --counters: what the constraints of a running server were evaluated for."""

import os
import re
import subprocess

from support import PERF, Server, SystemTest, UnixSession, edit, entry, top


def counters(server, *options):
    command = [os.path.join(os.path.dirname(os.environ["YARE_SYSTEM_YARED"]), "yare"), "explain",
               "--counters", server.socket_path, *options]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def count_of(output, constraint):
    """(evaluated, time) of the row that ends so."""
    found = re.search(r"^ *(\d+) +(\d+|-) +(?:[\d.]+|-) +\S+ +%s$" % re.escape(constraint), output, re.M)
    if found is None:
        raise AssertionError("no %s in\n%s" % (constraint, output))
    return int(found.group(1)), found.group(2)


class CountersTest(SystemTest):
    must = "/perf-test:local-leafref-members/perf-test:name must"

    def start(self, *options):
        server = Server.start(*options)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.terminate)
        return server

    def refer(self, server, count):
        with UnixSession(server) as session:
            session.ok(edit(top("".join(entry("e%d" % i) for i in range(count)))))
            session.ok(edit("".join(
                '<local-leafref-members xmlns="%s"><name>e%d</name></local-leafref-members>' % (PERF, i)
                for i in range(count))))

    def test_counted_exactly(self):
        server = self.start()
        self.assertNotIn("must", counters(server).stdout)
        self.refer(server, 30)
        output = counters(server).stdout
        self.assertEqual(count_of(output, self.must), (30, "-"))
        self.assertIn("[perft:name = current()]", output)
        self.assertNotIn("must", counters(server, "--class", "local").stdout)

    def test_timed(self):
        server = self.start("--time-constraints")
        self.refer(server, 30)
        evaluated, time = count_of(counters(server).stdout, self.must)
        self.assertEqual(evaluated, 30)
        self.assertGreater(int(time), 0)

    def test_no_server(self):
        server = self.start()
        server.socket_path += "-not"
        result = counters(server)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no server listens there", result.stderr)
