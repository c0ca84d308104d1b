import { z } from "zod";
import { list, network, onOrOff } from "../values.ts";
import { notes } from "./notes.ts";

export const outgoing = {
  LINK_PREVIEWS: onOrOff.default(true).register(notes, {
    description: "Whether the server fetches the pages that messages link to, to show what they are.",
    example: "off",
  }),
  OUTBOUND_ALLOW: list.pipe(z.array(network)).default([]).register(notes, {
    description:
      "Networks that callbacks of bots, previews and pushes may reach although they are not public, with commas in between.",
    otherwise: "none",
    example: "10.1.0.0/16",
  }),
};
