import { row, freshName, password } from "../row.ts";

const madeUp = { why: "the token is invalid", allowed: "INVALID_LINK" } as const;

export const setupRows = {
  "user.setUpAdmin": row(
    "user.setUpAdmin",
    () => ({ token: "made-up", username: freshName(), password }),
    madeUp,
  ),
  "user.becomeAdmin": row("user.becomeAdmin", () => ({ token: "made-up" }), madeUp),
};
