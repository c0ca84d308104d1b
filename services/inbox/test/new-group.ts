import { createAccount, createGuest, must, type Person } from "@fanfare/testing";

export interface NewGroup {
  owner: Person;
  /** A member. */
  me: Person & { username: string };
  groupId: string;
  /** Its first channel. */
  channelId: string;
}

export async function newGroup(url: string): Promise<NewGroup> {
  const [owner, me] = [await createGuest(url), await createAccount(url)];
  const { group, channels } = await must(url, "group.create", { name: "A group" }, owner.accessToken);
  const made = { owner, me, groupId: group.id, channelId: channels[0]!.id };
  await join(url, made, me);
  return made;
}

export async function join(
  url: string,
  { owner, groupId }: Pick<NewGroup, "owner" | "groupId">,
  who: Person,
): Promise<void> {
  const { invite } = await must(url, "invite.create", { groupId }, owner.accessToken);
  await must(url, "invite.accept", { code: invite.code }, who.accessToken);
}
