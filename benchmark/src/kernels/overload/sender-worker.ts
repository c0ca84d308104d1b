import { parentPort, workerData } from "node:worker_threads";
import { nowMs } from "../broadcast/clock.ts";
import { sampleThreadLoad } from "../broadcast/thread-load.ts";
import { lightServer, readBuffer } from "../../receivers/light-socket.ts";
import { taggedContent } from "../../receivers/message-tag.ts";
import type { Answer } from "./answer-frame.ts";
import { LightSender } from "./light-sender.ts";
import { Outcome } from "./outcomes.ts";
import type { FromSender, SenderSetup, ToSender } from "./sender-messages.ts";

const TICK_MS = 1;
/** In a closed loop, after a rejection without a retry time. */
const RETRY_MS = 100;

const setup = workerData as SenderSetup;
const port = parentPort!;
const say = (message: FromSender) => port.postMessage(message);
const { outcomes, runId, channelId, payloadBytes } = setup;
const servers = setup.urls.map((url, i) => lightServer(new URL(url), setup.addresses[i]!, setup.path));
const buffer = readBuffer();

const errors: Record<string, number> = {};
const senders: LightSender[] = [];
let withoutRetryAfter = 0;
let latestMs = 0;
let nextSender = 0;
let isClosedLoop = false;
let timer: NodeJS.Timeout | undefined;

function fault(code: string): void {
  errors[code] = (errors[code] ?? 0) + 1;
}

function send(intendedMs: number): void {
  const index = outcomes.count[0]!;
  if (index >= outcomes.messages) return;
  Atomics.add(outcomes.count, 0, 1);
  outcomes.intendedAt[index] = intendedMs;
  const sender = senders[nextSender++ % senders.length]!;
  const params = {
    channelId,
    content: taggedContent(runId, index, payloadBytes),
    nonce: `${runId}.${index}`,
  };
  const isSent = sender.send(index, params);
  outcomes.outcome[index] = isSent ? Outcome.sent : Outcome.notSent;
  if (isSent) latestMs = Math.max(latestMs, nowMs() - intendedMs);
}

function answered(answer: Answer): void {
  const { id, ok } = answer;
  outcomes.answeredAt[id] = nowMs();
  outcomes.outcome[id] = ok ? Outcome.acknowledged : Outcome.refused;
  let waitMs = 0;
  if (!ok) {
    const { type, retryable, data } = answer.error;
    fault(type);
    const retryAfterMs = (data as { retryAfterMs?: number } | undefined)?.retryAfterMs;
    if (retryable && !(retryAfterMs! > 0)) withoutRetryAfter++;
    waitMs = retryAfterMs ?? RETRY_MS;
  }
  if (!isClosedLoop) return;
  if (waitMs === 0) send(nowMs());
  else setTimeout(() => isClosedLoop && send(nowMs()), waitMs);
}

function connect(tokens: readonly string[], stalled: number): Promise<void> {
  return new Promise((resolve) => {
    let missing = tokens.length;
    const isThere = () => --missing === 0 && resolve();
    for (const [i, token] of tokens.entries()) {
      const isStalled = i >= tokens.length - stalled;
      const sender = new LightSender(servers[i % servers.length]!, buffer, token, undefined, {
        ready: () => {
          if (isStalled) sender.stall();
          isThere();
        },
        answered,
        ended: fault,
      });
      if (!isStalled) senders.push(sender);
    }
  });
}

function openLoop(perSecond: number): void {
  const startMs = nowMs();
  let sent = 0;
  const tick = () => {
    const due = Math.floor(((nowMs() - startMs) * perSecond) / 1000);
    for (; sent < due; sent++) send(startMs + ((sent + 1) * 1000) / perSecond);
    timer = setTimeout(tick, TICK_MS);
  };
  tick();
}

async function obey(order: ToSender): Promise<void> {
  clearTimeout(timer);
  switch (order.type) {
    case "connect":
      await connect(order.tokens, order.stalled);
      say({ type: "done" });
      break;
    case "closed":
      isClosedLoop = true;
      for (let i = 0; i < order.inFlight; i++) send(nowMs());
      break;
    case "open":
      isClosedLoop = false;
      latestMs = 0;
      openLoop(order.perSecond);
      break;
    case "pause":
      isClosedLoop = false;
      break;
    case "report":
      say({
        type: "report",
        report: { errors, withoutRetryAfter, latestMs, cpuMs: sampleThreadLoad().cpuMs },
      });
      break;
    default:
  }
}

port.on("message", (order: ToSender) => void obey(order));
