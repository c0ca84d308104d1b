import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hosts } from "./candidates.ts";
import type { Candidate, FromServer, ToServer } from "./protocol.ts";

const send = (message: FromServer): void => void process.send!(message);

const http = createServer();
const broadcast = hosts[process.argv[2] as Candidate](http);
let lastTick = 0;
let longestGapMs = 0;
let ticker: NodeJS.Timeout | undefined;
let cpu = process.cpuUsage();

/** Measures how long the event loop is blocked, by the gaps between ticks of a 1 ms timer. */
function tick(): void {
  const now = performance.now();
  longestGapMs = Math.max(longestGapMs, now - lastTick - 1);
  lastTick = now;
}

function start(messages: number): void {
  lastTick = performance.now();
  longestGapMs = 0;
  ticker = setInterval(tick, 1);
  cpu = process.cpuUsage();
  const at = process.hrtime.bigint();
  for (let i = 0; i < messages; i++) broadcast();
  send({ kind: "started", at: String(at) });
}

process.on("message", (message: ToServer) => {
  if (message.kind === "broadcast") {
    start(message.messages);
  } else {
    clearInterval(ticker);
    const { user, system } = process.cpuUsage(cpu);
    send({
      kind: "report",
      cpuMs: (user + system) / 1000,
      longestBlockMs: longestGapMs,
      rssBytes: process.memoryUsage.rss(),
    });
  }
});
process.on("disconnect", () => process.exit());

http.listen(0, "127.0.0.1", 4096, () => {
  send({ kind: "listening", port: (http.address() as AddressInfo).port });
});
