import type { ActionName, EventName, EventPayload, Params, Result } from "@fanfare/contract";
import { must, type Person } from "@fanfare/testing";
import { io, type Socket } from "socket.io-client";

interface ReceivedEvent {
  name: EventName;
  payload: unknown;
}

/** A user's socket that records every event received, in order. */
export class Listener {
  readonly url: string;
  readonly person: Person;
  readonly socket: Socket;
  readonly received: ReceivedEvent[] = [];
  readonly ready: Promise<void>;

  constructor(url: string, person: Person) {
    this.url = url;
    this.person = person;
    this.socket = io(url, {
      transports: ["websocket"],
      auth: { token: person.accessToken },
      reconnection: false,
      forceNew: true,
    });
    this.socket.onAny((name: EventName, payload: unknown) => this.received.push({ name, payload }));
    this.ready = new Promise((resolve) => this.socket.once("ready", () => resolve()));
  }

  do<N extends ActionName>(name: N, params: Params<N>): Promise<Result<N>> {
    return must(this.url, name, params, this.person.accessToken);
  }

  /** The answer comes after everything that was published before it. */
  async settle(): Promise<void> {
    await this.socket.emitWithAck("user.me", {});
  }

  /** Names of the events about a channel, in order. */
  of(channelId: string): EventName[] {
    return this.received
      .filter(({ payload }) => JSON.stringify(payload).includes(channelId))
      .map(({ name }) => name);
  }

  contents(): string[] {
    return this.received.flatMap(({ name, payload }) =>
      name === "message.created"
        ? (payload as EventPayload<"message.created">).messages.map(({ content }) => content)
        : [],
    );
  }
}
