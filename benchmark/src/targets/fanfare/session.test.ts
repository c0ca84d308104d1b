import { expect, test } from "vitest";
import type { Api } from "./api.ts";
import { keepValid, Session } from "./session.ts";

const tokens = (number: number, minutes: number) => ({
  accessToken: `access ${number}`,
  accessTokenExpiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
  refreshToken: `refresh ${number}`,
});

/** Answers each refresh with the next tokens. */
function server() {
  const calls: unknown[] = [];
  const call = async (...args: unknown[]) => {
    calls.push(args);
    return tokens(calls.length + 1, 15);
  };
  return { calls, api: { call } as unknown as Pick<Api, "call"> };
}

test("a token with enough time left is used as it is", async () => {
  const { calls, api } = server();
  expect(await new Session(api, tokens(1, 14)).token()).toBe("access 1");
  expect(calls).toEqual([]);
});

test("an expiring token is refreshed once for all concurrent callers", async () => {
  const { calls, api } = server();
  const session = new Session(api, tokens(1, 0.5));
  expect(await Promise.all([session.token(), session.token()])).toEqual(["access 2", "access 2"]);
  expect(await session.token()).toBe("access 2");
  expect(calls).toEqual([["user.refresh", { refreshToken: "refresh 1" }]]);
});

test("tokens in use are refreshed before they expire, again after a failure", async () => {
  const { calls, api } = server();
  let isFailing = true;
  const call = async (...args: unknown[]) => {
    if (!isFailing) return (api.call as (...all: unknown[]) => Promise<unknown>)(...args);
    isFailing = false;
    throw new Error("The server is away.");
  };
  const away = { call } as unknown as Pick<Api, "call">;
  const sessions = [new Session(away, tokens(1, 0.5)), new Session(api, tokens(1, 14))];
  const end = new AbortController();
  const used: string[][] = [];
  const use = (all: string[]) => {
    used.push(all);
    end.abort();
  };
  await keepValid(sessions, use, end.signal, 1);
  expect(used).toEqual([["access 2", "access 1"]]);
  expect(isFailing).toBe(false);
  expect(calls).toHaveLength(1);
});
