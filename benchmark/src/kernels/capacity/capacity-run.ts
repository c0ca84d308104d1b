import type { RunTools } from "../../cli/scenario.ts";
import type { Needs } from "../../cli/preflight.ts";
import { isFanfare } from "../../targets/fanfare/fanfare-target.ts";
import type { Target } from "../../targets/target.ts";
import { searchesOf, type CapacityAttempt, type CapacityPlan, type CapacitySearch } from "./capacity.ts";
import { rateAttempts } from "./rate-attempt.ts";
import { Search } from "./search.ts";
import { usersAttempts } from "./users-attempt.ts";

export interface CapacityContext extends RunTools {
  target: Target;
  plan: CapacityPlan;
  where: Pick<Needs, "isLocalServer" | "canSpreadAddresses">;
}

const FIRST_USERS = 100;
const FIRST_PER_SECOND = 50;

/**
 * Searches for the server's capacity. On an abort signal, the result is what was found until then.
 * @throws {ExitError} if the members of the rate's group can't be connected
 */
export async function measureCapacity(context: CapacityContext): Promise<CapacitySearch[]> {
  const { target, plan, signal } = context;
  const [wanted, searches] = [searchesOf(plan), [] as CapacitySearch[]];
  const run = async (
    about: Pick<CapacitySearch, "what" | "members" | "atMost">,
    first: number,
    attempt: (value: number) => Promise<CapacityAttempt>,
  ) => {
    if (signal.aborted) return;
    const { atMost } = about;
    const precision = 1 + plan.precision / 100;
    const search = new Search({ from: Math.min(first, atMost), atMost, precision, attempt });
    try {
      await search.run();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    const { held, failed, attempts } = search;
    searches.push({ ...about, held, failed, attempts });
  };
  if (wanted.includes("users")) {
    const about = { what: "users", members: null, atMost: plan.mostUsers } as const;
    await run(about, FIRST_USERS, usersAttempts(context));
  }
  if (wanted.includes("rate") && isFanfare(target)) {
    const about = { what: "messagesPerSecond", members: plan.members, atMost: plan.mostRate } as const;
    await run(about, FIRST_PER_SECOND, rateAttempts({ ...context, target }));
  }
  return searches;
}
