import { styleText } from "node:util";
import { count, short, whole } from "../report/format.ts";
import type { HttpMeasurement } from "./http-result.ts";

/** Rejections that are not the request's fault. */
const ADVICE: Readonly<Record<string, string>> = {
  OVERLOADED:
    "more requests were in flight than the server accepts (5,000 per gateway process). It rejects at once with a retry time, " +
    "which the tester obeys. To avoid rejections, use a lower --concurrency, or a server with more gateways.",
  UNAVAILABLE: "a part of the server was busy or unavailable. Check its log, and try a lower --concurrency.",
  RATE_LIMITED: "a limit per user or address: use more --users, or a server with higher limits.",
  TOKEN_EXPIRED: "the run outlasted an access token: use fewer --requests.",
};
/** From this share on, the other figures say little. */
const MANY = 0.1;

/** Rejected requests: their share and codes, where they are counted and what to do. Empty if there are none. */
export function refusedLines({ counts, errors }: Pick<HttpMeasurement, "counts" | "errors">): string[] {
  if (counts.refused === 0) return [];
  const share = counts.refused / counts.sent;
  const codes = errors.filter(({ phase }) => phase === REFUSED);
  return [
    `  ${whole(counts.refused)} of ${count(counts.sent, "request")} (${short(share * 100)} %). They are not in the percentiles and the requests per second,`,
    "  and not retried; the time the tester waited afterwards is not in the percentiles either.",
    ...codes.map(({ code, count: times }) => {
      const advice = ADVICE[code];
      return `  ${code} ${whole(times)}${advice === undefined ? "" : `: ${advice}`}`;
    }),
    ...(share >= MANY
      ? [
          styleText(
            "yellow",
            `  So many were rejected that the figures above only describe the other ${whole(counts.acknowledged)}: don't compare them.`,
          ),
        ]
      : []),
  ];
}

/** The errors' phase for rejections. */
export const REFUSED = "refused";
