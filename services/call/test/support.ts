import type { Message, OngoingCall, Params, Result } from "@fanfare/contract";
import { createWorld, type LiveKitServer, must, type Person, post, type World } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { startCallServer } from "../../../test/support/livekit.ts";

/**
 * Starts a complete instance, and a real LiveKit server that sends its webhooks there, for the tests of the calling file. Each test gets
 * a group of its own.
 */
export function useCalls(): CallSite {
  const site = new CallSite();
  beforeAll(() => site.start());
  beforeEach(async () => {
    site.world = await createWorld(site.url);
  });
  afterAll(() => site.stop());
  return site;
}

class CallSite {
  instance!: Instance;
  livekit!: LiveKitServer;
  world!: World;

  get url(): string {
    return this.instance.url;
  }

  async start(): Promise<void> {
    const { livekit, env } = await startCallServer();
    this.livekit = livekit;
    this.instance = await startInstance(env);
  }

  /** Handles a failed start too. */
  async stop(): Promise<void> {
    await this.instance?.stop();
    await this.livekit?.stop();
  }

  /** The call of a channel, as a user sees it. */
  async callIn(channelId: string, { accessToken } = this.world.owner): Promise<OngoingCall | undefined> {
    const { calls } = await must(this.url, "call.list", {}, accessToken);
    return calls.find((one) => one.channelId === channelId);
  }

  /** The users in the call of a channel. */
  async userIdsIn(channelId: string, person?: Person): Promise<string[]> {
    return (await this.callIn(channelId, person))?.participants.map(({ userId }) => userId) ?? [];
  }

  async messagesIn(channelId: string, { accessToken }: Person): Promise<Message[]> {
    return (await must(this.url, "message.list", { channelId }, accessToken)).messages;
  }

  /** A new channel of the group. */
  async channelOf(kind: "text" | "voice", more: Partial<Params<"channel.create">> = {}): Promise<string> {
    const create = { groupId: this.world.group.id, name: "a-channel", kind, ...more };
    return (await must(this.url, "channel.create", create, this.world.owner.accessToken)).channel.id;
  }

  async directOf({ accessToken }: Person, { userId }: Person): Promise<string> {
    return (await must(this.url, "channel.openDirect", { userId }, accessToken)).channel.id;
  }

  /** Denies a member some permissions in a channel. */
  async deny(channelId: string, { userId: id }: Person, bits: number): Promise<void> {
    const override = { channelId, target: { type: "member", id } as const, allow: 0, deny: bits };
    await must(this.url, "channel.setOverride", override, this.world.owner.accessToken);
  }

  /** @returns null if the user joins */
  joinError(channelId: string, { accessToken }: Person): Promise<string | null> {
    return errorOf(post(this.url, "call.join", { channelId }, accessToken));
  }
}

/** @returns null for a success */
export async function errorOf(answer: ReturnType<typeof post>): Promise<string | null> {
  const result = await answer;
  return result.ok ? null : result.error.type;
}

/** A connection for LiveKit's signals, without media: LiveKit lists its user as a participant. */
export interface Signal {
  /** Resolves when LiveKit has closed it. */
  closed: Promise<void>;
  close(): void;
}

/** @throws {Error} if LiveKit refuses the token */
export async function connectSignal({
  url,
  token,
}: Pick<Result<"call.join">, "url" | "token">): Promise<Signal> {
  const parameters = new URLSearchParams({
    access_token: token,
    protocol: "15",
    auto_subscribe: "1",
    sdk: "js",
  });
  const socket = new WebSocket(`${url}/rtc?${parameters.toString()}`);
  socket.binaryType = "arraybuffer";
  const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("message", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("LiveKit refused the connection")));
    socket.addEventListener("close", () => reject(new Error("LiveKit closed the connection")));
  });
  return { closed, close: () => socket.close() };
}

/** Joins the call of a channel and connects to LiveKit. */
export async function joinCall(url: string, channelId: string, { accessToken }: { accessToken: string }) {
  const joined = await must(url, "call.join", { channelId }, accessToken);
  return { ...joined, signal: await connectSignal(joined) };
}
