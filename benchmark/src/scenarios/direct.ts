import { flag, fraction, integer, wholeNumber } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { buildDirectScene } from "../kernels/load/direct-scene.ts";
import { measureSends } from "../kernels/load/send-run.ts";
import {
  countOption,
  inFlightOption,
  LOAD_METRICS,
  loadPlanOf,
  loopOf,
  MESSAGE_LOAD_OPTIONS,
  planLoad,
} from "./load.ts";

const MOST_PEOPLE = 10_000;

export const direct = scenario({
  name: "direct",
  describe: "Direct messages per second: acknowledged, stored, and received by online users",
  metrics: LOAD_METRICS,
  options: {
    ...MESSAGE_LOAD_OPTIONS,
    count: countOption("Messages in total; default: senders × receivers × rounds × scale"),
    "in-flight": inFlightOption("Messages in flight; default: number of senders"),
    senders: integer("Who", "Number of senders; default: the messages in flight, or 100", {
      min: 1,
      max: MOST_PEOPLE,
    }),
    receivers: integer("Who", "Receivers, addressed round-robin by each sender", {
      default: 1,
      min: 1,
      max: MOST_PEOPLE,
    }),
    rounds: integer("Load", "Messages from each sender to each receiver", {
      default: 50,
      min: 1,
      max: 1_000_000,
    }),
    scale: fraction("Load", "Fraction of the receivers to create, above 0 and up to 1", {
      default: 1,
      max: 1,
    }),
    online: flag("Who", "All receivers are online; default: one of them, if there are several"),
  },
  examples: [
    ["$0 direct -c 500 -t 100", "kimbench's user"],
    ["$0 direct --senders 200 --receivers 1000 --scale 0.01", "10 of the 1,000 receivers"],
    ["$0 direct --senders 200 --receivers 1000 --scale 0.01 --online", "with all of them online"],
    ["$0 direct --rate 2000 --duration 60s", "a fixed rate of 2000 per second (open loop)"],
  ],
  async plan({ inFlight, scale, rounds, online: isOnline, ...values }) {
    const senders = wholeNumber("senders", values.senders ?? inFlight ?? 100, 1, MOST_PEOPLE);
    const receivers = Math.max(1, Math.round(values.receivers * scale));
    const loop = loopOf(values, {
      inFlight: inFlight ?? senders,
      requests: values.count ?? senders * receivers * rounds,
    });
    const size = { senders, receivers, isOnline };
    const online = isOnline ? receivers : Math.min(1, receivers - 1);
    const plan = loadPlanOf(values, loop, { senders, receivers: online });
    return planLoad(values, {
      title: "Direct messages",
      plan,
      options: { ...size, scale },
      connections: senders + online,
      deliveries: 2 * loop.requests,
      measure: async (context) => measureSends(context, await buildDirectScene(context, size)),
    });
  },
});
