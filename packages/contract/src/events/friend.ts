import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const friendEvents = {
  "friend.requested": event({
    summary: "Somebody asks the user to be a friend, or the user has asked.",
    audience: "self",
    payload: z.object({ request: e.FriendRequestSchema }),
  }),
  "friend.added": event({
    summary: "A request was accepted: the two are friends, and the request is none any more.",
    audience: "self",
    payload: z.object({ friend: e.FriendSchema }),
  }),
  "friend.removed": event({
    summary: "The two are no friends any more, or the request between them is gone.",
    audience: "self",
    payload: z.object({ userId: e.id }),
  }),
};
