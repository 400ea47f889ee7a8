"""traces.py <measured> <simulated>: both have the same rTasks on the same vEUs, and a vEU's entries follow each other."""
import json
import sys


def events(name):
    return [e for e in json.load(open(name))["traceEvents"] if e["ph"] == "X"]


def rtasks(all_events):
    return sorted((e["tid"], e["name"], e["args"]["rprogram"], e["args"]["rtask"]) for e in all_events if e["cat"] == "work")


measured, simulated = events(sys.argv[1]), events(sys.argv[2])
if rtasks(measured) != rtasks(simulated):
    sys.exit("other rTasks than the simulated trace has")
for veu in {e["tid"] for e in measured}:
    own = [e for e in measured if e["tid"] == veu]
    for one, other in zip(own, own[1:]):
        if one["dur"] <= 0 or other["ts"] < one["ts"] + one["dur"] - 1e-3:
            sys.exit(f"vEU {veu - 1}: {other} begins before {one} ends")
print(f"{len(rtasks(measured))} rTasks, {len(measured)} entries")
