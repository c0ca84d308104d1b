import type { Call } from "@fanfare/contract";
import { createWorld, must } from "@fanfare/testing";

/** The way of a file from its upload to its end, and what is told of users who are deleted. */
export async function doFiles(url: string, call: Call): Promise<void> {
  const { owner, channel, group } = await createWorld(url);
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
  await call("file.exportUser", { userId: owner.userId, cursor: null });
  await call("file.exportUser", { userId: owner.userId, cursor: fileId });
  await call("file.forgetUser", { userId: owner.userId });
}
