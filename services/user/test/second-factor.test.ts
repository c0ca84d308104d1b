import { LIMITS, type SessionTokens } from "@fanfare/contract";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, stopClock, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
});
afterAll(() => node.stop());
// Codes depend on the time, so the clock must only advance explicitly.
stopClock();

const PERIOD_MS = 30_000;
const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const codeOf = (secret: string): string => new TOTP({ secret }).generate({ timestamp: Date.now() });
const wrongCodeOf = (secret: string): string =>
  codeOf(secret).replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10));

interface Protected {
  username: string;
  tokens: SessionTokens;
  secret: string;
  recoveryCodes: string[];
}

const register = async () => {
  const username = newName();
  return { username, tokens: await node.call("user.register", { username, password: PASSWORD }) };
};

/** An account with a second factor; the current code is used up. */
async function protect(): Promise<Protected> {
  const { username, tokens } = await register();
  const me = actorOf(tokens);
  const { secret } = await node.call("user.setupTotp", { password: PASSWORD }, me);
  const { recoveryCodes } = await node.call("user.enableTotp", { code: codeOf(secret) }, me);
  return { username, tokens, secret, recoveryCodes };
}

const login = ({ username }: { username: string }, code?: string, password = PASSWORD) =>
  node.call("user.login", { username, password, code });
const refusal = (type: string) => expect.objectContaining({ type });

describe("enabling it", () => {
  test("requires the password and a code of the new secret, and is visible only to the owner", async () => {
    const { username, tokens } = await register();
    const me = actorOf(tokens);
    await expect(node.call("user.setupTotp", { password: "wrong horse" }, me)).rejects.toEqual(
      refusal("WRONG_CREDENTIALS"),
    );
    await expect(node.call("user.enableTotp", { code: "000000" }, me)).rejects.toEqual(
      refusal("TOTP_NOT_SET_UP"),
    );
    const { secret, uri } = await node.call("user.setupTotp", { password: PASSWORD }, me);
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    await expect(node.call("user.enableTotp", { code: wrongCodeOf(secret) }, me)).rejects.toEqual(
      refusal("WRONG_CODE"),
    );
    await expect(login({ username })).resolves.toBeDefined();
    await node.call("user.enableTotp", { code: codeOf(secret) }, me);
    expect((await node.call("user.me", {}, me)).user.totpEnabled).toBe(true);
    expect((await node.call("user.get", { userId: tokens.user.id }, me)).user).not.toHaveProperty(
      "totpEnabled",
    );
    await expect(node.call("user.setupTotp", { password: PASSWORD }, me)).rejects.toEqual(
      refusal("TOTP_ALREADY_ON"),
    );
    await expect(node.call("user.enableTotp", { code: codeOf(secret) }, me)).rejects.toEqual(
      refusal("TOTP_ALREADY_ON"),
    );
  });

  test("recovery codes are stored as hashes only", async () => {
    const { username, recoveryCodes } = await protect();
    const stored = await node.node.database.collection("users").findOne({ username });
    expect(stored?.["totp"].recoveryHashes).toHaveLength(LIMITS.recoveryCodesPerUser);
    for (const code of recoveryCodes) {
      expect(JSON.stringify(stored)).not.toContain(code);
      expect(JSON.stringify(stored)).not.toContain(code.replaceAll("-", ""));
    }
  });
});

describe("login", () => {
  test("requires a code only after the right password", async () => {
    const account = await protect();
    await expect(login(account, undefined, "wrong horse")).rejects.toEqual(refusal("WRONG_CREDENTIALS"));
    await expect(login(account)).rejects.toEqual(refusal("TOTP_REQUIRED"));
    later(PERIOD_MS);
    await expect(login(account, codeOf(account.secret), "wrong horse")).rejects.toEqual(
      refusal("WRONG_CREDENTIALS"),
    );
    await expect(login(account, codeOf(account.secret))).resolves.toMatchObject({
      user: { totpEnabled: true },
    });
  });

  test("accepts a code once, even concurrently", async () => {
    const account = await protect();
    await expect(login(account, codeOf(account.secret))).rejects.toEqual(refusal("WRONG_CODE"));
    later(PERIOD_MS);
    const code = codeOf(account.secret);
    const results = await Promise.allSettled([
      login(account, code),
      login(account, code),
      login(account, code),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    // Nor the previous one, although it is still within the window.
    later(PERIOD_MS);
    await login(account, codeOf(account.secret));
    later(-PERIOD_MS);
    await expect(login(account, codeOf(account.secret))).rejects.toEqual(refusal("WRONG_CODE"));
  });

  test("accepts a recovery code once, in any spelling", async () => {
    const account = await protect();
    const [first = "", second = ""] = account.recoveryCodes;
    await login(account, first.toLowerCase().replaceAll("-", " "));
    await expect(login(account, first)).rejects.toEqual(refusal("WRONG_CODE"));
    await login(account, second);
  });

  test("limits guesses per account, without locking it forever", async () => {
    const account = await protect();
    const guesses = Array.from({ length: 2 * LIMITS.totpGuesses }, () =>
      login(account, wrongCodeOf(account.secret)),
    );
    const reasons = (await Promise.allSettled(guesses)).map((result) =>
      result.status === "rejected" ? result.reason.type : "in",
    );
    expect(reasons.filter((type) => type === "WRONG_CODE")).toHaveLength(LIMITS.totpGuesses);
    expect(reasons.filter((type) => type === "RATE_LIMITED")).toHaveLength(LIMITS.totpGuesses);
    later(PERIOD_MS);
    // Not even the right code or a recovery code.
    for (const code of [codeOf(account.secret), account.recoveryCodes[0]]) {
      const error = await login(account, code).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ type: "RATE_LIMITED", retryable: true });
      const { retryAfterMs } = (error as { data: { retryAfterMs: number } }).data;
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(retryAfterMs).toBeLessThanOrEqual(LIMITS.totpGuessWindowMs);
    }
    later(LIMITS.totpGuessWindowMs);
    await login(account, codeOf(account.secret));
    later(PERIOD_MS);
    // A correct code resets the counter.
    await expect(login(account, wrongCodeOf(account.secret))).rejects.toEqual(refusal("WRONG_CODE"));
    await login(account, codeOf(account.secret));
  });
});

describe("disabling it", () => {
  test("requires the password and a code", async () => {
    const account = await protect();
    const me = actorOf(account.tokens);
    const disable = (password: string, code: string) => node.call("user.disableTotp", { password, code }, me);
    later(PERIOD_MS);
    await expect(disable("wrong horse", codeOf(account.secret))).rejects.toEqual(
      refusal("WRONG_CREDENTIALS"),
    );
    await expect(disable(PASSWORD, wrongCodeOf(account.secret))).rejects.toEqual(refusal("WRONG_CODE"));
    await expect(login(account)).rejects.toEqual(refusal("TOTP_REQUIRED"));
    await disable(PASSWORD, codeOf(account.secret));
    await expect(login(account)).resolves.toMatchObject({ user: { totpEnabled: false } });
    await expect(disable(PASSWORD, codeOf(account.secret))).rejects.toEqual(refusal("TOTP_NOT_SET_UP"));
  });

  test("isn't affected by changing the password", async () => {
    const account = await protect();
    const change = { oldPassword: PASSWORD, newPassword: "another horse" };
    await node.call("user.changePassword", change, actorOf(account.tokens));
    await expect(login(account, undefined, "another horse")).rejects.toEqual(refusal("TOTP_REQUIRED"));
  });
});

describe("the stored secret", () => {
  const users = (of: UserNode) => of.node.database.collection("users");
  const stored = async ({ username }: Protected): Promise<string> =>
    (await users(node).findOne({ username }))!["totp"].secret;
  const store = ({ username }: Protected, secret: string) =>
    users(node).updateOne({ username }, { $set: { "totp.secret": secret } });

  /** The whole database as text, with binary data in all possible encodings of a secret. */
  async function everything(): Promise<string> {
    const names = (await node.node.database.db!.listCollections().toArray()).map(({ name }) => name);
    const documents = await Promise.all(
      names.map((name) => node.node.database.collection(name).find().toArray()),
    );
    return JSON.stringify(documents);
  }
  const readableForms = (secret: string): string[] => {
    const bytes = Buffer.from(Secret.fromBase32(secret).buffer);
    return [secret, ...(["hex", "base64", "base64url", "latin1"] as const).map((way) => bytes.toString(way))];
  };

  test("can't be read, neither before nor after the first code", async () => {
    const { tokens } = await register();
    const me = actorOf(tokens);
    const { secret } = await node.call("user.setupTotp", { password: PASSWORD }, me);
    const before = await everything();
    expect(before).toContain('"totpPending":"v1.');
    await node.call("user.enableTotp", { code: codeOf(secret) }, me);
    const after = await everything();
    for (const form of readableForms(secret)) {
      expect(before).not.toContain(form);
      expect(after).not.toContain(form);
    }
  });

  test("in the old plaintext format still works, and is then encrypted", async () => {
    const account = await protect();
    await store(account, account.secret);
    later(PERIOD_MS);
    await login(account, codeOf(account.secret));
    expect(await stored(account)).toMatch(/^v1\./);
    later(PERIOD_MS);
    await login(account, codeOf(account.secret));
    // Disabled with the same code that seals it.
    await store(account, account.secret);
    later(PERIOD_MS);
    const off = { password: PASSWORD, code: codeOf(account.secret) };
    await node.call("user.disableTotp", off, actorOf(account.tokens));
    await login(account);
  });

  test("of one account can't be used for another", async () => {
    const [mine, theirs] = [await protect(), await protect()];
    await store(theirs, await stored(mine));
    later(PERIOD_MS);
    await expect(login(theirs, codeOf(mine.secret))).rejects.toEqual(refusal("WRONG_CODE"));
  });

  test("survives a change of TOKEN_SECRET if the previous one is set, otherwise recovery codes do", async () => {
    const [before, now] = ["a".repeat(32), "b".repeat(32)];
    const first = await startUserNode({ TOKEN_SECRET: before });
    const withPrevious = await startUserNode({ TOKEN_SECRET: now, TOKEN_SECRET_PREVIOUS: before });
    const withoutPrevious = await startUserNode({ TOKEN_SECRET: now, LOG_LEVEL: "silent" });
    try {
      const username = newName();
      const me = actorOf(await first.call("user.register", { username, password: PASSWORD }));
      const { secret } = await first.call("user.setupTotp", { password: PASSWORD }, me);
      const { recoveryCodes } = await first.call("user.enableTotp", { code: codeOf(secret) }, me);
      const document = (await users(first).findOne({ username }))!;
      await Promise.all(
        [withPrevious, withoutPrevious].map((other) => users(other).insertOne({ ...document })),
      );
      later(PERIOD_MS);
      const logInAt = (other: UserNode, code: string) =>
        other.call("user.login", { username, password: PASSWORD, code });
      await logInAt(withPrevious, codeOf(secret));
      const resealed = (await users(withPrevious).findOne({ username }))!["totp"].secret;
      expect(resealed).not.toBe(document["totp"].secret);
      await expect(logInAt(withoutPrevious, codeOf(secret))).rejects.toEqual(refusal("WRONG_CODE"));
      await logInAt(withoutPrevious, recoveryCodes[0]!);
    } finally {
      await Promise.all([first, withPrevious, withoutPrevious].map((other) => other.stop()));
    }
  });
});
