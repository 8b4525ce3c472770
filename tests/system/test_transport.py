# SPDX-License-Identifier: BSD-3-Clause
"""What clients do to a connection: OpenSSH's, paramiko's, bare sockets; polite, slow, gone or hostile."""

import os
import re
import resource
import socket
import struct
import subprocess
import threading
import time
import unittest

import paramiko

from support import (BASE, SANITIZED, SOAK, USER, Server, Session, SystemTest, UnixSession, edit, entry,
                     error_of, get_config, hello, path, top, wait_for)

MEBIBYTE = 1 << 20


def many(first, count, size=40):
    return top("".join(entry("%s%07d" % ("n" * size, i)) for i in range(first, first + count)))


def messages_1_0(*operations):
    """What a client of base:1.0 would send."""
    messages = [hello("1.0")]
    for i, operation in enumerate(operations, 1):
        messages.append('<rpc xmlns="%s" message-id="%d">%s</rpc>' % (BASE, i, operation))
    return "".join(message + "]]>]]>" for message in messages).encode()


class ParamikoConnection:
    """An SSH connection whose channels are opened and read by hand."""

    def __init__(self, server, key="client", user=USER):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.transport = paramiko.Transport(self.socket)
        try:
            self.transport.start_client(timeout=30)
            self.transport.auth_publickey(user, paramiko.Ed25519Key.from_private_key_file(path(key)))
        except Exception:
            self.close()
            raise

    def channel(self, window=None, packet=None):
        channel = self.transport.open_session(window_size=window, max_packet_size=packet, timeout=30)
        channel.settimeout(30)
        return channel

    def session(self, **named):
        channel = self.channel(**named)
        channel.invoke_subsystem("netconf")
        session = Session(channel.sendall, channel.recv)
        session.channel = channel
        return session

    def close(self):
        self.transport.close()
        self.socket.close()

    def vanish(self):
        """As a client that is killed: no word of SSH any more."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class TransportTest(SystemTest):
    def alive(self):
        with UnixSession(self.server) as session:
            self.assertIn("<data", session.rpc(get_config()))

    def settles(self, descriptors):
        """Back to so many descriptors, but for the connections that others hold."""
        return wait_for(lambda: self.server.descriptors() <= descriptors)


class OpensshTest(TransportTest):
    def test_subsystem(self):
        data = messages_1_0(get_config(), "<close-session/>")
        result = self.server.ssh("-s", "netconf", data=data)
        self.assertEqual(result.returncode, 0, result.stderr)
        messages = result.stdout.decode().split("]]>]]>")
        self.assertEqual(len(messages), 4)
        self.assertIn("<data", messages[1])
        self.assertIn("<ok/>", messages[2])

    def test_end_of_input_closes_after_the_answers(self):
        result = self.server.ssh("-s", "netconf", data=messages_1_0(get_config()))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('message-id="1"', result.stdout.decode())

    def test_only_netconf_is_served(self):
        for arguments in (["-s", "sftp"], ["-s", "netconf2"], ["ls"], []):
            with self.subTest(arguments=arguments):
                result = self.server.ssh(*arguments)
                self.assertEqual(result.returncode, 255)
                self.assertIn(b"request failed", result.stderr)
                self.assertEqual(result.stdout, b"")

    def test_no_terminal(self):
        """Case 125: neither a terminal nor a shell, a command or X11; the connection goes on."""
        with ParamikoConnection(self.server) as connection:
            for ask in (lambda channel: channel.get_pty(), lambda channel: channel.invoke_shell(),
                        lambda channel: channel.exec_command("true"), lambda channel: channel.request_x11(),
                        lambda channel: channel.invoke_subsystem("sftp")):
                channel = connection.channel()
                with self.assertRaises(paramiko.SSHException):
                    ask(channel)
                channel.close()
            connection.session().ok(edit(top(entry("a"))))

    def test_no_forwarding(self):
        result = self.server.ssh("-W", "127.0.0.1:%d" % self.server.port)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, b"")
        result = self.server.ssh("-N", "-R", "0:127.0.0.1:1", options=("ExitOnForwardFailure=yes",))
        self.assertNotEqual(result.returncode, 0)

    def test_wrong_key_and_other_methods(self):
        result = self.server.ssh("-s", "netconf", key="other")
        self.assertEqual(result.returncode, 255)
        self.assertIn(b"(publickey)", result.stderr)  # no other method is offered

    def test_ciphers_and_macs(self):
        request = messages_1_0()
        for cipher in ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com",
                       "aes128-ctr", "aes256-ctr"):
            with self.subTest(cipher=cipher):
                result = self.server.ssh("-s", "netconf", data=request, options=("Ciphers=" + cipher,))
                self.assertEqual(result.returncode, 0, result.stderr)
        for refused in ("Ciphers=aes128-cbc", "MACs=hmac-sha1,hmac-sha1-etm@openssh.com"):
            with self.subTest(refused=refused):
                options = (refused, "Ciphers=aes128-ctr") if refused.startswith("MACs") else (refused,)
                result = self.server.ssh("-s", "netconf", data=request, options=options)
                self.assertEqual(result.returncode, 255)

    def test_keys_are_exchanged_anew(self):
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 20000)))
        data = messages_1_0(get_config(), get_config(), get_config())
        result = self.server.ssh("-s", "netconf", data=data, options=("RekeyLimit=300K",), timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        messages = result.stdout.decode().split("]]>]]>")
        self.assertEqual(len(messages), 5)
        for message in messages[1:4]:
            self.assertEqual(message.count("<local-list>"), 20000)

    def test_large_request_while_keys_are_exchanged_anew(self):
        data = messages_1_0(edit(many(0, 20000)))
        result = self.server.ssh("-s", "netconf", data=data, options=("RekeyLimit=300K",), timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("<ok/>", result.stdout.decode())
        self.assertEqual(len(self.names()), 20000)


class ChannelTest(TransportTest):
    def test_several_channels(self):
        with ParamikoConnection(self.server) as connection:
            sessions = [connection.session() for _ in range(4)]
            self.assertEqual(len({session.session_id for session in sessions}), 4)
            self.assertNotIn(0, [session.session_id for session in sessions])
            sessions[0].ok("<lock><target><running/></target></lock>")
            self.assertEqual(error_of(sessions[1].rpc(edit(top(entry("a")))))["error-tag"], "in-use")
            sessions[0].ok("<close-session/>")
            self.assertTrue(sessions[0].at_end())
            sessions[1].ok(edit(top(entry("a"))))
            sessions[2].channel.close()
            sessions[3].ok(edit(top(entry("b"))))
            sessions.append(connection.session())
            self.assertEqual(sessions[4].rpc(get_config()).count("<local-list>"), 2)

    def test_a_channel_that_is_left_in_mid_reply(self):
        """Closed by the client, or killed while it takes nothing: the others of the connection go on."""
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 20000)))
        with ParamikoConnection(self.server) as connection:
            other = connection.session()
            for _ in range(5):
                session = connection.session()
                session.post(get_config())
                session.channel.recv(1000)
                session.channel.close()
                other.ok(edit(top(entry("a"))))
            stalled = connection.session(window=40000)
            stalled.ok("<lock><target><running/></target></lock>")
            stalled.post(get_config())
            time.sleep(0.2)
            other.ok("<kill-session><session-id>%d</session-id></kill-session>" % stalled.session_id)
            other.ok("<lock><target><running/></target></lock>")
            time.sleep(4)  # longer than a connection without sessions lives
            other.ok(edit(top(entry("b"))))
            other.ok("<unlock><target><running/></target></unlock>")

    def test_channels_are_limited(self):
        with ParamikoConnection(self.server) as connection:
            channels = [connection.channel() for _ in range(16)]
            with self.assertRaises(paramiko.ChannelException):
                connection.channel()
            channels.pop().close()
            self.assertTrue(wait_for(lambda: self.opens(connection)))

    @staticmethod
    def opens(connection):
        try:
            connection.channel()
            return True
        except paramiko.ChannelException:
            return False

    def test_second_subsystem_of_a_channel(self):
        with ParamikoConnection(self.server) as connection:
            session = connection.session()
            with self.assertRaises(paramiko.SSHException):
                session.channel.invoke_subsystem("netconf")
        self.alive()

    def test_connection_ends_after_its_last_channel(self):
        before = self.server.descriptors()
        with ParamikoConnection(self.server) as connection:
            connection.session().ok("<close-session/>")
            self.assertTrue(wait_for(lambda: not connection.transport.is_active()))
            self.assertTrue(self.settles(before))

    def test_packet_size_of_ten_bytes(self):
        """libssh would write empty packets for ever."""
        with ParamikoConnection(self.server) as connection:
            connection.transport._sanitize_packet_size = lambda size: size
            for size in (9, 10, 11, 100):
                with self.subTest(size=size):
                    channel = connection.channel(packet=size)
                    with self.assertRaises(paramiko.SSHException):
                        channel.invoke_subsystem("netconf")
        with ParamikoConnection(self.server) as connection:
            connection.transport._sanitize_packet_size = lambda size: size
            connection.session(packet=512).ok(edit(top(entry("a"))))
        self.alive()

    def test_small_window(self):
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 2000)))
        with ParamikoConnection(self.server) as connection:
            connection.transport._sanitize_window_size = lambda size: size
            session = connection.session(window=1000)
            self.assertEqual(session.rpc(get_config()).count("<local-list>"), 2000)

    def test_data_before_the_subsystem_and_after_the_end(self):
        with ParamikoConnection(self.server) as connection:
            channel = connection.channel()
            channel.sendall(b"x" * 300000)
            channel.invoke_subsystem("netconf")
            Session(channel.sendall, channel.recv).ok(edit(top(entry("a"))))
            session = connection.session()
            session.ok("<close-session/>")
            try:
                session.send_bytes(b"x" * 300000)
            except OSError:
                pass
        self.alive()

    def test_client_that_ignores_its_window(self):
        """A server that believed in windows would collect without a bound what such a client sends."""
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 20000)))
        before = self.server.memory()
        with ParamikoConnection(self.server) as connection:
            session = connection.session(window=1000)
            session.channel.settimeout(None)
            for _ in range(100):  # more than are queued, and no reply is read
                session.post(get_config())
            session.channel.out_window_size = 1 << 30
            session.channel.in_window_threshold = 1 << 30
            with self.assertRaises((OSError, EOFError)):
                for _ in range(1000):
                    session.send_bytes(b" " * 32000)
            self.assertTrue(wait_for(lambda: not connection.transport.is_active()))
        if not SANITIZED:
            self.assertLess(self.server.memory() - before, 16 * MEBIBYTE)
        self.alive()


class LoginTest(TransportTest):
    def login(self, server, key="client", user=USER):
        try:
            with ParamikoConnection(server, key, user):
                return True
        except paramiko.AuthenticationException:
            return False

    def test_authorized_keys_are_read_again(self):
        keys = path("authorized_keys")
        with open(keys) as stream:
            original = stream.read()
        try:
            self.assertFalse(self.login(self.server, "other"))
            with open(path("other.pub")) as stream:
                other = stream.read()
            with open(keys, "a") as stream:
                stream.write("# comment\n\nfrom=\"10.0.0.1\" " + other)
            self.assertFalse(self.login(self.server, "other"))  # options are not understood: not taken
            with open(keys, "a") as stream:
                stream.write(other)
            self.assertTrue(self.login(self.server, "other"))
            self.assertTrue(self.login(self.server))
            os.unlink(keys)
            self.assertFalse(self.login(self.server))
        finally:
            with open(keys, "w") as stream:
                stream.write(original)
        self.assertTrue(self.login(self.server))

    def test_one_user_only(self):
        server = Server.start("--user", "operator")
        try:
            self.assertFalse(self.login(server))
            self.assertTrue(self.login(server, user="operator"))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_time_to_log_in(self):
        server = Server.start("--auth-timeout", "700", "--hello-timeout", "700")
        try:
            before = server.descriptors()
            silent = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            self.assertTrue(silent.recv(100).startswith(b"SSH-2.0-"))
            self.assertEqual(silent.recv(100), b"")
            with ParamikoConnection(server) as connection:  # logged in, but no session
                self.assertTrue(wait_for(lambda: not connection.transport.is_active(), 5))
            with UnixSession(server, greet=False) as session:  # no hello
                session.read_end_of_message()
                self.assertTrue(session.at_end())
            with ParamikoConnection(server) as connection:
                session = connection.session()
                time.sleep(1.5)
                session.ok(edit(top(entry("a"))))  # neither is left over once there is a session
            self.assertTrue(wait_for(lambda: server.descriptors() <= before))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_too_many_that_do_not_log_in(self):
        server = Server.start()
        try:
            waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(64)]
            for connection in waiting:
                self.assertTrue(connection.recv(100).startswith(b"SSH-2.0-"))
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as refused:
                try:
                    self.assertEqual(refused.recv(100), b"")
                except ConnectionResetError:
                    pass
            for connection in waiting:
                connection.close()
            self.assertTrue(wait_for(lambda: self.logs_in(server)))
        finally:
            self.assertEqual(server.stop(), 0)

    def logs_in(self, server):
        try:
            return self.login(server)
        except (paramiko.SSHException, EOFError, OSError):
            return False

    def test_failures_are_limited(self):
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
        transport = paramiko.Transport(connection)
        transport.start_client(timeout=30)
        key = paramiko.Ed25519Key.from_private_key_file(path("other"))
        failures = 0
        try:
            while failures < 20:
                try:
                    transport.auth_publickey(USER, key)
                except paramiko.AuthenticationException:
                    failures += 1
        except (paramiko.SSHException, EOFError, OSError):
            pass
        finally:
            transport.close()
            connection.close()
        self.assertTrue(5 <= failures <= 8, failures)  # paramiko reports the end as a failure, or two

    def test_garbage_instead_of_ssh(self):
        before = self.server.descriptors()
        for garbage in (b"\n", b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100000, b"SSH-2.0-x\r\n" + b"\xff" * 100000,
                        b"SSH-2.0-x\r\n" + struct.pack(">IB", 12, 4) + b"\x14" + b"\0" * 10,
                        b"SSH-1.5-x\r\n", b"x" * 300):
            with self.subTest(garbage=garbage[:30]):
                with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
                    try:
                        connection.sendall(garbage)
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(1000):
                            pass
                    except OSError:
                        pass
        self.assertTrue(self.settles(before))
        self.alive()


class BadClientTest(TransportTest):
    def test_vanishing_in_mid_chunk(self):
        before = self.server.descriptors()
        for i in range(20):
            connection = ParamikoConnection(self.server)
            session = connection.session()
            session.ok("<lock><target><running/></target></lock>")
            session.send_bytes(b"\n#1000\n<rpc xmlns=")
            if i % 2:
                connection.vanish()
            else:
                connection.close()
            self.assertTrue(wait_for(self.lock_is_free), i)
        for i in range(20):
            session = UnixSession(self.server)
            session.ok("<lock><target><running/></target></lock>")
            session.send_bytes(b"\n#1000\n<rpc xmlns=")
            session.close()
            self.assertTrue(wait_for(self.lock_is_free), i)
        self.assertTrue(self.settles(before))
        self.assertEqual(self.names(), [])

    def lock_is_free(self):
        with UnixSession(self.server) as session:
            if "<ok/>" not in session.rpc("<lock><target><running/></target></lock>"):
                return False
            session.ok("<unlock><target><running/></target></unlock>")  # not later, when the server sees the end
            return True

    def test_vanishing_before_the_answer(self):
        before = self.server.descriptors()
        for _ in range(5):
            session = UnixSession(self.server)
            session.post(edit(many(0, 5000)))
            session.close()
            with ParamikoConnection(self.server) as connection:
                connection.session().post(edit(many(0, 5000)))
                connection.vanish()
        self.assertTrue(self.settles(before))
        self.alive()
        # They were whole: what was begun is done, and must not come into the next test.
        self.assertTrue(wait_for(self.server.is_at_rest, 60))

    def test_slow_reader(self):
        """Gets all of a large answer, and holds up nobody."""
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 20000)))
        with ParamikoConnection(self.server) as connection, UnixSession(self.server) as other:
            slow = connection.session(window=40000)
            slow.post(get_config())
            read, worst = 0, 0.0
            while read < 400000:
                read += len(slow.channel.recv(20000))
                time.sleep(0.01)
                began = time.monotonic()
                other.ok(edit(top(entry("x%d" % read))))
                worst = max(worst, time.monotonic() - began)
            self.assertLess(worst, 0.5)
            slow.buffer = b""
            rest = b""
            while b"\n##\n" not in rest[-10:]:
                rest += slow.channel.recv(1 << 16)
            self.assertNotIn(b"<name>x", rest)  # of one version

    def never_reads(self, open_session):
        with UnixSession(self.server) as session:
            session.ok(edit(many(0, 20000)))
        before = self.server.memory()
        session = open_session()
        for _ in range(10):
            session.post(get_config())
        time.sleep(1)
        self.alive()
        if not SANITIZED:
            self.assertLess(self.server.memory() - before, 8 * MEBIBYTE)
        used = self.server.processor_seconds()
        time.sleep(1)
        self.assertLess(self.server.processor_seconds() - used, 0.2)  # nothing spins

    def test_never_reads_unix(self):
        before = self.server.descriptors()
        session = UnixSession(self.server)
        self.never_reads(lambda: session)
        session.close()
        self.assertTrue(self.settles(before))

    def test_never_reads_ssh(self):
        before = self.server.descriptors()
        connection = ParamikoConnection(self.server)
        self.never_reads(lambda: connection.session(window=40000))
        connection.vanish()
        self.assertTrue(self.settles(before))

    def test_never_reads_is_dropped(self):
        server = Server.start("--stall-timeout", "500")
        try:
            with UnixSession(server) as session:
                session.ok(edit(many(0, 20000)))
            before = server.descriptors()
            with UnixSession(server) as stalled, ParamikoConnection(server) as connection:
                stalled.post(get_config())
                connection.session(window=40000).post(get_config())
                self.assertTrue(wait_for(lambda: server.descriptors() <= before))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_half_closed(self):
        """shutdown(SHUT_WR) after the requests: all are answered, then the server closes."""
        with UnixSession(self.server) as session:
            session.post(edit(many(0, 5000)))
            session.post(get_config())
            session.socket.shutdown(socket.SHUT_WR)
            self.assertIn("<ok/>", session.read())
            self.assertEqual(session.read().count("<local-list>"), 5000)
            self.assertTrue(session.at_end())

    @staticmethod
    def greets(server):
        try:
            with UnixSession(server):
                return True
        except (EOFError, OSError):
            return False

    def test_descriptors_run_out(self):
        server = Server.start()
        try:
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (server.descriptors() + 6, 20000))
            connections = [socket.socket(socket.AF_UNIX) for _ in range(20)]
            for connection in connections:
                connection.settimeout(10)
                connection.connect(server.socket_path)
            time.sleep(1.5)
            used = server.processor_seconds()
            time.sleep(1)
            self.assertLess(server.processor_seconds() - used, 0.3)
            refusals = len(re.findall("cannot accept|cannot be determined", server.log_text()))
            self.assertTrue(1 <= refusals <= 5, refusals)  # said, but not for each
            for connection in connections:
                connection.close()
            self.assertTrue(wait_for(lambda: self.greets(server)))
        finally:
            self.assertEqual(server.stop(), 0)


class ManySessionsTest(TransportTest):
    def many_sessions(self, unix_count, ssh_count):
        server = Server.start("--max-sessions", str(unix_count + ssh_count))
        try:
            before = server.descriptors()
            sessions = [UnixSession(server) for _ in range(unix_count)]
            connections = [ParamikoConnection(server) for _ in range(ssh_count)]
            ssh_sessions = [connection.session() for connection in connections]
            with UnixSession(server, greet=False) as refused:
                self.assertTrue(refused.at_end())
            for i, session in enumerate(sessions + ssh_sessions):
                session.post(edit(top(entry("s%d" % i))))
            for session in sessions + ssh_sessions:
                self.assertIn("<ok/>", session.read())
            used = server.processor_seconds()
            time.sleep(1)
            self.assertLess(server.processor_seconds() - used, 0.1)  # idle ones cost nothing
            for session in sessions:
                session.close()
            for connection in connections:
                connection.close()
            self.assertTrue(wait_for(lambda: server.descriptors() <= before))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_a_hundred_sessions(self):
        self.many_sessions(70, 30)

    @unittest.skipUnless(SOAK, "YARE_SOAK=1")
    def test_a_thousand_sessions(self):
        self.many_sessions(500, 500)

    def connect_and_disconnect(self, count):
        server = Server.start()
        try:
            def some(number):
                for i in range(number):
                    with UnixSession(server) as session:
                        if i % 2:
                            session.ok("<close-session/>")
                    if i % 4 == 0:
                        with ParamikoConnection(server) as connection:
                            session = connection.session()
                            if i % 8:
                                session.ok("<close-session/>")
                            else:
                                connection.vanish()
            some(count // 10)
            wait_for(lambda: False, 0.5)
            descriptors, memory = server.descriptors(), server.memory()
            some(count)
            self.assertTrue(wait_for(lambda: server.descriptors() <= descriptors))
            if not SANITIZED:
                self.assertLess(server.memory() - memory, 3 * MEBIBYTE)
        finally:
            self.assertEqual(server.stop(), 0)

    def test_connects_and_disconnects(self):
        self.connect_and_disconnect(200)

    @unittest.skipUnless(SOAK, "YARE_SOAK=1")
    def test_ten_thousand_connects_and_disconnects(self):
        self.connect_and_disconnect(10000)


class EndTest(TransportTest):
    def test_end_of_the_server(self):
        """What is in flight is answered, sessions end, the socket file is gone."""
        server = Server.start()
        session, idle = UnixSession(server), UnixSession(server)
        connection = ParamikoConnection(server)
        ssh_session, ssh_idle = connection.session(), connection.session()
        unauthenticated = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        session.post(edit(many(0, 20000)))
        time.sleep(0.2)
        self.assertEqual(server.stop(), 0)
        self.assertIn("rpc-reply", session.read())
        for ended in (session, idle, ssh_session, ssh_idle):
            self.assertTrue(ended.at_end())
        self.assertFalse(os.path.exists(server.socket_path))
        for ended in (session, idle, unauthenticated, connection):
            ended.close()

    def test_end_with_clients_that_do_not_read(self):
        server = Server.start("--grace", "500")
        sessions = [UnixSession(server) for _ in range(2)]
        sessions[0].ok(edit(many(0, 20000)))
        connection = ParamikoConnection(server)
        sessions.append(connection.session(window=40000))
        for session in sessions:
            session.post(get_config())
        time.sleep(0.3)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 5 if SANITIZED else 2)
        for ended in (sessions[0], sessions[1], connection):
            ended.close()


class UnixSocketTest(TransportTest):
    def test_mode(self):
        self.assertEqual(os.stat(self.server.socket_path).st_mode & 0o777, 0o600)

    def test_path_in_use(self):
        command = [os.environ["YARE_SYSTEM_YARED"], "--yang-dir", os.environ["YARE_SYSTEM_YANG"], "--module",
                   "perf-test", "--durability", "none", "--listen-unix", self.server.socket_path]
        result = subprocess.run(command, stderr=subprocess.PIPE, timeout=30)
        self.assertEqual(result.returncode, 1)
        self.alive()

    def test_pipelined_requests(self):
        """Far more than are queued: the client is held back, and all are answered in order."""
        with UnixSession(self.server) as session:
            count = 2000

            def write():
                for i in range(count):
                    session.post(edit(top(entry("e%d" % (i % 10), "t%d" % i))))

            writer = threading.Thread(target=write)
            writer.start()
            for i in range(1, count + 1):
                self.assertIn('message-id="%d"' % i, session.read())
            writer.join()

    def test_one_byte_chunks(self):
        with UnixSession(self.server) as session:
            text = session.rpc_text(edit(top(entry("a"))))
            session.send_bytes(b"".join(b"\n#1\n%c" % byte for byte in text.encode()) + b"\n##\n")
            self.assertIn("<ok/>", session.read())


if __name__ == "__main__":
    unittest.main()
