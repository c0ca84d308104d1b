import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import { Jobs } from "@fanfare/jobs";
import { createLogger, type NodeContext, type Sealer } from "@fanfare/kernel";
import mongoose from "mongoose";
import { Registry } from "prom-client";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createMailer, type Mailer } from "../src/mailer.ts";

const logger = createLogger("silent");
const publicUrl = "https://chat.example.org";

interface Received {
  from: string;
  to: string[];
  raw: string;
}

let dir: string;
let engine: Awaited<ReturnType<typeof startEmbeddedMongo>>;
let connection: mongoose.Connection;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-mail-"));
  engine = await startEmbeddedMongo({ dir });
  connection = await mongoose.createConnection(engine.uri, { dbName: "mail" }).asPromise();
});
afterAll(async () => {
  await connection.close();
  await engine.close();
  await rm(dir, { recursive: true, force: true });
});

/** Encodes the text, so that tests can detect plain text in the database. */
const sealer: Sealer = {
  seal: (text) => Buffer.from(text).toString("hex"),
  open: (sealed) => ({ text: Buffer.from(sealed, "hex").toString(), isOld: false }),
};

let server: SMTPServer | undefined;
let mailer: Mailer | undefined;
let jobs: Jobs | undefined;

async function startMailer(
  smtp: { url: string; from: string },
  onRefused?: (userId: string | null, email: string) => Promise<unknown>,
): Promise<void> {
  const metrics: NodeContext["metrics"] = new Registry();
  jobs = new Jobs({ connection, logger, metrics, pollMs: 20 });
  const config = { environment: "production" as const, publicUrl, smtp };
  mailer = createMailer({
    config,
    logger,
    metrics,
    jobs,
    sealerFor: () => sealer,
    ...(onRefused && { onRefused }),
  });
  await jobs.start();
}

afterEach(async () => {
  await jobs?.stop();
  await mailer?.stop();
  await connection.collection("jobs").deleteMany({});
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(resolve)));
  server = undefined;
});

/**
 * @param replies SMTP error codes for the first emails; null accepts one
 * @param refusals by the address that they refuse
 */
async function startServer(
  replies: (number | null)[] = [],
  refusals: Readonly<Record<string, string>> = {},
): Promise<{ url: string; received: Received[]; tried: () => number }> {
  const received: Received[] = [];
  let tries = 0;
  server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    // Otherwise each 550 becomes "5.1.1".
    hideENHANCEDSTATUSCODES: true,
    onRcptTo({ address }, _session, done) {
      const refusal = refusals[address];
      done(refusal === undefined ? undefined : Object.assign(new Error(refusal), { responseCode: 550 }));
    },
    onAuth: ({ username, password }, _session, done) =>
      done(username === "me" && password === "secret" ? null : new Error("no"), { user: "me" }),
    onData(stream, { envelope }, done) {
      tries += 1;
      const reply = replies.shift();
      let raw = "";
      stream.on("data", (chunk: Buffer) => (raw += chunk.toString()));
      stream.on("end", () => {
        if (reply !== undefined && reply !== null)
          return done(Object.assign(new Error("not now"), { responseCode: reply }));
        const { mailFrom, rcptTo } = envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
        });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://me:secret@127.0.0.1:${port}`, received, tried: () => tries };
}

const send = (to = "ann@example.org", locale: "en" | "zh" = "en", key?: string): Promise<void> =>
  mailer!.send(
    { email: to, locale },
    "resetPassword",
    { minutes: 60, provider: null },
    "/reset-password#token=abc_-123",
    key,
  );

test("sends an email by SMTP, as text and HTML, with the link", async () => {
  const { url, received } = await startServer();
  const smtp = { url, from: "Chat <chat@example.org>" };
  await startMailer(smtp);
  await send();
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  const [mail] = received;
  expect(mail).toMatchObject({ from: "chat@example.org", to: ["ann@example.org"] });
  expect(mail?.raw).toContain("From: Chat <chat@example.org>");
  expect(mail?.raw).toContain("Subject: Set a new password for chat.example.org");
  expect(mail?.raw).toContain("multipart/alternative");
  const whole = mail?.raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(whole).toContain("https://chat.example.org/reset-password#token=abc_-123");
});

test("retries temporary rejections but not permanent ones", async () => {
  const { url, received, tried } = await startServer([451, null, 550]);
  const smtp = { url, from: "chat@example.org" };
  await startMailer(smtp);
  await send();
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000);
  expect(tried()).toBe(2);
  await send();
  await vi.waitFor(() => expect(tried()).toBe(3), 5000);
  await send("bob@example.org");
  await vi.waitFor(() => expect(received).toHaveLength(2), 5000);
  expect(received[1]?.to).toEqual(["bob@example.org"]);
  expect(tried()).toBe(4);
});

test("a failed login is retried, also for emails that are not kept when they fail", async () => {
  const { url, received } = await startServer();
  let isRepaired = false;
  server!.onAuth = (_auth, _session, done) => {
    if (isRepaired) done(null, { user: "me" });
    else done(Object.assign(new Error("wrong password"), { responseCode: 535 }));
  };
  await startMailer({ url, from: "chat@example.org" });
  await send();
  const values = { username: "ann", group: "Rocket builders", days: 7 };
  const stranger = { email: "bob@example.org", locale: "en", isStranger: true } as const;
  await mailer!.send(stranger, "groupInvite", values, "/invite/abc");
  const failed = { lastError: { $exists: true } };
  await vi.waitFor(async () => expect(await connection.collection("jobs").countDocuments(failed)).toBe(2));
  isRepaired = true;
  await vi.waitFor(() => expect(received).toHaveLength(2));
  expect(received.flatMap(({ to }) => to).toSorted()).toEqual(["ann@example.org", "bob@example.org"]);
});

test.each([
  ["requires a login", 530],
  ["refuses to talk to this one", 554],
])("an email is retried when the server %s", async (_, reply) => {
  const { url } = await startServer();
  if (reply === 554)
    server!.onConnect = (_session, done) =>
      done(Object.assign(new Error("go away"), { responseCode: reply }));
  await startMailer({ url: url.replace("me:secret@", ""), from: "chat@example.org" });
  await send();
  const stored = connection.collection("jobs");
  const failed = { lastError: new RegExp(`${reply}`) };
  await vi.waitFor(async () => expect(await stored.countDocuments(failed)).toBe(1));
  expect(await stored.countDocuments({ ...failed, deadAt: { $exists: true } })).toBe(0);
});

test("emails that users can turn off have their own queue, and are not kept when an address is refused", async () => {
  const replies = {
    "gone@example.org": "5.1.1 No such user",
    "silent@example.org": "5.1.10 Recipient address has null MX",
    "relay@example.org": "relay not permitted",
    "sender@example.org": "5.1.0 Sender address rejected",
    "full@example.org": "5.2.2 over quota",
  };
  const { url } = await startServer([], replies);
  const refused: string[] = [];
  const smtp = { url, from: "chat@example.org" };
  await startMailer(smtp, async (userId, email) => refused.push(`${userId} ${email}`));
  const items = [{ title: "Bob", place: null, at: new Date(0).toISOString(), text: "hello" }];
  for (const email of Object.keys(replies)) {
    const userId = email.split("@")[0]!;
    const to = { email, locale: "en", unsubscribe: { userId, path: "/off" } } as const;
    await mailer!.send(to, "missed", { items, more: 0 }, "/direct/1");
  }
  const stored = connection.collection("jobs");
  await vi.waitFor(async () => expect(await stored.findOne({ payload: { $exists: true } })).toBeNull(), 5000);
  expect(refused.toSorted()).toEqual(["gone gone@example.org", "silent silent@example.org"]);
  const kept = await stored.find().toArray();
  expect(kept.map(({ kind, deadAt }) => [kind, deadAt])).toEqual(
    Array.from(Object.keys(replies), () => ["mail.sendOptional", undefined]),
  );
});

test("a refused address of a stranger is reported without a user, and not kept", async () => {
  const { url, received } = await startServer([], { "gone@example.org": "5.1.1 No such user" });
  const refused: unknown[] = [];
  const smtp = { url, from: "chat@example.org" };
  await startMailer(smtp, async (userId, email) => refused.push([userId, email]));
  const values = { username: "ann", group: "Rocket builders", days: 7 };
  for (const email of ["gone@example.org", "here@example.org"])
    await mailer!.send({ email, locale: "en", isStranger: true }, "groupInvite", values, "/invite/abc");
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  await vi.waitFor(() => expect(refused).toEqual([[null, "gone@example.org"]]), 5000);
  const stored = connection.collection("jobs");
  await vi.waitFor(async () => expect(await stored.findOne({ payload: { $exists: true } })).toBeNull(), 5000);
  expect(await stored.findOne({ deadAt: { $ne: null } })).toBeNull();
});

test("an address can't inject recipients or headers", async () => {
  const { url, received } = await startServer();
  const smtp = { url, from: "chat@example.org" };
  await startMailer(smtp);
  await send("ann@example.org, eve@example.org");
  await send("ann@example.org\r\nBcc: eve@example.org");
  await send("zoe@example.org", "zh");
  await vi.waitFor(() => expect(received.flatMap(({ to }) => to)).toContain("zoe@example.org"), 5000);
  expect(received.flatMap(({ to }) => to)).not.toContain("eve@example.org");
});

test("without a mail server, emails are printed in development only", async () => {
  const shown: string[] = [];
  for (const environment of ["production", "test", "development"] as const) {
    const config = { environment, publicUrl, smtp: undefined };
    const metrics = new Registry();
    mailer = createMailer({
      config,
      logger,
      metrics,
      jobs: new Jobs({ connection, logger, metrics }),
      sealerFor: () => sealer,
      show: (text) => void shown.push(text),
    });
    await send();
  }
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain("Email to ann@example.org: Set a new password for chat.example.org");
  expect(shown[0]).toContain("\nhttps://chat.example.org/reset-password#token=abc_-123\n");
});

test("enqueued emails are encrypted, sent once per key, and retried with the same Message-ID", async () => {
  const { url, received, tried } = await startServer([451, null]);
  await startMailer({ url, from: "chat@example.org" });
  await send("ann@example.org", "en", "one");
  await send("ann@example.org", "en", "one");
  const [job] = await connection.collection("jobs").find().toArray();
  expect(JSON.stringify(job)).not.toContain("abc_-123");
  expect(JSON.stringify(job)).not.toContain("ann@example.org");
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000);
  expect(received[0]?.raw).toContain(`Message-ID: <${String(job!._id)}@chat.example.org>`);
  await send("ann@example.org", "en", "one");
  await send("bob@example.org");
  await vi.waitFor(() => expect(received).toHaveLength(2), 10_000);
  expect(received[1]?.to).toEqual(["bob@example.org"]);
  expect(tried()).toBe(3);
});
