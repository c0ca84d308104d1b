import { randomBytes } from "node:crypto";
import { type Params, presenceRoom, userOfRoom } from "@fanfare/contract";
import { emitDirectly } from "@fanfare/fanout";
import { type NodeContext, within, WorkTimer } from "@fanfare/kernel";
import {
  PRESENCE_GRACE_MS,
  PRESENCE_HEARTBEAT_MS,
  PRESENCE_REPORT_MAX_USERS,
  PRESENCE_REPORT_TIMEOUT_MS,
  PRESENCE_TICK_MS,
} from "./constants.ts";
import type { SocketServer } from "./connection-registry.ts";

/** By then the other gateways have noticed as well that they were forgotten, and have reported everything. */
const FULL_REPORT_MS = 3 * PRESENCE_HEARTBEAT_MS;

type Report = Params<"presence.report">;

interface PresenceReporterOptions {
  send: (report: Report) => Promise<{ known: boolean }>;
  /** All users with a connected socket. */
  listUserIds: () => Iterable<string>;
  /** Returns a unique name. */
  newGatewayId: () => string;
  /** Called when everything is reported again because the service forgot this gateway: watching users may have missed changes. */
  onFullReport: () => void;
  /** Called for the first of several consecutive failures. */
  onError: (error: unknown) => void;
}

/**
 * Reports to the presence service which users have connected their first socket or closed their last one: batched, in order, each
 * report repeated until it is accepted. A user who reconnects within a moment is not reported. If the service has forgotten this
 * gateway, it reports everything under a new name, so that the state of the old one can be removed. While no one is connected it is
 * silent, and then begins as another gateway.
 */
export class PresenceReporter {
  readonly #options: PresenceReporterOptions;
  readonly #changes = new WorkTimer(PRESENCE_TICK_MS, () => this.#tick());
  readonly #heartbeats = new WorkTimer(PRESENCE_HEARTBEAT_MS, () => this.#beat());
  /** Unreported changes: whether a user is connected. */
  readonly #unreported = new Map<string, boolean>();
  /** Until when a user can reconnect without being reported, earliest first. */
  readonly #leaving = new Map<string, number>();
  #gatewayId = "";
  #number = 0;
  /** The report in progress, not yet accepted. */
  #report: Report | null = null;
  #sending = false;
  #failing = false;
  /** null: not since the last full report. */
  #forgottenAtMs: number | null = null;

  constructor(options: PresenceReporterOptions) {
    this.#options = options;
    this.#begin();
  }

  connected(userId: string): void {
    if (!this.#leaving.delete(userId)) this.#unreported.set(userId, true);
    this.#changes.start();
    this.#heartbeats.start();
  }

  disconnected(userId: string): void {
    this.#leaving.set(userId, performance.now() + PRESENCE_GRACE_MS);
    this.#changes.start();
  }

  /** Reports nothing, so that users who reconnect elsewhere in time stay online. */
  stop(): void {
    this.#changes.stop();
    this.#heartbeats.stop();
  }

  #begin(): void {
    this.#gatewayId = this.#options.newGatewayId();
    this.#number = 0;
  }

  /** Whether changes are unreported or will be. */
  get #isBusy(): boolean {
    const hasChanges = this.#unreported.size + this.#leaving.size > 0;
    return hasChanges || this.#sending || this.#report !== null || this.#forgottenAtMs !== null;
  }

  #tick(): boolean {
    const nowMs = performance.now();
    for (const [userId, untilMs] of this.#leaving) {
      if (untilMs > nowMs) break;
      this.#leaving.delete(userId);
      this.#unreported.set(userId, false);
    }
    void this.#send();
    return this.#isBusy;
  }

  /** The service may forget a gateway without users. */
  #beat(): boolean {
    const [someone] = this.#options.listUserIds();
    if (someone === undefined && !this.#isBusy) {
      this.#begin();
      return false;
    }
    if (!this.#sending) this.#report ??= this.#nextReport();
    void this.#send();
    return true;
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#report !== null || this.#unreported.size > 0) await this.#sendOne();
      this.#failing = false;
      if (this.#forgottenAtMs !== null && performance.now() - this.#forgottenAtMs >= FULL_REPORT_MS) {
        this.#forgottenAtMs = null;
        this.#options.onFullReport();
      }
    } catch (error) {
      if (!this.#failing) this.#options.onError(error);
      this.#failing = true;
      this.#changes.start();
    } finally {
      this.#sending = false;
    }
  }

  async #sendOne(): Promise<void> {
    this.#report ??= this.#nextReport();
    // The receiver drops a report that arrives after a later one.
    const { known } = await within(
      PRESENCE_REPORT_TIMEOUT_MS,
      this.#options.send(this.#report),
      () => new Error(`The presence service didn't answer within ${PRESENCE_REPORT_TIMEOUT_MS} ms.`),
    );
    this.#report = null;
    if (!known) this.#restart();
  }

  #nextReport(): Report {
    const connected: string[] = [];
    const disconnected: string[] = [];
    for (const [userId, isHere] of this.#unreported) {
      if (connected.length + disconnected.length === PRESENCE_REPORT_MAX_USERS) break;
      this.#unreported.delete(userId);
      (isHere ? connected : disconnected).push(userId);
    }
    this.#number += 1;
    return { gatewayId: this.#gatewayId, number: this.#number, connected, disconnected };
  }

  #restart(): void {
    this.#begin();
    this.#unreported.clear();
    for (const userId of this.#leaving.keys()) this.#unreported.set(userId, true);
    for (const userId of this.#options.listUserIds()) this.#unreported.set(userId, true);
    this.#forgottenAtMs = performance.now();
    this.#changes.start();
  }
}

const WATCHED = presenceRoom("");

/**
 * Reports connected users, based on the user rooms, which exist while a user has a socket.
 * @returns a function that stops it
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
    // Disconnects in the meantime were not recorded, so clients must reload the state.
    onFullReport() {
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
