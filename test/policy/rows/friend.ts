import { row } from "../row.ts";

const targetOf = ({ target }: { target: { userId: string } }) => ({ userId: target.userId });

export const friendRows = {
  "friend.request": row("friend.request", targetOf),
  "friend.accept": row("friend.accept", targetOf, {
    why: "none of them has a friend request",
    allowed: "FRIEND_REQUEST_NOT_FOUND",
  }),
  "friend.decline": row("friend.decline", targetOf),
  "friend.remove": row("friend.remove", targetOf),
  "friend.list": row("friend.list", () => ({})),
  "friend.listRequests": row("friend.listRequests", () => ({})),
  "friend.getReach": row("friend.getReach", () => ({})),
  "friend.setReach": row("friend.setReach", () => ({ directFrom: "groupMates" })),
};
