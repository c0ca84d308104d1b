import { integer } from "../cli/options.ts";
import { scenario } from "../cli/scenario.ts";
import { measureLoad } from "../kernels/requests/load-run.ts";
import { loadGuests } from "../kernels/requests/load.ts";
import { allocateRequests } from "../kernels/requests/request-memory.ts";
import { RequestThreads } from "../kernels/requests/request-threads.ts";
import { placesOf, sourceAddresses } from "../receivers/audience.ts";
import { newRunId } from "../receivers/message-tag.ts";
import { countOption, inFlightOption, LOAD_METRICS, LOAD_OPTIONS, loopOf, planLoad } from "./load.ts";

export const login = scenario({
  name: "login",
  describe: "Logins per second: connected, authenticated, and in all rooms",
  metrics: LOAD_METRICS,
  options: {
    ...LOAD_OPTIONS,
    count: { ...countOption("Logins"), default: 300 },
    inFlight: { ...inFlightOption("Logins in flight"), default: 100 },
    users: integer("Load", "Different users; default: number of logins, at most 5000", [1, 100_000], {
      alias: "u",
    }),
  },
  examples: [
    ["$0 login -c 300 -t 100", "kimbench's login"],
    ["$0 login --rate 500 --duration 10s", "a fixed rate of 500 per second (open loop)"],
  ],
  async plan({ count = 300, inFlight = 100, ...values }) {
    const loop = loopOf(values, { inFlight, requests: count });
    const users = values.users ?? Math.min(loop.requests, 5000);
    const warmUpUsers = Math.min(users, values.warmup, loop.requests);
    return planLoad(values, {
      title: "Logins",
      loop,
      senders: users,
      receivers: 0,
      connections: users + warmUpUsers,
      options: { users },
      async measure(context) {
        const { target, plan, signal } = context;
        const { guests, sessions, registration } = await loadGuests(context, users + warmUpUsers);
        const tokens = guests.map(({ accessToken }) => accessToken);
        const places = await placesOf(target, newRunId());
        const setup = {
          ...places,
          tokens: tokens.slice(0, users),
          warmUpTokens: tokens.slice(users),
          localAddresses: sourceAddresses(places.addresses[0]!).take(tokens.length),
          timeoutMs: plan.timeoutMs,
        };
        const threads = new RequestThreads("login", setup, plan.sendingThreads, signal);
        return measureLoad(context, {
          name: "login",
          threads,
          connect: () => threads.prepare(),
          memory: allocateRequests(loop.requests),
          // Each request is from another user, so that threads share them evenly.
          scene: { users, senders: users },
          registration,
          callers: sessions,
          missedWhy: "the last login of their user was not answered yet. Use more --users.",
        });
      },
    });
  },
});
