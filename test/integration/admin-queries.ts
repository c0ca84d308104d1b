import type { Call } from "@fanfare/contract";
import { createAccount, createWorld, must, type Person } from "@fanfare/testing";

async function becomeAdmin(url: string, call: Call): Promise<string> {
  const { userId, username } = await createAccount(url);
  await call("user.setAdmin", { userId, admin: true });
  return (await must(url, "user.login", { username, password: "correct horse" })).accessToken;
}

/** Everything admins can do. */
async function callAdminActions(url: string, call: Call): Promise<void> {
  const token = await becomeAdmin(url, call);
  const other = await createAccount(url);
  const { userId } = other;
  const { group, target } = await createWorld(url);
  for (const params of [{}, { beforeUserId: userId }, { query: "us" }])
    await must(url, "admin.listUsers", params, token);
  await must(url, "admin.disableUser", { userId: target.userId }, token);
  await must(url, "admin.enableUser", { userId: target.userId }, token);
  await must(url, "admin.setAdmin", { userId, admin: true }, token);
  await must(url, "admin.setAdmin", { userId, admin: false }, token);
  for (const params of [{}, { beforeGroupId: group.id }]) await must(url, "admin.listGroups", params, token);
  await must(url, "admin.deleteGroup", { groupId: group.id }, token);
  await must(url, "admin.announce", { text: "Hello" }, token);
  await must(url, "admin.setMaintenance", { enabled: false }, token);
  await must(url, "admin.stats", {}, token);
  await must(url, "admin.getTrends", { days: 180 }, token);
  await must(url, "admin.listChatImports", {}, token);
  for (const params of [{}, { actorId: userId }, { beforeId: userId }])
    await must(url, "admin.auditLog", params, token);
}

/** All of a user's exported data, page by page. */
export async function exportAll(url: string, token: string): Promise<{ kind: string; data?: unknown }[]> {
  const all: { kind: string; data?: unknown }[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await must(url, "user.exportMyData", { cursor }, token);
    all.push(...page.items);
    if (page.nextCursor === null) return all;
    cursor = page.nextCursor;
  }
}

/** Sessions, search, blocks, and deleting the account. */
async function signInAndOut(url: string, call: Call): Promise<void> {
  const { accessToken, sessionId }: Person = await createAccount(url);
  const { target } = await createWorld(url);
  const { userId } = target;
  await must(url, "user.search", { query: "us" }, accessToken);
  await must(url, "user.block", { userId }, accessToken);
  await must(url, "user.listBlocked", { afterUserId: "0".repeat(24) }, accessToken);
  await must(url, "user.unblock", { userId }, accessToken);
  await must(url, "user.listSessions", {}, accessToken);
  await exportAll(url, target.accessToken);
  await must(url, "user.deleteMe", {}, target.accessToken);
  for (const name of [
    "group.forgetUser",
    "message.forgetUser",
    "presence.forgetUser",
    "friend.forgetUser",
  ] as const)
    await call(name, { userId });
  await must(url, "user.revokeSession", { sessionId }, accessToken);
}

export async function exerciseAdmin(url: string, call: Call): Promise<void> {
  await callAdminActions(url, call);
  await signInAndOut(url, call);
}
