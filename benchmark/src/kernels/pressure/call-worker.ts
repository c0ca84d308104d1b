import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { LatencyHistogram } from "../load/latency-histogram.ts";
import { Member } from "../load/member.ts";
import { nowMs } from "../broadcast/clock.ts";
import { sampleThreadLoad } from "../broadcast/thread-load.ts";
import type { Answer } from "../overload/answer-frame.ts";
import { lightServer, readBuffer, socketIoPath } from "../../receivers/light-socket.ts";
import { PacketCache } from "../../receivers/packet-cache.ts";
import { DIALECTS } from "../../targets/dialect.ts";
import {
  SLOW_MS,
  type CallLoop,
  type CallOperation,
  type CallSetup,
  type FromCallThread,
  type OperationReport,
  type PhaseReport,
  type ToCallThread,
} from "./call-messages.ts";

const TICK_MS = 1;
const RECONNECT_MS = 500;
/** In a closed loop, after a failed request. */
const RETRY_MS = 100;
/** The platform answers at most 256 concurrent calls per connection. */
const MAX_UNANSWERED_PER_CONNECTION = 200;
/** Concurrent uploads; further ones count as not sent. A queue here would be measured as the server's time. */
const MAX_UPLOADS = 1000;

const setup = workerData as CallSetup;
const port = parentPort!;
const say = (message: FromCallThread) => port.postMessage(message);

/** null: success; otherwise the error code. */
type Done = (code: string | null) => void;

class Tally {
  readonly name: string;
  intended = 0;
  ok = 0;
  notSent = 0;
  unanswered = 0;
  readonly refusedByCode: Record<string, number> = {};
  readonly latencies = new LatencyHistogram();

  constructor(name: string) {
    this.name = name;
  }

  report(): OperationReport {
    const { name, intended, ok, notSent, unanswered, refusedByCode } = this;
    return { name, intended, ok, notSent, unanswered, refusedByCode, latencies: this.latencies.encode() };
  }
}

class Phase {
  readonly name: string;
  readonly loop: CallLoop | null;
  readonly tallies = new Map(setup.operations.map(({ name }) => [name, new Tally(name)]));
  lastBadMs: number | null = null;

  constructor(name: string, loop: CallLoop | null) {
    this.name = name;
    this.loop = loop;
  }

  bad(intendedMs: number): void {
    this.lastBadMs = Math.max(this.lastBadMs ?? 0, intendedMs);
  }

  report(): PhaseReport {
    const operations = [...this.tallies.values()].map((tally) => tally.report());
    return { name: this.name, operations, lastBadMs: this.lastBadMs };
  }
}

/** A connection that is reopened whenever it ends. */
class Seat {
  readonly #token: string;
  #member: Member | undefined;
  readonly #unanswered = new Map<number, Done>();
  #next = 0;

  constructor(token: string) {
    this.#token = token;
  }

  connect(): Promise<void> {
    return new Promise((resolve) => {
      this.#member = new Member(context, placeOf(this.#token), {
        ready: resolve,
        answered: ({ id, ...answer }: Answer) => {
          const done = this.#unanswered.get(id);
          this.#unanswered.delete(id);
          done?.(answer.ok ? null : answer.error.type);
        },
        messages: () => {},
        resync: () => {},
        ended: () => {
          const lost = [...this.#unanswered.values()];
          this.#unanswered.clear();
          for (const done of lost) done("DISCONNECTED");
          setTimeout(() => void this.connect().then(resolve), RECONNECT_MS);
        },
      });
    });
  }

  call(action: string, params: object, done: Done): boolean {
    if (this.#unanswered.size >= MAX_UNANSWERED_PER_CONNECTION) return false;
    const id = this.#next++;
    if (!this.#member!.call(id, action, params)) return false;
    this.#unanswered.set(id, done);
    return true;
  }
}

const dialect = DIALECTS.fanfare;
const server = lightServer(new URL(setup.url), setup.address, socketIoPath(dialect.path));
const context = { buffer: readBuffer(), dialect, runId: setup.runId, cache: new PacketCache() };
const placeOf = (token: string) => ({ server, token, localAddress: setup.localAddress });
const agent = new Agent({ keepAlive: true });
const seats = setup.tokens.map((token) => new Seat(token));
const schedule = interleave(setup.operations);
const phases: Phase[] = [];
/** Of this thread, in milliseconds, at the start of each phase. */
const cpuAt: number[] = [];
let begun = 0;
let nonces = 0;
let uploads = 0;

/** Spreads each operation evenly according to its weight. */
function interleave(operations: readonly CallOperation[]): CallOperation[] {
  const slots = operations.flatMap((operation) =>
    Array.from({ length: operation.weight }, (_, i) => ({ operation, at: (i + 0.5) / operation.weight })),
  );
  return slots.sort((a, b) => a.at - b.at).map(({ operation }) => operation);
}

function begin(phase: Phase, intendedMs: number, then: (isOk: boolean) => void): void {
  const index = begun++;
  const operation = schedule[index % schedule.length]!;
  const tally = phase.tallies.get(operation.name)!;
  tally.intended += 1;
  const done: Done = (code) => {
    tally.unanswered -= 1;
    const tookMs = nowMs() - intendedMs;
    if (code === null) {
      tally.ok += 1;
      tally.latencies.record(tookMs);
    } else tally.refusedByCode[code] = (tally.refusedByCode[code] ?? 0) + 1;
    if (code !== null || tookMs > SLOW_MS) phase.bad(intendedMs);
    then(code === null);
  };
  if (send(operation, index, done)) {
    tally.unanswered += 1;
    return;
  }
  tally.notSent += 1;
  phase.bad(intendedMs);
  then(false);
}

function send({ kind, action, params = [] }: CallOperation, index: number, done: Done): boolean {
  const token = setup.tokens[index % setup.tokens.length]!;
  const ours = params[Math.floor(index / schedule.length) % params.length];
  if (kind === "connect") return connectOnce(token, done);
  if (kind === "upload") return upload(token, ours as { bytes: number }, done);
  const full = action === "message.send" ? { ...ours, nonce: `${setup.runId}.${nonces++}` } : ours!;
  return seats[index % seats.length]!.call(action!, full, done);
}

function connectOnce(token: string, done: Done): boolean {
  const member = new Member(context, placeOf(token), {
    ready: () => {
      member.destroy();
      done(null);
    },
    answered: () => {},
    messages: () => {},
    resync: () => {},
    ended: done,
  });
  return true;
}

function upload(token: string, { bytes, ...query }: { bytes: number }, done: Done): boolean {
  if (uploads >= MAX_UPLOADS) return false;
  uploads += 1;
  const path = `/api/file.upload?${new URLSearchParams(query).toString()}`;
  const headers = { authorization: `Bearer ${token}`, "content-length": bytes };
  const upload = request(new URL(path, setup.url), { method: "POST", agent, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      if (response.statusCode === 200) return done(null);
      const text = Buffer.concat(chunks).toString();
      done(/"type":"([A-Z_]+)"/.exec(text)?.[1] ?? `HTTP_${response.statusCode}`);
    });
  });
  upload.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? "NETWORK_ERROR"));
  upload.on("close", () => (uploads -= 1));
  upload.end(Buffer.alloc(bytes, 120));
  return true;
}

function run(phase: Phase): void {
  const isOver = () => phases.at(-1) !== phase;
  const { loop } = phase;
  if (loop?.kind === "closed") {
    const next = (): void => {
      if (isOver()) return;
      begin(phase, nowMs(), (isOk) => setTimeout(next, isOk ? 0 : RETRY_MS));
    };
    for (let i = 0; i < loop.inFlight; i += 1) next();
  } else if (loop !== null) {
    const startMs = nowMs();
    let sent = 0;
    const tick = (): void => {
      if (isOver()) return;
      const due = Math.floor(((nowMs() - startMs) * loop.perSecond) / 1000);
      for (; sent < due; sent += 1) begin(phase, startMs + ((sent + 1) * 1000) / loop.perSecond, () => {});
      setTimeout(tick, TICK_MS);
    };
    tick();
  }
}

async function obey(order: ToCallThread): Promise<void> {
  if (order.type === "connect") {
    for (const seat of seats) await seat.connect();
    return say({ type: "done" });
  }
  if (order.type === "report")
    return say({
      type: "report",
      phases: phases.map((phase) => phase.report()),
      cpuMs: cpuAt.map((fromMs, i) => (cpuAt[i + 1] ?? sampleThreadLoad().cpuMs) - fromMs),
    });
  const phase = new Phase(order.name, order.loop);
  phases.push(phase);
  cpuAt.push(sampleThreadLoad().cpuMs);
  run(phase);
}

port.on("message", (order: ToCallThread) => void obey(order));
