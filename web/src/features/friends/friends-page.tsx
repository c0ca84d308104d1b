import { UserRound, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { FriendTabs } from "./friend-tabs.tsx";

/** Friends, requests and whom one has blocked. */
export function FriendsPage() {
  const { t } = useTranslation("friends");
  const isAccount = useMe().kind === "member";
  return (
    <>
      <PageHeader icon={Users} title={t("title")} />
      {isAccount ? <FriendTabs /> : <EmptyState icon={UserRound} title={t("guest")} text={t("guestText")} />}
    </>
  );
}
