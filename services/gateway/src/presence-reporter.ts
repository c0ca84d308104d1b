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

/** By then the other gateways have noticed that they were forgotten, too, and have reported again. */
const REPORTED_ANEW_MS = 3 * PRESENCE_HEARTBEAT_MS;

type Report = Params<"presence.report">;

interface PresenceReporterOptions {
  send: (report: Report) => Promise<{ known: boolean }>;
  /** All users that have a socket here now. */
  listUserIds: () => Iterable<string>;
  /** A name that no gateway has had before. */
  newGatewayId: () => string;
  /**
   * Called when everything is reported again because the presence service forgot this gateway: changes for watching users may be
   * lost.
   */
  onReportedAnew: () => void;
  /** Called for the first of several failures in a row. */
  onError: (error: unknown) => void;
}

/**
 * Reports to the presence service which users have connected their first socket or closed their last: batched, in order, each
 * report repeated until it is accepted. A user who reconnects within a moment is not reported. When the service has forgotten
 * this gateway, it starts again under a new name and reports everything, so that the state of the old one can be removed.
 */
export class PresenceReporter {
  readonly #options: PresenceReporterOptions;
  readonly #timer: NodeJS.Timeout;
  /** By user, whether they are here: what is still to be reported. */
  readonly #untold = new Map<string, boolean>();
  /** Until when a user can reconnect unnoticed; the earliest first. */
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

/** The call continues if it takes longer: the receiver drops a report that arrives after a later one. */
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
