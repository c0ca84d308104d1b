import { loggedIn, row } from "../row.ts";

export const departureRows = {
  "user.deleteMe": row("user.deleteMe", { ...loggedIn, owner: "OWNS_GROUPS" }, () => ({})),
};
