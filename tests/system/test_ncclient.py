# SPDX-License-Identifier: BSD-3-Clause
"""Every operation of the protocol, by ncclient over SSH: a client that nobody here wrote."""

import logging

from ncclient import manager
from ncclient.operations import RPCError
from ncclient.transport.errors import AuthenticationError
from ncclient.xml_ import to_ele

from support import BASE, PERF, USER, SystemTest, entry, path, top, wait_for

MONITORING = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"

logging.getLogger("ncclient").setLevel(logging.CRITICAL)
logging.getLogger("paramiko").setLevel(logging.CRITICAL)


def config(content):
    return '<config xmlns="%s" xmlns:nc="%s">%s</config>' % (BASE, BASE, content)


def names_of(reply):
    data = to_ele(reply.xml) if hasattr(reply, "xml") else reply
    return [name.text for name in data.iter("{%s}name" % PERF)
            if name.getparent().tag == "{%s}local-list" % PERF]


class NcclientCase(SystemTest):
    """A test that connects by ncclient."""

    def connect(self, key="client", **named):
        connection = manager.connect(host="127.0.0.1", port=self.server.port, username=USER,
                                     key_filename=path(key), hostkey_verify=False, allow_agent=False,
                                     look_for_keys=False, timeout=30, **named)
        self.addCleanup(self.close, connection)
        return connection

    @staticmethod
    def close(connection):
        try:
            if connection.connected:
                connection.close_session()
        except Exception:  # the test has closed or killed it
            pass

    def all_refused(self, call, *arguments, **named):
        with self.assertRaises(RPCError) as caught:
            call(*arguments, **named)
        errors = getattr(caught.exception, "errors", [caught.exception])
        self.assertTrue(all(error.severity == "error" for error in errors))
        return errors

    def refused(self, call, *arguments, **named):
        return self.all_refused(call, *arguments, **named)[0]


class NcclientTest(NcclientCase):
    # --- the session

    def test_hello(self):
        connection = self.connect()
        capabilities = list(connection.server_capabilities)
        for needed in (":base:1.1", ":writable-running", ":candidate", ":confirmed-commit", ":rollback-on-error",
                       ":validate"):
            self.assertIn(needed, connection.server_capabilities)
        for absent in (":startup", ":url"):
            self.assertNotIn(absent, connection.server_capabilities)
        self.assertTrue([c for c in capabilities if c.startswith(PERF + "?module=perf-test")])
        self.assertGreater(int(connection.session_id), 0)

    def test_keys_of_all_types(self):
        for key in ("client", "rsa", "ecdsa"):
            with self.subTest(key=key):
                self.assertTrue(self.connect(key).connected)

    def test_wrong_key(self):
        with self.assertRaises(AuthenticationError):
            self.connect("other")

    def test_close_session(self):
        connection = self.connect()
        self.assertTrue(connection.close_session().ok)
        self.assertFalse(connection.connected)

    def test_kill_session(self):
        killer, victim = self.connect(), self.connect()
        victim.lock("running")
        self.assertTrue(killer.kill_session(victim.session_id).ok)
        killer.lock("running")  # the victim's is gone
        killer.unlock("running")
        with self.assertRaises(Exception):
            victim.get_config("running")
        error = self.refused(killer.kill_session, killer.session_id)
        self.assertEqual(error.tag, "invalid-value")

    # --- edit-config

    def test_operations_on_both_targets(self):
        connection = self.connect()
        for target in ("running", "candidate"):
            with self.subTest(target=target):
                change = lambda content: connection.edit_config(target=target, config=config(content))
                names = lambda: names_of(connection.get_config(target))
                change(top(entry("a")))
                change(top(entry("b", operation="create")))
                self.assertEqual(names(), ["a", "b"])
                error = self.refused(change, top(entry("b", operation="create")))
                self.assertEqual((error.tag, error.type), ("data-exists", "application"))
                self.assertRegex(error.path, r"^/[\w-]+:top-container/[\w-]+:local-list\[[\w-]+:name='b'\]$")
                change(top(entry("a", "other", operation="replace")))
                self.assertIn("<type>other</type>", connection.get_config(target).xml)
                change(top(entry("a", None, operation="delete")))
                error = self.refused(change, top(entry("a", None, operation="delete")))
                self.assertEqual(error.tag, "data-missing")
                self.assertIn("local-list", error.path)
                change(top(entry("a", None, operation="remove")))
                change(top(entry("b", None, operation="remove")))
                self.assertEqual(names(), [])
                if target == "candidate":
                    connection.commit()

    def test_default_operations(self):
        connection = self.connect()
        for target in ("running", "candidate"):
            with self.subTest(target=target):
                change = lambda content, operation: connection.edit_config(
                    target=target, config=config(content), default_operation=operation)
                names = lambda: names_of(connection.get_config(target))
                change(top(entry("a")), "merge")
                change(top(entry("b") + entry("c")), "replace")
                self.assertEqual(names(), ["b", "c"])
                change(top(entry("d", operation="create")), "none")
                self.assertEqual(names(), ["b", "c", "d"])
                error = self.refused(change, top(entry("e", None)), "none")
                self.assertEqual(error.tag, "data-missing")
                change("", "replace")
                self.assertEqual(names(), [])
        connection.discard_changes()

    def test_nothing_of_a_refused_edit(self):
        connection = self.connect()
        content = config(top(entry("a") + entry("b", None, operation="delete")))
        for option in (None, "stop-on-error", "rollback-on-error"):
            with self.subTest(option=option):
                error = self.refused(connection.edit_config, target="running", config=content,
                                     error_option=option)
                self.assertEqual(error.tag, "data-missing")
                self.assertEqual(self.names(), [])

    def test_constraints(self):
        connection = self.connect()
        change = lambda content: connection.edit_config(target="running", config=config(content))
        reference = lambda name: (
            '<local-leafref-members xmlns="%s"><name>%s</name></local-leafref-members>' % (PERF, name))
        change(top(entry("a") + entry("b", "ethernet")))
        errors = self.all_refused(change, reference("absent"))
        self.assertEqual({(e.tag, e.app_tag) for e in errors},
                         {("data-missing", "instance-required"), ("operation-failed", "must-violation")})
        for error in errors:
            self.assertIn("local-leafref-members", error.path)
        error = self.refused(change, reference("b"))
        self.assertEqual((error.tag, error.app_tag), ("operation-failed", "must-violation"))
        self.assertIn("Only VLAN interfaces can be added!", error.message)
        change(reference("a"))
        errors = self.all_refused(change, top(entry("a", None, operation="delete")))
        self.assertIn("instance-required", [e.app_tag for e in errors])
        error = self.refused(change, top(entry("c", None)))
        self.assertEqual(error.tag, "data-missing")  # the mandatory leaf
        self.assertEqual(self.names(), ["a", "b"])

    def test_bad_content(self):
        connection = self.connect()
        change = lambda content: connection.edit_config(target="running", config=config(content))
        self.assertEqual(self.refused(change, top("<nonsense/>")).tag, "unknown-element")
        keyless = top("<local-list><type>x</type></local-list>")
        self.assertEqual(self.refused(change, keyless).tag, "missing-element")
        self.assertIn(self.refused(change, '<top-container xmlns="urn:wrong"/>').tag,
                      ("unknown-namespace", "unknown-element"))
        self.assertEqual(self.refused(change, top(entry("a", operation="mangle"))).tag, "bad-attribute")
        self.assertTrue(connection.connected)

    # --- candidate

    def test_commit_and_discard(self):
        connection = self.connect()
        connection.edit_config(target="candidate", config=config(top(entry("a"))))
        self.assertEqual(self.names(), [])
        self.assertTrue(connection.commit().ok)
        self.assertEqual(self.names(), ["a"])
        connection.edit_config(target="candidate", config=config(top(entry("b"))))
        self.assertTrue(connection.discard_changes().ok)
        self.assertEqual(names_of(connection.get_config("candidate")), ["a"])
        connection.commit()
        self.assertEqual(self.names(), ["a"])

    def test_commit_of_what_is_invalid(self):
        connection = self.connect()
        bad = '<local-leafref-leaf xmlns="%s">absent</local-leafref-leaf>' % PERF
        connection.edit_config(target="candidate", config=config(bad))
        error = self.refused(connection.commit)
        self.assertEqual(error.app_tag, "instance-required")
        self.assertIn("local-leafref-leaf", error.path)
        self.assertIn("absent", connection.get_config("candidate").xml)  # to be repaired
        connection.edit_config(target="candidate", config=config(top(entry("absent"))))
        self.assertTrue(connection.commit().ok)

    def test_validate(self):
        connection = self.connect()
        bad = '<local-leafref-leaf xmlns="%s">absent</local-leafref-leaf>' % PERF
        self.assertTrue(connection.validate("running").ok)
        self.assertTrue(connection.validate("candidate").ok)
        connection.edit_config(target="candidate", config=config(bad))
        self.assertEqual(self.refused(connection.validate, "candidate").app_tag, "instance-required")
        self.assertTrue(connection.validate("running").ok)
        self.assertTrue(connection.validate(to_ele(config(top(entry("a"))))).ok)
        self.assertEqual(self.refused(connection.validate, to_ele(config(bad))).app_tag, "instance-required")
        self.assertEqual(self.refused(connection.edit_config, target="candidate", config=config(bad),
                                      test_option="test-then-set").app_tag, "instance-required")
        self.assertTrue(connection.edit_config(target="running", config=config(top(entry("a"))),
                                               test_option="test-only").ok)
        self.assertEqual(self.names(), [])

    def test_copy_config(self):
        connection = self.connect()
        connection.edit_config(target="running", config=config(top(entry("a"))))
        source = '<source xmlns="%s">%s</source>' % (BASE, config(top(entry("b"))))
        self.assertTrue(connection.copy_config(to_ele(source), "candidate").ok)
        self.assertEqual(self.names("candidate"), ["b"])
        self.assertTrue(connection.copy_config("candidate", "running").ok)
        self.assertEqual(self.names(), ["b"])
        self.assertEqual(self.refused(connection.copy_config, "running", "running").tag, "invalid-value")
        self.assertEqual(self.refused(connection.delete_config, "running").tag, "unknown-element")
        connection.copy_config("running", "candidate")

    # --- discovery

    def test_get_schema(self):
        connection = self.connect()
        self.assertIn("module perf-test {", connection.get_schema("perf-test").data)
        self.assertIn("module perf-test {", connection.get_schema("perf-test", version="2017-10-23").data)
        self.assertEqual(self.refused(connection.get_schema, "nonsense").tag, "invalid-value")
        self.assertEqual(self.refused(connection.get_schema, "perf-test", format="yin").tag, "invalid-value")

    def test_sessions_and_locks_in_state(self):
        connection = self.connect()
        connection.lock("running")
        state = to_ele(connection.get(filter=("subtree", '<netconf-state xmlns="%s"/>' % MONITORING)).xml)
        self.assertIn(connection.session_id, [leaf.text for leaf in state.iter("{%s}session-id" % MONITORING)])
        self.assertIn("127.0.0.1", [leaf.text for leaf in state.iter("{%s}source-host" % MONITORING)])
        holders = [leaf.text for leaf in state.iter("{%s}locked-by-session" % MONITORING)]
        self.assertEqual(holders, [connection.session_id])

    # --- locks

    def test_locks(self):
        one, two = self.connect(), self.connect()
        for target in ("running", "candidate"):
            with self.subTest(target=target):
                self.assertTrue(one.lock(target).ok)
                error = self.refused(two.lock, target)
                self.assertEqual(error.tag, "lock-denied")
                self.assertIn(">%s<" % one.session_id, error.info)
                error = self.refused(two.edit_config, target=target, config=config(top(entry("a"))))
                self.assertEqual(error.tag, "in-use")
                one.edit_config(target=target, config=config(top(entry("b"))))
                if target == "candidate":
                    self.assertEqual(self.refused(two.commit).tag, "in-use")
                self.assertTrue(one.unlock(target).ok)
                self.assertTrue(two.lock(target).ok)
                self.assertEqual(self.refused(one.unlock, target).tag, "operation-failed")
                self.assertTrue(two.unlock(target).ok)

    def test_locks_end_with_their_session(self):
        one, two = self.connect(), self.connect()
        one.lock("running")
        one.close_session()
        self.assertTrue(two.lock("running").ok)
        two.unlock("running")

    # --- reading

    def test_filters(self):
        connection = self.connect()
        connection.edit_config(target="running", config=config(
            top(entry("a") + entry("b", "ethernet") + entry("c"))
            + '<local-leafref-leaf xmlns="%s">a</local-leafref-leaf>' % PERF))
        read = lambda content: connection.get_config("running", filter=("subtree", content))
        self.assertEqual(names_of(read(top(entry("b", None)))), ["b"])
        self.assertEqual(names_of(read(top("<local-list><type>l2vlan</type></local-list>"))), ["a", "c"])
        self.assertEqual(names_of(read(top("<local-list><name/></local-list>"))), ["a", "b", "c"])
        self.assertNotIn("type", read(top("<local-list><name/></local-list>")).data_xml)
        self.assertEqual(names_of(read('<local-leafref-leaf xmlns="%s"/>' % PERF)), [])
        self.assertIn("local-leafref-leaf", read('<local-leafref-leaf xmlns="%s"/>' % PERF).data_xml)
        self.assertEqual(names_of(read('<top-container xmlns="urn:wrong"/>')), [])
        self.assertEqual(names_of(connection.get()), ["a", "b", "c"])
        self.assertEqual(names_of(connection.get(filter=("subtree", top(entry("c", None))))), ["c"])

    # --- confirmed commits

    def stage(self, connection, name):
        connection.edit_config(target="candidate", config=config(top(entry(name))))

    def test_confirmed_commit(self):
        connection = self.connect()
        names = lambda: names_of(connection.get_config("running"))
        self.stage(connection, "a")
        self.assertTrue(connection.commit(confirmed=True).ok)
        self.assertTrue(connection.commit().ok)
        self.stage(connection, "b")
        self.assertTrue(connection.commit(confirmed=True, timeout="1").ok)
        self.assertEqual(names(), ["a", "b"])
        self.assertTrue(wait_for(lambda: names() == ["a"], 5))
        self.stage(connection, "c")
        connection.commit(confirmed=True)
        self.assertEqual(names(), ["a", "c"])
        self.assertTrue(connection.cancel_commit().ok)
        self.assertEqual(names(), ["a"])
        self.assertEqual(self.refused(connection.cancel_commit).tag, "operation-failed")

    def test_confirmed_commit_of_a_session_that_ends(self):
        connection, other = self.connect(), self.connect()
        self.stage(connection, "a")
        connection.commit(confirmed=True)
        self.assertEqual(self.refused(other.cancel_commit).tag, "operation-failed")
        error = self.refused(other.lock, "running")
        self.assertEqual(error.tag, "lock-denied")
        self.assertIn("<session-id>%s</session-id>" % connection.session_id, error.info)
        connection.close_session()
        self.assertEqual(names_of(other.get_config("running")), [])
        other.lock("running")
        other.unlock("running")

    def test_persistent_confirmed_commit(self):
        connection, other = self.connect(), self.connect()
        self.stage(connection, "a")
        connection.commit(confirmed=True, persist="token")
        connection.close_session()
        self.assertEqual(self.refused(other.commit).tag, "invalid-value")
        self.assertEqual(self.refused(other.cancel_commit, persist_id="wrong").tag, "invalid-value")
        self.assertTrue(other.commit(persist_id="token").ok)
        self.assertEqual(names_of(other.get_config("running")), ["a"])
        self.stage(other, "b")
        other.commit(confirmed=True, persist="token")
        self.assertTrue(other.cancel_commit(persist_id="token").ok)
        self.assertEqual(names_of(other.get_config("running")), ["a"])

    # --- what is not there

    def test_not_supported(self):
        connection = self.connect()
        for operation in ('<cancel-everything xmlns="%s"/>' % BASE, '<nonsense xmlns="urn:x"/>'):
            with self.subTest(operation=operation):
                error = self.refused(connection.dispatch, to_ele(operation))
                self.assertEqual(error.tag, "operation-not-supported")
        self.assertTrue(connection.connected)

    def test_asynchronous_requests_in_order(self):
        connection = self.connect()
        connection.async_mode = True
        pending = [connection.edit_config(target="running", config=config(top(entry("e%03d" % i))))
                   for i in range(100)]
        last = connection.get_config("running")
        for request in pending + [last]:
            request.event.wait(30)
            self.assertIsNone(request.error)
        self.assertEqual(names_of(last.reply), ["e%03d" % i for i in range(100)])
