import { randomBytes } from "node:crypto";
import type { EncodedPacket } from "../connection.ts";
import { textFrame } from "../frames.ts";
import type { Bus } from "./bus.ts";
import { cut } from "./pieces.ts";
import type { Subjects } from "./subjects.ts";
import { encodeEvent, encodeMessage, type Header, joinParts, Kind, WirePacket } from "./wire.ts";

/** Engine.IO's packet type "message", which carries every Socket.IO packet. */
const ENGINE_MESSAGE = "4";
/** A publication to more rooms goes out once, to all servers, instead of once for each room. */
const MAX_SUBJECTS = 64;
/** Room for what a piece of a message needs besides its body. */
const PIECE_OVERHEAD_BYTES = 100;
/** `performance.now()` counts from here: finer than Date.now(), and the same in all threads of a process. */
const STARTED_AT_MS = performance.timeOrigin;
const NOTHING = Buffer.alloc(0);

interface PublisherOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly namespace: string;
  readonly onPublished?: ((copies: number, bytes: number) => void) | undefined;
  readonly traceOf?: (() => string | undefined) | undefined;
}

/** Publishing, shared by adapters and emitters. */
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
   * Encodes an event and publishes it.
   * @returns the event as it was published, or null where it has binary parts
   * @throws RangeError when it is larger than the bus takes.
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

  join(header: Header, rooms: readonly string[]): void {
    const subjects = this.#toRooms(
      Kind.join,
      { ...header, change: rooms },
      NOTHING,
      this.#subjectsOfMove(header),
    );
    for (const room of rooms) this.#recentJoins.joined(room, subjects);
  }

  leave(header: Header, rooms: readonly string[]): void {
    this.#toRooms(Kind.leave, { ...header, change: rooms }, NOTHING, this.#subjectsOfMove(header));
  }

  disconnect(header: Header, close: boolean): void {
    this.#toRooms(Kind.disconnect, { ...header, close }, NOTHING);
  }

  resync(): void {
    this.#nextPublication();
    this.#publish(Kind.resync, [this.#options.subjects.servers], null, NOTHING);
  }

  /** A message of Socket.IO's ClusterAdapter, to all servers or to one. */
  cluster(message: unknown, server?: string): void {
    const { bus, subjects, namespace } = this.#options;
    const subject = server === undefined ? subjects.servers : subjects.server(server);
    const body = joinParts(encodeEvent(namespace, ["cluster", message]));
    this.#nextPublication();
    for (const [{ index, count }, piece] of cut("", body, bus.maxMessageBytes - PIECE_OVERHEAD_BYTES)) {
      const header = count === 1 ? null : ({ rooms: [], piece: [index, count] } as const);
      this.#publish(Kind.cluster, [subject], header, piece);
    }
  }

  close(): void {
    this.#stop();
  }

  /**
   * Moves with exceptions go to all servers. A server whose subscription to one of the rooms is still pending would otherwise miss
   * them, and nothing would correct that later.
   */
  #subjectsOfMove({ rooms, except }: Header): ReadonlySet<string> {
    return except === undefined ? this.#subjectsOf(rooms) : new Set([this.#options.subjects.all]);
  }

  #toRooms(
    kind: Kind,
    header: Header,
    body: Uint8Array,
    targets: ReadonlySet<string> = this.#subjectsOf(header.rooms),
  ): ReadonlySet<string> {
    this.#nextPublication();
    const { length } = Object.keys(header);
    // One room and nothing else to say: the subject says it all. A copy on another subject needs the room's name.
    const isPlain = length === 1 && header.rooms.length === 1 && targets.size === 1;
    const said = isPlain && !targets.has(this.#options.subjects.all) ? null : header;
    this.#publish(kind, targets, said, body);
    return targets;
  }

  #subjectsOf(rooms: readonly string[]): ReadonlySet<string> {
    const { subjects } = this.#options;
    if (rooms.length === 0 || rooms.length > MAX_SUBJECTS) return new Set([subjects.all]);
    const targets = new Set<string>();
    // In this order: a server that moves from one subject to another in between receives one of the copies.
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
        `A publication of ${message.length} bytes is larger than the bus takes (${bus.maxMessageBytes} bytes): ` +
          "send less, or raise the limit (max_payload of a nats-server).",
      );
    }
    let copies = 0;
    for (const subject of targets) {
      // Heartbeats and responses are expendable: their receivers have timeouts.
      bus.publish(subject, message, kind === Kind.cluster);
      copies++;
    }
    onPublished?.(copies, message.length);
  }
}

/** Longer than a server needs from receiving a join to an active subscription. */
const WINDOW_MS = 2000;
const MAX_ROOMS = 10_000;
/** With more, one message to all servers is cheaper than a copy to each subject. */
const MAX_COPIES = 16;

/**
 * After `socketsJoin`, a server without earlier sockets in the room receives its events only on the subject of the join until its
 * subscription is active. So events of this publisher to the room are published there as well.
 */
export class RecentJoins {
  readonly #all: string;
  /** By room: subject → until when. The room of the latest join is the last. */
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

  /** Adds to `subjects` where else `room` has to be addressed. */
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

  /** Rooms remembered. */
  get size(): number {
    return this.#rooms.size;
  }
}
