import { createAccount, createGuest, must, post, type Person } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { startIdentityProvider, type IdentityProvider } from "./identity-provider.ts";
import { Listener } from "./listener.ts";
import { Browser, signInAtProvider } from "./oidc-browser.ts";
import { entraGroup, entraUser, oktaGroup, oktaUser, ScimClient } from "./scim-client.ts";

// Provisioning by SCIM, with requests as identity providers send them.

const PUBLIC_URL = "https://chat.example.org";
const TOKEN = "5f0c1c3a9a6f4a5c8b7d2e1f0a9b8c7d";

let provider: IdentityProvider;
let instance: Instance;
let admin: Person & { username: string };
let scim: ScimClient;
beforeAll(async () => {
  provider = await startIdentityProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  instance = await startInstance({
    ...provider.env,
    PUBLIC_URL,
    SCIM_TOKEN: TOKEN,
    SCIM_OIDC_PROVIDER: "default",
    OIDC_ADMIN_GROUPS: "chat-admins, more-admins",
    LOG_LEVEL: "silent",
  });
  admin = await createAccount(instance.url);
  scim = new ScimClient(instance.url, TOKEN);
});
afterAll(async () => {
  await instance?.stop();
  await provider?.stop();
});

async function logIn(claims: { sub: string; email?: string; email_verified?: boolean }) {
  const login = await signInAtProvider(provider, new Browser(PUBLIC_URL, instance.url), claims);
  return post(instance.url, "user.exchangeOidcCode", login);
}

async function mustLogIn(claims: Parameters<typeof logIn>[0]) {
  const answer = await logIn(claims);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  const { user, sessionId, accessToken } = answer.data;
  return { user, person: { userId: user.id, sessionId, accessToken } };
}

const listed = async (filter: string): Promise<string[]> =>
  (await scim.find(filter)).json.Resources.map(({ id }: { id: string }) => id);

const setFields = (userId: string, fields: object) =>
  instance.collection("users").updateOne({ _id: new Types.ObjectId(userId) }, { $set: fields });
const setEmail = (userId: string, email: string, more: object = {}) =>
  setFields(userId, { email, emailLower: email, ...more });
/** An account that has verified an address. */
async function createVerified() {
  const account = await createAccount(instance.url);
  await setEmail(account.userId, `${account.username}@example.org`.toLowerCase(), {
    emailVerifiedAt: new Date(),
  });
  return account;
}

describe("protocol", () => {
  test("describes itself, with SCIM's content type", async () => {
    for (const path of ["/ServiceProviderConfig", "/ResourceTypes", "/Schemas", "/Groups", "/Users"]) {
      const { status, headers } = await scim.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get("content-type")).toBe("application/scim+json; charset=utf-8");
    }
    const { json } = await scim.get("/Schemas/urn:ietf:params:scim:schemas:core:2.0:User");
    expect(json.attributes.map(({ name }: { name: string }) => name)).toContain("userName");
    for (const [path, expected] of [
      ["/ServiceProviderConfig", { patch: { supported: true }, bulk: { supported: false } }],
      ["/ResourceTypes/Group", { id: "Group", endpoint: "/Groups" }],
      ["/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group", { name: "Group" }],
      ["/ResourceTypes", { totalResults: 2 }],
    ] as const)
      expect((await scim.get(path)).json).toMatchObject(expected);
  });

  test("rejects requests without the token", async () => {
    for (const authorization of [
      "",
      "Bearer",
      `Bearer ${TOKEN}x`,
      `Basic ${TOKEN}`,
      `Bearer ${admin.accessToken}`,
    ]) {
      const { status, headers, json } = await scim.send("GET", "/Users", undefined, { authorization });
      expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(json).toEqual({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: "401",
        detail: expect.any(String),
      });
    }
  });

  const ID = "0123456789abcdef01234567";
  const op = (...operations: unknown[]) => ({ Operations: operations });
  test.each<[string, string, unknown, number, string | undefined]>([
    ["POST", "/Users", "{", 400, "invalidSyntax"],
    ["POST", "/Users", "[]", 400, "invalidSyntax"],
    ["POST", "/Users", "", 400, "invalidSyntax"],
    ["POST", "/Users", '{"__proto__": {"userName": "x"}}', 400, "invalidSyntax"],
    ["POST", "/Users", {}, 400, "invalidValue"],
    ["POST", "/Users", { userName: { $ne: "" } }, 400, "invalidValue"],
    ["POST", "/Users", { userName: "" }, 400, "invalidValue"],
    ["POST", "/Users", { userName: "x".repeat(257) }, 400, "invalidValue"],
    ["POST", "/Users", { userName: "a@x.example", emails: [{ value: "no address" }] }, 400, "invalidValue"],
    ["POST", "/Users", { userName: "a@x.example", emails: [{ value: { $gt: "" } }] }, 400, "invalidValue"],
    ["POST", "/Users", { userName: "a@x.example", active: "maybe" }, 400, "invalidValue"],
    ["GET", `/Users/${ID}`, undefined, 404, undefined],
    ["GET", "/Users/..%2f..%2fapi", undefined, 404, undefined],
    ["GET", "/Users/constructor", undefined, 404, undefined],
    ["DELETE", `/Users/${ID}`, undefined, 404, undefined],
    ["PUT", `/Users/${ID}`, { userName: "a@x.example" }, 404, undefined],
    ["PATCH", `/Users/${ID}`, op({ op: "replace", path: "active", value: false }), 404, undefined],
    ["PATCH", `/Users/${ID}`, op(), 400, "invalidSyntax"],
    ["PATCH", `/Users/${ID}`, op(null), 400, "invalidSyntax"],
    ["PATCH", `/Users/${ID}`, op({ op: "move", path: "active" }), 400, "invalidSyntax"],
    ["PATCH", `/Users/${ID}`, op({ op: "remove" }), 400, "invalidPath"],
    ["PATCH", `/Users/${ID}`, op({ op: "remove", path: "userName" }), 400, "invalidValue"],
    ["PATCH", `/Users/${ID}`, op({ op: "remove", path: "active" }), 400, "invalidValue"],
    ["PATCH", `/Users/${ID}`, op({ op: "replace", value: "x" }), 400, "invalidValue"],
    ["PATCH", `/Users/${ID}`, op({ op: "replace", path: ["active"], value: false }), 400, "invalidPath"],
    ["GET", "/Users?count=many", undefined, 400, "invalidValue"],
    ["GET", "/Users?filter=a&filter=b", undefined, 400, "invalidFilter"],
    ["POST", "/Bulk", {}, 404, undefined],
  ])("%s %s %j is answered with %s", async (method, path, body, status, scimType) => {
    const answer = await scim.send(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      status: String(status),
      ...(scimType !== undefined && { scimType }),
    });
  });

  test("large bodies and lists of operations are rejected", async () => {
    const large = await scim.send("POST", "/Users", { userName: "x".repeat(70_000) });
    expect([large.status, large.json.status]).toEqual([413, "413"]);
    const operations = Array.from({ length: 101 }, () => ({ op: "add", path: "title", value: "" }));
    const many = await scim.patch(ID, ...operations);
    expect([many.status, many.json.scimType]).toEqual([400, "invalidSyntax"]);
  });

  test("without SCIM_TOKEN there are no routes", async () => {
    const without = await startInstance();
    const client = new ScimClient(without.url, "undefined");
    expect((await client.get("/Users")).status).toBe(404);
    await without.stop();
  });
});

describe("accounts", () => {
  test("are created as Entra ID does it, and sign in by their id there", async () => {
    const sent = entraUser();
    expect((await scim.find(`userName eq "${sent.userName}"`)).json).toMatchObject({ totalResults: 0 });
    const created = await scim.create(sent);
    expect(created).toMatchObject({
      userName: sent.userName,
      externalId: sent.externalId,
      displayName: sent.displayName,
      name: sent.name,
      emails: sent.emails,
      active: true,
      meta: { resourceType: "User", location: `${PUBLIC_URL}/scim/v2/Users/${created.id}` },
    });
    expect((await scim.get(`/Users/${created.id}`)).json).toEqual(created);
    // Its tokens don't say that the address is verified.
    const { user } = await mustLogIn({ sub: sent.externalId, email: sent.userName });
    expect(user).toMatchObject({
      id: created.id,
      username: sent.userName.split("@")[0],
      nickname: sent.displayName,
      email: sent.userName,
      emailVerified: true,
      hasPassword: false,
    });
    expect(await logIn({ sub: "another", email: sent.userName, email_verified: true })).toEqual(
      failed("EMAIL_TAKEN"),
    );
  });

  test("are created as Okta does it, and sign in by their verified address", async () => {
    const sent = oktaUser();
    const created = await scim.create(sent);
    const { user } = await mustLogIn({ sub: "not the id", email: sent.userName, email_verified: true });
    expect(user).toMatchObject({ id: created.id, hasPassword: false });
    const login = { username: sent.userName, password: sent.password };
    expect(await post(instance.url, "user.login", login)).toEqual(failed("WRONG_CREDENTIALS"));
  });

  test("conflicts are reported, for names, ids and addresses, also in other case", async () => {
    const sent = oktaUser();
    const [first, other] = [await scim.create(sent), await scim.create(oktaUser())];
    const conflicts = [
      { ...oktaUser(), userName: sent.userName.toUpperCase() },
      { ...oktaUser(), externalId: sent.externalId },
      { ...oktaUser(), emails: [{ value: sent.userName.toUpperCase() }] },
    ];
    for (const body of conflicts) {
      const { status, json } = await scim.send("POST", "/Users", body);
      expect([status, json.scimType]).toEqual([409, "uniqueness"]);
    }
    const { status } = await scim.patch(other.id, { op: "replace", value: { userName: sent.userName } });
    expect(status).toBe(409);
    expect(await listed(`externalId eq "${sent.externalId}"`)).toEqual([first.id]);
    const both = await Promise.all(
      [1, 2].map(() => scim.send("POST", "/Users", { userName: "race@x.example" })),
    );
    expect(both.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([201, 409]);
  });

  test("that have verified the address are found and connected, but not those with a username", async () => {
    const [found, created, squatter] = await Promise.all([1, 2, 3].map(() => createAccount(instance.url)));
    const [sent, other] = [oktaUser(), oktaUser()];
    await setEmail(found!.userId, sent.userName, { emailVerifiedAt: new Date() });
    await setEmail(created!.userId, other.userName, { emailVerifiedAt: new Date() });
    expect(await listed(`userName eq "${sent.userName}"`)).toEqual([found!.userId]);
    const { status, json } = await scim.send("PUT", `/Users/${found!.userId}`, { ...sent, id: "ignored" });
    expect([status, json.userName]).toEqual([200, sent.userName]);
    const { user } = await must(instance.url, "user.me", {}, found!.accessToken);
    expect(user).toMatchObject({ username: found!.username, nickname: sent.displayName });
    expect((await scim.create({ ...other, userName: "plain-name" })).id).toBe(created!.userId);
    const { entries } = await must(instance.url, "admin.auditLog", { limit: 1 }, admin.accessToken);
    expect(entries[0]?.params).toMatchObject({ userId: created!.userId, connected: true });
    expect((await scim.send("POST", "/Users", other)).status).toBe(409);

    expect(await listed(`userName eq "${squatter!.username}"`)).toEqual([]);
    // It could be that of someone else, and would get the verified address.
    expect((await scim.send("PUT", `/Users/${squatter!.userId}`, oktaUser())).status).toBe(404);
    const { json: all } = await scim.get("/Users?count=100");
    expect(all.Resources.map(({ id }: { id: string }) => id)).not.toContain(squatter!.userId);
    const { id } = await scim.create({ ...oktaUser(), userName: squatter!.username });
    expect(id).not.toBe(squatter!.userId);
  });

  test("an unverified address doesn't connect an account, and is lost to the provider's user", async () => {
    const sent = oktaUser();
    const squatter = await createAccount(instance.url);
    await instance
      .collection("users")
      .updateOne(
        { username: squatter.username },
        { $set: { email: sent.userName, emailLower: sent.userName } },
      );
    for (const attribute of ["userName", "emails.value"])
      expect(await listed(`${attribute} eq "${sent.userName}"`)).toEqual([]);
    const { id } = await scim.create(sent);
    expect(id).not.toBe(squatter.userId);
    expect((await must(instance.url, "user.me", {}, squatter.accessToken)).user.email).toBeNull();
  });

  test("filters combine, and lists are pages without guests, bots and deleted accounts", async () => {
    const [guest, verified] = await Promise.all([createGuest(instance.url), createVerified()]);
    const sent = entraUser({ active: false });
    const { id } = await scim.create(sent);
    for (const filter of [
      `externalId eq "${sent.externalId}"`,
      `emails.value eq "${sent.userName}"`,
      `emails[type eq "work"].value eq "${sent.userName}"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName EQ "${sent.userName}"`,
      `id eq "${id}" and active eq false`,
      `active eq "False" and username eq "${sent.userName}"`,
    ])
      expect([filter, await listed(filter)]).toEqual([filter, [id]]);
    expect(await listed(`id eq "${id}" and active eq true`)).toEqual([]);
    expect(await listed("active eq false")).toEqual([id]);
    for (const filter of [
      "",
      "userName",
      'userName co "a"',
      'userName eq "a" or id eq "b"',
      'password eq "a"',
      "userName eq 1",
      'userName eq "a',
      'userName eq "a" and',
      Array(6).fill('id eq "a"').join(" and "),
      `userName eq "${"x".repeat(2000)}"`,
    ]) {
      const { status, json } = await scim.find(filter);
      expect([filter, status, json.scimType]).toEqual([filter, 400, "invalidFilter"]);
    }
    const { json: all } = await scim.get("/Users?startIndex=0&count=100000");
    const ids = all.Resources.map((user: { id: string }) => user.id);
    expect(all).toMatchObject({ startIndex: 1, totalResults: ids.length, itemsPerPage: ids.length });
    expect(ids).toContain(verified.userId);
    expect(ids).not.toContain(guest.userId);
    const { json: page } = await scim.get("/Users?startIndex=2&count=2");
    expect(page.Resources.map((user: { id: string }) => user.id)).toEqual(ids.slice(1, 3));
    const { json: none } = await scim.get("/Users?count=0");
    expect(none).toMatchObject({ totalResults: ids.length, itemsPerPage: 0, Resources: [] });
  });
});

describe("changes", () => {
  test("as Entra ID sends them: capitalized operations, text for booleans, paths as names", async () => {
    const { id, emails } = await scim.create(entraUser());
    const renamed = await scim.patch(
      id,
      { op: "Replace", path: "displayName", value: "Pvlo" },
      { op: "Add", path: 'emails[type eq "work"].value', value: `new-${emails[0].value}` },
      { op: "Replace", path: "name.familyName", value: "Smith" },
      { op: "Add", value: { "name.givenName": "Pavlo", title: "Engineer" } },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "Spain" },
      { op: "Replace", path: 'emails[type eq "home"].value', value: "home@example.org" },
    );
    expect([renamed.status, renamed.json]).toMatchObject([
      200,
      {
        displayName: "Pvlo",
        name: { familyName: "Smith", givenName: "Pavlo" },
        emails: [{ value: `new-${emails[0].value}`, type: "work", primary: true }],
        active: true,
      },
    ]);
    const disabled = await scim.patch(id, { op: "Replace", path: "active", value: "False" });
    expect(disabled.json).toMatchObject({ active: false, displayName: "Pvlo" });
    const enabled = await scim.patch(id, { op: "Replace", value: { active: "True" } });
    expect(enabled.json.active).toBe(true);
    const without = await scim.patch(
      id,
      { op: "Remove", path: 'emails[type eq "work"]' },
      { op: "Remove", path: "name.familyName" },
    );
    expect(without.json).toMatchObject({ emails: [], name: { givenName: "Pavlo" } });
    expect(without.json.name).not.toHaveProperty("familyName");
  });

  test("a nickname that the user has chosen stays until the name at the provider changes", async () => {
    const sent = entraUser();
    const { id } = await scim.create(sent);
    const { person } = await mustLogIn({ sub: sent.externalId });
    const rename = (nickname: string) =>
      must(instance.url, "user.updateProfile", { nickname }, person.accessToken);
    const nickname = async () => (await must(instance.url, "user.me", {}, person.accessToken)).user.nickname;
    await rename("Chosen");
    await scim.patch(id, { op: "replace", path: "name.givenName", value: "Other" });
    expect(await nickname()).toBe("Chosen");
    await scim.patch(id, { op: "replace", path: "displayName", value: "Married" });
    expect(await nickname()).toBe("Married");
  });

  test("an added address of another type doesn't replace the one for work", async () => {
    const { id, emails } = await scim.create(entraUser());
    const email = async (...operations: object[]) => {
      const { status, json } = await scim.patch(id, ...operations);
      return [status, json.emails];
    };
    const home = { type: "home", value: "home@example.org" };
    expect(await email({ op: "add", path: "emails", value: [home] })).toEqual([200, emails]);
    const odd = { ...home, primary: { toString: 1 } };
    expect(await email({ op: "add", value: { emails: [odd] } })).toEqual([200, emails]);
    const work = { type: "work", value: `added-${emails[0].value}` };
    expect(await email({ op: "add", path: "emails", value: [home, work] })).toEqual([
      200,
      [{ ...work, primary: true }],
    ]);
  });

  test("a user is disabled even if the address isn't valid", async () => {
    const sent = oktaUser();
    const { id } = await scim.create(sent);
    const leaving = { ...sent, active: false, emails: [{ primary: true, value: "user@local" }] };
    const { status, json } = await scim.send("PUT", `/Users/${id}`, leaving);
    expect([status, json.active, json.emails]).toMatchObject([200, false, [{ value: sent.userName }]]);
  });

  test.each<[string, object, string]>([
    ["displayName", { displayName: 5 }, "displayName must be a string, not a number."],
    ["userName", { userName: ["x"] }, "userName must be a string, not a list."],
    ["name", { name: "x" }, "name must be an object, not a string."],
    ["name.givenName", { name: { givenName: {} } }, "name.givenName must be a string, not an object."],
    ["emails", { emails: [{ value: true }] }, "emails.value must be a string, not a boolean."],
    ["externalId", { externalId: false }, "externalId must be a string, not a boolean."],
    ["active", { active: 0 }, "active must be true or false, not a number."],
  ])("a wrong type of %s is named beside active: false", async (_name, wrong, detail) => {
    const sent = oktaUser();
    const { id } = await scim.create(sent);
    const value = { active: false, ...wrong };
    for (const answer of [
      await scim.send("PUT", `/Users/${id}`, { ...sent, ...value }),
      await scim.patch(id, { op: "replace", value }),
    ])
      expect(answer.json).toEqual({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: "400",
        scimType: "invalidValue",
        detail,
      });
    expect((await scim.get(`/Users/${id}`)).json.active).toBe(true);
  });

  test("the provider can't enable an account that an admin has disabled", async () => {
    const sent = oktaUser();
    const { id } = await scim.create(sent);
    await must(instance.url, "admin.disableUser", { userId: id }, admin.accessToken);
    const enable = () => scim.patch(id, { op: "replace", path: "active", value: true });
    expect((await enable()).json.active).toBe(false);
    await scim.patch(id, { op: "replace", path: "active", value: false });
    expect((await enable()).json.active).toBe(false);
    await scim.send("DELETE", `/Users/${id}`);
    expect(await scim.create(sent)).toMatchObject({ id, active: false });
    await must(instance.url, "admin.enableUser", { userId: id }, admin.accessToken);
    expect((await scim.get(`/Users/${id}`)).json.active).toBe(true);
  });

  test("are rejected during maintenance, unlike reads", async () => {
    const { id } = await scim.create(oktaUser());
    const setMaintenance = (enabled: boolean) =>
      must(instance.url, "admin.setMaintenance", { enabled }, admin.accessToken);
    await setMaintenance(true);
    const change = () => scim.patch(id, { op: "replace", path: "displayName", value: "New" });
    await vi.waitFor(async () => {
      const { status, headers } = await change();
      expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
    });
    expect((await scim.get(`/Users/${id}`)).status).toBe(200);
    await setMaintenance(false);
    await vi.waitFor(async () => expect((await change()).status).toBe(200));
  });

  test("an address is needed, in an allowed domain, if the policy restricts domains", async () => {
    const { id } = await scim.create(oktaUser());
    const setDomains = (mailDomains: string[]) =>
      must(instance.url, "admin.setPolicy", { mailDomains }, admin.accessToken);
    await setDomains(["example.com"]);
    const none = { ...oktaUser(), emails: [] };
    const statuses = async () => [
      (await scim.send("POST", "/Users", none)).status,
      (await scim.patch(id, { op: "remove", path: "emails" })).status,
    ];
    await vi.waitFor(async () => expect(await statuses()).toEqual([400, 400]));
    await setDomains([]);
  });

  test("a disabled user is disconnected at once, keeps messages, and can come back", async () => {
    const sent = oktaUser();
    const { id } = await scim.create(sent);
    const claims = { sub: sent.externalId };
    const { person } = await mustLogIn(claims);
    const { group, channels } = await must(
      instance.url,
      "group.create",
      { name: "Team" },
      person.accessToken,
    );
    const channelId = channels[0]!.id;
    const message = { channelId, content: "I was here", nonce: "1" };
    await must(instance.url, "message.send", message, person.accessToken);
    const { bot, token } = await must(
      instance.url,
      "bot.create",
      { groupId: group.id, name: "Bot", scopes: ["messages.read"] },
      person.accessToken,
    );
    const listeners = [
      new Listener(instance.url, person),
      new Listener(instance.url, { userId: bot.id, sessionId: "", accessToken: token }),
    ];
    await Promise.all(listeners.map(({ ready }) => ready));
    const closed = listeners.map(
      ({ socket }) => new Promise((resolve) => socket.once("disconnect", resolve)),
    );
    const { json } = await scim.patch(id, { op: "replace", value: { active: false } });
    expect(json.active).toBe(false);
    expect(await Promise.all(closed)).toEqual(["io server disconnect", "io server disconnect"]);
    expect(await post(instance.url, "user.me", {}, person.accessToken)).toEqual(failed("SESSION_REVOKED"));
    expect(await logIn(claims)).toEqual(failed("USER_DISABLED"));

    await scim.send("PUT", `/Users/${id}`, sent);
    const back = await mustLogIn(claims);
    expect(back.user.id).toBe(id);
    const { messages } = await must(instance.url, "message.list", { channelId }, back.person.accessToken);
    expect(messages.map(({ content }) => content)).toContain(message.content);
  });

  test("a deleted user is gone for the provider, and comes back when created again", async () => {
    const sent = entraUser();
    const { id } = await scim.create(sent);
    await mustLogIn({ sub: sent.externalId });
    expect((await scim.send("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await scim.send("DELETE", `/Users/${id}`)).status).toBe(404);
    expect((await scim.get(`/Users/${id}`)).status).toBe(404);
    for (const filter of [
      `id eq "${id}"`,
      `userName eq "${sent.userName}"`,
      `emails.value eq "${sent.userName}"`,
    ])
      expect(await listed(filter)).toEqual([]);
    expect(await logIn({ sub: sent.externalId })).toEqual(failed("USER_DISABLED"));
    expect(await scim.create(sent)).toMatchObject({ id, active: true });
    expect((await mustLogIn({ sub: sent.externalId })).user.id).toBe(id);
  });

  test("a user created again with the same address can be someone else: only logins there open the account", async () => {
    const sent = oktaUser();
    const before = await createAccount(instance.url);
    await setEmail(before.userId, sent.userName, { emailVerifiedAt: new Date() });
    expect(await scim.create(sent)).toMatchObject({ id: before.userId });
    await mustLogIn({ sub: sent.externalId });
    expect((await scim.send("DELETE", `/Users/${before.userId}`)).status).toBe(204);
    const externalId = `${sent.externalId}-new`;
    expect(await scim.create({ ...sent, externalId })).toMatchObject({ id: before.userId, active: true });
    const login = { username: before.username, password: "correct horse" };
    expect(await post(instance.url, "user.login", login)).toEqual(failed("WRONG_CREDENTIALS"));
    const { user } = await mustLogIn({ sub: externalId, email: sent.userName, email_verified: true });
    expect(user).toMatchObject({ id: before.userId, hasPassword: false });
    expect(await logIn({ sub: sent.externalId, email: sent.userName, email_verified: true })).toEqual(
      failed("EMAIL_TAKEN"),
    );
  });

  test("an admin loses the role, except the last one, and all is in the audit log", async () => {
    const other = await createVerified();
    await setEmail(admin.userId, "admin@example.org", { emailVerifiedAt: new Date() });
    const disable = { op: "replace", path: "active", value: false };
    await must(instance.url, "admin.setAdmin", { userId: other.userId, admin: true }, admin.accessToken);
    expect((await scim.patch(other.userId, disable)).json.active).toBe(false);
    const last = await scim.patch(admin.userId, disable);
    expect([last.status, last.json.detail]).toEqual([409, expect.stringContaining("only admin")]);
    const { entries } = await must(instance.url, "admin.auditLog", { limit: 3 }, admin.accessToken);
    expect(entries).toMatchObject([
      { actorId: null, action: "admin.updateProvisionedUser", outcome: "LAST_ADMIN", address: "127.0.0.1" },
      { actorId: null, params: { userId: other.userId, active: false }, outcome: "done" },
      { actorId: admin.userId, action: "admin.setAdmin" },
    ]);
  });
});

describe("groups", () => {
  const idsOf = (group: { members: { value: string }[] }) => group.members.map(({ value }) => value);
  const findGroups = async (filter: string, more = "") =>
    (await scim.get(`/Groups?filter=${encodeURIComponent(filter)}${more}`)).json;
  const isAdmin = async (userId: string): Promise<boolean> => {
    const { users } = await must(instance.url, "admin.listUsers", { limit: 100 }, admin.accessToken);
    return users.find(({ id }) => id === userId)?.admin === true;
  };

  test("are created, found and changed as Entra ID does it", async () => {
    const [one, two] = [await scim.create(entraUser()), await scim.create(entraUser())];
    const sent = entraGroup("Entra sales");
    const asked = 'displayName eq "Entra sales"';
    const exclude = "&excludedAttributes=members";
    expect(await findGroups(asked, exclude)).toMatchObject({ totalResults: 0, Resources: [] });
    const created = await scim.createGroup(sent);
    expect(created).toMatchObject({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      externalId: sent.externalId,
      displayName: sent.displayName,
      members: [],
      meta: { resourceType: "Group", location: `${PUBLIC_URL}/scim/v2/Groups/${created.id}` },
    });
    const found = await findGroups(asked, exclude);
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ id: created.id }] });
    expect(found.Resources[0]).not.toHaveProperty("members");
    const added = await scim.patchGroup(created.id, {
      op: "Add",
      path: "members",
      value: [
        { $ref: null, value: one.id },
        { $ref: null, value: two.id },
      ],
    });
    expect([added.status, idsOf(added.json)]).toEqual([200, [one.id, two.id]]);
    const removed = await scim.patchGroup(created.id, {
      op: "Remove",
      path: "members",
      value: [{ $ref: null, value: one.id }],
    });
    expect(idsOf(removed.json)).toEqual([two.id]);
    const renamed = await scim.patchGroup(created.id, {
      op: "Replace",
      path: "displayName",
      value: "Entra sales 2",
    });
    expect(renamed.json).toMatchObject({ displayName: "Entra sales 2", externalId: sent.externalId });
    const gone = await scim.patchGroup(created.id, { op: "remove", path: `members[value eq "${two.id}"]` });
    expect(gone.json.members).toEqual([]);
    expect((await scim.send("DELETE", `/Groups/${created.id}`)).status).toBe(204);
    expect((await scim.get(`/Groups/${created.id}`)).status).toBe(404);
    expect((await scim.send("DELETE", `/Groups/${created.id}`)).status).toBe(404);
  });

  test("are pushed and replaced as Okta does it", async () => {
    const [one, two] = [await scim.create(oktaUser()), await scim.create(oktaUser())];
    const member = ({ id, userName }: { id: string; userName: string }) => ({ value: id, display: userName });
    const created = await scim.createGroup(oktaGroup("Okta sales", [member(one)]));
    expect(idsOf(created)).toEqual([one.id]);
    const renamed = await scim.patchGroup(created.id, {
      op: "replace",
      value: { id: created.id, displayName: "Okta sales 2" },
    });
    expect(renamed.json).toMatchObject({ displayName: "Okta sales 2", members: [{ value: one.id }] });
    const swapped = await scim.patchGroup(
      created.id,
      { op: "remove", path: `members[value eq "${one.id}"]` },
      { op: "add", path: "members", value: [member(two)] },
    );
    expect(idsOf(swapped.json)).toEqual([two.id]);
    const replaced = await scim.patchGroup(created.id, {
      op: "replace",
      path: "members",
      value: [member(one), member(two)],
    });
    expect(idsOf(replaced.json)).toEqual([one.id, two.id]);
    const put = await scim.send("PUT", `/Groups/${created.id}`, oktaGroup("Okta sales", [member(two)]));
    expect([put.status, put.json.displayName, idsOf(put.json)]).toEqual([200, "Okta sales", [two.id]]);
    expect((await scim.get(`/Groups/${created.id}`)).json).toEqual(put.json);
    expect((await findGroups(`members.value eq "${two.id}"`)).Resources).toEqual([put.json]);
    expect((await findGroups(`members.value eq "${one.id}"`)).totalResults).toBe(0);
  });

  test("conflicts, unknown members and wrong values are reported", async () => {
    const sent = entraGroup("Conflict");
    const { id } = await scim.createGroup(sent);
    const other = await scim.createGroup(entraGroup("Other"));
    const unknown = "0123456789abcdef01234567";
    for (const [answer, status, scimType] of [
      [await scim.send("POST", "/Groups", { displayName: "CONFLICT" }), 409, "uniqueness"],
      [
        await scim.send("POST", "/Groups", { displayName: "x", externalId: sent.externalId }),
        409,
        "uniqueness",
      ],
      [
        await scim.patchGroup(other.id, { op: "replace", value: { displayName: "Conflict" } }),
        409,
        "uniqueness",
      ],
      [await scim.send("POST", "/Groups", {}), 400, "invalidValue"],
      [await scim.send("POST", "/Groups", { displayName: { $ne: "" } }), 400, "invalidValue"],
      [await scim.send("POST", "/Groups", { displayName: "y", members: "z" }), 400, "invalidValue"],
      [
        await scim.send("POST", "/Groups", { displayName: "y", members: [{ value: 1 }] }),
        400,
        "invalidValue",
      ],
      [
        await scim.patchGroup(id, { op: "add", path: "members", value: [{ value: unknown }] }),
        400,
        "invalidValue",
      ],
      [await scim.patchGroup(id, { op: "remove", path: "displayName" }), 400, "invalidValue"],
      [await scim.patchGroup(id, { op: "remove", path: "members[display eq x]" }), 400, "invalidPath"],
      [await scim.patchGroup(unknown, { op: "replace", path: "displayName", value: "z" }), 404, undefined],
      [await scim.get('/Groups?filter=displayName%20co%20"a"'), 400, "invalidFilter"],
      [await scim.get('/Groups?filter=userName%20eq%20"a"'), 400, "invalidFilter"],
    ] as const)
      expect([answer.json.detail, answer.status, answer.json.scimType]).toEqual([
        expect.any(String),
        status,
        scimType,
      ]);
    const removed = await scim.patchGroup(id, { op: "remove", path: "members", value: [{ value: unknown }] });
    expect(removed.status).toBe(200);
  });

  test("of the provider's admins make their members admins at once, also after being disabled", async () => {
    const sent = oktaUser();
    const { id: userId } = await scim.create(sent);
    const member = { op: "add", path: "members", value: [{ value: userId }] };
    const group = await scim.createGroup(entraGroup("chat-admins"));
    const ordinary = await scim.createGroup(entraGroup("ordinary"));
    await scim.patchGroup(ordinary.id, member);
    expect(await isAdmin(userId)).toBe(false);
    await scim.patchGroup(group.id, member);
    expect(await isAdmin(userId)).toBe(true);
    const { entries } = await must(instance.url, "admin.auditLog", { limit: 20 }, admin.accessToken);
    expect(entries).toContainEqual(
      expect.objectContaining({
        actorId: null,
        action: "admin.setAdmin",
        params: { userId, admin: true, provider: "SCIM" },
      }),
    );
    // Its logins have no groups, but SCIM decides.
    expect((await mustLogIn({ sub: sent.externalId })).user.admin).toBe(true);
    await scim.patch(userId, { op: "replace", path: "active", value: false });
    expect(await isAdmin(userId)).toBe(false);
    await scim.patch(userId, { op: "replace", path: "active", value: true });
    expect(await isAdmin(userId)).toBe(true);

    const second = await scim.createGroup(oktaGroup("more-admins", [{ value: userId, display: "x" }]));
    await scim.patchGroup(group.id, { op: "remove", path: `members[value eq "${userId}"]` });
    expect(await isAdmin(userId)).toBe(true);
    await scim.patchGroup(second.id, { op: "replace", value: { displayName: "no-admins" } });
    expect(await isAdmin(userId)).toBe(false);
    await scim.send(
      "PUT",
      `/Groups/${second.id}`,
      oktaGroup("more-admins", [{ value: userId, display: "x" }]),
    );
    expect(await isAdmin(userId)).toBe(true);
    await scim.send("DELETE", `/Groups/${second.id}`);
    expect(await isAdmin(userId)).toBe(false);
  });

  test("leave an admin alone who was chosen here and is in none of them", async () => {
    const { id: userId } = await scim.create(oktaUser());
    await must(instance.url, "admin.setAdmin", { userId, admin: true }, admin.accessToken);
    const group = await scim.createGroup(oktaGroup("Neutral", [{ value: userId, display: "x" }]));
    await scim.send("DELETE", `/Groups/${group.id}`);
    expect(await isAdmin(userId)).toBe(true);
  });
});
