import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { createAccount, must, post } from "@fanfare/testing";
import { startNode } from "../support/node-process.ts";
import { Secret, TOTP } from "otpauth";
import { expect, onTestFinished, test } from "vitest";

const CLI = join(import.meta.dirname, "../../services/cli/src/main.ts");
const TOKEN_SECRET = "kept elsewhere than the backup, of 32 characters";
const PASSWORD = "correct horse";
const STEP_MS = 30_000;
/** Several programs are started one after the other. */
const TIMEOUT_MS = 240_000;

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await delay(20);
};

test(
  "a restore on another machine recovers users, second factors, messages, files and open pages",
  { timeout: TIMEOUT_MS, tags: "long" },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-disaster-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const dataDir = join(folder, "data");
    const backup = join(folder, "kept.backup");
    const env = { TOKEN_SECRET, DATA_DIR: dataDir };
    await mkdir(dataDir);
    const fanfare = async (...args: string[]): Promise<string> => {
      const settings = { NODE_ENV: "production", ...env };
      const run = promisify(execFile)(process.execPath, [CLI, ...args], {
        env: { PATH: process.env["PATH"], ...settings },
      });
      return (await run).stdout;
    };

    const first = await startNode({ name: "lost", folder, env });
    onTestFinished(() => first.process.stop());
    const { url } = first;
    const ada = await createAccount(url);
    const { group, channels } = await must(url, "group.create", { name: "Analysts" }, ada.accessToken);
    const channelId = channels[0]!.id;
    const send = (content: string, token = ada.accessToken, attachmentIds: string[] = []) =>
      must(url, "message.send", { channelId, content, nonce: content, attachmentIds }, token);
    for (let n = 0; n < 20; n++) await send(`Message ${n}`);

    const bytes = randomBytes(200_000);
    const query = new URLSearchParams({ channelId, name: "engine.bin" });
    const uploaded = await fetch(`${url}/api/file.upload?${query.toString()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ada.accessToken}` },
      body: bytes,
    });
    const { data } = (await uploaded.json()) as { data: { file: { fileId: string } } };
    await send("with a file", ada.accessToken, [data.file.fileId]);

    const { secret } = await must(url, "user.setupTotp", { password: PASSWORD }, ada.accessToken);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await must(url, "user.enableTotp", { code: totp.generate() }, ada.accessToken);

    const page = new FanfareClient({ url });
    onTestFinished(() => page.close());
    await page.createGuest({ nickname: "Bob" });
    await page.connect();
    const { invite } = await must(url, "invite.create", { groupId: group.id }, ada.accessToken);
    await page.call("invite.accept", { code: invite.code });
    const view = page.channel(channelId);
    await view.load();
    const texts = () => view.messages.map(({ content }) => content);

    await fanfare("backup", backup);
    await send("after the backup");
    await send("and this too");
    await until(() => texts().includes("and this too"));

    await first.process.kill();
    await rm(dataDir, { recursive: true });
    expect(await fanfare("verify", backup, "--restore")).toContain("no problems found");
    await fanfare("restore", backup);
    expect(await fanfare("check")).toBe("No problems found.\n");
    const second = await startNode({ name: "restored", folder, env, port: first.process.port });
    onTestFinished(() => second.process.stop());

    const login = { username: ada.username, password: PASSWORD };
    expect(await post(url, "user.login", login)).toMatchObject({ error: { type: "TOTP_REQUIRED" } });
    // Of the next step: later than the code that enabled it, however short the restore was.
    const code = totp.generate({ timestamp: Date.now() + STEP_MS });
    const again = await must(url, "user.login", { ...login, code });
    const { messages } = await must(url, "message.list", { channelId, limit: 100 }, again.accessToken);
    const restored = [...Array.from({ length: 20 }, (_, n) => `Message ${n}`), "with a file"];
    expect(messages.map(({ content }) => content).filter((content) => content !== "")).toEqual(restored);
    const { url: address } = await must(url, "file.getUrl", { fileId: data.file.fileId }, again.accessToken);
    const read = await fetch(url + address);
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);

    // A page that stayed open has seen messages that are lost. It drops them and receives new ones with the
    // same numbers.
    await send("it goes on", again.accessToken);
    await until(() => texts().includes("it goes on"));
    await until(() => !texts().includes("after the backup"));
    expect(texts().filter((content) => content !== "")).toEqual([...restored, "it goes on"]);
    await view.send("Bob is still here");
    const last = await must(url, "message.list", { channelId, limit: 1 }, again.accessToken);
    expect(last.messages[0]?.content).toBe("Bob is still here");
  },
);
