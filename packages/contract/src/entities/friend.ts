import { z } from "zod";
import { id, time } from "./primitives.ts";

export const FriendSchema = z.object({ userId: id, since: time }).meta({ id: "Friend" });
export type Friend = z.output<typeof FriendSchema>;

export const FriendRequestSchema = z
  .object({
    userId: id.describe("the other one"),
    direction: z.enum(["incoming", "outgoing"]),
    requestedAt: time,
  })
  .meta({ id: "FriendRequest" });
export type FriendRequest = z.output<typeof FriendRequestSchema>;

/** Who may reach a user. Friends always count as group mates, and nobody gets past a block. */
export const ReachSchema = z
  .object({
    requestsFrom: z.enum(["everyone", "groupMates", "nobody"]).describe("who may ask to be a friend"),
    directFrom: z.enum(["everyone", "groupMates", "friends"]).describe("who may open a direct channel"),
  })
  .meta({ id: "Reach" });
export type Reach = z.output<typeof ReachSchema>;
