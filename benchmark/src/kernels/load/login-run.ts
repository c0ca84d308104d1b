import { addressOf, sourceAddresses } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { LoginSetup } from "../requests/login-operation.ts";
import { allocateRequests } from "../requests/request-memory.ts";
import type { LoadContext, LoadMeasurement } from "./load.ts";
import { measureLoad } from "./load-run.ts";

/** @param users tokens of the users who log in and of those of the warm-up, and their registration */
export async function measureLogins(
  context: LoadContext,
  users: { tokens: readonly string[]; warmUpTokens: readonly string[]; registration: RegistrationResult },
): Promise<LoadMeasurement> {
  const { target, plan } = context;
  const { tokens, warmUpTokens, registration } = users;
  const addresses = await Promise.all(target.urls.map(addressOf));
  const setup: LoginSetup = {
    urls: target.urls,
    addresses,
    dialect: target.dialect,
    runId: newRunId(),
    tokens,
    warmUpTokens,
    localAddresses: sourceAddresses(addresses[0]!).take(tokens.length + warmUpTokens.length),
  };
  const { length } = tokens;
  return measureLoad(context, {
    name: "login",
    operation: { module: new URL("../requests/login-operation.ts", import.meta.url), setup },
    memory: allocateRequests(plan.loop.requests),
    // Each request is from another user, so that threads share them evenly.
    senders: length,
    scene: { users: length, senders: length, online: 0, channels: 0, groups: null, members: null },
    registration,
  });
}
