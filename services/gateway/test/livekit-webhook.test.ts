import { LIMITS, type Params } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startGateway, type Gateway } from "./support.ts";

// The gateway's part: the call service, which checks the signatures, is a stub.

const LIVEKIT = {
  LIVEKIT_URL: "wss://livekit.example.org",
  LIVEKIT_KEY: "key",
  LIVEKIT_SECRET: "a LiveKit secret with 32 or more characters",
};
/** Byte for byte as LiveKit sends it: the signature would not match JSON that was parsed and written again. */
const BODY = '{"event":"room_started",  "room":{"name":"fanfare_ünïcode"}}';

let gateway: Gateway;
let received: Params<"call.handleWebhook">[];
beforeAll(async () => {
  gateway = await startGateway(LIVEKIT);
});
beforeEach(() => {
  received = [];
  gateway.stubs.handleWebhook = (params) => void received.push(params);
  gateway.stubs.maintenance = { enabled: false, message: "" };
});
afterAll(() => gateway.stop());

async function send(
  body: string | undefined,
  headers: Record<string, string> = { authorization: "signed" },
  { url } = gateway,
) {
  const response = await fetch(`${url}/api/livekit/webhook`, {
    method: "POST",
    headers: { "content-type": "application/webhook+json", ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: await response.text() };
}

test("a webhook reaches the call service as it was received", async () => {
  expect(await send(BODY)).toEqual({ status: 204, body: "" });
  expect(received).toEqual([{ body: BODY, authorization: "signed" }]);
});

test("one that the call service refuses gets 401 without details", async () => {
  gateway.stubs.handleWebhook = () => {
    throw serviceError("UNAUTHENTICATED");
  };
  expect(await send(BODY)).toEqual({ status: 401, body: "" });
});

test("one without a signature, without a body or with a huge signature is refused before that", async () => {
  const none = { status: 401, body: "" };
  expect(await send(BODY, {})).toEqual(none);
  expect(await send(undefined)).toEqual(none);
  expect(await send(BODY, { authorization: "x".repeat(LIMITS.livekitTokenMaxChars + 1) })).toEqual(none);
  expect(received).toEqual([]);
});

test("a huge body is refused", async () => {
  expect((await send("x".repeat(LIMITS.httpBodyMaxBytes + 1))).status).toBe(413);
  expect(received).toEqual([]);
});

test("an address whose webhooks are refused again and again must wait, before their body is read", async () => {
  const limited = await startGateway({ ...LIVEKIT, RATE_LIMIT_FACTOR: "0.01" });
  try {
    let checked = 0;
    limited.stubs.handleWebhook = ({ authorization }) => {
      checked += 1;
      if (authorization !== "signed") throw serviceError("UNAUTHENTICATED");
    };
    const statusOf = async (authorization: string, body = BODY) =>
      (await send(body, { authorization }, limited)).status;
    // LiveKit reports all calls from one address.
    for (let i = 0; i < 10; i++) expect(await statusOf("signed")).toBe(204);
    const refused = [
      await statusOf("forged"),
      await statusOf(""),
      await statusOf("forged", "x".repeat(LIMITS.httpBodyMaxBytes + 1)),
    ];
    expect(refused).toEqual([401, 401, 413]);
    checked = 0;
    const { status, body } = await send(
      "x".repeat(LIMITS.httpBodyMaxBytes + 1),
      { authorization: "forged" },
      limited,
    );
    expect(status).toBe(429);
    expect(JSON.parse(body)).toMatchObject({ error: { type: "RATE_LIMITED" } });
    expect(await statusOf("forged")).toBe(429);
    expect(checked).toBe(0);
  } finally {
    await limited.stop();
  }
});

test("while the call service can't answer, LiveKit is asked to try again", async () => {
  gateway.stubs.handleWebhook = () => {
    throw serviceError("UNAVAILABLE", { retryAfterMs: 1000 });
  };
  expect((await send(BODY)).status).toBe(503);
});

test("without LiveKit there is no such address", async () => {
  const without = await startGateway();
  try {
    expect((await send(BODY, { authorization: "signed" }, without)).status).toBe(404);
    const meta = await (await fetch(`${without.url}/api/meta`)).json();
    expect(meta).toMatchObject({ calls: false });
  } finally {
    await without.stop();
  }
});

test("pages can connect to LiveKit, and only there", async () => {
  const policyOf = async ({ url }: Gateway) =>
    (await fetch(`${url}/`, { headers: { accept: "text/html" } })).headers.get("content-security-policy");
  expect(await policyOf(gateway)).toContain(" wss://livekit.example.org https://livekit.example.org;");
  expect(await (await fetch(`${gateway.url}/api/meta`)).json()).toMatchObject({ calls: true });
});
