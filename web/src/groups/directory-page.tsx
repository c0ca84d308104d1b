import type { ListedGroup } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Compass } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { PageBody, PageHeader } from "../app/shell/page-header.tsx";
import { useCall } from "../data/call.ts";
import { usePagedQuery } from "../data/data-context.ts";
import { useGroup } from "../data/groups.ts";
import { groupPath } from "../routes.ts";
import { useSettled } from "../shared/hooks.ts";
import { PagedRows } from "../shared/paged-list.tsx";
import { useAction, isErrorOf } from "../shared/use-action.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { AskToJoin, useOwnJoinRequest } from "./invites/invite-page.tsx";
import { Avatar } from "../ui/display.tsx";
import { EmptyState, ErrorNote } from "../ui/feedback.tsx";
import { FilterField } from "../ui/form.tsx";

/** The groups that anyone can join. */
export function DirectoryPage() {
  const { t } = useTranslation("groups");
  const [text, setText] = useState("");
  const query = useSettled(text).trim();
  const pages = usePagedQuery("group.listDirectory", { query }, "groups", "cursor", "nextCursor");
  return (
    <>
      <PageHeader icon={Compass} title={t("directory.title")} />
      <PageBody>
        <FilterField
          label={t("directory.search")}
          maxLength={LIMITS.searchTextMaxChars}
          value={text}
          onChange={setText}
        />
        <PagedRows
          pages={pages}
          label={t("directory.title")}
          className="grid gap-2"
          empty={
            <EmptyState
              icon={Compass}
              title={query === "" ? t("directory.empty") : t("directory.none")}
              text={query === "" ? t("directory.emptyText") : t("directory.noneText")}
            />
          }
        >
          {(group) => <GroupEntry key={group.id} group={group} />}
        </PagedRows>
      </PageBody>
    </>
  );
}

function GroupEntry({ group }: { group: ListedGroup }) {
  const { id, name, description, iconUrl, memberCount, needsApproval } = group;
  const { t } = useTranslation("groups");
  const isMember = useGroup(id) !== undefined;
  const call = useCall();
  const [, navigate] = useLocation();
  const { busy, error, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const request = useOwnJoinRequest(id);
  const asks = !isMember && (isAsking || (request !== undefined && needsApproval));
  const join = async () => {
    const joined = await call("group.joinListed", { groupId: id }).catch((failure: unknown) => {
      if (!isErrorOf(failure, "APPROVAL_REQUIRED")) throw failure;
      setAsking(true);
      return null;
    });
    if (joined !== null) navigate(groupPath(id));
  };
  return (
    <li className="grid gap-2 rounded-lg border border-line p-3">
      <div className="flex items-start gap-3">
        <Avatar name={name} id={id} src={iconUrl} size={48} shape="square" />
        <div className="grid min-w-0 flex-1 gap-0.5">
          <h2 className="font-semibold wrap-anywhere">{name}</h2>
          <p className="text-sm text-muted">{t("session:memberCount", { count: memberCount })}</p>
          {description !== "" && <p className="line-clamp-3 text-sm wrap-anywhere">{description}</p>}
        </div>
        {isMember ? (
          <Link
            href={groupPath(id)}
            aria-label={t("directory.openNamed", { name })}
            className={buttonClass({ size: "sm" })}
          >
            {t("directory.open")}
          </Link>
        ) : asks ? null : (
          <Button
            size="sm"
            variant="primary"
            busy={busy}
            aria-label={t("directory.joinNamed", { name })}
            onClick={() => void run(join)}
          >
            {t("directory.join")}
          </Button>
        )}
      </div>
      {asks && <AskToJoin place={{ groupId: id }} request={request} />}
      <ErrorNote text={error} />
    </li>
  );
}
