import { publishers } from "./candidates.ts";
import type { Candidate, FromPublisher, ToPublisher } from "./protocol.ts";

/** node publisher.ts CANDIDATE BROKER */

const [candidate, url] = process.argv.slice(2) as [Candidate, string];
const send = (message: FromPublisher): void => void process.send!(message);

const publish = await publishers[candidate](url);
process.on("message", ({ messages }: ToPublisher) => {
  const at = process.hrtime.bigint();
  for (let i = 0; i < messages; i++) publish();
  send({ kind: "started", at: String(at) });
});
process.on("disconnect", () => process.exit());
send({ kind: "connected" });
