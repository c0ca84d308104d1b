import type { Call } from "@fanfare/contract";
import { createWorld, must, type World } from "@fanfare/testing";
import { uploadEmoji } from "../support/emoji.ts";

/** Exports from the start, and from the middle of everything that is paged. */
async function exportGroup(
  url: string,
  call: Call,
  { owner, group, channel, message }: World,
): Promise<void> {
  const groupId = group.id;
  const ids = { channelId: channel.id, messageId: message.id };
  await must(url, "message.react", { ...ids, emoji: "👍" }, owner.accessToken);
  const thread = await must(url, "channel.openThread", ids, owner.accessToken);
  const headers = { authorization: `Bearer ${owner.accessToken}` };
  const response = await fetch(`${url}/api/group.export?groupId=${groupId}`, { headers });
  if (!(await response.text()).includes('"type":"end"')) throw new Error("The export is not whole.");
  const afterId = thread.channel.id;
  await call("group.exportThreads", { groupId, channelId: channel.id, afterId });
  await call("group.exportMembers", { groupId, afterUserId: owner.userId });
  const reaction = { seq: message.seq, emoji: "👍", userId: owner.userId };
  await call("message.exportChannel", { channelId: channel.id, after: reaction });
  for (const cursor of [null, groupId, `${groupId}-${channel.id}-${afterId}`])
    await call("group.listOwnChannels", { userId: owner.userId, of: "groups", cursor });
  for (const cursor of [null, `${Date.now()}-${groupId}`])
    await call("group.listOwnChannels", { userId: owner.userId, of: "direct", cursor });
  await importGroup(call, owner.userId);
}

/** One import that is aborted, and one that completes. */
async function importGroup(call: Call, ownerId: string): Promise<void> {
  const salt = "0123456789";
  for (const isWhole of [false, true]) {
    const { groupId } = await call("group.beginImport", { ownerId });
    const { group } = await call("group.exportHead", { groupId: await anyGroup(call, ownerId) });
    const users = [{ type: "user" as const, id: ownerId, username: null, nickname: "Ada" }];
    await call("group.importPlaces", { groupId, salt, roles: [], channels: [] });
    await call("message.importLines", { groupId, salt, messages: [], reactions: [] });
    await call("message.importHeads", { groupId, salt, heads: [{ channelId: groupId, seq: 1 }] });
    if (!isWhole) await call("user.importNames", { groupId, salt, users });
    if (isWhole) await call("group.finishImport", { groupId, salt, group, byUserId: ownerId });
    else await call("group.cancelImport", { groupId });
    await call("user.removeImported", { groupId });
  }
}

async function anyGroup(call: Call, userId: string): Promise<string> {
  const { nextCursor } = await call("group.listOwnChannels", { userId, of: "groups", cursor: null });
  return nextCursor!.split("-")[0]!;
}

/** The life of a file from upload to deletion, and the cleanup after deleted users. */
export async function exerciseFiles(url: string, call: Call): Promise<void> {
  const world = await createWorld(url);
  const { owner, channel, group } = world;
  const token = owner.accessToken;
  const channelId = channel.id;
  const upload = async (name: string): Promise<string> => {
    const query = new URLSearchParams({ channelId, name });
    const headers = { authorization: `Bearer ${token}` };
    const address = `${url}/api/file.upload?${query.toString()}`;
    const response = await fetch(address, { method: "POST", headers, body: "text" });
    const answer = (await response.json()) as { data: { file: { fileId: string } } };
    return answer.data.file.fileId;
  };
  const fileId = await upload("a.txt");
  const params = { channelId, content: "", nonce: "file", attachmentIds: [fileId] };
  const { message } = await must(url, "message.send", params, token);
  await must(url, "file.getUrl", { fileId }, token);
  await must(url, "file.getUrls", { channelId, fileIds: [fileId] }, token);
  await must(url, "file.listMine", { before: fileId }, token);
  await must(url, "message.delete", { channelId, messageId: message.id }, token);
  await must(url, "file.delete", { fileId: await upload("b.txt") }, token);
  await call("file.dropPictures", { of: { type: "group", id: group.id } });
  await call("file.dropPictures", { of: { type: "member", id: group.id }, userId: owner.userId });
  const ofGroup = { groupId: group.id };
  const { emoji } = await must(
    url,
    "emoji.add",
    { ...ofGroup, name: "first", fileId: await uploadEmoji(url, owner) },
    token,
  );
  await must(url, "emoji.rename", { ...ofGroup, emojiId: emoji.id, name: "second" }, token);
  const ids = { channelId, messageId: world.message.id };
  await must(url, "message.react", { ...ids, emoji: ":second:" }, token);
  await must(url, "emoji.delete", { ...ofGroup, emojiId: emoji.id }, token);
  await call("file.exportUser", { userId: owner.userId, cursor: null });
  await call("file.exportUser", { userId: owner.userId, cursor: fileId });
  await call("file.forgetUser", { userId: owner.userId });
  await exportGroup(url, call, await createWorld(url));
}
