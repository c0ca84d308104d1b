import type { Actor, NodeContext } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { EndedSessions } from "../ended-sessions.ts";
import { assertStillPermitted } from "./still-permitted.ts";

const ADMIN: Actor = { userId: "a".repeat(24), sessionId: "b".repeat(24), kind: "member", admin: true };

test("an export by an admin ends with the role or the session, whatever the access token says", async () => {
  const ended = new EndedSessions();
  let userIds = [ADMIN.userId];
  const services = {
    user: { listAdminIds: async () => ({ userIds }) },
  } as unknown as NodeContext["services"];
  const node = { services, access: {} as NodeContext["access"] };
  for (const start of ["admin.startGroupExport", "admin.startMessageExport"] as const) {
    userIds = [ADMIN.userId];
    const check = () => assertStillPermitted(node, ended, ADMIN, { start, groupId: undefined });
    await expect(check()).resolves.toBeUndefined();
    userIds = [];
    await expect(check()).rejects.toMatchObject({ type: "FORBIDDEN" });
  }
  userIds = [ADMIN.userId];
  ended.add([ADMIN.sessionId], Date.now());
  const check = assertStillPermitted(node, ended, ADMIN, {
    start: "admin.startMessageExport",
    groupId: undefined,
  });
  await expect(check).rejects.toMatchObject({ type: "SESSION_REVOKED" });
});
