#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/profile-suite makes of samples: test_profile.py SOURCE"""

import importlib.machinery
import importlib.util
import os
import sys
import unittest

LOADER = importlib.machinery.SourceFileLoader("profile", os.path.join(sys.argv[1], "scripts", "profile-suite"))
sys.dont_write_bytecode = True
profile = importlib.util.module_from_spec(importlib.util.spec_from_loader("profile", LOADER))
LOADER.exec_module(profile)

FILES = {"on_start": {"codec/edit_decoder"}, "put": {"codec/change_record", "codec/xml_whole"},
         "run": {"codec/xml_whole"}, "record": {"codec/change_record"}, "apply": {"edit/apply"}, "find": {"tree/map_search"},
         "read_all": {"netconf/op_get_config"}, "load": {"schema/load"},
         "walk": {"xpath/eval_step"}, "search": {"netconf/filter_xpath"}, "must": {"check/judge"}}


def stack(*names):
    objects = {"k": "[kernel.kallsyms]", "c": "/usr/lib/libc.so.6", "x": "/usr/lib/libxml2.so.2"}
    return [(name[2:], objects[name[0]]) if name[1:2] == ":" else (name, "/opt/yared") for name in names]


class Stages(unittest.TestCase):
    def stage(self, *names):
        return profile.stage_of(stack(*names), profile.places_of(stack(*names), FILES))

    def test_innermost_frame_that_tells(self):
        self.assertEqual(self.stage("c:malloc", "find", "apply", "record"), "apply")
        self.assertEqual(self.stage("c:malloc", "x:xmlParse", "on_start"), "parse: libxml2, the reader's events")
        self.assertEqual(self.stage("on_start", "x:xmlParse"), "decode: an edit of the events")
        self.assertEqual(self.stage("k:clear_page", "k:asm_exc_page_fault", "apply"), "kernel: page faults")
        self.assertEqual(self.stage("k:tcp_sendmsg", "c:send"), "kernel: sockets")
        self.assertEqual(self.stage("c:malloc")[:5], "other")
        self.assertEqual(self.stage("walk", "search"), "filter")
        self.assertEqual(self.stage("walk", "must"), "check")
        self.assertEqual(self.stage("walk", "c:qsort"), "check")

    def test_one_name_in_two_files(self):
        self.assertEqual(self.stage("put", "run"), "encode")
        self.assertEqual(self.stage("put", "record"), "record")

    def test_what_was_not_measured_is_left_out(self):
        samples = [stack("load"), stack("c:malloc"), stack("on_start"), stack("x:xmlParse"), stack("apply"),
                   stack("run", "read_all"), stack("c:free"), stack("apply"), stack("c:free")]
        profile.read_samples = lambda path: iter(samples)
        stages, functions, left_out = profile.count(["one"], FILES, profile.EDITS)
        self.assertEqual((sum(stages.values()), left_out), (3, 6))
        self.assertEqual(functions["apply"], {"apply": 1})
        stages, _, left_out = profile.count(["one"], FILES, profile.READS)
        self.assertEqual((stages["encode"], sum(stages.values()), left_out), (1, 2, 7))

    def test_parts_are_known_scenarios(self):
        with open(os.path.join(sys.argv[1], "bench", "suites.c")) as file:
            text = file.read()
        for name, _, _ in profile.PARTS:
            suite, scenario = name.split("/")
            self.assertIn('{&%s, "%s"' % (suite.replace("-", "_"), scenario), text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
