import { ACTIONS_BY_PREFIX } from "@fanfare/contract";
import {
  type DomainEvents,
  defineService,
  type Handlers,
  type NodeContext,
  serviceError,
  type ServiceFactory,
} from "@fanfare/kernel";
import { createDependencies, type CallDependencies } from "./call.dependencies.ts";
import { callActions } from "./calls.ts";
import { CHECK_BATCH, IDLE_CHECK_INTERVAL_MS } from "./constants.ts";

/** Calls, `call.*`. Without a LiveKit server, its actions say that calls are not set up. */
export function createCallService(node: NodeContext): ReturnType<ServiceFactory> {
  const check = node.jobs.define("call.check", {
    everyMs: IDLE_CHECK_INTERVAL_MS,
    run: async ({ signal }) => {
      if (dependencies === null) return;
      return againAt(await dependencies.tracking.checkDue(signal));
    },
  });
  // Not with the check: while LiveKit doesn't respond, that takes longer than it rings.
  const stopRings = node.jobs.define("call.stopRings", {
    everyMs: IDLE_CHECK_INTERVAL_MS,
    run: async ({ signal }) => {
      if (dependencies === null) return;
      return againAt(await dependencies.ringing.stopDue(signal));
    },
  });
  const dependencies = createDependencies(node, {
    checkAt: (at) => check.enqueue("", null, at),
    stopRingsAt: (at) => stopRings.enqueue("", null, at),
  });
  if (dependencies === null) return withoutCalls(node);
  const { participants, speakers, tracking } = dependencies;
  return defineService(node, {
    name: "call",
    actions: callActions(dependencies),
    events: {
      "access.changed": async ({ groupId, userId }) => {
        const affected = await participants.listIn(groupId, userId, CHECK_BATCH * CHECK_BATCH);
        await tracking.refreshAll(affected.map(({ callId }) => callId));
      },
      "session.ended": (ended) => removeSessions(dependencies, ended),
      "channel.emptied": async ({ channelIds }) => {
        for (const { _id } of await dependencies.calls.listIn(channelIds)) await tracking.end(_id, true);
      },
    },
    async stopped() {
      speakers.stop();
      await tracking.stop();
    },
  });
}

function againAt(next: Date | null): { againAt: Date } {
  const latest = Date.now() + IDLE_CHECK_INTERVAL_MS;
  return { againAt: new Date(Math.min(next?.getTime() ?? Infinity, latest)) };
}

async function removeSessions(
  { participants, tracking }: CallDependencies,
  { userId, sessionIds }: DomainEvents["session.ended"],
): Promise<void> {
  const participant = await participants.find(userId);
  if (participant === null || !sessionIds.includes(participant.sessionId)) return;
  await tracking.takeOut(participant.callId, userId);
}

function withoutCalls(node: NodeContext): ReturnType<ServiceFactory> {
  const off = (): never => {
    throw serviceError("CALLS_OFF");
  };
  const handlers = Object.keys(ACTIONS_BY_PREFIX.call).map((name) => [
    `call.${name}`,
    name === "list" ? () => ({ calls: [] }) : off,
  ]);
  return defineService(node, { name: "call", actions: Object.fromEntries(handlers) as Handlers });
}
