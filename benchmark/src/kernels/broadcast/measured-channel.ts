import type { RunTools } from "../../cli/scenario.ts";
import { Audience, type AudienceOptions } from "../../receivers/audience.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { Target } from "../../targets/target.ts";
import { nowMs } from "./clock.ts";
import { SentMessages } from "./sent-messages.ts";

interface ChannelOptions extends Omit<AudienceOptions<Tally>, "urls" | "dialect" | "runId" | "tally"> {
  target: Pick<Target, "urls" | "dialect">;
  errors: RunTools["errors"];
  /** Members who receive, and the messages of the run at most: memory for them is allocated beforehand. */
  users: number;
  messages: number;
  payloadBytes: number;
}

/** A channel, with members who receive what is sent to it. They are not yet connected. */
export async function openChannel({
  target,
  errors,
  users,
  messages,
  payloadBytes,
  ...options
}: ChannelOptions) {
  const runId = newRunId();
  const tally = new Tally(allocateTally(users, messages, nowMs()));
  const { urls, dialect } = target;
  const audience = await Audience.start({ ...options, urls, dialect, runId, tally });
  const sent = new SentMessages({ runId, payloadBytes, errors });
  return {
    runId,
    tally,
    audience,
    sent,
    /** Reads back what is stored. */
    stored: (contents: AsyncIterable<unknown>) => new StoredCopies(runId, sent.all.length).addAll(contents),
    /** @param phase of errors of the members' connections, in the table of errors */
    async close(phase = "connection"): Promise<void> {
      await audience.close();
      errors.addAll(phase, audience.errors);
    },
  };
}
