import type { Group } from "@fanfare/contract";
import { Search, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMemberSearch } from "../../../data/members.ts";
import { EmptyState, SkeletonRows, Pending } from "../../../ui/feedback.tsx";
import { FilterField } from "../../../ui/form.tsx";
import { SidePanel } from "../../../app/shell/side-panel.tsx";
import { MemberList, useWholeGroup, WHOLE_UP_TO } from "./member-list.tsx";

export function MembersPanel({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("members");
  const [text, setText] = useState("");
  const { found, members } = useMemberSearch(group.id, text);
  useWholeGroup(group, members);
  return (
    <SidePanel
      title={t("common:members")}
      more={<span className="text-sm text-muted tabular-nums">{group.memberCount}</span>}
      onClose={onClose}
    >
      <div className="px-3 pt-3 pb-1">
        <FilterField label={t("panel.search")} value={text} onChange={setText} />
      </div>
      {members.data === undefined && (
        <div className="p-2">
          <Pending of={members}>
            <SkeletonRows count={9} withAvatar />
          </Pending>
        </div>
      )}
      {members.data !== undefined && found.length === 0 && (
        <EmptyState
          icon={text === "" ? Users : Search}
          title={t("panel.none")}
          text={members.isFetchingNextPage ? t("panel.searching") : t("panel.noneText")}
        />
      )}
      {found.length > 0 && (
        <MemberList
          group={group}
          found={found}
          pages={members}
          isWhole={group.memberCount <= WHOLE_UP_TO || text.trim() !== ""}
        />
      )}
    </SidePanel>
  );
}
