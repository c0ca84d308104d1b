import { randomBytes } from "node:crypto";
import type { EncodedPacket } from "../connection.ts";
import { textFrame } from "../frames.ts";
import type { Bus, Subjects } from "./bus.ts";
import { encodeEvent, encodeMessage, type Header, joinParts, Kind, WirePacket } from "./wire.ts";

/** Engine.IO's packet type "message", which carries every Socket.IO packet. */
const ENGINE_MESSAGE = "4";
/** A publication to more rooms is sent once to all servers instead of once per room. */
const MAX_SUBJECTS = 64;
/** Origin of `performance.now()`, which has a higher resolution than Date.now(). */
const STARTED_AT_MS = performance.timeOrigin;
const NOTHING = Buffer.alloc(0);

interface PublisherOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly namespace: string;
  readonly onPublished?: ((copies: number, bytes: number) => void) | undefined;
  readonly traceOf?: (() => string | undefined) | undefined;
}

/** Publishes to the bus, for adapters and emitters. */
export class Publisher {
  /** Identifies messages of this publisher. */
  readonly id = randomBytes(8).toString("latin1");
  readonly #options: PublisherOptions;
  readonly #recentJoins: RecentJoins;
  readonly #stop: () => void;
  #sequence = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#recentJoins = new RecentJoins(options.subjects.all);
    this.#stop = options.bus.onInterrupted(({ publishedLost }) => {
      if (publishedLost) this.resync();
    });
  }

  /**
   * Encodes and publishes an event.
   * @returns the encoded event, or null if it has binary parts
   * @throws RangeError if it exceeds the bus's maximum size.
   */
  event(header: Header, data: readonly unknown[]): EncodedPacket | null {
    const { namespace, traceOf } = this.#options;
    const parts = encodeEvent(namespace, data);
    if (parts.length > 1) {
      this.#toRooms(Kind.packet, header, joinParts(parts));
      return null;
    }
    const frame = textFrame(ENGINE_MESSAGE + parts[0]);
    const trace = traceOf?.();
    this.#toRooms(Kind.frame, trace === undefined ? header : { ...header, trace }, frame);
    return new WirePacket(frame, trace, data);
  }

  /** Whether an event to these rooms reaches anyone. If not, encoding it can be saved. */
  isHeard(rooms: readonly string[]): boolean {
    return this.#isHeardOn(this.#subjectsOf(rooms));
  }

  join(header: Header, rooms: readonly string[]): void {
    const subjects = this.#subjectsOfMove(header);
    if (!this.#isHeardOn(subjects)) return;
    this.#toRooms(Kind.join, { ...header, change: rooms }, NOTHING, subjects);
    for (const room of rooms) this.#recentJoins.joined(room, subjects);
  }

  leave(header: Header, rooms: readonly string[]): void {
    const subjects = this.#subjectsOfMove(header);
    if (this.#isHeardOn(subjects)) this.#toRooms(Kind.leave, { ...header, change: rooms }, NOTHING, subjects);
  }

  disconnect(header: Header, close: boolean): void {
    this.#toRooms(Kind.disconnect, { ...header, close }, NOTHING);
  }

  resync(): void {
    this.#nextPublication();
    this.#publish(Kind.resync, [this.#options.subjects.servers], null, NOTHING);
  }

  close(): void {
    this.#stop();
  }

  /**
   * Joins and leaves with exceptions are sent to all servers. Otherwise a server with a pending subscription to one of the rooms would
   * miss them, and nothing would correct that later.
   */
  #subjectsOfMove({ rooms, except }: Header): ReadonlySet<string> {
    return except === undefined ? this.#subjectsOf(rooms) : new Set([this.#options.subjects.all]);
  }

  #toRooms(
    kind: Kind,
    header: Header,
    body: Uint8Array,
    targets: ReadonlySet<string> = this.#subjectsOf(header.rooms),
  ): void {
    this.#nextPublication();
    const { length } = Object.keys(header);
    // For a single room without options the subject is enough. A copy on another subject needs the room's name.
    const isPlain = length === 1 && header.rooms.length === 1 && targets.size === 1;
    const sentHeader = isPlain && !targets.has(this.#options.subjects.all) ? null : header;
    this.#publish(kind, targets, sentHeader, body);
  }

  #isHeardOn(subjects: ReadonlySet<string>): boolean {
    const { bus } = this.#options;
    if (bus.hears === undefined) return true;
    for (const subject of subjects) if (bus.hears(subject)) return true;
    return false;
  }

  #subjectsOf(rooms: readonly string[]): ReadonlySet<string> {
    const { subjects } = this.#options;
    if (rooms.length === 0 || rooms.length > MAX_SUBJECTS) return new Set([subjects.all]);
    const targets = new Set<string>();
    // In this order, so that a server that switches from one subject to the other in between receives one of the copies.
    for (const room of rooms) this.#recentJoins.extend(targets, room);
    for (const room of rooms) targets.add(subjects.room(room));
    return targets;
  }

  #nextPublication(): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
  }

  #publish(kind: Kind, targets: Iterable<string>, header: Header | null, body: Uint8Array): void {
    const { bus, onPublished } = this.#options;
    const message = encodeMessage({
      kind,
      publisher: this.id,
      sequence: this.#sequence,
      publishedAtMs: STARTED_AT_MS + performance.now(),
      header,
      body,
    });
    if (message.length > bus.maxMessageBytes) {
      throw new RangeError(
        `A publication of ${message.length} bytes exceeds the limit of the bus (${bus.maxMessageBytes} bytes): ` +
          "send less, or raise the limit (max_payload of nats-server).",
      );
    }
    let copies = 0;
    for (const subject of targets) {
      bus.publish(subject, message);
      copies++;
    }
    onPublished?.(copies, message.length);
  }
}

/** Longer than a server takes from receiving a join to an active subscription. */
const WINDOW_MS = 2000;
const MAX_ROOMS = 10_000;
/** Beyond this, one message to all servers is cheaper than a copy per subject. */
const MAX_COPIES = 16;

/**
 * After `socketsJoin`, a server without other sockets in the room receives its events only on the subject of the join until its
 * subscription is active. So this publisher's events to the room are published on that subject too.
 */
export class RecentJoins {
  readonly #all: string;
  /** By room, ordered by the latest join: the subjects and when they expire. */
  readonly #rooms = new Map<string, Map<string, number>>();

  /** @param all the subject that every server with a socket subscribes to. */
  constructor(all: string) {
    this.#all = all;
  }

  joined(room: string, subjects: Iterable<string>): void {
    const now = performance.now();
    const known = this.#rooms.get(room) ?? new Map<string, number>();
    for (const subject of subjects) known.set(subject, now + WINDOW_MS);
    if (known.size > MAX_COPIES) {
      known.clear();
      known.set(this.#all, now + WINDOW_MS);
    }
    this.#rooms.delete(room);
    this.#rooms.set(room, known);
    this.#forget(now);
  }

  /** Adds the other subjects that events to `room` must be published on. */
  extend(subjects: Set<string>, room: string): void {
    if (this.#rooms.size === 0) return;
    const known = this.#rooms.get(room);
    if (known === undefined) return;
    const now = performance.now();
    for (const [subject, until] of known) {
      if (until > now) subjects.add(subject);
      else known.delete(subject);
    }
    if (known.size === 0) this.#rooms.delete(room);
  }

  #forget(now: number): void {
    for (const [room, known] of this.#rooms) {
      const latest = Math.max(...known.values());
      if (latest > now && this.#rooms.size <= MAX_ROOMS) return;
      this.#rooms.delete(room);
    }
  }

  /** The number of tracked rooms. */
  get size(): number {
    return this.#rooms.size;
  }
}
