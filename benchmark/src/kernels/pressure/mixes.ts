import type { MixedCall } from "../requests/mix-operation.ts";

/** For the hostile readers: some 5 MB of the longest texts. */
export const MESSAGES_PER_CHANNEL = 120;
const UPLOAD_BYTES = 10_000;

type Params = readonly Record<string, unknown>[];

const call = (weight: number, action: string, params: Params, name = action): MixedCall => {
  return { name, weight, kind: "call", action, params };
};

/** The most expensive requests a guest can make. */
export function hostileReads(groupId: string, channelIds: readonly string[]): MixedCall[] {
  const around = Math.ceil(MESSAGES_PER_CHANNEL / 2);
  const cursors = channelIds.map((channelId) => ({ channelId, afterRev: 0 }));
  const pages = channelIds.map((channelId) => ({ channelId, around, limit: 100 }));
  return [
    call(3, "channel.sync", [{ cursors }]),
    call(3, "message.list", pages),
    call(2, "message.search", [{ groupId, text: "lorem ipsum" }]),
    call(2, "no.such", [{}], "unknown action"),
  ];
}

export function mixture(channelIds: readonly string[]): MixedCall[] {
  const messages = channelIds.map((channelId) => ({ channelId, content: "hello ".repeat(15) }));
  const pages = channelIds.map((channelId) => ({ channelId, limit: 50 }));
  const file = { channelId: channelIds[0], name: "notes.txt", bytes: UPLOAD_BYTES };
  return [
    call(10, "message.send", messages),
    call(4, "message.list", pages),
    call(3, "user.me", [{}]),
    { name: "connect", weight: 2, kind: "connect" },
    { name: "file.upload", weight: 1, kind: "upload", params: [file] },
  ];
}

export function ofBystander(channelId: string): MixedCall[] {
  return [call(5, "user.me", [{}]), call(2, "message.send", [{ channelId, content: "hello" }])];
}
