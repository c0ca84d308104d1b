import { hashSecret, newId, newSecret } from "@fanfare/kernel";
import { describe, expect, test } from "vitest";
import { formatRefreshToken, judgeRefresh, parseRefreshToken } from "./session.policy.ts";
import type { SessionDocument } from "./session.repository.ts";

const now = new Date("2026-01-01T00:00:00Z");
const later = new Date(now.getTime() + 1000);
const [family, current, previous] = [newSecret(), newSecret(), newSecret()];
const _id = newId();
const session: SessionDocument = {
  _id,
  userId: newId(),
  familyHash: hashSecret(family),
  currentHash: hashSecret(current),
  previousHash: hashSecret(previous),
  graceUntil: later,
  createdAt: now,
  refreshedAt: now,
  expiresAt: later,
};
const token = { sessionId: _id, family, current };

describe("judgeRefresh", () => {
  test.each([
    ["current", session, token, now],
    ["repeated", session, { ...token, current: previous }, now],
    ["reused", { ...session, graceUntil: now }, { ...token, current: previous }, now],
    ["reused", { ...session, graceUntil: null }, { ...token, current: previous }, now],
    ["reused", session, { ...token, current: newSecret() }, now],
    ["unknown", session, { ...token, family: newSecret() }, now],
    ["unknown", null, token, now],
    ["ended", session, token, later],
    ["ended", { ...session, revokedAt: now }, token, now],
  ] as const)("%s", (verdict, stored, shown, at) => {
    expect(judgeRefresh(stored, shown, at)).toBe(verdict);
  });
});

describe("refresh tokens", () => {
  test("parse what was formatted", () => {
    expect(parseRefreshToken(formatRefreshToken(token))).toEqual(token);
  });

  test.each(["", "a.b.c", `${token.sessionId}.${family}`, `${formatRefreshToken(token)}x`])(
    "rejects %j",
    (text) => {
      expect(parseRefreshToken(text)).toBeNull();
    },
  );
});
