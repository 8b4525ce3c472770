# SPDX-License-Identifier: BSD-3-Clause
"""What goes in through edit-config comes back: roundtrip.py SOCKET XML CONTEXT_YANG...

Sends the document of a file as one edit-config to the UNIX socket, reads the configuration back, and compares the
two as yanglint prints them in JSON, lists of objects and values sorted. CONTEXT_YANG are yanglint's arguments.
"""
import json
import os
import subprocess
import sys
import tempfile
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from support import UnixSession  # noqa: E402

def ordered(value):
    if isinstance(value, dict):
        return {name: ordered(member) for name, member in value.items()}
    if isinstance(value, list):
        return sorted((ordered(member) for member in value), key=lambda member: json.dumps(member, sort_keys=True))
    return value


def canonical(text, yanglint):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(text)
        file.flush()
        printed = subprocess.run(["yanglint", "-f", "json", "-t", "config", *yanglint, file.name],
                                 capture_output=True, check=False, text=True)
    if printed.returncode != 0:
        raise SystemExit(f"yanglint: {printed.stderr[-500:]}")
    return ordered(json.loads(printed.stdout))


def main():
    path, document, yanglint = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    session = UnixSession(SimpleNamespace(socket_path=path), timeout=300)
    reply = session.rpc(f"<edit-config><target><running/></target><config>{text}</config></edit-config>")
    if "<ok/>" not in reply:
        raise SystemExit(f"refused: {reply[:1000]}")
    reply = session.rpc("<get-config><source><running/></source></get-config>")
    begin, end = reply.index("<data>") + len("<data>"), reply.rindex("</data>")
    if canonical(text, yanglint) != canonical(reply[begin:end], yanglint):
        raise SystemExit("what came back is not what went in")
    print(f"roundtrip of {os.path.basename(document)}: {len(text)} bytes, passed")


main()
