import { Types } from "mongoose";
import type { MessageDocument } from "../message.model.ts";
import type { ChannelBatch } from "./channel-queues.ts";
import type { ChangeItem, CreateItem } from "./item.ts";
import type { Change, KnownHead, Take } from "./store.ts";

/** A channel's part of a commit with the numbers that it is to take: first all new messages, then all changes. */
export interface NumberedBatch {
  channelId: string;
  take: Take;
  /** Where the head stands when the numbers are taken. */
  next: KnownHead;
  creates: { item: CreateItem; message: MessageDocument }[];
  changes: { item: ChangeItem; change: Change }[];
}

export function numberBatch({ channelId, items }: ChannelBatch, from: KnownHead, at: Date): NumberedBatch {
  const channel = new Types.ObjectId(channelId);
  const creates: NumberedBatch["creates"] = [];
  const changes: NumberedBatch["changes"] = [];
  let { seq, rev } = from;
  for (const item of items) {
    if (item.kind !== "create") continue;
    seq += 1;
    rev += 1;
    creates.push({
      item,
      message: {
        _id: new Types.ObjectId(),
        channelId: channel,
        seq,
        rev,
        authorId: new Types.ObjectId(item.authorId),
        content: item.content,
        replyTo: item.replyTo === null ? null : new Types.ObjectId(item.replyTo),
        nonce: item.nonce,
        createdAt: at,
        editedAt: null,
        deletedAt: null,
      },
    });
  }
  for (const item of items) {
    if (item.kind !== "change") continue;
    rev += 1;
    changes.push({ item, change: { messageId: item.messageId, channelId, rev, set: item.set } });
  }
  return {
    channelId,
    take: { channelId, from, seqs: seq - from.seq, revs: rev - from.rev },
    next: { seq, rev, exists: true, finished: [] },
    creates,
    changes,
  };
}
