#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads all that a server says of itself, as OpenDaylight does before it talks to a device, and checks it.

Every schema of /netconf-state/schemas is fetched by get-schema over one session into an empty folder; yanglint
loads each module from there, all that are implemented together with the features that the YANG library names,
and then validates the server's whole reply to <get> against them. Both YANG libraries and the hello must agree.

Usage: schemas.py PORT PRIVATE_KEY
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from lxml import etree
from ncclient import manager

NC = "{urn:ietf:params:xml:ns:netconf:base:1.0}"
MONITORING = "{urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring}"
LIBRARY = "{urn:ietf:params:xml:ns:yang:ietf-yang-library}"


def text(element, name):
    found = element.find(name)
    return found.text or "" if found is not None else ""


def texts(element, name):
    return [found.text for found in element.findall(name)]


class Failures:
    def __init__(self):
        self.count = 0

    def check(self, good, what):
        if not good:
            print(f"schemas: {what}")
            self.count += 1

    def lint(self, what, *arguments):
        done = subprocess.run(["yanglint", "-D", *arguments], capture_output=True, text=True, timeout=300,
                              check=False)
        errors = [line for line in done.stderr.splitlines() if " err" in line or "[E]" in line]
        self.check(done.returncode == 0, "\n".join([what, *errors[:20]]))


def fetch(connection, schemas, folder):
    """Writes NAME[@REVISION].yang for each schema."""
    paths = {}
    for name, version in schemas:
        reply = connection.get_schema(name, version=version or None, format="yang")
        path = folder / (f"{name}@{version}.yang" if version else f"{name}.yang")
        path.write_text(etree.fromstring(reply.xml.encode()).find(MONITORING + "data").text, encoding="utf-8")
        paths[name, version] = path
    return paths


def check_library(data, capabilities, failures):
    """Both trees say the same; gives the implemented modules as {name: (revision, features)}, all modules
    and all submodules as sets of (name, revision)."""
    library, old = data.find(LIBRARY + "yang-library"), data.find(LIBRARY + "modules-state")
    content_id = text(library, LIBRARY + "content-id")
    failures.check(content_id == text(old, LIBRARY + "module-set-id"), "module-set-id is not the content-id")
    failures.check(capabilities[-1].endswith("yang-library:1.1?revision=2019-01-04&content-id=" + content_id),
                   f"the last capability is {capabilities[-1]}, and the content-id {content_id}")
    implemented, everything = {}, set()
    for module in library.iter(LIBRARY + "module", LIBRARY + "import-only-module"):
        name, revision = text(module, LIBRARY + "name"), text(module, LIBRARY + "revision")
        imported = module.tag == LIBRARY + "import-only-module"
        everything.add((name, revision, "import" if imported else "implement"))
        if not imported:
            implemented[name] = revision, texts(module, LIBRARY + "feature")
    listed = {tuple(text(module, LIBRARY + leaf) for leaf in ("name", "revision", "conformance-type"))
              for module in old.findall(LIBRARY + "module")}
    failures.check(listed == everything, f"modules-state differs: {listed ^ everything}")
    submodules = {(text(submodule, LIBRARY + "name"), text(submodule, LIBRARY + "revision"))
                  for submodule in library.iter(LIBRARY + "submodule")}
    return implemented, {(name, revision) for name, revision, _ in everything}, submodules


def check_modules(paths, modules, implemented, data, folder, failures):
    for name, revision in modules:
        if name not in implemented:
            failures.lint(paths[name, revision].name, "-p", str(folder), str(paths[name, revision]))
    arguments = ["-p", str(folder)]
    # yanglint compiles one file after the other; identities in defaults must be of implemented modules by then.
    if len({name for name, _ in modules}) == len(modules):
        arguments += ["-i", "-i"]
    for name, (_, features) in implemented.items():
        arguments += ["-F", f"{name}:{','.join(features)}"]
    arguments += [str(paths[name, revision]) for name, (revision, _) in implemented.items()]
    content = folder / "get.xml"
    content.write_bytes(b"".join(etree.tostring(child) for child in data))
    failures.lint("all together, and the data", "-t", "data", *arguments, str(content))


def main():
    port, key = int(sys.argv[1]), sys.argv[2]
    failures = Failures()
    with manager.connect(host="127.0.0.1", port=port, username="admin", key_filename=key, hostkey_verify=False,
                         allow_agent=False, look_for_keys=False, timeout=60) as connection, \
            tempfile.TemporaryDirectory() as scratch:
        data = etree.fromstring(connection.get().xml.encode()).find(NC + "data")
        capabilities = texts(data.find(MONITORING + "netconf-state"),
                             f"{MONITORING}capabilities/{MONITORING}capability")
        failures.check(set(capabilities) == set(connection.server_capabilities),
                       "the hello and netconf-state differ in capabilities")
        schemas = {(text(schema, MONITORING + "identifier"), text(schema, MONITORING + "version"))
                   for schema in data.iter(MONITORING + "schema")}
        implemented, modules, submodules = check_library(data, capabilities, failures)
        differing = schemas ^ (modules | submodules)
        failures.check(not differing, f"netconf-state and the YANG library differ: {differing}")
        paths = fetch(connection, sorted(schemas), Path(scratch))
        check_modules(paths, modules, implemented, data, Path(scratch), failures)
    print(f"schemas: {len(schemas)} of {len(implemented)} implemented modules and what they import: "
          + ("passed" if failures.count == 0 else "FAILED"))
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
