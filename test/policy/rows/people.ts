import { row } from "../row.ts";

export const peopleRows = {
  "user.search": row("user.search", () => ({ query: "gu" })),
  "user.block": row("user.block", ({ target }) => ({ userId: target.userId })),
  "user.unblock": row("user.unblock", ({ target }) => ({ userId: target.userId })),
  "user.listBlocked": row("user.listBlocked", () => ({})),
};
