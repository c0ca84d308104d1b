import type { FanfareClient } from "@fanfare/client";
import type { AdminUser } from "@fanfare/contract";
import { InfiniteQueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { ServerCache } from "./cache.ts";
import { callWithEffects } from "./call.ts";
import { newQueryClient } from "./data-context.ts";

test("the list of users shows that two-step verification was reset", async () => {
  const user = { id: "a", totpEnabled: true } as AdminUser;
  const client = {
    state: "online",
    on: () => () => undefined,
    wrapCalls: () => undefined,
    async call(name: string) {
      if (name === "admin.listUsers") return { users: [{ ...user }], nextUserId: null };
      user.totpEnabled = false;
      return {};
    },
  } as unknown as FanfareClient;
  const cache = new ServerCache(client, newQueryClient());
  const options = cache.pagedQuery("admin.listUsers", {}, "beforeUserId", (page) => page.nextUserId);
  const observer = new InfiniteQueryObserver(cache.queries, options);
  const isEnabled = () => observer.getCurrentResult().data?.pages[0]?.users[0]?.totpEnabled;
  const end = observer.subscribe(() => undefined);
  await expect.poll(isEnabled).toBe(true);
  await callWithEffects(cache)("admin.resetTotp", { userId: "a" });
  await expect.poll(isEnabled, { timeout: 5000 }).toBe(false);
  end();
});
