import { afterEach, beforeEach, vi } from "vitest";
import type { TargetPlugin } from "../src/targets/plugin.ts";

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
