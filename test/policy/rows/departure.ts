import { row } from "../row.ts";

export const departureRows = {
  "user.exportMyData": row("user.exportMyData", () => ({})),
  "user.deleteMe": row("user.deleteMe", () => ({ password: "correct horse" }), {
    why: "an account says its password, which a guest has none of; what one owns is given away first",
    owner: "OWNS_GROUPS",
  }),
};
