import { createAdapter as createRedisAdapter } from "@socket.io/redis-adapter";
import { Emitter as RedisEmitter } from "@socket.io/redis-emitter";
import { createAdapter as createStreamsAdapter } from "@socket.io/redis-streams-adapter";
import { createClient } from "redis";
import { Server, type ServerOptions } from "socket.io";
import { Emitter, connectNatsBus, createFanoutAdapter } from "../../src/index.ts";
import { EVENT, PAYLOAD } from "../protocol.ts";
import { type Candidate, ROOM } from "./protocol.ts";

interface Parts {
  adapter: NonNullable<ServerOptions["adapter"]>;
  /** For adapters without a callback for received messages. */
  watch?: (io: Server) => void;
}

async function redisClient(url: string) {
  const client = createClient({ url });
  await client.connect();
  return client;
}

/** The adapter of a gateway; `onMessage` is called for every message for sockets received from the broker. */
export const gateways: Record<Candidate, (url: string, onMessage: () => void) => Promise<Parts>> = {
  async fanout(url, onMessage) {
    const bus = await connectNatsBus({ servers: url });
    return { adapter: createFanoutAdapter({ bus, onReceived: onMessage }) };
  },
  async "redis-adapter"(url, onMessage) {
    const [publisher, subscriber] = [await redisClient(url), await redisClient(url)];
    const subscribe = subscriber.pSubscribe.bind(subscriber) as (...args: unknown[]) => Promise<void>;
    const watched = (pattern: string, listener: (...args: unknown[]) => void, ...rest: unknown[]) =>
      subscribe(pattern, (...args: unknown[]) => (onMessage(), listener(...args)), ...rest);
    Reflect.set(subscriber, "pSubscribe", watched);
    return { adapter: createRedisAdapter(publisher, subscriber) };
  },
  async "redis-streams"(url, onMessage) {
    return {
      adapter: createStreamsAdapter(await redisClient(url)),
      watch(io) {
        const { adapter } = io.of("/");
        const receive = (Reflect.get(adapter, "onRawMessage") as (...args: unknown[]) => unknown).bind(
          adapter,
        );
        Reflect.set(adapter, "onRawMessage", (message: { type: string }, offset: string) => {
          if (message.type === BROADCAST) onMessage();
          return receive(message, offset);
        });
      },
    };
  },
};

/** A message type of Socket.IO's cluster protocol. */
const BROADCAST = "3";

/** Creates a function that publishes one message. */
export const publishers: Record<Candidate, (url: string) => Promise<() => void>> = {
  async fanout(url) {
    const emitter = new Emitter({ bus: await connectNatsBus({ servers: url }) });
    return () => emitter.emit(ROOM, EVENT, PAYLOAD);
  },
  async "redis-adapter"(url) {
    const emitter = new RedisEmitter(await redisClient(url));
    return () => void emitter.to(ROOM).emit(EVENT, PAYLOAD);
  },
  async "redis-streams"(url) {
    const io = new Server({ adapter: createStreamsAdapter(await redisClient(url)) });
    return () => void io.to(ROOM).emit(EVENT, PAYLOAD);
  },
};
