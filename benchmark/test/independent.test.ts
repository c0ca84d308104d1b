import { expect, test } from "vitest";
import { compare, together } from "./independent/compare.ts";
import { metricValues } from "./metric-value.ts";

const MEMBERS = 100;
const MESSAGES = 8;
/** With the warm-up and the cold message. */
const SENT = MESSAGES + 4;

test(
  "a receiver in another language gets the same messages, after they were sent",
  { tags: "long" },
  async () => {
    const runs = await compare(together(MEMBERS), MESSAGES);
    expect(runs.map(({ connectsFirst }) => connectsFirst)).toEqual(["receiver", "tester"]);
    for (const { result, messages } of runs) {
      const counts = {
        sent: SENT,
        acknowledged: SENT,
        received: SENT * MEMBERS,
        lost: 0,
        duplicates: 0,
        corrupted: 0,
      };
      expect(metricValues(result, Object.keys(counts))).toEqual(counts);
      expect(messages).toHaveLength(SENT);
      for (const { testerMs, receiverMs, ackMs, ...message } of messages) {
        expect(message).toMatchObject({ received: MEMBERS, duplicates: 0, different: 0 });
        expect(Math.min(testerMs!, receiverMs, ackMs)).toBeGreaterThan(0);
      }
    }
  },
);
