#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""yare-bench as its user meets it: wrong command lines, targets that are not as they should be, interrupts.

    test_command.py YARE-BENCH YARED SOURCE

Targets over SSH are made of paramiko: an SSH server that lets clients in as it is told and passes the stream on to a
yared's UNIX socket, or plays a server of its own. Without paramiko those tests are skipped."""

import html.parser
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import paramiko
except ImportError:
    paramiko = None

BENCH, YARED, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
HELLO = ('<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities>'
         "<capability>urn:ietf:params:netconf:base:1.0</capability>%s</capabilities>"
         "<session-id>1</session-id></hello>]]>]]>")
WRITABLE = "<capability>urn:ietf:params:netconf:capability:writable-running:1.0</capability>"


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="yare-command-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, TMPDIR=self.folder)

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "w") as file:
                file.write(content)
        return path

    def bench(self, *arguments, code=0, says=""):
        """Runs it to its end; gives what it printed."""
        done = subprocess.run([BENCH, *arguments], env=self.environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(says, done.stderr)
        return done.stdout

    def left_behind(self):
        return [name for name in os.listdir(self.folder) if name.startswith("yare-bench-")]


class CommandLine(Case):
    def test_wrong_ones_are_explained(self):
        for arguments, says in (
                ([], "no command"),
                (["nothing"], "'nothing' is no command"),
                (["run"], "no suite"),
                (["run", "nothing"], "no suite or scenario 'nothing'"),
                (["run", "controller/nothing"], "that suite has edit, read, query"),
                (["run", "router"], "not available yet"),
                (["run", "peers/provision"], "yare-bench peers perf-test/provision"),
                (["run", "--nothing"], "yare-bench: unrecognized option"),
                (["run", "perf-test", "--sizes", "10,x"], "--sizes takes numbers of 1 to 9999999"),
                (["run", "perf-test", "--sizes", "0"], "--sizes takes"),
                (["run", "perf-test", "--sizes", "10000000"], "--sizes takes"),
                (["run", "perf-test", "--repeat", "0"], "--repeat takes a number of 1 to 1000"),
                (["run", "perf-test", "--sessions", "4,0"], "--sessions takes"),
                (["run", "perf-test", "--timeout", "0"], "--timeout takes"),
                (["run", "perf-test", "--durability", "some"], "full, relaxed or none, not 'some'"),
                (["run", "perf-test", "--transport", "tcp"], "ssh or unix"),
                (["run", "perf-test", "--gate", "-1"], "--gate takes"),
                (["run", "perf-test", "--target", "host:830"], "ssh://USER@HOST:PORT"),
                (["run", "perf-test", "--target", "ssh://me@host"], "ssh://USER@HOST:PORT"),
                (["run", "perf-test", "--target", "ssh://me@host:830"], "needs --key or --password-file"),
                (["run", "perf-test", "--target", "ssh://me@host:830", "--password-file", "/nothing"],
                 "--password-file needs a file"),
                (["peers", "--target", "unix:/nothing"], "peers spawns the servers itself"),
                (["compare", "one"], "compare takes two files"),
                (["compare", "one", "two", "--noise", "x"], "compare takes two files"),
                (["report", "one"], "--html or --markdown"),
                (["list", "more"], "list takes nothing")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.bench(*arguments, code=2, says=says), "")

    def test_help_of_each_command(self):
        for command in ("run", "peers", "report", "compare", "list"):
            self.assertIn("--password-file", self.bench(command, "--help"))

    def test_rows_are_names_as_well(self):
        listed = self.bench("list")
        limits = read(os.path.join(SOURCE, "bench", "limit_table.c"))
        for name in set(re.findall(r'\{"((?:perf-test|controller|directory)/[a-z0-9-]+)"', limits)):
            suite, row = name.split("/")
            known = re.findall(r"(%s/[a-z-]+) .*\n(?: +rows: (.*)\n)?" % suite, listed)
            rows = {s: (r or s.split("/")[1]).replace("#", "8").split() for s, r in known}
            self.assertTrue(any(row in of for of in rows.values()), name)
        os.mkdir(self.path("models"))
        self.bench("run", "controller/store", "--models", self.path("models"), "--sizes", "1", code=1,
                   says="controller/store is measured with all of controller/edit")
        self.bench("run", "directory/modify-16", "--models", self.path("models"), "--sizes", "1", code=1,
                   says="all of directory/modify")

    def test_files_are_tried_before_hours_are_spent(self):
        before = time.monotonic()
        for option in ("--json", "--csv", "--html"):
            self.bench("run", "perf-test/provision", "--sizes", "1000000", option, "/nothing/result", code=1,
                       says="cannot write /nothing/result")
        self.assertLess(time.monotonic() - before, 30)

    def test_server_that_does_not_start(self):
        self.bench("run", "perf-test/restore", "--sizes", "5", "--yang-dir", "/nothing", code=1,
                   says="the server did not start")
        self.assertEqual(self.left_behind(), [])


class Results(Case):
    def assert_balanced(self, page):
        """Every element that is not empty by nature ends where it should."""
        open_ones = []

        class Reader(html.parser.HTMLParser):
            def handle_starttag(reader, tag, attributes):
                if tag != "meta":
                    open_ones.append(tag)

            def handle_startendtag(reader, tag, attributes):
                pass

            def handle_endtag(reader, tag):
                self.assertEqual(open_ones.pop() if open_ones else "nothing", tag, reader.getpos())

        Reader().feed(page)
        self.assertEqual(open_ones, [])

    def test_files_and_comparison(self):
        a, shown, table = self.path("a.json"), self.path("a.html"), self.path("a.csv")
        self.bench("run", "perf-test/restore", "--sizes", "5,10", "--json", a, "--html", shown, "--csv", table)
        rows = json.loads(read(a))["results"]
        self.assertIn(("perf-test/restore", 10, "elapsed, SSH"),
                      [(row["scenario"], row["n"], row["metric"]) for row in rows])
        page = read(shown)
        self.assertIn("<svg", page)
        self.assertEqual(re.findall(r"(?:src|href)=|url\(|@import|<script", page), [])
        self.assert_balanced(page)
        lines = read(table).splitlines()
        self.assertEqual(len(lines), 1 + len(rows))
        self.assertIn("0 worse", self.bench("compare", a, a))
        slow = read(a)
        for sample in re.findall(r'"metric": "elapsed, SSH".*"samples": \[([^]]*)\]', slow):
            slow = slow.replace("[%s]" % sample, "[%g]" % (2 * float(sample)))
        b = self.path("b.json", slow)
        self.assertIn("2 worse", self.bench("compare", "--noise", "30", a, b, code=1))
        self.bench("compare", a, b, "--noise", "150")
        self.bench("report", a, b, "--html", shown, "--markdown", self.path("a.md"), "--plots",
                   self.path("plots"))
        self.assertIn("restore.svg", os.listdir(self.path("plots")))

    def test_own_figures_beside_a_peer_do_not_count(self):
        """They are of a machine that the peer kept busy; the ratio to the peer stays."""
        row = ('    {"scenario": "%s", "n": 10000, "metric": "%s", "unit": "s", "value": 0, %s"mean": 0, '
               '"mean_without_outliers": 0, "samples": [%g]}')
        result = '{\n  "format": 1,\n  "peers": "%s",\n  "durability": "full",\n  "results": [\n%s\n  ]\n}\n'
        metric = "elapsed, SSH"
        alone = self.path("alone.json", result % ("", row % ("perf-test/restore", metric, "", 3)))
        beside = self.path("beside.json", result % ("slow 1", ",\n".join((
            row % ("perf-test/restore", metric, "", 7),
            row % ("perf-test/restore", metric, '"server": "slow", ', 70),
            row % ("peers/restore", "slow over yared", "", 10),
            (row % ("perf-test/restore", metric, '"floor": "floor", ', 900)).replace("10000", "20000"),
            (row % ("perf-test/restore", "floor", "", 1)).replace("10000", "20000"),
            (row % ("perf-test/restore", metric, '"server": "slow", ', 9000)).replace("10000", "20000"),
            (row % ("peers/restore", "slow over yared", "", 10)).replace("10000", "20000")))))
        for order in ((alone, beside), (beside, alone)):
            self.bench("report", *order, "--markdown", self.path("a.md"), "--plots", self.path("plots"))
            page = read(self.path("a.md"))
            self.assertIn("| 10000 | full | 3 | 70 (10 x) |", page)
            self.assertIn("| 20000 | full | 900 | 9000 (10 x) |", page)
            self.assertIn("### perf-test/restore, yared, beside a peer", page)
            self.assertIn("Every limit of the table above is met", page)  # 900 is no figure of it alone
            os.remove(self.path("a.md"))

    def test_nothing_in_common(self):
        a = self.path("a.json", '{\n  "format": 1,\n  "results": [\n  ]\n}\n')
        self.bench("compare", a, a, code=1, says="nothing in common")
        self.bench("compare", a, "/nothing", code=1, says="cannot read /nothing")
        self.bench("compare", a, BENCH, code=1, says="is not a result")


class Interrupts(Case):
    def start(self, *arguments):
        process = subprocess.Popen([BENCH, "run", *arguments], env=self.environment, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.wait_for(lambda: self.servers(), "a server")
        return process

    def servers(self):
        """Processes that run on this test's folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = read("/proc/%s/cmdline" % pid)
            except OSError:
                continue
            if line.startswith(YARED) and self.folder in line:
                found.append(int(pid))
        return found

    def wait_for(self, condition, what):
        for _ in range(300):
            if condition():
                return
            time.sleep(0.1)
        self.fail("not in time: " + what)

    def test_first_one_reports_what_is_complete(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            result = self.path("result.json")
            process = self.start("perf-test/provision", "--sizes", "5,1000000",
                                 "--durability", "none", "--transport", "unix", "--json", result)
            time.sleep(1)
            process.send_signal(number)
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn("interrupted", err)
            sizes = {row["n"] for row in json.loads(read(result))["results"]}
            self.assertEqual(sizes, {5})
            self.assertIn("perf-test/provision, N = 5", out)
            self.assertEqual(self.servers(), [])
            self.assertEqual(self.left_behind(), [])

    def test_killed_one_leaves_nothing(self):
        for kill in (lambda p: p.kill(), lambda p: (p.send_signal(signal.SIGINT), time.sleep(0.05),
                                                    p.send_signal(signal.SIGINT))):
            process = self.start("perf-test/idle", "--sizes", "1000000", "--idle-sessions", "1")
            kill(process)
            process.communicate(timeout=120)
            self.wait_for(lambda: not self.servers() and not self.left_behind(), "servers and files gone")


class TargetCase(Case):

    def start_yared(self, *options):
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True)
        log, path = self.path("log"), self.path("socket")
        stream = open(log, "w")
        self.addCleanup(stream.close)
        process = subprocess.Popen(
            [YARED, "--yang-dir", os.path.join(SOURCE, "bench", "yang"), "--durability", "none", "--listen",
             "127.0.0.1:0", "--listen-unix", path, "--host-key", self.path("host"), "--authorized-keys",
             self.path("client.pub"), *options], stderr=stream)
        self.addCleanup(lambda: (process.terminate(), process.wait(60)))
        for _ in range(300):
            ready = re.search(r" ready ssh 127.0.0.1:(\d+)", read(log))
            if ready:
                return path, int(ready.group(1))
            self.assertIsNone(process.poll(), read(log))
            time.sleep(0.1)
        return self.fail(read(log))


class Target(TargetCase):
    def test_yared(self):
        path, port = self.start_yared("--module", "perf-test")
        out = self.path("result.json")
        for target in (["unix:" + path], ["ssh://me@127.0.0.1:%d" % port, "--key", self.path("client")]):
            for _ in range(2):  # the second one meets the data of the first
                self.bench("run", "perf-test/restore", "perf-test/complex", "perf-test/provision", "perf-test/boot",
                           "--sizes", "20", "--json", out, "--target", *target,
                           says="perf-test/boot left out: it needs --target spawn")
            found = {row["scenario"] for row in json.loads(read(out))["results"]}
            self.assertEqual(found, {"perf-test/restore", "perf-test/complex", "perf-test/provision"})
        self.bench("run", "perf-test/restore", "--sizes", "5", "--target", "ssh://me@127.0.0.1:%d" % port,
                   "--key", self.path("host"), code=1, says="does not let us in; it offers: a key (--key)")

    def test_module_is_missing(self):
        path, _ = self.start_yared("--module", "yare-engine")
        self.bench("run", "perf-test/restore", "--sizes", "5", "--target", "unix:" + path, code=1,
                   says="needs the modules of perf-test, which this user may write: perf-test")

    def test_nobody_listens(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            self.bench("run", "perf-test/restore", "--sizes", "5", "--target", "unix:/nothing", code=1,
                       says="cannot connect to /nothing")
            self.bench("run", "perf-test/restore", "--sizes", "5", "--target", "ssh://me@127.0.0.1:%d" % port,
                       "--password-file", self.path("word", "x\n"), code=1, says="Connection refused")


@unittest.skipIf(paramiko is None, "no paramiko")
class SshTarget(TargetCase):
    """An SSH server that lets clients in by password or by a question."""

    def serve(self, play, methods="password", subsystem="netconf"):
        key = paramiko.RSAKey.generate(2048)

        class Door(paramiko.ServerInterface):
            def get_allowed_auths(self, username):
                return methods

            def check_auth_password(self, username, password):
                good = methods == "password" and password == "secret"
                return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

            def check_auth_interactive(self, username, submethods):
                return paramiko.InteractiveQuery("", "", ("Token: ", False), ("Word: ", False))

            def check_auth_interactive_response(self, responses):
                good = methods != "password" and list(responses) == ["secret", "secret"]
                return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

            def check_channel_request(self, kind, number):
                return paramiko.OPEN_SUCCEEDED

            def check_channel_subsystem_request(self, channel, name):
                if name != subsystem:
                    return False
                threading.Thread(target=play, args=(channel,), daemon=True).start()
                return True

        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        self.addCleanup(listener.close)

        def accept():
            while True:
                try:
                    connection = listener.accept()[0]
                except OSError:
                    return
                transport = paramiko.Transport(connection)
                transport.add_server_key(key)
                try:
                    transport.start_server(server=Door())
                except (paramiko.SSHException, EOFError):
                    pass

        threading.Thread(target=accept, daemon=True).start()
        return "ssh://me@127.0.0.1:%d" % listener.getsockname()[1]

    @staticmethod
    def pass_on(path):
        def play(channel):
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(path)

            def copy(read, write, end):
                for piece in iter(lambda: read(65536), b""):
                    write(piece)
                end()

            threading.Thread(target=copy, args=(stream.recv, channel.sendall, channel.close),
                             daemon=True).start()
            copy(channel.recv, stream.sendall, lambda: stream.shutdown(socket.SHUT_WR))
        return play

    def run_restore(self, target, **expected):
        word = expected.pop("word", "secret\n")
        return self.bench("run", "perf-test/restore", "--sizes", "10", "--timeout", "5", "--target", target,
                          "--password-file", self.path("word", word), **expected)

    def test_password(self):
        path, _ = self.start_yared("--module", "perf-test")
        for methods in ("password", "keyboard-interactive"):
            target = self.serve(self.pass_on(path), methods)
            self.assertIn("perf-test/restore, N = 10", self.run_restore(target))
            offered = "a password" if methods == "password" else "questions"
            self.run_restore(target, word="wrong\n", code=1, says="it offers: " + offered)

    def test_no_subsystem(self):
        self.run_restore(self.serve(None, subsystem="other"), code=1, says="no netconf subsystem")

    def test_running_is_not_writable(self):
        def play(channel):
            channel.sendall((HELLO % "").encode())
        self.run_restore(self.serve(play), code=1, says="does not let clients write running")

    def test_server_closes(self):
        def after_hello(channel):
            channel.sendall((HELLO % WRITABLE).encode())
            channel.recv(65536)
            channel.close()

        def within_reply(channel):
            channel.sendall((HELLO % WRITABLE).encode())
            channel.recv(65536)
            channel.sendall(b"<rpc-reply")
            channel.get_transport().close()

        self.run_restore(self.serve(lambda channel: channel.close()), code=1, says="yare-bench: ")
        self.run_restore(self.serve(after_hello), code=1, says="closed the session")
        self.run_restore(self.serve(within_reply), code=1, says="yare-bench: ")

    def test_server_is_silent(self):
        def play(channel):
            channel.sendall((HELLO % WRITABLE).encode())
        before = time.monotonic()
        self.run_restore(self.serve(play), code=1, says="no reply in time")
        self.assertLess(time.monotonic() - before, 60)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
