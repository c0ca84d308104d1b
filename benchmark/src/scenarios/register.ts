import { PROGRAM, usageError } from "../cli/exit.ts";
import { FANFARE_OPTIONS, integer, MOST_USERS, text } from "../cli/options.ts";
import { addressNeeds } from "../cli/preflight.ts";
import { assertWritable, scenario, type RunContext } from "../cli/scenario.ts";
import { writeTokens } from "../targets/tokens.ts";
import { count, serverText } from "../report/format.ts";
import { metrics } from "../report/metric.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";
import { openMeeting, registerGuests } from "../targets/fanfare/meeting.ts";
import { tokensOf } from "../targets/fanfare/session.ts";

export const register = scenario({
  name: "register",
  describe: "Registers users who join one group, and writes their tokens to a file",
  metrics: [
    "registrationsPerSecond",
    "registrationsPerCpuSecond",
    "registrationP50Ms",
    "registrationP99Ms",
    "registrationP100Ms",
    "rssBytes",
  ],
  options: {
    ...FANFARE_OPTIONS,
    users: integer("Who", "Guests to register and add to one group", [1, MOST_USERS], {
      default: 1000,
      alias: "u",
    }),
    connecting: integer("Load", "Concurrent registrations", [1, 10_000], { default: 100 }),
    out: text("Result", `Write the tokens to this file, for ${PROGRAM} connect --tokens; requires --url`),
  },
  examples: [
    ["$0 register --users 1000 --url http://127.0.0.1:3000 --out tokens.txt", `for ${PROGRAM} connect`],
    ["$0 register --users 10000", "only the registration rate"],
  ],
  async plan({ users, connecting: concurrency, url, metricsUrl, out }) {
    if (out !== undefined && url === undefined) {
      throw usageError(
        "--out requires --url: a server that is started for the run is removed with its users.",
      );
    }
    await addressNeeds(url);
    await assertWritable("out", out);
    return {
      options: { users, concurrency },
      async measure(context: RunContext) {
        const { progress, signal } = context;
        const target = await openFanfare(context, { url, metricsUrl, registrations: concurrency });
        const before = await target.usage();
        const meeting = await (out === undefined
          ? target.openMeeting(signal)
          : openMeeting(target.api, signal));
        const work = { count: users, concurrency, progress, signal };
        const { sessions, registration } = await registerGuests(target.api, [meeting.code], work);
        const after = await target.usage();
        if (out !== undefined) await writeTokens(out, await tokensOf([meeting.owner, ...sessions], work));
        const usage = `${PROGRAM} connect --url ${url} --tokens ${out} --channel ${meeting.channelId}`;
        const cpuSeconds = (after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
        const { perSecond, userMs } = registration;
        return {
          title: `Register ${count(users, "user")}, each joining one group`,
          subtitle: [serverText(target), `${concurrency} at a time`],
          metrics: [
            ...metrics(
              {
                registrationsPerSecond: perSecond,
                registrationP50Ms: userMs?.p50,
                registrationP99Ms: userMs?.p99,
                registrationP100Ms: userMs?.p100,
                registrationsPerCpuSecond: cpuSeconds > 0 ? users / cpuSeconds : undefined,
              },
              { users },
            ),
            ...metrics({ rssBytes: before?.rssBytes }, { users, when: "before" }),
            ...metrics({ rssBytes: after?.rssBytes }, { users, when: "after" }),
          ],
          tables: out === undefined ? [] : [{ label: "Tokens, valid for 15 minutes", rows: [[out, usage]] }],
        };
      },
    };
  },
});
