import { randomBytes } from "node:crypto";
import { type Params, presenceRoom, userOfRoom } from "@fanfare/contract";
import { emitDirectly } from "@fanfare/fanout";
import type { NodeContext } from "@fanfare/kernel";
import {
  PRESENCE_GRACE_MS,
  PRESENCE_HEARTBEAT_MS,
  PRESENCE_REPORT_MAX_USERS,
  PRESENCE_REPORT_TIMEOUT_MS,
  PRESENCE_TICK_MS,
} from "./bounds.ts";
import type { SocketServer } from "./socket-types.ts";

/** By then the other gateways have noticed that they are forgotten, and have reported anew, too. */
const REPORTED_ANEW_MS = 3 * PRESENCE_HEARTBEAT_MS;

type Report = Params<"presence.report">;

interface PresenceReporterOptions {
  send: (report: Report) => Promise<{ known: boolean }>;
  /** Everybody who has a socket here now. */
  listUserIds: () => Iterable<string>;
  /** A name that no gateway has had before. */
  newGatewayId: () => string;
  /** After this gateway had been forgotten, when all is reported again: what was still to be told to those who watch may be lost. */
  onReportedAnew: () => void;
  /** Told of the first failure of several in a row. */
  onError: (error: unknown) => void;
}

/**
 * Tells the presence service who has a first socket here and who no longer has any: gathered, in order, and each report again until
 * it is taken. Who comes back within a moment has never been away. When this gateway has been forgotten it begins anew under another
 * name and tells everything, so that what is left of the old one can be cleared away meanwhile.
 */
export class PresenceReporter {
  readonly #options: PresenceReporterOptions;
  readonly #timer: NodeJS.Timeout;
  /** By user, whether they are here: what is still to be told. */
  readonly #untold = new Map<string, boolean>();
  /** Until when somebody may come back unnoticed; the first to end first. */
  readonly #leaving = new Map<string, number>();
  #gatewayId: string;
  #number = 0;
  /** Sent and not yet known to be taken. */
  #report: Report | null = null;
  #sending = false;
  #sentAtMs = 0;
  #failing = false;
  /** null: not since it was last made good. */
  #forgottenAtMs: number | null = null;

  constructor(options: PresenceReporterOptions) {
    this.#options = options;
    this.#gatewayId = options.newGatewayId();
    this.#timer = setInterval(() => void this.#tick(), PRESENCE_TICK_MS);
  }

  connected(userId: string): void {
    if (!this.#leaving.delete(userId)) this.#untold.set(userId, true);
  }

  disconnected(userId: string): void {
    this.#leaving.set(userId, performance.now() + PRESENCE_GRACE_MS);
  }

  /** Without a word: those who come back elsewhere in time have never been away. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #tick(): Promise<void> {
    const nowMs = performance.now();
    for (const [userId, untilMs] of this.#leaving) {
      if (untilMs > nowMs) break;
      this.#leaving.delete(userId);
      this.#untold.set(userId, false);
    }
    if (this.#sending) return;
    this.#sending = true;
    try {
      const isDue = (): boolean =>
        this.#report !== null ||
        this.#untold.size > 0 ||
        performance.now() - this.#sentAtMs >= PRESENCE_HEARTBEAT_MS;
      while (isDue()) await this.#sendOne();
      this.#failing = false;
      if (this.#forgottenAtMs !== null && nowMs - this.#forgottenAtMs >= REPORTED_ANEW_MS) {
        this.#forgottenAtMs = null;
        this.#options.onReportedAnew();
      }
    } catch (error) {
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
    } finally {
      this.#sending = false;
    }
  }

  async #sendOne(): Promise<void> {
    this.#report ??= this.#nextReport();
    const { known } = await within(PRESENCE_REPORT_TIMEOUT_MS, this.#options.send(this.#report));
    this.#report = null;
    this.#sentAtMs = performance.now();
    if (!known) this.#beginAnew();
  }

  #nextReport(): Report {
    const connected: string[] = [];
    const disconnected: string[] = [];
    for (const [userId, isHere] of this.#untold) {
      if (connected.length + disconnected.length === PRESENCE_REPORT_MAX_USERS) break;
      this.#untold.delete(userId);
      (isHere ? connected : disconnected).push(userId);
    }
    this.#number += 1;
    return { gatewayId: this.#gatewayId, number: this.#number, connected, disconnected };
  }

  #beginAnew(): void {
    this.#gatewayId = this.#options.newGatewayId();
    this.#number = 0;
    this.#untold.clear();
    for (const userId of this.#leaving.keys()) this.#untold.set(userId, true);
    for (const userId of this.#options.listUserIds()) this.#untold.set(userId, true);
    this.#forgottenAtMs = performance.now();
  }
}

/** The call goes on where it takes longer; whoever gets it late finds that a later one was there. */
async function within<T>(timeoutMs: number, call: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const WATCHED = presenceRoom("");

/**
 * Reports who is connected: a user's room is made with the first socket and goes with the last.
 * @returns a function that ends it
 */
export function reportPresence(io: SocketServer, node: Pick<NodeContext, "services" | "logger">): () => void {
  const { adapter } = io.of("/");
  const reporter = new PresenceReporter({
    send: (report) => node.services.presence.report(report),
    newGatewayId: () => randomBytes(12).toString("hex"),
    *listUserIds() {
      for (const room of adapter.rooms.keys()) {
        const userId = userOfRoom(room);
        if (userId !== null) yield userId;
      }
    },
    // Disconnects in the meantime were not recorded: clients learn of them only by asking again.
    onReportedAnew() {
      for (const socket of io.of("/").sockets.values()) {
        const watches = socket.rooms.values().some((room) => room.startsWith(WATCHED));
        if (watches) emitDirectly(socket, "resync", {});
      }
    },
    onError: (error) => node.logger.warn({ err: error }, "presence report failed"),
  });
  const onCreate = (room: string): void => {
    const userId = userOfRoom(room);
    if (userId !== null) reporter.connected(userId);
  };
  const onDelete = (room: string): void => {
    const userId = userOfRoom(room);
    if (userId !== null) reporter.disconnected(userId);
  };
  adapter.on("create-room", onCreate);
  adapter.on("delete-room", onDelete);
  return () => {
    adapter.off("create-room", onCreate);
    adapter.off("delete-room", onDelete);
    reporter.stop();
  };
}
