import { describe, expect, test } from "vitest";
import { measure, tagged } from "./measure.ts";

const CLIENTS = [
  { kind: "light", probes: 0 },
  { kind: "light", probes: 10, threads: 2, napMs: 0 },
  { kind: "official", probes: 0 },
] as const;

/** Longer than one read of the receiver and than a one-byte or two-byte frame length. */
const PAYLOADS = [100, 4000];

describe.each(["socket.io", "ws"] as const)("bare %s", (name) => {
  for (const client of CLIENTS)
    test(`all clients count the same: ${client.kind}, ${client.probes} probes`, tagged(client), async () => {
      for (const payloadBytes of PAYLOADS) {
        const plan = { ...client, users: 60, burst: [50], payloadBytes, timeoutMs: 20_000 };
        const { counts, bursts, connection, server } = await measure(plan, { name });
        expect(counts).toEqual({
          sent: 54,
          acknowledged: 54,
          stored: null,
          storedTwice: null,
          expected: 3240,
          received: 3240,
          lost: 0,
          duplicates: 0,
          outOfOrder: 0,
          foreign: 0,
          corrupted: 0,
          dropped: 0,
          resyncs: 0,
        });
        expect(bursts[0]?.deliveriesPerCpuSecond).toBeGreaterThan(0);
        expect(connection?.perSecond).toBeGreaterThan(0);
        expect(server.connected?.rssBytes).toBeGreaterThan(server.beforeConnect!.rssBytes! / 2);
      }
    });
});
