import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const serverEvents = {
  "server.announced": event({
    summary: "Who runs this server has something to tell everybody.",
    audience: "everybody",
    payload: z.object({ text: z.string(), announcedAt: e.time }),
  }),
  "server.paused": event({
    summary: "Nobody but admins can change anything until `server.resumed`.",
    audience: "everybody",
    payload: z.object({ message: z.string() }),
  }),
  "server.resumed": event({
    summary: "Everything can be done again.",
    audience: "everybody",
    payload: z.object({}),
  }),
};
