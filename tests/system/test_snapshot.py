# SPDX-License-Identifier: BSD-3-Clause
"""Case 97: who reads while a long change is made sees the old version or the new one, never a part of both."""

import re
import threading

from support import SystemTest, UnixSession, edit, entry, get_config, top

ENTRIES = 4000


class SnapshotTest(SystemTest):
    def write(self, rounds, done, failures):
        try:
            with UnixSession(self.server, timeout=120) as session:
                for i in range(rounds):
                    kind = ("ethernet", "l2vlan")[i % 2]
                    content = top("".join(entry("e%05d" % k, kind) for k in range(ENTRIES - 1000 * (i % 2))))
                    session.ok(edit(content, before="<default-operation>replace</default-operation>"))
        except Exception as error:  # for the main thread
            failures.append(error)
        done.set()

    def test_reads_beside_long_changes(self):
        done, failures, seen = threading.Event(), [], set()
        writer = threading.Thread(target=self.write, args=(12, done, failures))
        with UnixSession(self.server, timeout=120) as session:
            writer.start()
            while not done.is_set():
                reply = session.rpc(get_config())
                kinds = re.findall("<type>([^<]*)</type>", reply)
                seen.add((len(kinds), tuple(sorted(set(kinds)))))
        writer.join()
        self.assertEqual(failures, [])
        whole = {(0, ()), (ENTRIES, ("ethernet",)), (ENTRIES - 1000, ("l2vlan",))}
        self.assertLessEqual(seen, whole)
        self.assertGreater(len(seen), 1)
