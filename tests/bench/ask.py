"""Asks a running service over MCP, as an agent would, one call after another.

    [EVERY=SECONDS] ask.py HOST:PORT PID CALLS TOOL='{"argument": ...}' ...

An @ in the arguments is the number of the call, so that each is a question of
its own and no answer that is kept tells it.  EVERY: with a pause before each.

Prints for each tool how long the calls took, in milliseconds of wall time
(half of them at most, 99 %, all), and how many of them a CPU second of the
process PID answers, by the scheduler's accounting of all its threads.
"""
import glob
import http.client
import json
import os
import sys
import time

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "ask", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def cpu_s(pid):
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0])
    return total / 1e9


def call(connection, tool, arguments, number):
    body = json.dumps({
        "jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": META}})
    connection.request("POST", "/mcp", body, {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call", "Mcp-Name": tool})
    response = connection.getresponse()
    text = response.read()
    if response.status != 200:
        sys.exit(f"{tool}: {response.status} {text[:300]}")
    answer = json.loads(text)
    if "error" in answer or answer["result"].get("isError"):
        sys.exit(f"{tool}: {text[:300]}")


def main():
    pause_s = float(os.environ.get("EVERY", "0"))
    address, pid, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
    connection = http.client.HTTPConnection(address, timeout=30)
    for asked in sys.argv[4:]:
        tool, arguments = asked.split("=", 1)
        took = []
        for number in range(1, calls + 2):
            if number == 2:  # the first may have to read the names
                before = cpu_s(pid)
            time.sleep(pause_s)
            start = time.monotonic()
            call(connection, tool,
                 json.loads(arguments.replace("@", str(number))), number)
            took.append((time.monotonic() - start) * 1000)
        spent = cpu_s(pid) - before
        took = sorted(took[1:])
        print(f"{tool:18} {took[len(took) // 2]:7.2f} "
              f"{took[int(0.99 * (len(took) - 1))]:7.2f} {took[-1]:7.2f} "
              f"{calls / spent:9.0f}", flush=True)


main()
