import { accountsOnly, loggedIn, row } from "../row.ts";

export const peopleRows = {
  "user.search": row("user.search", accountsOnly, () => ({ query: "gu" })),
  "user.block": row("user.block", loggedIn, ({ target }) => ({ userId: target.userId })),
  "user.unblock": row("user.unblock", loggedIn, ({ target }) => ({ userId: target.userId })),
  "user.listBlocked": row("user.listBlocked", loggedIn, () => ({})),
};
