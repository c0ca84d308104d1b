import { userRoom, type Message } from "@fanfare/contract";
import { boundedMap, may, type DomainEvents, type NodeContext } from "@fanfare/kernel";
import { CONCURRENCY } from "./bounds.ts";

/**
 * Tells those whom a message names that it is in their inbox. Roles and everybody are not told one by one: whoever sees the message
 * knows. What is lost here is found by the query of the inbox all the same.
 */
export async function tellMentioned(
  node: NodeContext,
  { channelId, groupId, messages }: DomainEvents["message.stored"],
): Promise<void> {
  const told = messages.flatMap((message) =>
    namedBy(message).map((userId): [string, Message] => [userId, message]),
  );
  await boundedMap(told, CONCURRENCY, async ([userId, message]) => {
    const access = await node.access.get(userId, { channelId });
    if (may(access, "view")) node.publish(userRoom(userId), "inbox.added", { message, groupId });
  });
}

function namedBy({ mentions, authorId }: Message): string[] {
  return mentions?.userIds.filter((userId) => userId !== authorId) ?? [];
}
