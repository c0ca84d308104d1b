import type { FanfareClient } from "@fanfare/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { DataContext } from "./data-context.ts";
import { startLive } from "./live.ts";
import { newQueryClient } from "./query-client.ts";
import { ServerCache } from "./cache.ts";

/** Everything below may ask for data of the user whose client this is; nothing of it outlives the client. */
export function DataProvider({ client, children }: { client: FanfareClient; children: ReactNode }) {
  const cache = useMemo(() => new ServerCache(client, newQueryClient()), [client]);
  useEffect(() => startLive(cache), [cache]);
  return (
    <QueryClientProvider client={cache.queries}>
      <DataContext value={cache}>{children}</DataContext>
    </QueryClientProvider>
  );
}
