import type { Actor, NodeContext } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { CHUNK_CHARS } from "../constants.ts";
import { assertStillPermitted, chunked } from "./serve-exports.ts";

const ADMIN: Actor = { userId: "a".repeat(24), sessionId: "b".repeat(24), kind: "member", admin: true };

test("an export by an admin ends with the role or the session, whatever the access token says", async () => {
  let [isAlive, userIds] = [true, [ADMIN.userId]];
  const services = {
    user: { hasSession: async () => ({ isAlive }), listAdminIds: async () => ({ userIds }) },
  } as unknown as NodeContext["services"];
  const check = () => assertStillPermitted({ services, access: {} as NodeContext["access"] }, ADMIN);
  await expect(check()).resolves.toBeUndefined();
  userIds = [];
  await expect(check()).rejects.toMatchObject({ type: "FORBIDDEN" });
  [isAlive, userIds] = [false, [ADMIN.userId]];
  await expect(check()).rejects.toMatchObject({ type: "SESSION_REVOKED" });
});

async function read(chunks: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

test("the first line is sent at once, the others in chunks", async () => {
  async function* lines() {
    yield "header\n";
    for (let n = 0; n < 3; n += 1) yield "x".repeat(CHUNK_CHARS / 2);
    yield "end\n";
  }
  expect((await read(chunked(lines()))).map(({ length }) => length)).toEqual([
    7,
    CHUNK_CHARS,
    CHUNK_CHARS / 2 + 4,
  ]);
});

test("lines are sent although the next one is late, and the source is closed when the reader leaves", async () => {
  const late = Promise.withResolvers<void>();
  let isClosed = false;
  async function* lines() {
    try {
      yield "header\n";
      yield "first\n";
      await late.promise;
      yield "second\n";
    } finally {
      isClosed = true;
    }
  }
  const chunks = chunked(lines(), 1);
  expect((await chunks.next()).value).toBe("header\n");
  expect((await chunks.next()).value).toBe("first\n");
  late.resolve();
  await chunks.return(undefined);
  expect(isClosed).toBe(true);
});
