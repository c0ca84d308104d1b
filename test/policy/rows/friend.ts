import { accountsOnly, loggedIn, row } from "../row.ts";

const targetOf = ({ target }: { target: { userId: string } }) => ({ userId: target.userId });

export const friendRows = {
  "friend.request": row("friend.request", accountsOnly, targetOf),
  "friend.accept": row("friend.accept", accountsOnly, targetOf),
  "friend.decline": row("friend.decline", accountsOnly, targetOf),
  "friend.remove": row("friend.remove", accountsOnly, targetOf),
  "friend.list": row("friend.list", accountsOnly, () => ({})),
  "friend.listRequests": row("friend.listRequests", accountsOnly, () => ({})),
  "friend.getReach": row("friend.getReach", loggedIn, () => ({})),
  "friend.setReach": row("friend.setReach", loggedIn, () => ({ directFrom: "groupMates" })),
};
