import { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { FIRST_PER_SECOND, FIRST_USERS } from "./capacity-plan.ts";
import { searchResult, type CapacityAttempt, type CapacityMeasurement } from "./capacity-result.ts";
import { RateAttempts } from "./rate-attempt.ts";
import { Search } from "./search.ts";
import { UsersAttempts, type CapacityContext } from "./users-attempt.ts";

/**
 * Searches for the server's capacity. On an abort signal, the result is what was found until then.
 * @throws {ExitError} if the members of the rate's group can't be connected
 */
export async function measureCapacity(context: CapacityContext): Promise<CapacityMeasurement> {
  const { target, plan, errors, signal } = context;
  const searches: CapacityMeasurement["searches"] = [];
  const run = async (search: Search<CapacityAttempt>, about: Parameters<typeof searchResult>[1]) => {
    if (signal.aborted) return;
    try {
      await search.run();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    searches.push(searchResult(search, about));
  };
  if (plan.searches.includes("users")) {
    const attempts = new UsersAttempts(context);
    const search = new Search({
      from: Math.min(FIRST_USERS, plan.mostUsers),
      atMost: plan.mostUsers,
      precision: plan.precision,
      attempt: (users) => attempts.attempt(users),
    });
    await run(search, { what: "users", members: null, atMost: plan.mostUsers });
  }
  if (plan.searches.includes("rate") && target instanceof FanfareTarget) {
    const attempts = new RateAttempts({ ...context, target });
    const search = new Search({
      from: Math.min(FIRST_PER_SECOND, plan.mostPerSecond),
      atMost: plan.mostPerSecond,
      precision: plan.precision,
      attempt: (perSecond) => attempts.attempt(perSecond),
    });
    await run(search, { what: "messagesPerSecond", members: plan.members, atMost: plan.mostPerSecond });
  }
  return {
    target: { name: target.name, url: target.urls.join(","), isThrowaway: target.isThrowaway },
    p100LimitMs: plan.p100LimitMs,
    searches,
    errors: errors.rows(),
  };
}
