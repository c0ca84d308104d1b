import { LIMITS, type SessionTokens } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createUserRepository } from "../src/user.repository.ts";
import { actorOf, newName, PASSWORD, startUserNode, stopClock, type UserNode } from "./user-node.ts";

// A logged-in caller who isn't the owner guesses the password.

let node: UserNode;
beforeAll(async () => {
  // A server that takes more load must not allow more guesses.
  node = await startUserNode({ RATE_LIMIT_FACTOR: "100" });
});
afterAll(() => node.stop());
stopClock();

const register = () => node.call("user.register", { username: newName(), password: PASSWORD });

/** All actions that check the password. */
const ways = (password: string) =>
  [
    (tokens: SessionTokens) =>
      node.call(
        "user.changePassword",
        { oldPassword: password, newPassword: "another horse" },
        actorOf(tokens),
      ),
    (tokens: SessionTokens) =>
      node.call("user.changeEmail", { email: "new@example.org", password }, actorOf(tokens)),
    (tokens: SessionTokens) => node.call("user.setupTotp", { password }, actorOf(tokens)),
    (tokens: SessionTokens) => node.call("user.disableTotp", { password, code: "000000" }, actorOf(tokens)),
    (tokens: SessionTokens) =>
      node.call("user.linkOidc", { oidcCode: "x", verifier: "y", password }, actorOf(tokens)),
    (tokens: SessionTokens) => node.call("user.unlinkOidc", { password }, actorOf(tokens)),
    (tokens: SessionTokens) => node.call("user.deleteMe", { password }, actorOf(tokens)),
  ] as ((tokens: SessionTokens) => Promise<unknown>)[];

const outcome = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => "ok",
    (error: { type: string }) => error.type,
  );

/** Makes twice as many guesses as allowed, concurrently, with all actions in turn. */
async function guess(tokens: SessionTokens): Promise<string[]> {
  const wrong = ways("wrong horse");
  const tries = Array.from({ length: 2 * LIMITS.passwordGuesses }, (_, i) => wrong[i % wrong.length]!);
  return Promise.all(tries.map((way) => outcome(way(tokens))));
}

test("guesses at one account are counted together, and then even the right password is rejected", async () => {
  const [tokens, other] = [await register(), await register()];
  const outcomes = await guess(tokens);
  expect(outcomes.filter((type) => type === "WRONG_CREDENTIALS")).toHaveLength(LIMITS.passwordGuesses);
  expect(outcomes.filter((type) => type === "RATE_LIMITED")).toHaveLength(LIMITS.passwordGuesses);
  for (const way of ways(PASSWORD)) expect(await outcome(way(tokens))).toBe("RATE_LIMITED");
  const [, , setUp] = ways(PASSWORD);
  expect(await outcome(setUp!(other))).toBe("ok");
  vi.setSystemTime(Date.now() + LIMITS.passwordGuessWindowMs);
  expect(await outcome(setUp!(tokens))).toBe("ok");
});

test("a correct password resets the count, and logins continue", async () => {
  const tokens = await register();
  const [, , setUp] = ways(PASSWORD);
  const [, , wrongly] = ways("wrong horse");
  for (let i = 0; i < 3; i += 1) {
    for (let n = 1; n < LIMITS.passwordGuesses; n += 1) await outcome(wrongly!(tokens));
    expect(await outcome(setUp!(tokens))).toBe("ok");
  }
  await guess(tokens);
  const login = { username: tokens.user.username!, password: PASSWORD };
  expect(await outcome(node.call("user.login", login))).toBe("ok");
});

test("resetting the counter doesn't reject concurrent correct passwords", async () => {
  const { user } = await register();
  const users = createUserRepository(node.node.database);
  const limit = { field: "passwordGuesses", max: 20, windowMs: 60_000 } as const;
  const outcomes: boolean[] = [];
  const confirmMany = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      outcomes.push(await users.countGuess(user.id, limit, new Date()));
      await users.forgetGuesses(user.id, limit.field);
    }
  };
  // Different numbers of calls, so that they don't run in lockstep.
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => confirmMany(20 + index).then(() => confirmMany(20))),
  );
  await Promise.all([confirmMany(50), Promise.resolve().then(() => confirmMany(49)), confirmMany(48)]);
  expect(outcomes).not.toContain(false);
});
