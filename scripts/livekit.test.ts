import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { hasLiveKit } from "@fanfare/testing";
import { expect, test, vi } from "vitest";
import { startCalls } from "./livekit.ts";

test("pnpm dev starts no LiveKit if there are settings for another", async () => {
  const say = vi.fn<(line: string) => void>();
  expect(await startCalls({ LIVEKIT_URL: "wss://calls.example.org" }, say)).toBeNull();
  expect(await startCalls({ LIVEKIT_SECRET_FILE: "/run/secrets/livekit" }, say)).toBeNull();
  expect(say).not.toHaveBeenCalled();
});

test.skipIf(!hasLiveKit())("pnpm dev starts LiveKit with the gateway's webhook, and says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-dev-"));
  const lines: string[] = [];
  const env = { PORT: "3100", HOST: "0.0.0.0", DATA_DIR: folder };
  const calls = await startCalls(env, (line) => lines.push(line));
  try {
    const { livekit, settings } = calls!;
    const log = join(folder, "livekit", "livekit.log");
    expect(lines).toEqual([`Started livekit-server for calls on ${livekit.url}. Its log: ${log}`]);
    expect(JSON.parse(await readFile(join(folder, "livekit", "livekit.yaml"), "utf8"))).toMatchObject({
      webhook: { urls: ["http://127.0.0.1:3100/api/livekit/webhook"] },
    });
    expect(loadConfig({ ...env, ...settings })).toMatchObject({ livekit: { url: livekit.url } });
  } finally {
    await calls?.livekit.stop();
    await rm(folder, { recursive: true });
  }
});
