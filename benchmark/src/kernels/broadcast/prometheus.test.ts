import { expect, test } from "vitest";
import { parsePrometheus } from "./prometheus.ts";

test("parses samples, sums label sets, skips comments", () => {
  const samples = parsePrometheus(
    [
      "# HELP process_resident_memory_bytes Resident memory size in bytes.",
      "# TYPE process_resident_memory_bytes gauge",
      "process_resident_memory_bytes 123456789",
      'fanfare_sent_total{kind="a",text="x y"} 2',
      'fanfare_sent_total{kind="b"} 3.5 1700000000000',
      "nodejs_eventloop_lag_p99_seconds 1.5e-3",
    ].join("\n"),
  );
  expect(Object.fromEntries(samples)).toEqual({
    process_resident_memory_bytes: 123_456_789,
    fanfare_sent_total: 5.5,
    nodejs_eventloop_lag_p99_seconds: 0.0015,
  });
});
