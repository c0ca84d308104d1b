import { row } from "../row.ts";

export const departureRows = {
  "user.exportMyData": row("user.exportMyData", () => ({})),
  "user.deleteMe": row("user.deleteMe", () => ({ password: "correct horse" }), {
    why: "accounts need their password, which guests don't have; owners must transfer their groups first",
    owner: "OWNS_GROUPS",
  }),
};
