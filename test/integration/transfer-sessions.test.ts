import { ACCESS_TOKEN_LIFETIME_MS } from "@fanfare/kernel";
import { createAccount, createWorld, must, type Person, type World } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../support/instance.ts";

let instance: Instance;
let admin: Person & { username: string };
let world: World;
let groupFile: string;
beforeAll(async () => {
  instance = await startInstance();
  // The first account of a new instance is an admin.
  admin = await createAccount(instance.url);
  world = await createWorld(instance.url);
  groupFile = await (await exportGroup(world.owner)).text();
});
afterAll(() => instance?.stop());

const request = ({ accessToken }: Person, path: string, body?: string): Promise<Response> =>
  fetch(`${instance.url}/api/${path}`, {
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body }),
  });
const exportGroup = (person: Person) => request(person, `group.export?groupId=${world.group.id}`);
const exportMessages = (person: Person) => {
  const span = { from: "2020-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };
  const params = { userId: world.target.userId, ...span, reason: "A request of the court" };
  return request(person, "admin.exportMessages", JSON.stringify(params));
};
const importGroup = (person: Person) => request(person, "admin.importGroup", groupFile);
const uploadExport = (person: Person) =>
  request(person, "admin.uploadExport?origin=slack&fileName=a.zip", "not empty");

/** Opens a session that has ended: so long ago that no gateway remembers it, but its access token is still valid. */
async function withEndedSession(person: Person, how: "revoked" | "expired"): Promise<Person> {
  const { username } = admin;
  const { sessionId, accessToken } =
    person === admin
      ? await must(instance.url, "user.login", { username, password: "correct horse" })
      : person;
  const before = new Date(Date.now() - 2 * ACCESS_TOKEN_LIFETIME_MS);
  const change = how === "revoked" ? { revokedAt: before } : { expiresAt: before };
  await instance.collection("sessions").updateOne({ _id: new Types.ObjectId(sessionId) }, { $set: change });
  return { userId: person.userId, sessionId, accessToken };
}

/** The types of the lines that arrive. */
async function linesOf(response: Response): Promise<unknown[]> {
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  } catch {
    // Aborted.
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { type: unknown }).type);
}

describe.each(["revoked", "expired"] as const)("with a session that was %s", (how) => {
  test("an export by an admin sends no messages", async () => {
    expect(await linesOf(await exportMessages(admin))).toEqual(expect.arrayContaining(["message", "end"]));
    expect(await linesOf(await exportMessages(await withEndedSession(admin, how)))).toEqual(["header"]);
  });

  test("an import of a group isn't completed", async () => {
    expect(await (await importGroup(admin)).json()).toMatchObject({ ok: true });
    const groups = await instance.collection("groups").countDocuments({ deletedAt: null });
    const response = await importGroup(await withEndedSession(admin, how));
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "SESSION_REVOKED" } });
    await expect.poll(() => instance.collection("groups").countDocuments({ deletedAt: null })).toBe(groups);
  });

  test("an upload of an export isn't accepted", async () => {
    expect(await (await uploadExport(admin)).json()).toMatchObject({ ok: true });
    const { imports } = await must(instance.url, "admin.listChatImports", {}, admin.accessToken);
    const response = await uploadExport(await withEndedSession(admin, how));
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "SESSION_REVOKED" } });
    const { imports: after } = await must(instance.url, "admin.listChatImports", {}, admin.accessToken);
    expect(after.map(({ id }) => id)).toEqual(imports.map(({ id }) => id));
  });
});

test("an export by a group's owner ends with the session", async () => {
  expect(await linesOf(await exportGroup(world.owner))).toEqual(expect.arrayContaining(["message", "end"]));
  const lines = await linesOf(await exportGroup(await withEndedSession(world.owner, "revoked")));
  expect(lines).not.toContain("message");
  expect(lines).not.toContain("end");
});
