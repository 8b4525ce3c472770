# SPDX-License-Identifier: BSD-3-Clause
"""RFC 8342 and 8526 over SSH: get-data, edit-data and the datastores that lock and validate name."""

from ncclient.xml_ import to_ele

from support import BASE, PERF, entry, top
from test_ncclient import NcclientCase, names_of

NMDA = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda"
DATASTORES = "urn:ietf:params:xml:ns:yang:ietf-datastores"
ORIGIN = "urn:ietf:params:xml:ns:yang:ietf-origin"
STATE = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"


def get_data(datastore, content=""):
    return to_ele('<get-data xmlns="%s" xmlns:ds="%s" xmlns:or="%s"><datastore>ds:%s</datastore>%s</get-data>'
                  % (NMDA, DATASTORES, ORIGIN, datastore, content))


def edit_data(datastore, content, before=""):
    return to_ele('<edit-data xmlns="%s" xmlns:ds="%s"><datastore>ds:%s</datastore>%s'
                  "<config>%s</config></edit-data>" % (NMDA, DATASTORES, datastore, before, content))


def of_datastore(operation, parameter, datastore):
    return to_ele('<%s xmlns="%s"><%s><datastore xmlns="%s" xmlns:ds="%s">ds:%s</datastore></%s></%s>'
                  % (operation, BASE, parameter, NMDA, DATASTORES, datastore, parameter, operation))


def filter_of(content):
    return "<subtree-filter>%s</subtree-filter>" % content


class NmdaTest(NcclientCase):
    def test_edit_and_get(self):
        call = self.connect().dispatch
        self.assertTrue(call(edit_data("running", top(entry("a") + entry("b", "ethernet")))).ok)
        for datastore in ("running", "intended", "operational", "candidate"):
            with self.subTest(datastore=datastore):
                self.assertEqual(names_of(call(get_data(datastore))), ["a", "b"])
                wanted = filter_of(top("<local-list><type>ethernet</type></local-list>"))
                self.assertEqual(names_of(call(get_data(datastore, wanted))), ["b"])
                xpath = ('<xpath-filter xmlns:p="%s">/p:top-container/p:local-list[p:name="a"]</xpath-filter>'
                         % PERF)
                self.assertEqual(names_of(call(get_data(datastore, xpath))), ["a"])

    def test_candidate(self):
        connection = self.connect()
        self.assertTrue(connection.dispatch(edit_data("candidate", top(entry("c")))).ok)
        self.assertEqual(names_of(connection.dispatch(get_data("candidate"))), ["c"])
        self.assertEqual(names_of(connection.dispatch(get_data("running"))), [])
        self.assertTrue(connection.commit().ok)
        self.assertEqual(names_of(connection.dispatch(get_data("running"))), ["c"])

    def test_edit_is_atomic(self):
        call = self.connect().dispatch
        error = self.refused(call, edit_data("running", top(entry("a") + "<nonsense/>")))
        self.assertEqual(error.tag, "unknown-element")
        self.assertEqual(names_of(call(get_data("running"))), [])
        none = "<default-operation>none</default-operation>"
        error = self.refused(call, edit_data("running", top(entry("a", None)), none))
        self.assertEqual(error.tag, "data-missing")
        error = self.refused(call, edit_data("operational", top(entry("a"))))
        self.assertEqual(error.tag, "invalid-value")

    def test_depth(self):
        call = self.connect().dispatch
        call(edit_data("running", top(entry("a"))))
        top_alone = call(get_data("running", filter_of('<top-container xmlns="%s"/>' % PERF)
                                  + "<max-depth>1</max-depth>"))
        self.assertIn("top-container", top_alone.xml)
        self.assertEqual(names_of(top_alone), [])
        self.assertEqual(self.refused(call, get_data("running", "<max-depth>0</max-depth>")).tag,
                         "invalid-value")

    def test_origin(self):
        call = self.connect().dispatch
        call(edit_data("running", top(entry("a"))))
        reply = call(get_data("operational", filter_of('<top-container xmlns="%s"/>' % PERF) + "<with-origin/>"))
        data = to_ele(reply.xml)
        container = next(data.iter("{%s}top-container" % PERF))
        self.assertRegex(container.get("{%s}origin" % ORIGIN), r"^[\w-]+:intended$")
        reply = call(get_data("operational", "<origin-filter>or:system</origin-filter>"))
        self.assertEqual(names_of(reply), [])
        self.assertEqual(self.refused(call, get_data("running", "<with-origin/>")).tag,
                         "unknown-element")  # its when is false: RFC 7950 8.3.1

    def test_state_is_operational(self):
        call = self.connect().dispatch
        state = filter_of('<netconf-state xmlns="%s"><statistics/></netconf-state>' % STATE)
        self.assertIn("in-sessions", call(get_data("operational", state)).xml)
        self.assertNotIn("in-sessions", call(get_data("running", state)).xml)
        self.assertNotIn("in-sessions",
                         call(get_data("operational", state + "<config-filter>true</config-filter>")).xml)

    def test_lock_and_validate(self):
        one, two = self.connect(), self.connect()
        for datastore in ("running", "candidate"):
            with self.subTest(datastore=datastore):
                self.assertTrue(one.dispatch(of_datastore("lock", "target", datastore)).ok)
                error = self.refused(two.lock, datastore)
                self.assertEqual(error.tag, "lock-denied")
                self.assertIn(">%s<" % one.session_id, error.info)
                self.assertTrue(one.dispatch(of_datastore("unlock", "target", datastore)).ok)
                self.assertTrue(one.dispatch(of_datastore("validate", "source", datastore)).ok)
        self.assertEqual(self.refused(one.dispatch, of_datastore("lock", "target", "operational")).tag,
                         "invalid-value")
