import { loggedIn, row } from "../row.ts";

export const departureRows = {
  "user.exportMyData": row("user.exportMyData", loggedIn, () => ({})),
  "user.deleteMe": row("user.deleteMe", { ...loggedIn, owner: "OWNS_GROUPS" }, () => ({})),
};
