import { rm } from "node:fs/promises";
import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fanfare, fanfareProcess, newFolder, whileRunning } from "./temporary-instance.ts";

/** Gateways poll every ten seconds. */
const LONG = { timeout: 600_000 };

let dataDir: string;

beforeAll(async () => {
  dataDir = await newFolder();
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

const logIn = (url: string, username: string, password = "correct horse") =>
  must(url, "user.login", { username, password });

test("creates an admin with the password from standard input, with or without existing accounts", async () => {
  const made = await fanfareProcess(dataDir, ["create-admin", "First"], "long enough\n");
  expect(made).toEqual({ code: 0, out: "Created the admin First.\n", error: "" });
  expect((await fanfareProcess(dataDir, ["create-admin", "Second"], "long enough")).code).toBe(0);
  await whileRunning(dataDir, async (url) => {
    for (const username of ["first", "second"]) {
      const { user, accessToken } = await logIn(url, username, "long enough");
      expect(user.admin).toBe(true);
      await must(url, "admin.stats", {}, accessToken);
    }
  });
});

test("an existing account becomes an admin and keeps its password", { tags: "long" }, async () => {
  const { username } = await whileRunning(dataDir, (url) => createAccount(url));
  const promoted = await fanfare(dataDir, ["create-admin", username]);
  expect(promoted).toMatchObject({ code: 0, out: expect.stringContaining("is now an admin") as string });
  await whileRunning(dataDir, async (url) => {
    expect((await logIn(url, username)).user.admin).toBe(true);
  });
});

test("creates an admin while the instance is running, effective with the next login", async () => {
  await whileRunning(dataDir, async (url) => {
    const { username } = await createAccount(url);
    expect(await fanfare(dataDir, ["create-admin", username])).toMatchObject({ code: 0, error: "" });
    const { accessToken } = await logIn(url, username);
    await must(url, "admin.stats", {}, accessToken);
  });
});

test("says what is wrong with a username", { tags: "long" }, async () => {
  const { code, out, error } = await fanfareProcess(
    dataDir,
    ["create-admin", "x".repeat(33)],
    "long enough\n",
  );
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(error).toMatch(/^Invalid values:\n {2}username: must be .+\n$/);
});

test("reports errors and creates nothing", { tags: "long" }, async () => {
  expect((await fanfareProcess(dataDir, ["create-admin", "Third"], "short\n")).error).toContain("password");
  expect((await fanfareProcess(dataDir, ["create-admin", "Third"])).error).toContain("standard input");
  expect((await fanfare(dataDir, ["reset-totp", "Third"])).code).toBe(1);
  expect((await fanfareProcess(dataDir, ["frobnicate"])).code).toBe(1);
});

test("the CLI and an admin can remove a second factor; sessions end", async () => {
  const person = await whileRunning(dataDir, async (url) => {
    const person = await createAccount(url);
    await protect(url, person.accessToken);
    return person;
  });
  expect((await fanfare(dataDir, ["reset-totp", person.username])).code).toBe(0);
  await whileRunning(dataDir, async (url) => {
    expect(await post(url, "user.me", {}, person.accessToken)).toMatchObject({
      error: { type: "SESSION_REVOKED" },
    });
    const again = await logIn(url, person.username);
    await protect(url, again.accessToken);
    const login = { username: person.username, password: "correct horse" };
    expect(await post(url, "user.login", login)).toMatchObject({ error: { type: "TOTP_REQUIRED" } });
    const admin = await logIn(url, "first", "long enough");
    await must(url, "admin.resetTotp", { userId: person.userId, reason: "phone lost" }, admin.accessToken);
    await logIn(url, person.username);
    const { entries } = await must(url, "admin.auditLog", {}, admin.accessToken);
    expect(entries[0]).toMatchObject({ action: "admin.resetTotp", outcome: "done" });
  });
});

test(
  "ends sessions while the instance is running, and its gateways close them",
  { ...LONG, tags: "long" },
  async () => {
    await whileRunning(dataDir, async (url) => {
      const [ada, grace] = [await createAccount(url), await createAccount(url)];
      await protect(url, ada.accessToken);
      const isIn = async ({ accessToken }: typeof ada) => (await post(url, "user.me", {}, accessToken)).ok;
      expect((await fanfare(dataDir, ["reset-totp", ada.username])).code).toBe(0);
      await expect.poll(() => isIn(ada)).toBe(false);
      await logIn(url, ada.username);
      expect(await isIn(grace)).toBe(true);
      expect(await fanfare(dataDir, ["end-sessions", "--all"])).toMatchObject({ code: 0 });
      await expect.poll(() => isIn(grace)).toBe(false);
    });
  },
);

test("reseal encrypts the secrets of webhooks with the new token secret", async () => {
  const folder = await newFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [former, current] = ["former-".repeat(8), "current-".repeat(8)];
  const secret = "known to the sender";
  const create = async (url: string) => {
    const { owner, channel } = await createWorld(url);
    return must(url, "webhook.create", { channelId: channel.id, name: "CI", secret }, owner.accessToken);
  };
  const { webhook, token } = await whileRunning(folder, create, { TOKEN_SECRET: former });
  const during = { TOKEN_SECRET: current, TOKEN_SECRET_PREVIOUS: former };
  expect(await fanfare(folder, ["reseal"], during)).toMatchObject({ code: 0, error: "" });
  const message = { webhookId: webhook.id, token, secret, content: "The build has passed." };
  await whileRunning(folder, (url) => must(url, "webhook.execute", message), { TOKEN_SECRET: current });
});

async function protect(url: string, accessToken: string): Promise<void> {
  const { secret } = await must(url, "user.setupTotp", { password: "correct horse" }, accessToken);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await must(url, "user.enableTotp", { code }, accessToken);
}
