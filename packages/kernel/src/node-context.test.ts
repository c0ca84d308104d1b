import type { ActionName } from "@fanfare/contract";
import { expect, test } from "vitest";
import { createBroker } from "./broker.ts";
import { createCallEach } from "./node-context.ts";
import { createLogger } from "./logger.ts";

const ASKED: ActionName = "gateway.getSteps";

async function askService(handler: () => unknown) {
  const broker = createBroker({ logger: createLogger("silent"), requestTimeoutMs: 10_000 });
  const settings = { $noServiceNamePrefix: true };
  broker.createService({ name: "gateway", settings, actions: { [ASKED]: { handler } } });
  await broker.start();
  try {
    return await createCallEach(broker)(ASKED, {}, 100);
  } finally {
    await broker.stop();
  }
}

test("collects all results", async () => {
  const answer = { process: "a", steps: [] };
  expect(await askService(() => answer)).toEqual({ results: [answer], unresponsive: 0 });
});

test("counts failures and timeouts without waiting for them", async () => {
  const failing = () => {
    throw new Error("broken");
  };
  expect(await askService(failing)).toEqual({ results: [], unresponsive: 1 });
  expect(await askService(() => new Promise(() => {}))).toEqual({ results: [], unresponsive: 1 });
});

test("returns immediately if no process hosts the action", async () => {
  const broker = createBroker({ logger: createLogger("silent"), requestTimeoutMs: 1000 });
  expect(await createCallEach(broker)(ASKED, {}, 100)).toEqual({ results: [], unresponsive: 0 });
});
