"""A writer that goes on until it is killed: victim.py ADDRESS TABLE-ID WRITER-ID. Prints the end of what is
acknowledged, with further batches and a read under way."""

import collections
import sys

import fluss_raw
from raw_checks import batch

ROWS = 7  # of a batch
DEPTH = 4  # batches under way


def main():
    address, table, writer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with fluss_raw.connect(address) as raw:
        waiting = collections.deque()
        sequence = 0
        while True:
            data = batch(sequence * ROWS, (sequence + 1) * ROWS, writer_id=writer, sequence=sequence).encode()
            buckets = [{"bucket_id": 0, "records": data}]
            waiting.append(raw.send("PRODUCE_LOG", acks=-1, table_id=table, timeout_ms=10000, buckets_req=buckets))
            sequence += 1
            read = fluss_raw.fetch_request(table, [(0, 0)])
            raw.send("FETCH_LOG", **read)  # whose answer stays where it is
            if len(waiting) == DEPTH:
                (answer,) = raw.receive("PRODUCE_LOG", waiting.popleft())["buckets_resp"]
                print(answer["base_offset"] + ROWS, flush=True)


main()
