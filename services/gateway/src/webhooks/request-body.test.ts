import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { IncomingHttpHeaders } from "node:http";
import { isSigned } from "./request-body.ts";

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
