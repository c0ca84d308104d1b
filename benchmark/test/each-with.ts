import { afterEach, beforeEach, vi } from "vitest";
import type { ExistingUsers } from "../src/targets/tokens.ts";
import type { TargetPlugin } from "../src/targets/plugin.ts";
import { measure } from "./measure.ts";

export interface Fake {
  url: string;
  /** What the operator sets. */
  env: Record<string, string>;
  /** Reject every message with this text. */
  rejectWith: string | undefined;
  close(): Promise<void>;
}

/** A server for each test. */
export function eachWith<T extends Fake>(start: () => Promise<T>): () => T {
  let server: T;
  beforeEach(async () => {
    server = await start();
    for (const [variable, value] of Object.entries(server.env)) vi.stubEnv(variable, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    return server.close();
  });
  return () => server;
}

/** The tokens of 20 users of a channel. */
export async function membersOf(plugin: TargetPlugin, url: string): Promise<string[]> {
  const { signal } = new AbortController();
  const server = await plugin.open({ url, onError: () => {}, signal });
  return Promise.all(Array.from({ length: 20 }, () => server.join!()));
}

/** What `receivedByExisting` returns if 20 users got each of 4 messages once, and no one was registered. */
export const ALL_RECEIVED = { registration: null, sent: 4, received: 80, lost: 0, duplicates: 0, foreign: 0 };

/** Sends to 20 users of --tokens. */
export async function receivedByExisting(target: { name: string; url: string }, existing: ExistingUsers) {
  const { registration, counts } = await measure({ users: 20 }, { ...target, existing });
  const { sent, stored, received, lost, duplicates, foreign } = counts;
  return { registration, sent, stored, received, lost, duplicates, foreign };
}
