import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { childSeconds } from "./resource-use.ts";

const BURN = `
  const used = () => process.cpuUsage().user + process.cpuUsage().system;
  while (used() < 300_000);
  process.send("done");
  setInterval(() => {}, 1000);
`;

test.runIf(process.platform === "linux")("child processes of the tester are no other programs", async () => {
  const before = childSeconds()!;
  const child = spawn(process.execPath, ["--eval", BURN], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    await once(child, "message");
    expect(childSeconds()! - before).toBeGreaterThan(0.25);
  } finally {
    child.kill();
  }
});
