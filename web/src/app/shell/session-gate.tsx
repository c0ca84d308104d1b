import type { ReactNode } from "react";
import { useServerCache } from "../../data/data-context.ts";
import { useLoaded } from "../../data/store.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Splash } from "./splash.tsx";

/** Shows the application as soon as it is known who is here: after a reload only the server can say. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { client } = useServerCache();
  const { data } = useLoaded("user.me", {}, ({ me }) => me ?? undefined);
  if (data !== undefined || client.user !== null) return children;
  return (
    <>
      <ConnectionBanner />
      <Splash />
    </>
  );
}
