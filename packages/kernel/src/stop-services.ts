import { setTimeout as delay } from "node:timers/promises";
import type { Service, ServiceBroker } from "moleculer";
import type { CallTracking } from "./call-tracking.ts";

/** How long calls of other processes may still come in after they were told not to send any more. */
const LAST_CALLS_MS = 200;
/** How long running calls may take when the process stops, threads of gateways included: supervisors allow 10 s for it all. */
export const STOP_MS = 8000;

/** Nothing that another process has asked for is left unanswered: it is told to ask elsewhere, then what runs is finished. */
export async function stopServices(
  broker: ServiceBroker,
  services: readonly Service[],
  tracking: CallTracking,
  deadlineMs: number,
): Promise<void> {
  const left = services.toReversed();
  // First the gateway, which is the last of them, so that its running calls are still answered by the others.
  if (left[0]?.name === "gateway") await broker.destroyService(left.shift()!);
  if (broker.transit === undefined) for (const service of left) await broker.destroyService(service);
  else await refuseCalls(broker, tracking, deadlineMs);
  await broker.stop();
}

async function refuseCalls(
  { registry }: ServiceBroker,
  tracking: CallTracking,
  deadlineMs: number,
): Promise<void> {
  // So that nothing which changed before makes Moleculer announce the services once more.
  registry.getLocalNodeInfo();
  registry.regenerateLocalRawInfo(true, true);
  await registry.discoverer.sendLocalNodeInfo();
  await delay(LAST_CALLS_MS);
  while (tracking.running > 0 && performance.now() < deadlineMs) await delay(5);
}
