import { expect, test } from "vitest";
import { judgeResource, type Evidence } from "./attempt.ts";

const idle: Evidence = {
  errorCodes: [],
  testerBusy: 0.4,
  testerWaiting: 0.05,
  sentLateMs: 2,
  serverCores: 0.4,
  serverThreadBusy: 0.4,
  otherProgramsCores: 0.5,
  cores: 4,
  memoryFree: 0.5,
  limitMs: 200,
};

test.each<[Partial<Evidence>, string, RegExp]>([
  [{ errorCodes: ["ECONNRESET", "EMFILE"] }, "descriptors", /ulimit -n/],
  [{ errorCodes: ["EADDRNOTAVAIL"] }, "ports", /ip_local_port_range/],
  [{ errorCodes: ["ENOMEM"] }, "memory", /ENOMEM/],
  [{ memoryFree: 0.02 }, "memory", /2 % of this machine's memory was left/],
  [{ errorCodes: ["TOO_MANY_CONNECTIONS"] }, "limit", /raise that limit/],
  [{ testerBusy: 0.93, serverThreadBusy: 0.9 }, "generator", /busy 93 %/],
  [{ sentLateMs: 80 }, "generator", /80 ms late/],
  [{ serverThreadBusy: 0.97 }, "cpu", /busiest thread was busy 97 %/],
  [{ testerWaiting: 0.6 }, "cpu", /too few cores/],
  [{ serverThreadBusy: null, serverCores: 0.91 }, "cpu", /0.91 cores/],
  [{ otherProgramsCores: 2.8 }, "cpu", /other programs used 2.8 of the 4 cores/],
  [{ otherProgramsCores: null }, "unknown", /another machine/],
  [{}, "unknown", /no exhausted resource is visible/],
])("%j: %s", (seen, name, why) => {
  const resource = judgeResource({ ...idle, ...seen });
  expect(resource.name).toBe(name);
  expect(resource.why).toMatch(why);
});
