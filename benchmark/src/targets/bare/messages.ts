export const SENDER = "sender";
export const AUDIENCE = "audience";

/** The same event with the same fields as the platform sends, so that all servers send the same bytes. */
export function messageCreated(content: string, seq: number): [event: string, payload: object] {
  const id = seq.toString(16).padStart(24, "0");
  const message = {
    id,
    channelId: id,
    seq,
    rev: seq,
    authorId: id,
    content,
    replyTo: null,
    nonce: id,
    createdAt: new Date().toISOString(),
    editedAt: null,
    deletedAt: null,
  };
  return ["message.created", { channelId: id, messages: [message] }];
}
