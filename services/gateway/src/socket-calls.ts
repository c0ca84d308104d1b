import type { WireAnswer } from "@fanfare/contract";
import { isSlow } from "@fanfare/fanout";
import { overloaded, serviceError, toServiceError } from "@fanfare/kernel";
import { MAX_CALLS_IN_FLIGHT_PER_SOCKET } from "./constants.ts";
import type { Calls } from "./calls.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { nextRequestId } from "./request-id.ts";
import type { GatewaySocket } from "./connection-registry.ts";
import { subscriptionOf, type Subscriptions } from "./subscriptions.ts";

interface CallListenerOptions {
  calls: Calls;
  metrics: GatewayMetrics;
  subscriptions: Subscriptions;
}

type Acknowledge = (response: WireAnswer<unknown>) => void;

/**
 * The listener for everything a client emits: `(action, params, ack)`. One function serves all sockets, because a listener per
 * socket and action would make up most of the memory of an idle connection. Socket.IO calls it with the socket as `this`.
 */
export function createCallListener(options: CallListenerOptions) {
  return function onCall(this: GatewaySocket, ...args: unknown[]): void {
    const acknowledge = args.at(-1);
    if (typeof acknowledge !== "function") {
      options.metrics.refused("NO_ACK");
      return;
    }
    void answer(options, this, args.slice(0, -1), acknowledge as Acknowledge);
  };
}

async function answer(
  options: CallListenerOptions,
  socket: GatewaySocket,
  [name, params = {}, ...rest]: unknown[],
  acknowledge: Acknowledge,
): Promise<void> {
  const { calls } = options;
  const record = socket.data;
  const requestId = nextRequestId();
  if (rest.length > 0) {
    acknowledge(calls.refuse(serviceError("MALFORMED_REQUEST"), requestId));
    return;
  }
  // Arrived before reading from the socket was paused: a response would add to the unread data.
  if (record.callsInFlight >= MAX_CALLS_IN_FLIGHT_PER_SOCKET || isSlow(socket)) {
    acknowledge(calls.refuse(overloaded(), requestId));
    return;
  }
  record.callsInFlight += 1;
  const { actor, address } = record;
  const calledAtMs = performance.now();
  let answered = await calls.answer("socket", name, params, {
    actor,
    address,
    requestId,
    isSlow: () => isSlow(socket),
  });
  const subscription = answered.ok ? subscriptionOf(name) : undefined;
  if (answered.ok && subscription !== undefined) {
    try {
      if ("leave" in subscription) options.subscriptions.leave(socket, subscription.leave(params));
      else await options.subscriptions.join(socket, subscription, answered.data, calledAtMs);
    } catch (thrown) {
      answered = calls.refuse(toServiceError(thrown), requestId);
    }
  }
  record.callsInFlight -= 1;
  try {
    acknowledge(answered);
  } catch (thrown) {
    // A result that can't be encoded.
    acknowledge(calls.refuse(toServiceError(thrown), requestId));
  }
}
