import type { FanfareClient } from "@fanfare/client";
import { DataProvider } from "./data/data-provider.tsx";
import { SessionGate } from "./features/shell/session-gate.tsx";
import { Pages } from "./pages.tsx";

/** Everything for who is logged in, loaded apart: the page to log in is to be there at once. */
export function LoggedIn({ client }: { client: FanfareClient }) {
  return (
    <DataProvider client={client}>
      <SessionGate>
        <Pages />
      </SessionGate>
    </DataProvider>
  );
}
