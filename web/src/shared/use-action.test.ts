import { FanfareError, type LocalErrorCode } from "@fanfare/client";
import { ERRORS, type ErrorCode } from "@fanfare/contract";
import i18next from "i18next";
import { beforeAll, describe, expect, test } from "vitest";
import { createQueue, errorText } from "./use-action.ts";
import en from "./texts/en.json" with { type: "json" };
import zh from "./texts/zh.json" with { type: "json" };

const error = (type: ErrorCode | LocalErrorCode, data?: unknown) =>
  new FanfareError({ type, message: "As the server says.", data, retryable: false, requestId: "" });

describe("errorText", () => {
  beforeAll(() => i18next.init({ lng: "en", keySeparator: false, resources: { en: { shared: en } } }));

  test("has a text for every error code of the contract", () => {
    for (const code of Object.keys(ERRORS)) expect(en).toHaveProperty([`error.${code}`]);
  });

  test("names the limit and its value", () => {
    const data = { limit: "fileQuotaUserBytes", max: 5_000_000 };
    expect(errorText(error("LIMIT_REACHED", data))).toBe(
      "Your files can use up to 5 MB. Delete some to free up space.",
    );
    expect(errorText(error("LIMIT_REACHED", { limit: "pinsPerChannel", max: 50 }))).toBe(
      "This server's limit has been reached.",
    );
  });

  test("says when to try again", () => {
    expect(errorText(error("RATE_LIMITED", { retryAfterMs: 2100 }))).toBe(
      "You're doing that too often. Try again in 3 seconds.",
    );
    expect(errorText(error("RATE_LIMITED", { retryAfterMs: 400 }))).toContain("in a second");
  });

  test("names the invalid fields", () => {
    const issues = [{ path: "username", message: "must be longer" }];
    expect(errorText(error("VALIDATION_FAILED", { issues }))).toBe("Username: must be longer.");
  });

  test("does not show English field errors in other languages", async () => {
    i18next.addResourceBundle("zh", "shared", zh);
    await i18next.changeLanguage("zh");
    const issues = [{ path: "username", message: "must be longer" }];
    expect(errorText(error("VALIDATION_FAILED", { issues }))).toBe(zh["error.VALIDATION_FAILED"]);
    await i18next.changeLanguage("en");
  });

  test("uses the server's message for unknown codes, and a generic one for other errors", () => {
    expect(errorText(error("FROM_THE_FUTURE" as ErrorCode))).toBe("As the server says.");
    expect(errorText(new TypeError("x is undefined"))).toContain("Reload it");
  });
});

test("a queue runs one after another, also after failures", async () => {
  const queue = createQueue();
  const first = Promise.withResolvers<void>();
  const steps: string[] = [];
  const failed = queue(async () => {
    await first.promise;
    steps.push("first");
    throw new Error("failed");
  });
  const second = queue(async () => {
    steps.push("second");
    return await Promise.resolve(2);
  });
  expect(steps).toEqual([]);
  first.resolve();
  await expect(failed).rejects.toThrow("failed");
  expect(await second).toBe(2);
  expect(steps).toEqual(["first", "second"]);
});
