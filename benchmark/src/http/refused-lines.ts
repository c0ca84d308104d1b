import { styleText } from "node:util";
import { count, short, whole } from "../report/format.ts";
import type { HttpMeasurement } from "./http-result.ts";

/** Rejections that are not the request's fault. */
const ADVICE: Readonly<Record<string, string>> = {
  OVERLOADED:
    "more requests were on their way than the server takes at once (5,000 to each process of a gateway). It says so at once, " +
    "and when to come back, which the tester obeys. For a run in which none is refused: a lower --concurrency, or a server with more gateways.",
  UNAVAILABLE: "a part of the server was busy or away. See its log, and try a lower --concurrency.",
  RATE_LIMITED: "a limit for one user or address: more --users, or a server whose limits are set higher.",
  TOKEN_EXPIRED: "the run took longer than an access token holds: fewer --requests.",
};
/** From this share on, the other figures say little. */
const MANY = 0.1;

/** Rejected requests: their share and codes, where they are counted and what to do. Empty if there are none. */
export function refusedLines({ counts, errors }: Pick<HttpMeasurement, "counts" | "errors">): string[] {
  if (counts.refused === 0) return [];
  const share = counts.refused / counts.sent;
  const codes = errors.filter(({ phase }) => phase === REFUSED);
  return [
    `  ${whole(counts.refused)} of ${count(counts.sent, "request")} (${short(share * 100)} %). They are in no percentile, not in the requests per second`,
    "  and not made again; time that the tester waited before it came back is in no percentile either.",
    ...codes.map(({ code, count: times }) => {
      const advice = ADVICE[code];
      return `  ${code} ${whole(times)}${advice === undefined ? "" : `: ${advice}`}`;
    }),
    ...(share >= MANY
      ? [
          styleText(
            "yellow",
            `  So many were refused that the figures above are those of the ${whole(counts.acknowledged)} which were not: do not compare them.`,
          ),
        ]
      : []),
  ];
}

/** The errors' phase for rejections. */
export const REFUSED = "refused";
