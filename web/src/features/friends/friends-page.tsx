import { UserRound, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ClaimDialog } from "../session/claim-dialog.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { FriendTabs } from "./friend-tabs.tsx";

/** Friends, requests and whom one has blocked. */
export function FriendsPage() {
  const { t } = useTranslation("friends");
  const isAccount = useMe().kind === "member";
  return (
    <>
      <PageHeader icon={Users} title={t("title")} />
      {isAccount ? <FriendTabs /> : <GuestNote />}
    </>
  );
}

function GuestNote() {
  const { t } = useTranslation("friends");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <EmptyState
        icon={UserRound}
        title={t("guest")}
        text={t("guestText")}
        action={
          <Button variant="primary" onClick={() => setOpen(true)}>
            {t("guestAction")}
          </Button>
        }
      />
      {isOpen && <ClaimDialog onClose={() => setOpen(false)} />}
    </>
  );
}
