import { generateKeyPairSync } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Config } from "@fanfare/kernel";
import { createAccount, freePort, isInstalled, must, post, type Person } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { createApns, createFcm } from "../src/push/app-senders.ts";
import { ApnsService, FcmService, type Refusal } from "./app-services.ts";

const TRUSTED = getCACertificates("default");
const PUSH = { title: "New message", body: "", link: "fanfare://chat.example.org/inbox", tag: "tag" };
const ANDROID = `${"d".repeat(22)}:APA91b${"x".repeat(134)}`;
const IPHONE = "0123456789abcdef".repeat(4);

let fcm: FcmService;
let apns: ApnsService;
let instance: Instance;

/** An instance whose services are the stand-ins. */
function startWithApps(env: Record<string, string> = {}): Promise<Instance> {
  const keys = {
    FCM_SERVICE_ACCOUNT: fcm.account,
    APNS_KEY: apns.privateKey,
    APNS_KEY_ID: "ABC123DEFG",
    APNS_TEAM_ID: "DEF123GHIJ",
    APNS_TOPIC: "org.example.chat",
    PUBLIC_URL: "https://chat.example.org",
  };
  return startInstance({ ...keys, ...env }, (config) => ({ ...config, appPush: addressed(config) }));
}

const addressed = ({ appPush }: Config): Config["appPush"] => ({
  ...appPush,
  fcm: { ...appPush.fcm!, url: appPush.fcm!.url.replace("https://fcm.googleapis.com", fcm.url) },
  apns: { ...appPush.apns!, url: apns.url },
});

describe.skipIf(!isInstalled("openssl"))("pushes to apps", () => {
  beforeAll(async () => {
    [fcm, apns] = await Promise.all([FcmService.start(), ApnsService.start()]);
    setDefaultCACertificates([...TRUSTED, apns.certificate]);
    instance = await startWithApps();
  });
  afterAll(async () => {
    await instance?.stop();
    setDefaultCACertificates(TRUSTED);
    await Promise.all([fcm.stop(), apns.stop()]);
  });

  let reader: Person;
  let writer: Person;
  let channelId: string;
  beforeEach(async () => {
    ({ reader, writer, channelId } = await direct(instance.url));
  });
  afterEach(async () => {
    await instance.collection("pushSubscriptions").deleteMany({});
    for (const { received, refusals, unregistered } of [fcm, apns]) {
      received.length = 0;
      refusals.length = 0;
      unregistered.clear();
    }
  });

  /** Someone who is offline, and someone who writes to them. */
  async function direct(url: string) {
    const [one, other] = [await createAccount(url), await createAccount(url)];
    const { channel } = await must(url, "channel.openDirect", { userId: one.userId }, other.accessToken);
    return { reader: one, writer: other, channelId: channel.id };
  }

  const subscribe = (endpoint: string, { accessToken } = reader, url = instance.url) =>
    must(url, "push.subscribe", { endpoint }, accessToken);
  const hosts = async () => {
    const { subscriptions } = await must(instance.url, "push.list", {}, reader.accessToken);
    return subscriptions.map(({ host }) => host);
  };

  const pushesBy = async (outcome: string) => {
    const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
    return Number(
      new RegExp(`^fanfare_pushes_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(metrics)?.[1],
    );
  };

  let nonces = 0;
  async function send(content: string, to = channelId, { accessToken } = writer, url = instance.url) {
    const params = { channelId: to, content, nonce: String((nonces += 1)) };
    return (await must(url, "message.send", params, accessToken)).message.id;
  }

  test("an Android app gets a push that only says that there is a message, and where", async () => {
    await subscribe(`fcm:${ANDROID}`);
    const messageId = await send("a secret");
    await vi.waitFor(() => expect(fcm.received).toHaveLength(1));
    expect(fcm.received).toEqual([
      {
        token: ANDROID,
        notification: { title: "New message", body: "" },
        data: { link: `fanfare://chat.example.org/direct/${channelId}?message=${messageId}` },
        android: {
          priority: "HIGH",
          ttl: expect.stringMatching(/^86\d{3}s$/),
          notification: { tag: channelId },
        },
      },
    ]);
  });

  test("an iOS app gets the same, until a day has passed", async () => {
    await subscribe(`apns:${IPHONE}`);
    const before = Date.now() / 1000;
    const messageId = await send("a secret");
    await vi.waitFor(() => expect(apns.received).toHaveLength(1));
    const [{ token, headers, payload }] = apns.received as [(typeof apns.received)[0]];
    expect(token).toBe(IPHONE);
    expect(payload).toEqual({
      aps: { alert: { title: "New message", body: "" }, sound: "default", "thread-id": channelId },
      link: `fanfare://chat.example.org/direct/${channelId}?message=${messageId}`,
    });
    expect(headers).toMatchObject({ "apns-collapse-id": channelId, "apns-topic": "org.example.chat" });
    const lifetimeSeconds = Number(headers["apns-expiration"]) - before;
    expect(Math.abs(lifetimeSeconds - 86_400)).toBeLessThan(600);
  });

  test("APP_PUSH_CONTENT lets the services read who wrote, or the text, of any length", async () => {
    for (const [content, body] of [
      ["sender", "New message"],
      ["full", `${"😀".repeat(100)}${"嗨".repeat(100)}…`],
    ] as const) {
      const other = await startWithApps({ APP_PUSH_CONTENT: content });
      const people = await direct(other.url);
      await must(other.url, "user.updateProfile", { nickname: "Ann" }, people.writer.accessToken);
      await subscribe(`fcm:${ANDROID}`, people.reader, other.url);
      await send(`${"😀".repeat(100)}${"嗨".repeat(900)}`, people.channelId, people.writer, other.url);
      await vi.waitFor(() => expect(fcm.received).toMatchObject([{ notification: { title: "Ann", body } }]));
      fcm.received.length = 0;
      await other.stop();
    }
  });

  test.each([
    ["fcm", `fcm:${ANDROID}`],
    ["apns", `apns:${IPHONE}`],
  ] as const)("a subscription by %s ends when the app was removed", async (service, endpoint) => {
    await subscribe(endpoint);
    expect(await hosts()).toEqual([service]);
    (service === "fcm" ? fcm : apns).unregistered.add(endpoint.slice(service.length + 1));
    await send("hello?");
    await expect.poll(hosts).toEqual([]);
  });

  test("a push waits as long as the service asks, and is tried again when it is down or the access has ended", async () => {
    await subscribe(`fcm:${ANDROID}`);
    fcm.revoke();
    fcm.refusals.push(
      { status: 429, reason: "QUOTA_EXCEEDED", retryAfter: "1" },
      { status: 503, reason: "UNAVAILABLE" },
    );
    await send("hello?");
    await vi.waitFor(() => expect(fcm.received).toHaveLength(1));
    expect(fcm.refusals).toEqual([]);
  });

  test.each<[string, string, Refusal]>([
    ["another key", `apns:${IPHONE}`, { status: 403, reason: "InvalidProviderToken" }],
    ["another APNS_SANDBOX", `apns:${IPHONE}`, { status: 400, reason: "BadDeviceToken" }],
    ["another APNS_TOPIC", `apns:${IPHONE}`, { status: 400, reason: "DeviceTokenNotForTopic" }],
    ["another Firebase project", `fcm:${ANDROID}`, { status: 403, reason: "SENDER_ID_MISMATCH" }],
  ])(
    "a push refused because of %s isn't tried again; the app gets the next one",
    async (_, endpoint, refusal) => {
      const before = await pushesBy("refused");
      await subscribe(endpoint);
      const service = endpoint.startsWith("fcm") ? fcm : apns;
      service.refusals.push(refusal);
      await send("hello?");
      await expect.poll(() => pushesBy("refused")).toBe(before + 1);
      expect(service.received).toEqual([]);
      await send("the operator has corrected the setting");
      await vi.waitFor(() => expect(service.received).toHaveLength(1));
    },
  );

  test("a subscription ends with a token which isn't one of Firebase", async () => {
    await subscribe("fcm:invented");
    await send("hello?");
    await expect.poll(hosts).toEqual([]);
  });

  test("with another TOKEN_SECRET, browsers must subscribe again, and apps need not", async () => {
    const [port, opsPort] = [await freePort(), await freePort()];
    const other = await startWithApps({ PORT: String(port), OPS_PORT: String(opsPort) });
    const people = await direct(other.url);
    await subscribe(`fcm:${ANDROID}`, people.reader, other.url);
    const keys = { p256dh: "A".repeat(87), auth: "A".repeat(22) };
    const inBrowser = { endpoint: "https://push.example.org/1", keys };
    await must(other.url, "push.subscribe", inBrowser, people.writer.accessToken);
    const { publicKey } = await must(other.url, "push.getKey", {}, people.reader.accessToken);
    // It can't be opened.
    await other.collection("pushKeys").updateOne({}, { $set: { privateKey: "sealed by another" } });
    await other.restart();
    expect((await must(other.url, "push.getKey", {}, people.reader.accessToken)).publicKey).not.toBe(
      publicKey,
    );
    const left = await other.collection("pushSubscriptions").find({}).toArray();
    expect(left.map(({ endpoint }) => endpoint as string)).toEqual([`fcm:${ANDROID}`]);
    await other.stop();
  });

  test("a push that an earlier version stored isn't sent: it has the text", async () => {
    await subscribe(`fcm:${ANDROID}`);
    const before = await pushesBy("dropped");
    const subscription = await instance.collection("pushSubscriptions").findOne({});
    const subscriptionId = String(subscription?.["_id"]);
    const payload = { title: "Ann", body: "a secret", channelId, groupId: null, messageId: "1" };
    const past = new Date(0);
    await instance.collection("jobs").insertOne({
      kind: "inbox.push",
      key: `${subscriptionId}:1`,
      payload: { subscriptionId, payload, expiresAt: later() },
      dueAt: past,
      heldUntil: past,
      fence: 0,
      tries: 0,
      requests: 1,
      createdAt: past,
    });
    await expect.poll(() => pushesBy("dropped")).toBe(before + 1);
    expect(fcm.received).toEqual([]);
  });

  test("a push doesn't wait for hours", async () => {
    const before = await pushesBy("failed");
    await subscribe(`fcm:${ANDROID}`);
    fcm.refusals.push({ status: 503, reason: "UNAVAILABLE", retryAfter: "3600" });
    await send("deleted in the meantime");
    await expect.poll(() => pushesBy("failed")).toBe(before + 1);
    await expect.poll(() => instance.collection("jobs").countDocuments({ kind: "inbox.push" })).toBe(0);
  });

  test("another user can't take over the subscription of an app while its session lasts", async () => {
    await subscribe(`fcm:${ANDROID}`);
    await subscribe(`fcm:${ANDROID}`);
    expect(
      await post(instance.url, "push.subscribe", { endpoint: `fcm:${ANDROID}` }, writer.accessToken),
    ).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
    await send("hello?");
    await vi.waitFor(() => expect(fcm.received).toHaveLength(1));
    await must(instance.url, "user.logout", {}, reader.accessToken);
    await subscribe(`fcm:${ANDROID}`, writer);
  });

  test("a session's subscription ends although the app has another token now", async () => {
    await subscribe(`fcm:${ANDROID}`);
    await must(instance.url, "push.unsubscribe", { endpoint: `fcm:${ANDROID}2` }, writer.accessToken);
    expect(await hosts()).toEqual(["fcm"]);
    await must(instance.url, "push.unsubscribe", { endpoint: `fcm:${ANDROID}2` }, reader.accessToken);
    expect(await hosts()).toEqual([]);
  });

  test("the server says which apps it reaches, and takes no others", async () => {
    const { apps } = await must(instance.url, "push.getKey", {}, reader.accessToken);
    expect(apps).toEqual(["fcm", "apns"]);
    const without = await startInstance();
    const { accessToken } = await createAccount(without.url);
    expect((await must(without.url, "push.getKey", {}, accessToken)).apps).toEqual([]);
    const unknown = [
      [without.url, accessToken, `fcm:${ANDROID}`],
      [instance.url, reader.accessToken, `apns:${IPHONE}/../x`],
      [instance.url, reader.accessToken, "https://push.example.org/without-keys"],
    ] as const;
    for (const [url, token, endpoint] of unknown)
      expect(await post(url, "push.subscribe", { endpoint }, token)).toMatchObject({
        error: { type: "VALIDATION_FAILED" },
      });
    await without.stop();
  });

  const later = () => new Date(Date.now() + 60_000);
  const { signal } = new AbortController();

  function fcmSender() {
    const [url, account] = [`${fcm.url}/v1/projects/my-project/messages:send`, JSON.parse(fcm.account)];
    return createFcm({
      url,
      email: account.client_email,
      privateKey: account.private_key,
      tokenUrl: account.token_uri,
    });
  }

  test("FCM's Retry-After can be a date", async () => {
    const sender = fcmSender();
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    fcm.refusals.push({ status: 503, reason: "UNAVAILABLE", retryAfter: at.toUTCString() });
    expect(await sender.send(ANDROID, PUSH, later(), signal)).toEqual({ outcome: "later", at });
    const known = fcm.accessTokens.length;
    expect(await sender.send(ANDROID, PUSH, later(), signal)).toEqual({ outcome: "sent" });
    expect(fcm.accessTokens).toHaveLength(known);
  });

  async function startApns() {
    const own = await ApnsService.start();
    setDefaultCACertificates([...TRUSTED, apns.certificate, own.certificate]);
    const account = { keyId: "ABC123DEFG", teamId: "DEF123GHIJ", topic: "org.example.chat", url: own.url };
    return { own, account, sender: createApns({ ...account, key: own.privateKey }) };
  }

  test("APNs gets one connection and one provider token, and new ones only when these have ended", async () => {
    const { own, account, sender } = await startApns();
    const push = () => sender.send(IPHONE, PUSH, later(), signal);
    await Promise.all([push(), push(), push()]);
    expect(own.connections).toBe(1);
    own.closeConnections();
    await vi.waitFor(async () => expect(await push()).toEqual({ outcome: "sent" }));
    expect(own.connections).toBe(2);
    const tokens = () => new Set(own.received.map(({ headers }) => headers["authorization"])).size;
    expect(tokens()).toBe(1);

    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 51 * 60_000 });
    try {
      expect(await push()).toEqual({ outcome: "sent" });
      expect(tokens()).toBe(2);
    } finally {
      vi.useRealTimers();
    }
    sender.stop();

    const { privateKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const stranger = createApns({ ...account, key: privateKey });
    expect(await stranger.send(IPHONE, PUSH, later(), signal)).toEqual({
      outcome: "refused",
      reason: "403 InvalidProviderToken",
    });
    stranger.stop();
    await own.stop();
  });

  test("a late refusal of an ended provider token doesn't end the one that replaced it", async () => {
    const { own, sender } = await startApns();
    const push = () => sender.send(IPHONE, PUSH, later(), signal);
    expect(await push()).toEqual({ outcome: "sent" });
    const { promise: when, resolve } = Promise.withResolvers<void>();
    const expired = { status: 403, reason: "ExpiredProviderToken" };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 45 * 60_000 });
    try {
      own.refusals.push({ ...expired, when }, expired);
      const late = push();
      await vi.waitFor(() => expect(own.refusals).toHaveLength(1));
      await expect(push()).rejects.toThrow("403 ExpiredProviderToken");
      expect(await push()).toEqual({ outcome: "sent" });
      resolve();
      await expect(late).rejects.toThrow("403 ExpiredProviderToken");
      expect(await push()).toEqual({ outcome: "sent" });
    } finally {
      resolve();
      vi.useRealTimers();
    }
    own.refusals.push({ status: 429, reason: "TooManyProviderTokenUpdates" });
    const delivery = await push();
    if (delivery.outcome !== "later") throw new Error(`The push was ${delivery.outcome}.`);
    expect(delivery.at.getTime() - Date.now()).toBeGreaterThan(60_000);
    sender.stop();
    await own.stop();
  });

  test("a late refusal of an ended access token doesn't end the one that replaced it", async () => {
    const sender = fcmSender();
    const push = () => sender.send(ANDROID, PUSH, later(), signal);
    expect(await push()).toEqual({ outcome: "sent" });
    const { promise: when, resolve } = Promise.withResolvers<void>();
    const ended = { status: 401, reason: "UNAUTHENTICATED" };
    fcm.refusals.push({ ...ended, when }, ended);
    const late = push();
    await vi.waitFor(() => expect(fcm.refusals).toHaveLength(1));
    await expect(push()).rejects.toThrow("401");
    expect(await push()).toEqual({ outcome: "sent" });
    const known = fcm.accessTokens.length;
    resolve();
    await expect(late).rejects.toThrow("401");
    expect(await push()).toEqual({ outcome: "sent" });
    expect(fcm.accessTokens).toHaveLength(known);
  });

  test("a service's answer is read up to a limit", async () => {
    const { own, sender } = await startApns();
    for (const [service, one, token] of [
      [fcm, fcmSender(), ANDROID],
      [own, sender, IPHONE],
    ] as const) {
      service.refusals.push({ status: 400, reason: "x".repeat(1024 * 1024) });
      expect(await one.send(token, PUSH, later(), signal)).toEqual({
        outcome: "refused",
        reason: "400",
      });
      one.stop();
    }
    await own.stop();
  });
});
