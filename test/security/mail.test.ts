import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createAccount, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Whatever users put into names and addresses, an email goes to one address, with our headers and no others.

const PUBLIC_URL = "https://chat.example.org";
const PASSWORD = "correct horse";

interface Arrived {
  from: string;
  to: string[];
  /** Latin-1: one character per byte. */
  raw: string;
}

let server: SMTPServer;
let instance: Instance;
const arrived: Arrived[] = [];
beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, { envelope }, done) {
      const take = async (): Promise<void> => {
        const raw = (await buffer(stream)).toString("latin1");
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        arrived.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        done();
      };
      void take();
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  instance = await startInstance({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "Fanfare <chat@example.org>",
    PUBLIC_URL,
  });
});
afterAll(async () => {
  await instance?.stop();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const HEADERS = ["content-type", "date", "from", "message-id", "mime-version", "subject", "to"];

function headersOf({ raw }: Arrived): Map<string, string> {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return new Map(lines.map((line) => [line.split(":", 1)[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, "")]));
}

/** Checks the headers and that there is only one recipient. */
function expectOurs(mail: Arrived, to: string): void {
  expect(mail.to).toEqual([to]);
  expect(mail.from).toBe("chat@example.org");
  const headers = headersOf(mail);
  expect([...headers.keys()].toSorted()).toEqual(HEADERS);
  expect(headers.get("to")).toBe(to);
  expect(headers.get("from")).toBe("Fanfare <chat@example.org>");
  // A bare CR or LF is a line break to some mail programs only.
  expect(mail.raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
}

const mailsTo = (to: string) => arrived.filter((mail) => mail.to.includes(to));
const nextTo = async (to: string, count: number): Promise<Arrived[]> => {
  await expect.poll(() => mailsTo(to).length).toBeGreaterThanOrEqual(count);
  return mailsTo(to);
};

let people = 0;
const newName = (): string => `mailed${(people += 1)}`;

const ENDS = [
  "\r\n",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\u0085",
  "\v",
  "\f",
  "\0",
  "%0d%0a",
  "=0D=0A",
  "\u560d\u560a",
];
const INJECTION = "Bcc: evil@example.net";

describe("a name", () => {
  test.each(ENDS.map((end) => [JSON.stringify(end), end]))(
    "containing %s adds no header and no recipient to an email",
    async (_shown, end) => {
      const { url } = instance;
      const username = newName();
      const email = `${username}@example.org`;
      const nickname = `Ann${end}${INJECTION}`;
      const made = await post(url, "user.register", { username, password: PASSWORD, email, nickname });
      // Names with a line break are rejected; an encoded one is plain text.
      const isName = !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(nickname);
      expect(made.ok).toBe(isName);
      const plain = { username, password: PASSWORD, email };
      const { accessToken } = made.ok ? made.data : await must(url, "user.register", plain);
      const group = await post(url, "group.create", { name: nickname }, accessToken);
      expect(group.ok).toBe(isName);
      if (group.ok) {
        const invited = { groupId: group.data.group.id, emails: [email] };
        await must(url, "invite.email", invited, accessToken);
      }
      const change = { oldPassword: PASSWORD, newPassword: "battery staple" };
      await must(url, "user.changePassword", change, accessToken);
      await must(url, "user.requestPasswordReset", { email });
      const mails = await nextTo(email, group.ok ? 4 : 3);
      for (const mail of mails) {
        expectOurs(mail, email);
        // An invite quotes the name of the group.
        const [head, ...body] = mail.raw.split("\r\n\r\n");
        const isInvite = head!.includes("invited you");
        expect(isInvite ? head : `${head}${body.join()}`).not.toContain("evil@example.net");
      }
    },
  );
});

describe("an email address", () => {
  const hostile = [
    ...ENDS.flatMap((end) => [
      `victim@example.org${end}${INJECTION}`,
      `vic${end}tim@example.org`,
      `"victim${end}${INJECTION}"@example.org`,
    ]),
    "victim@example.org,evil@example.net",
    "victim@example.org;evil@example.net",
    "victim@example.org evil@example.net",
    "<victim@example.org> evil@example.net",
    "Evil <evil@example.net>",
    "victim@example.org>\r\nRCPT TO:<evil@example.net",
    "evil@example.net\0@example.org",
    "group:evil@example.net,victim@example.org;",
    '"<evil@example.net>"@example.org',
    "evil@example.net(@example.org",
    "victim@[127.0.0.1]",
    "-oQ/tmp -X/tmp/x@example.org",
    "victim@exa\u{e0000}mple.org",
  ];

  test.each(hostile.map((email) => [JSON.stringify(email), email]))(
    "%s is rejected, and no email is sent",
    async (_shown, email) => {
      const { url } = instance;
      const { accessToken } = await createAccount(url);
      const { group } = await must(url, "group.create", { name: "A group" }, accessToken);
      const before = arrived.length;
      const answers = [
        await post(url, "user.register", { username: newName(), password: PASSWORD, email }),
        await post(url, "user.changeEmail", { email, password: PASSWORD }, accessToken),
        await post(url, "user.requestPasswordReset", { email }),
        await post(url, "invite.email", { groupId: group.id, emails: [email] }, accessToken),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
      expect(arrived.slice(before)).toEqual([]);
    },
  );
});

test("links in emails use the configured URL, not the request's Host header", async () => {
  const username = newName();
  const email = `${username}@example.org`;
  await must(instance.url, "user.register", { username, password: PASSWORD, email });
  await nextTo(email, 1);
  const { hostname, port } = new URL(instance.url);
  const body = JSON.stringify({ email });
  const asked = request({
    hostname,
    port,
    path: "/api/user.requestPasswordReset",
    method: "POST",
    headers: {
      host: "evil.example.net",
      "x-forwarded-host": "evil.example.net",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example.net",
      origin: "https://evil.example.net",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  asked.end(body);
  const [answer] = await once(asked, "response");
  answer.resume();
  expect(answer.statusCode).toBe(200);
  const [, reset] = await nextTo(email, 2);
  expectOurs(reset!, email);
  const text = reset!.raw.replaceAll(/=\r\n/g, "");
  expect(text).toContain(`${PUBLIC_URL}/`);
  expect(text).not.toContain("evil");
});
