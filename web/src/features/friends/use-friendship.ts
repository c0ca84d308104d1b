import { useFriendRequests, useFriends } from "../../data/friends.ts";
import { useMe } from "../../data/me.ts";

/** What a user is to the one who is logged in; null until it is known, and for guests, who have no friends. */
export type Friendship = "none" | "friend" | "incoming" | "outgoing" | null;

export function useFriendship(userId: string): Friendship {
  const enabled = useMe().kind === "member";
  const { data: friends } = useFriends({ enabled });
  const { data: requests } = useFriendRequests({ enabled });
  if (!enabled || friends === undefined || requests === undefined) return null;
  if (friends.some((friend) => friend.userId === userId)) return "friend";
  return requests.find((request) => request.userId === userId)?.direction ?? "none";
}
