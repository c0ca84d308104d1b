import { Errors } from "moleculer";
import { mongo } from "mongoose";
import { expect, test } from "vitest";
import { serviceError, ServiceError, toServiceError, toWireError } from "./errors.ts";

test("unknown errors become INTERNAL without details", () => {
  const error = toServiceError(new TypeError("cannot read 'hash' of undefined at 10.0.0.7"));
  expect(error.type).toBe("INTERNAL");
  expect(JSON.stringify(toWireError(error, "r1"))).not.toMatch(/hash|10\.0/);
  expect(error.cause).toBeInstanceOf(TypeError);
});

test.each([
  [new Errors.ServiceNotFoundError({ action: "x" }), "UNAVAILABLE"],
  [new Errors.RequestTimeoutError({ action: "x", nodeID: "n" }), "UNAVAILABLE"],
  [new Errors.QueueIsFullError({ action: "x", nodeID: "n", size: 1, limit: 1 }), "OVERLOADED"],
  [new mongo.MongoNetworkError("connection 3 to 10.0.0.7 closed"), "UNAVAILABLE"],
  [new mongo.MongoOperationTimeoutError("timed out"), "UNAVAILABLE"],
  [new mongo.MongoNetworkTimeoutError("timed out"), "UNAVAILABLE"],
  [new mongo.MongoServerSelectionError("none", {} as never), "UNAVAILABLE"],
  [Object.assign(new Error("too many open files"), { code: "EMFILE" }), "UNAVAILABLE"],
  [Object.assign(new Error("too many open files in system"), { code: "ENFILE" }), "UNAVAILABLE"],
  [Object.assign(new Error("full"), { code: 14_031 }), "STORAGE_FULL"],
])("%s becomes %s", (thrown, type) => {
  expect(toServiceError(thrown).type).toBe(type);
});

test("retryable errors contain the retry delay", () => {
  const error = serviceError("RATE_LIMITED", { retryAfterMs: 250 });
  expect(toWireError(error, "r1")).toEqual({
    type: "RATE_LIMITED",
    message: expect.any(String),
    data: { retryAfterMs: 250 },
    retryable: true,
    requestId: "r1",
  });
  expect(error).toBeInstanceOf(ServiceError);
  expect(serviceError("FORBIDDEN").retryable).toBe(false);
});
