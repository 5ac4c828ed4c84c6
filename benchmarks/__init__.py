"""How long randvar and other libraries take for the same work, how right they are, and what memory they need.

    python -m benchmarks              every workload, and a new RESULTS.md
    python -m benchmarks dice k1      only the workloads whose key starts so; prints, writes nothing

Each measurement is a process of its own with a limit of time and memory. The answers are checked against integers and
fractions computed here, without randvar (`exact.py`).
"""
