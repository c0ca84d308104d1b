import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "@fanfare/contract";
import { ServiceError } from "@fanfare/kernel";
import { describe, expect, test } from "vitest";
import { FORM_MAX_FIELDS } from "../constants.ts";
import { isForm, isSigned, readForm } from "./request-body.ts";

// GitHub's own example: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
const SECRET = ["It's a Secret to", "Everybody"].join(" ");
const BODY = "Hello, World!";
const SIGNATURE = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const signs = (headers: IncomingHttpHeaders, body = BODY): boolean =>
  isSigned(headers, createHmac("sha256", SECRET).update(body), SECRET);

describe("a request is signed", () => {
  test.each([
    ["GitHub", { "x-hub-signature-256": `sha256=${SIGNATURE}` }],
    ["Gitea", { "x-gitea-signature": SIGNATURE }],
    ["Forgejo", { "x-forgejo-signature": SIGNATURE }],
    ["Sentry", { "sentry-hook-signature": SIGNATURE.toUpperCase() }],
    ["GitLab", { "x-gitlab-token": SECRET }],
  ])("by %s", (_service, headers) => expect(signs(headers)).toBe(true));
});

describe("a request isn't signed", () => {
  test.each<[string, Record<string, string>]>([
    ["without a header", {}],
    ["with the secret itself as a signature", { "x-hub-signature-256": `sha256=${SECRET}` }],
    ["with the signature as a token", { "x-gitlab-token": SIGNATURE }],
    ["with SHA-1", { "x-hub-signature": `sha1=${createHmac("sha1", SECRET).update(BODY).digest("hex")}` }],
    ["by another secret", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }],
    ["with an empty signature", { "x-gitea-signature": "" }],
  ])("%s", (_what, headers) => expect(signs(headers)).toBe(false));

  test("if the body was changed", () =>
    expect(signs({ "x-gitea-signature": SIGNATURE }, "Hello, World?")).toBe(false));
});

const TYPE = "multipart/form-data; boundary=xyz";

async function* inChunks(body: Buffer | string, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const part = (headers: string, value: string): string =>
  `--xyz\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${value}\r\n`;
const form = (...parts: readonly string[]): string => `${parts.join("")}--xyz--\r\n`;

async function outcome(body: Buffer | string, type = TYPE): Promise<unknown> {
  try {
    const { fields, files } = await readForm(inChunks(body, 64 * 1024), type);
    return { fields: Object.fromEntries(fields), files: files.map(({ name }) => name) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { issues } = (error.data ?? {}) as { issues?: { path: string; message: string }[] };
    return issues === undefined ? error.type : `${issues[0]!.path} ${issues[0]!.message}`;
  }
}

test("a form's fields and files are read, whatever the size of the chunks", async () => {
  const body = form(
    part('name="payload_json"', '{"content":"Größe"}'),
    part('name="files[0]"; filename="C:\\\\logs\\\\größe.txt"', "first\r\n--xy\r\n"),
    part('name="files[1]"; filename="empty.txt"', ""),
    part('name="none"; filename=""', ""),
  );
  for (const size of [1, 3, 64, 10_000]) {
    const hmac = createHmac("sha256", "secret");
    const { fields, files } = await readForm(inChunks(body, size), TYPE, hmac);
    expect(Object.fromEntries(fields)).toEqual({ payload_json: '{"content":"Größe"}' });
    expect(
      files.map(({ field, name, chunks }) => ({ field, name, text: Buffer.concat(chunks).toString() })),
    ).toEqual([
      { field: "files[0]", name: "größe.txt", text: "first\r\n--xy\r\n" },
      { field: "files[1]", name: "empty.txt", text: "" },
    ]);
    expect(hmac.digest("hex")).toBe(createHmac("sha256", "secret").update(body).digest("hex"));
  }
});

const MALFORMED = "form is incomplete or malformed: send it as multipart/form-data, with its boundary";

describe("a form is rejected", () => {
  const file = (index: number) => part(`name="files[${index}]"; filename="a"`, "a");
  const field = (index: number) => part(`name="f${index}"`, "a");
  const many = (count: number, make: (index: number) => string) =>
    form(...Array.from({ length: count }, (_, i) => make(i)));
  test.each([
    ["no boundary", form(field(1)), "multipart/form-data", MALFORMED],
    ["an empty boundary", form(field(1)), "multipart/form-data; boundary=", MALFORMED],
    ["another boundary", form(field(1)), "multipart/form-data; boundary=abc", MALFORMED],
    ["nothing", "", TYPE, MALFORMED],
    [
      "too many files",
      many(LIMITS.attachmentsPerMessage + 1, file),
      TYPE,
      `files must be at most ${LIMITS.attachmentsPerMessage}`,
    ],
    [
      "too many fields",
      many(FORM_MAX_FIELDS + 1, field),
      TYPE,
      `form must have at most ${FORM_MAX_FIELDS} fields`,
    ],
    [
      "a field over the limit",
      form(part('name="a"', "a".repeat(LIMITS.webhookBodyMaxBytes + 1))),
      TYPE,
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "a form over the limit",
      form(part('name="a"; filename="a"', "a".repeat(LIMITS.webhookFormMaxBytes))),
      TYPE,
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "a long preamble",
      `${"-".repeat(LIMITS.webhookFormMaxBytes)}${form(field(1))}`,
      TYPE,
      "PAYLOAD_TOO_LARGE",
    ],
  ])("with %s", async (_what, body, type, expected) => expect(await outcome(body, type)).toBe(expected));

  test("wherever it ends too early", async () => {
    const body = Buffer.from(form(field(1), file(0), field(2)));
    const end = body.lastIndexOf("--\r\n");
    for (let length = 0; length < end; length++)
      expect({ length, is: await outcome(body.subarray(0, length)) }).toEqual({ length, is: MALFORMED });
    expect(await outcome(body)).toEqual({ fields: { f1: "a", f2: "a" }, files: ["a"] });
  });
});

test("a form that was changed anywhere is read or rejected", async () => {
  const whole = form(part('name="a"', "a"), part('name="b"; filename="b"', "b"));
  const pieces = [
    "--xyz",
    "--xyz--",
    "\r\n",
    "\r",
    "\n",
    "-",
    "\0",
    "é",
    ":",
    '; filename="c"',
    "a".repeat(9000),
  ];
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const outcomes = new Set<string>();
  for (let i = 0; i < 1000; i++) {
    let body = whole;
    for (let changes = random(4); changes >= 0; changes--) {
      const at = random(body.length);
      const inserted = random(2) === 0 ? pieces[random(pieces.length)]! : "";
      body = body.slice(0, at) + inserted + body.slice(at + (inserted === "" ? 1 + random(20) : 0));
    }
    outcomes.add(typeof (await outcome(body)));
  }
  expect([...outcomes].toSorted()).toEqual(["object", "string"]);
});

test.each([
  ["a part without headers", `--xyz\r\n\r\nvalue\r\n${form(part('name="a"', "b"))}`],
  ["a part without a name", form(part("x=y", "c"), part('name="a"', "b"))],
  [
    "a part that isn't of a form",
    `--xyz\r\nContent-Disposition: attachment\r\n\r\nvalue\r\n${form(part('name="a"', "b"))}`,
  ],
  ["long headers", form(part(`name="${"n".repeat(500_000)}"`, "c"), part('name="a"', "b"))],
  ["many headers", form(part(`name="x"\r\n${"x: y\r\n".repeat(10_000)}z: z`, "c"), part('name="a"', "b"))],
])("%s does no harm", async (_what, body) => {
  expect(await outcome(body)).toMatchObject({ fields: { a: "b" }, files: [] });
});

test.each([
  ["multipart/form-data; boundary=a", true],
  ["Multipart/Form-Data", true],
  ["multipart/form-data-x; boundary=a", false],
  ["multipart/mixed; boundary=a", false],
  ["application/json", false],
  [undefined, false],
])("%s is a form: %s", (type, expected) => expect(isForm(type)).toBe(expected));
