import { FanfareError } from "@fanfare/client";
import { describe, expect, test } from "vitest";
import { errorsOfFields } from "./form.tsx";

const invalid = (...paths: string[]) =>
  new FanfareError({
    type: "VALIDATION_FAILED",
    message: "Invalid.",
    data: { issues: paths.map((path) => ({ path, message: `wrong ${path}` })) },
    retryable: false,
    requestId: "",
  });

describe("errorsOfFields", () => {
  test("assigns validation errors to their fields", () => {
    const values = { username: "", roles: [] };
    expect(errorsOfFields(invalid("username", "roles.0"), values, {})).toEqual({
      username: "Wrong username.",
      roles: "Wrong roles.0.",
    });
  });

  test("leaves errors about other fields to the form", () => {
    expect(errorsOfFields(invalid("username", "limit"), { username: "" }, {})).toEqual({});
    expect(errorsOfFields(new Error("x"), { username: "" }, {})).toEqual({});
  });

  test("assigns mapped error codes to their fields", () => {
    const taken = new FanfareError({
      type: "USERNAME_TAKEN",
      message: "Taken.",
      retryable: false,
      requestId: "",
    });
    expect(Object.keys(errorsOfFields(taken, { username: "a" }, { USERNAME_TAKEN: "username" }))).toEqual([
      "username",
    ]);
    expect(errorsOfFields(taken, { username: "a" }, {})).toEqual({});
  });
});
