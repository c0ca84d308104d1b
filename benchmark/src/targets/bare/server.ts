import cluster from "node:cluster";
import type { Server } from "node:http";

export const SENDER = "sender";
export const AUDIENCE = "audience";

/** The same event with the same fields as the platform sends, so that all servers send the same bytes. */
export function messageCreated(content: string, seq: number): [event: string, payload: object] {
  const id = seq.toString(16).padStart(24, "0");
  const ids = { id, channelId: id };
  const times = { createdAt: new Date().toISOString(), editedAt: null, deletedAt: null };
  const message = { ...ids, seq, rev: seq, authorId: id, content, replyTo: null, nonce: id, ...times };
  return ["message.created", { channelId: id, messages: [message] }];
}

/** Tells the parent when it listens, and exits with it. */
export function serveParent(server: Server, port: number): void {
  process.on("disconnect", () => process.exit());
  server.listen({ port, host: "127.0.0.1", backlog: 4096 }, () => process.send?.("listening"));
}

/** The same for several worker processes with one port. */
export function servePrimary(workers: number): void {
  process.on("disconnect", () => process.exit());
  let listening = 0;
  cluster.on("listening", () => {
    if (++listening === workers) process.send?.("listening");
  });
  for (let i = 0; i < workers; i++) cluster.fork();
}
