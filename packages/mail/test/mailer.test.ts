import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createLogger, type NodeContext } from "@fanfare/kernel";
import { SMTPServer } from "smtp-server";
import { afterEach, expect, test, vi } from "vitest";
import { createMailer, type Mailer } from "../src/index.ts";

const logger = createLogger("silent");
const metrics = { registerMetric: () => {} } as unknown as NodeContext["metrics"];
const publicUrl = "https://chat.example.org";

interface Received {
  from: string;
  to: string[];
  raw: string;
}

let server: SMTPServer | undefined;
let mailer: Mailer | undefined;
afterEach(async () => {
  await mailer?.stop();
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(resolve)));
  server = undefined;
});

/** @param refusals answers to the first mails; null takes one */
async function startServer(
  refusals: (number | null)[] = [],
): Promise<{ url: string; received: Received[]; tried: () => number }> {
  const received: Received[] = [];
  let tries = 0;
  server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) =>
      done(username === "me" && password === "secret" ? null : new Error("no"), { user: "me" }),
    onData(stream, { envelope }, done) {
      tries += 1;
      const refusal = refusals.shift();
      let raw = "";
      stream.on("data", (chunk: Buffer) => (raw += chunk.toString()));
      stream.on("end", () => {
        if (refusal !== undefined && refusal !== null)
          return done(Object.assign(new Error("not now"), { responseCode: refusal }));
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

const send = (to = "ann@example.org", locale: "en" | "zh" = "en"): void =>
  mailer!.send(
    { email: to, locale },
    "resetPassword",
    { minutes: 60, provider: null },
    "/reset-password#token=abc_-123",
  );

test("a mail goes out by SMTP, as text and HTML, with the link", async () => {
  const { url, received } = await startServer();
  const smtp = { url, from: "Chat <chat@example.org>" };
  mailer = createMailer({ config: { environment: "production", publicUrl, smtp }, logger, metrics });
  send();
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  const [mail] = received;
  expect(mail).toMatchObject({ from: "chat@example.org", to: ["ann@example.org"] });
  expect(mail?.raw).toContain("From: Chat <chat@example.org>");
  expect(mail?.raw).toContain("Subject: Set a new password for chat.example.org");
  expect(mail?.raw).toContain("multipart/alternative");
  const whole = mail?.raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(whole).toContain("https://chat.example.org/reset-password#token=abc_-123");
});

test("what the mail server does not take is tried again, what it refuses for good is not", async () => {
  const { url, received, tried } = await startServer([451, null, 550]);
  const smtp = { url, from: "chat@example.org" };
  mailer = createMailer({ config: { environment: "production", publicUrl, smtp }, logger, metrics });
  send();
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000);
  expect(tried()).toBe(2);
  send();
  await vi.waitFor(() => expect(tried()).toBe(3), 5000);
  send("bob@example.org");
  await vi.waitFor(() => expect(received).toHaveLength(2), 5000);
  expect(received[1]?.to).toEqual(["bob@example.org"]);
  expect(tried()).toBe(4);
});

test("an address cannot bring in recipients or headers", async () => {
  const { url, received } = await startServer();
  const smtp = { url, from: "chat@example.org" };
  mailer = createMailer({ config: { environment: "production", publicUrl, smtp }, logger, metrics });
  send("ann@example.org, eve@example.org");
  send("ann@example.org\r\nBcc: eve@example.org");
  send("zoe@example.org", "zh");
  await vi.waitFor(() => expect(received.flatMap(({ to }) => to)).toContain("zoe@example.org"), 5000);
  expect(received.flatMap(({ to }) => to)).not.toContain("eve@example.org");
});

test("without a mail server it is shown in development, and nowhere else", () => {
  const shown: string[] = [];
  for (const environment of ["production", "test", "development"] as const) {
    const config = { environment, publicUrl, smtp: undefined };
    mailer = createMailer({ config, logger, metrics, show: (text) => void shown.push(text) });
    send();
  }
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain("Mail to ann@example.org: Set a new password for chat.example.org");
  expect(shown[0]).toContain("\nhttps://chat.example.org/reset-password#token=abc_-123\n");
});
