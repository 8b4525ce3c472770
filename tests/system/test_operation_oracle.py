# SPDX-License-Identifier: BSD-3-Clause
"""The input of rpcs and actions, drawn at random: valid exactly where yanglint says so."""

import os
import random
import shutil
import subprocess
import tempfile
import unittest

from support import Server, SystemTest, UnixSession, edit

NS = "urn:yare:example:operations"
MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario")
MODULE = os.path.join(MODULES, "example-operations.yang")
ACTION = '<action xmlns="urn:ietf:params:xml:ns:yang:1">%s</action>'
ROUNDS = 150


class OperationOracleTest(SystemTest):
    def setUp(self):
        if shutil.which("yanglint") is None:
            raise unittest.SkipTest("needs yanglint (package libyang-tools)")
        seed = int(os.environ.get("YARE_SEED", random.randrange(1 << 32)))
        print("seed", seed)
        self.random = random.Random(seed)
        self.server = Server.start("--yang-dir", MODULES, "--module", "example-operations")
        self.addCleanup(self.end, self.server)
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def number(self):
        return str(self.random.randint(1, 9))

    def some(self, *pieces):
        """Each with even odds, in any order."""
        chosen = [piece for piece in pieces if self.random.random() < 0.5]
        self.random.shuffle(chosen)
        return "".join(chosen)

    def relate(self):
        parts = "".join("<part><id>%s</id>%s</part>" % (name, self.some("<cost>%s</cost>" % self.number()))
                        for name in "xyz" if self.random.random() < 0.5)
        return '<relate xmlns="%s">%s</relate>' % (NS, self.some(
            "<first>%s</first>" % self.number(), "<second>%s</second>" % self.number(), parts,
            "<main>%s</main>" % self.random.choice("xyz"), "<cost>%s</cost>" % self.number(), "<extra/>", "<seen/>",
            "<far/>"))

    def activate(self):
        return '<activate xmlns="%s"><image>i</image>%s</activate>' % (NS, self.some(
            "<server>%s</server>" % self.random.choice("abc"), "<other>%s</other>" % self.random.choice("abc"), "<force/>",
            "<window>%s</window>" % self.some("<from>%s</from>" % self.number(), "<to>%s</to>" % self.number())))

    def action(self):
        measure = "<measure>%s</measure>" % self.some("<low>%s</low>" % self.number(), "<high>%s</high>" % self.number(),
                                                       "<alone/>")
        reset = "<reset><at>2026-11-30</at>%s</reset>" % self.some("<peer>%s</peer>" % self.random.choice("abc"), "<heavy/>")
        return '<server xmlns="%s"><name>%s</name>%s</server>' % (NS, self.random.choice("ab"),
                                                                  self.random.choice((measure, reset)))

    def oracle(self, data, text):
        files = []
        for name, content in (("data.xml", data), ("input.xml", text)):
            files.append(os.path.join(self.folder, name))
            with open(files[-1], "w") as stream:
                stream.write(content)
        done = subprocess.run(["yanglint", "-t", "rpc", "-O", files[0], MODULE, files[1]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode == 0, done.stdout.decode()

    def test_inputs(self):
        servers = "".join('<server xmlns="%s"><name>%s</name><weight>%d</weight></server>' % (NS, name, weight)
                          for name, weight in (("a", 9), ("b", 20)))
        verdicts = {True: 0, False: 0}
        with UnixSession(self.server) as session:
            session.ok(edit(servers))
            for _ in range(ROUNDS):
                make = self.random.choice((self.relate, self.activate, self.action))
                text = make()
                valid, why = self.oracle(servers, text)
                reply = session.rpc(ACTION % text if make == self.action else text)
                found = "<error-tag>operation-not-supported</error-tag>" in reply  # there is no handler
                self.assertEqual(found, valid, "\n".join((text, reply, why)))
                verdicts[valid] += 1
        self.assertGreater(min(verdicts.values()), ROUNDS // 20, verdicts)
