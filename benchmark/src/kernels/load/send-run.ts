import { Audience, placesOf, sourceAddresses } from "../../receivers/audience.ts";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { senderOf, turnOf } from "../requests/loops.ts";
import { allocateRequests, type RequestMemory } from "../requests/request-memory.ts";
import { MAX_UNANSWERED_PER_CONNECTION } from "../requests/seats.ts";
import type { SendSetup } from "../requests/send-operation.ts";
import type { LoadContext } from "./load.ts";
import { measureLoad } from "./load-run.ts";
import { readBack } from "./read-back.ts";
import type { Scene } from "./scene.ts";

/**
 * Connects everyone in the scene who is to be online, sends what the plan says, waits for the last delivery and
 * reads back what is stored. On an abort signal, the measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureSends(context: LoadContext, scene: Scene) {
  const { target, plan, progress, signal } = context;
  const { receivers, senders, channels } = scene;
  const runId = newRunId();
  const memory = allocateRequests(plan.loop.requests);
  const audience = await Audience.start({
    urls: target.urls,
    dialect: target.dialect,
    runId,
    tally: tallyOf(context, scene, memory),
    workers: receivers.length === 0 ? 0 : plan.receivingThreads,
    window: plan.window,
    napMs: plan.napMs,
  });
  const places = await placesOf(target, runId);
  const { tally, connections } = audience;
  const setup: SendSetup = {
    ...places,
    warmUpRunId: newRunId(),
    tokens: senders,
    localAddresses: sourceAddresses(places.addresses[0]!).take(senders.length),
    maxUnanswered: MAX_UNANSWERED_PER_CONNECTION,
    channelIds: channels.map(({ id }) => id),
    channelOf: tally.memory.channelOf,
    payloadBytes: plan.payloadBytes,
    deliveries: { tally: tally.memory, connections, firstReceiver: receivers.length },
  };
  return measureLoad(context, {
    name: "send",
    operation: { module: new URL("../requests/send-operation.ts", import.meta.url), setup },
    memory,
    senders: senders.length,
    scene: scene.size,
    registration: scene.registration,
    audience,
    connectAudience: () => connect(audience, context, receivers),
    readBack: (acknowledged) => {
      const messages = memory.requests;
      return readBack({ api: target.api, channels, runId, messages, acknowledged, progress, signal });
    },
  });
}

/** Who is to get each message, as the loop makes the requests. */
function tallyOf({ plan: { loop } }: LoadContext, scene: Scene, memory: RequestMemory): DeliveryTally {
  const { receivers, senders, channels } = scene;
  const { length } = senders;
  return new DeliveryTally(
    allocateDeliveries({
      receivers: receivers.length + length,
      channels: channels.map(({ connections }) => connections),
      messages: memory.requests,
      channelOf: (message) => scene.channelOf(senderOf(message, loop, length), turnOf(message, loop, length)),
      intendedAt: memory.intendedAt,
    }),
  );
}

async function connect(
  audience: Audience<DeliveryTally>,
  context: LoadContext,
  receivers: readonly string[],
): Promise<void> {
  if (receivers.length === 0) return;
  await audience.connectAll(receivers, context);
  audience.measure(true);
}
