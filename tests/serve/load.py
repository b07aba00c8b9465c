"""Bounded load on a server: single records, batches, and now and then nonsense, from 4 threads."""

import http.client
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit


def main():
    address, seconds = urlsplit(sys.argv[1]), float(sys.argv[2])
    records = json.load(sys.stdin)
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda at: worker(address, records, until, at), range(4)))
    times = sorted(took for _, ones in done for took in ones)
    found = {
        "requests": len(times),
        "errors": sum(errors for errors, _ in done),
        "per_second": round(len(times) / seconds),
        "median_ms": round(1e3 * times[len(times) // 2], 1),
        "p99_ms": round(1e3 * times[len(times) * 99 // 100], 1),
    }
    sys.stdout.write(json.dumps(found) + "\n")


def worker(address, records, until, at):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    errors, times, n = 0, [], at
    while time.monotonic() < until:
        n += 4
        body, expected = json.dumps(records[n % len(records)]), 200
        if n % 10 == 0:
            body = json.dumps(records[:500])
        elif n % 10 == 1:
            body, expected = '{"id": 1', 400
        started = time.perf_counter()
        connection.request("POST", "/repair", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - started)
        errors += answer.status != expected
    connection.close()
    return errors, times


if __name__ == "__main__":
    main()
