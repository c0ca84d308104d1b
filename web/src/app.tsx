import { Home } from "./features/home/home.tsx";
import { InvitePage } from "./features/invites/invite-page.tsx";
import { ClientContext } from "./features/session/client-context.ts";
import { Landing } from "./features/session/landing.tsx";
import { useSession } from "./features/session/session-store.ts";
import { useRoute } from "./shared/route.ts";

export function App() {
  const route = useRoute();
  const { client, notice } = useSession();
  if (client === null) {
    return <Landing notice={notice} inviteCode={route.page === "invite" ? route.code : undefined} />;
  }
  return (
    <ClientContext value={client}>
      {route.page === "invite" ? <InvitePage code={route.code} /> : <Home route={route} />}
    </ClientContext>
  );
}
