import type { Group } from "@fanfare/contract";
import { Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMemberSearch } from "../../../data/member-search.ts";
import { errorText } from "../../../shared/error-text.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { MoreButton } from "../more-button.tsx";
import { useAuthority } from "../use-authority.ts";
import { MemberDialogs } from "./member-dialogs.tsx";
import type { MemberDialog } from "./member-dialog.ts";
import { MemberRow } from "./member-row.tsx";

/** Everybody in the group, and what can be done about them. */
export function MembersPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const [text, setText] = useState("");
  const [dialog, setDialog] = useState<MemberDialog | null>(null);
  const authority = useAuthority(group);
  const { found, members } = useMemberSearch(group.id, text);
  return (
    <div className="grid max-w-3xl gap-5">
      <TextField
        label={t("members.search")}
        placeholder={t("picker.placeholder")}
        type="search"
        value={text}
        onChange={setText}
        autoComplete="off"
        hint={t("members.count", { count: group.memberCount })}
      />
      {members.data === undefined && members.error === null && <SkeletonRows count={8} withAvatar />}
      {members.data === undefined && members.error !== null && (
        <ErrorNote text={errorText(members.error)} onRetry={() => void members.refetch()} />
      )}
      {members.data !== undefined && found.length === 0 && (
        <EmptyState icon={Users} title={t("picker.none")} text={t("members.noneText")} />
      )}
      <ul className="grid gap-px">
        {found.map(({ member, user }) => (
          <li key={member.userId}>
            <MemberRow
              group={group}
              member={member}
              user={user}
              authority={authority}
              onOpen={(kind) => setDialog({ kind, member })}
            />
          </li>
        ))}
      </ul>
      {text.trim() === "" && <MoreButton pages={members} />}
      {dialog !== null && (
        <MemberDialogs group={group} dialog={dialog} authority={authority} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}
