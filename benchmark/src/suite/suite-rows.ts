import type { PublishedId } from "../published/published.ts";
import type { FigureKey } from "../report/figures.ts";

export const PROFILES = ["quick", "full"] as const;
export type Profile = (typeof PROFILES)[number];

/** One run of the tester in a suite. */
export interface SuiteRow {
  /** Of its result file too. */
  name: string;
  title: string;
  /** The command line; the same for both profiles, or null where a profile leaves it out. */
  run: string | Readonly<Record<Profile, string | null>>;
  /** What others have published of the same. */
  published?: readonly PublishedId[];
  /** The figures that stand beside published ones in the README; none: it is not in that table. */
  headline?: readonly FigureKey[];
  /** Programs that must be installed. */
  needs?: readonly string[];
}

const CLUSTER = ["nats-server", "redis-server"];

/** In the order in which they run. Another row is another entry here. */
export const SUITE_ROWS: readonly SuiteRow[] = [
  {
    name: "sweep",
    title: "One message to 100 … 10,000 members online in one group",
    run: {
      quick: "sweep --users 100,500,1000,2000,5000,10000 --messages 10",
      full: "sweep --users 100,500,1000,2000,5000,10000 --messages 20 --passes 4",
    },
  },
  {
    name: "limits-1000",
    title: "Beside bare Socket.IO and bare ws, 1,000 members",
    run: {
      quick: "limits --users 1000 --messages 10 --passes 2 --idle 1000",
      full: "limits --users 1000 --messages 10 --passes 4",
    },
  },
  {
    name: "limits-10000",
    title: "Beside bare Socket.IO and bare ws, 10,000 members",
    run: {
      quick: "limits --users 10000 --messages 10 --passes 2 --idle 1000",
      full: "limits --users 10000 --messages 10 --passes 5",
    },
  },
  {
    name: "cluster",
    title: "The same members on 1 and 2 gateways",
    run: {
      quick: "cluster --users 5000 --gateways 1,2 --passes 1 --messages 10 --idle 1000",
      full: "cluster --users 10000 --gateways 1,2,4 --passes 3 --messages 10",
    },
    needs: CLUSTER,
  },
  {
    name: "storm",
    title: "Gateways restart and die under members who are online",
    run: { quick: "storm --users 1000", full: "storm --users 10000" },
    needs: CLUSTER,
  },
  {
    name: "overload",
    title: "Twice as many messages as the server can take",
    run: { quick: "overload --users 100 --seconds 10", full: "overload --users 100 --seconds 60" },
  },
];

/** null: the profile leaves the row out. */
export function commandLine({ run }: SuiteRow, profile: Profile): string | null {
  return typeof run === "string" ? run : run[profile];
}
