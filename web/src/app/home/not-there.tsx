import { Compass } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { groupPath, landingPath } from "../../routes.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/feedback.tsx";
import { PageHeader } from "../shell/page-header.tsx";

/** What an address names and nobody has, or not this user. */
export function NotThere({ what, groupId }: { what: "group" | "channel"; groupId?: string }) {
  const { t } = useTranslation("home");
  return (
    <>
      <PageHeader title={t("notThere")} />
      <EmptyState
        icon={Compass}
        title={what === "group" ? t("noSuchGroup") : t("noSuchChannel")}
        text={t("notThereText")}
        action={
          <Link
            href={groupId === undefined ? landingPath() : groupPath(groupId)}
            className={buttonClass({ variant: "primary" })}
          >
            {groupId === undefined ? t("toYourGroups") : t("toTheGroup")}
          </Link>
        }
      />
    </>
  );
}
