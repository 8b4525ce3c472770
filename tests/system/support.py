# SPDX-License-Identifier: BSD-3-Clause
"""What the system tests share: the server, servers of a test's own, NETCONF by hand, ssh."""

import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
PERF = "http://netconfcentral.org/ns/perf-test"
DIR = os.environ.get("YARE_SYSTEM_DIR", "")
SANITIZED = os.environ.get("YARE_SYSTEM_SANITIZED") == "1"
SOAK = os.environ.get("YARE_SOAK") == "1"
USER = "admin"


def path(name):
    return os.path.join(DIR, name)


def hello(version="1.1"):
    return ('<hello xmlns="%s"><capabilities><capability>urn:ietf:params:netconf:base:%s</capability>'
            "</capabilities></hello>" % (BASE, version))


def entry(name, kind="l2vlan", operation=None):
    attribute = ' nc:operation="%s"' % operation if operation else ""
    inner = "<type>%s</type>" % kind if kind is not None else ""
    return "<local-list%s><name>%s</name>%s</local-list>" % (attribute, name, inner)


def top(content):
    return '<top-container xmlns="%s" xmlns:nc="%s">%s</top-container>' % (PERF, BASE, content)


def edit(content, target="running", before=""):
    return "<edit-config><target><%s/></target>%s<config>%s</config></edit-config>" % (target, before,
                                                                                        content)


def get_config(source="running", filter_content=None):
    selected = '<filter type="subtree">%s</filter>' % filter_content if filter_content is not None else ""
    return "<get-config><source><%s/></source>%s</get-config>" % (source, selected)


class Server:
    """A yared: the one that tests/system/run started, or one of a test's own with other options."""

    def __init__(self, pid, port, socket_path, process=None, log=None):
        self.pid, self.port, self.socket_path = pid, port, socket_path
        self.process, self.log = process, log

    @classmethod
    def shared(cls):
        if not DIR:
            raise unittest.SkipTest("run by tests/system/run")
        pid, port = int(os.environ["YARE_SYSTEM_PID"]), int(os.environ["YARE_SYSTEM_PORT"])
        return cls(pid, port, path("socket"))

    @classmethod
    def start(cls, *options):
        own = tempfile.mkdtemp(dir=DIR)
        log = os.path.join(own, "log")
        socket_path = os.path.join(own, "socket")
        command = [os.environ["YARE_SYSTEM_YARED"], "--yang-dir", os.environ["YARE_SYSTEM_YANG"],
                   "--module", "perf-test", "--durability", "none", "--verify",
                   "--listen", "127.0.0.1:0", "--listen-unix", socket_path,
                   "--host-key", path("host"), "--authorized-keys", path("authorized_keys")]
        with open(log, "wb") as stream:
            process = subprocess.Popen(command + list(options), stderr=stream)
        for _ in range(200):
            with open(log) as stream:
                found = re.search(r" info ready .*ssh \S+:(\d+)", stream.read())
            if found:
                return cls(process.pid, int(found.group(1)), socket_path, process, log)
            if process.poll() is not None:
                break
            time.sleep(0.05)
        process.kill()
        process.wait()
        with open(log) as stream:
            raise AssertionError("the server did not start: " + stream.read())

    def log_text(self):
        with open(self.log) as stream:
            return stream.read()

    def stop(self, timeout=20):
        """Ends it by SIGTERM; gives its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        text = self.log_text()
        assert not re.search("Sanitizer|runtime error:|assertion", text), text
        return code

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.pid))

    def memory(self):
        """Resident bytes."""
        with open("/proc/%d/statm" % self.pid) as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self):
        with open("/proc/%d/stat" % self.pid) as stream:
            fields = stream.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_at_rest(self):
        before = self.processor_seconds()
        time.sleep(0.5)
        return self.processor_seconds() - before < 0.05

    def ssh_command(self, *arguments, key="client", user=USER, options=()):
        command = ["ssh", "-F", "none", "-i", path(key), "-p", str(self.port), "-T"]
        for option in ("IdentitiesOnly=yes", "IdentityAgent=none", "UserKnownHostsFile=/dev/null",
                       "StrictHostKeyChecking=no", "LogLevel=ERROR", "BatchMode=yes") + tuple(options):
            command += ["-o", option]
        return command + ["%s@127.0.0.1" % user] + list(arguments)

    def ssh(self, *arguments, data=b"", timeout=30, **named):
        return subprocess.run(self.ssh_command(*arguments, **named), input=data, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(condition, seconds=20, pause=0.05):
    """Whether it became true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(pause)
    return condition()


class Session:
    """NETCONF by hand over any pair of byte functions; base:1.1 unless told otherwise."""

    def __init__(self, send, receive, version="1.1", greet=True):
        self._send, self._receive = send, receive
        self.version, self.buffer, self.last_id = version, b"", 0
        if greet:
            self.hello = self.read_end_of_message()
            self.session_id = int(re.search(r"<session-id>(\d+)<", self.hello).group(1))
            self.send_bytes((hello(version) + "]]>]]>").encode())

    def send_bytes(self, data):
        self._send(data)

    def _fill(self):
        data = self._receive(1 << 16)
        if not data:
            raise EOFError("the server closed the session")
        self.buffer += data

    def _take_until(self, end):
        start = 0
        while True:
            at = self.buffer.find(end, start)
            if at >= 0:
                break
            start = max(0, len(self.buffer) - len(end) + 1)
            self._fill()
        data, self.buffer = self.buffer[:at], self.buffer[at + len(end):]
        return data

    def read_end_of_message(self):
        return self._take_until(b"]]>]]>").decode()

    def read_chunks(self):
        message = []
        while True:
            assert self._take_until(b"\n") == b"", "a chunk begins with a line feed"
            head = self._take_until(b"\n")
            if head == b"##":
                return b"".join(message).decode()
            size = int(head[1:])
            while len(self.buffer) < size:
                self._fill()
            message.append(self.buffer[:size])
            self.buffer = self.buffer[size:]

    def read(self):
        return self.read_end_of_message() if self.version == "1.0" else self.read_chunks()

    def frame(self, text):
        data = text.encode()
        return data + b"]]>]]>" if self.version == "1.0" else b"\n#%d\n%s\n##\n" % (len(data), data)

    def rpc_text(self, operation):
        self.last_id += 1
        return '<rpc xmlns="%s" message-id="%d">%s</rpc>' % (BASE, self.last_id, operation)

    def post(self, operation):
        self.send_bytes(self.frame(self.rpc_text(operation)))

    def rpc(self, operation):
        self.post(operation)
        return self.read()

    def ok(self, operation):
        reply = self.rpc(operation)
        if "<ok/>" not in reply:
            raise AssertionError(reply)

    def at_end(self):
        """Whether the server closes it; discards what comes before that."""
        try:
            while self._receive(1 << 16):
                pass
        except (ConnectionResetError, BrokenPipeError):
            pass
        return True


class UnixSession(Session):
    def __init__(self, server, timeout=30, **named):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(server.socket_path)
        super().__init__(self.socket.sendall, self.socket.recv, **named)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def error_of(reply):
    """The first rpc-error of a reply as a dictionary of its children's texts."""
    error = ElementTree.fromstring(reply).find("{%s}rpc-error" % BASE)
    if error is None:
        raise AssertionError("no error: " + reply)
    return {child.tag.rsplit("}", 1)[1]: (child.text or "") for child in error}


class SystemTest(unittest.TestCase):
    """Begins with an empty running and an unchanged candidate."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server.shared()

    def setUp(self):
        # Locks of the last test may still be there: paramiko's thread closes a socket up to 0.1 s late.
        with UnixSession(self.server) as session:
            for operation in ("<discard-changes/>",
                              edit("", before="<default-operation>replace</default-operation>")):
                self.assertTrue(wait_for(lambda: "<ok/>" in session.rpc(operation), 5))

    @staticmethod
    def end(server):
        """For addCleanup: a server of the test's own, if it runs yet."""
        if server.process.poll() is None:
            server.stop()

    @staticmethod
    def kill(server):
        os.kill(server.pid, signal.SIGKILL)
        server.process.wait()

    @staticmethod
    def connect_ncclient(server):
        from ncclient import manager  # not every test needs it
        return manager.connect(host="127.0.0.1", port=server.port, username=USER, key_filename=path("client"),
                               hostkey_verify=False, allow_agent=False, look_for_keys=False, timeout=30)

    def names(self, source="running"):
        """Of the entries of local-list."""
        with UnixSession(self.server) as session:
            reply = session.rpc(get_config(source))
        return re.findall(r"<local-list><name>([^<]*)</name>", reply)
