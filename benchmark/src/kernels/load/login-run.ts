import { addressOf } from "../../receivers/audience.ts";
import { SourceAddresses } from "../../receivers/source-addresses.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { describeTarget, type LoadContext } from "./load-context.ts";
import { allocateLoad } from "./load-memory.ts";
import type { LoadMeasurement } from "./load-result.ts";
import { emptyRecord, runLoad } from "./load-run.ts";
import { LoadThreads } from "./load-threads.ts";
import type { LoginSetup } from "./login-operation.ts";
import { summariseLoad } from "./summarise-load.ts";

/** @param users tokens of the users who log in and of those of the warm-up, and their registration */
export async function measureLogins(
  context: LoadContext,
  users: { tokens: readonly string[]; warmUpTokens: readonly string[]; registration: RegistrationResult },
): Promise<LoadMeasurement> {
  const { target, plan, errors, signal } = context;
  const { tokens, warmUpTokens, registration } = users;
  const cpuAtStart = process.cpuUsage();
  const memory = allocateLoad(plan.loop.requests);
  const addresses = await Promise.all(target.urls.map(addressOf));
  const setup: LoginSetup = {
    urls: target.urls,
    addresses,
    dialect: target.dialect,
    tokens,
    warmUpTokens,
    localAddresses: new SourceAddresses(addresses[0]!).take(tokens.length + warmUpTokens.length),
  };
  const module = new URL("./login-operation.ts", import.meta.url);
  const threads = new LoadThreads(module, setup, plan.sendingThreads, signal);
  let record = emptyRecord();
  try {
    await threads.prepare();
    record = await runLoad({
      ...context,
      // Each request is from another user, so that threads share them evenly.
      senders: tokens.length,
      memory,
      threads,
      tally: undefined,
      receivers: undefined,
      usage: () => target.usage(),
      isThrowaway: target.isThrowaway,
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const [code, count] of (await threads.close()).flatMap((table) => Object.entries(table)))
      errors.add("connection", code, count);
  }
  for (const [code, count] of record.reports.flatMap((report) => Object.entries(report.errors)))
    errors.add("login", code, count);
  return summariseLoad({
    target: describeTarget(context),
    plan,
    scene: {
      users: tokens.length,
      senders: tokens.length,
      online: 0,
      channels: 0,
      groups: null,
      members: null,
    },
    registration,
    record,
    memory,
    tally: undefined,
    connections: undefined,
    copies: undefined,
    cpuAtStart,
    errors: errors.rows(),
  });
}
