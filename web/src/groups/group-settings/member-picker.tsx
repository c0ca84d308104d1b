import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMemberSearch } from "../../data/members.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { TextField } from "../../ui/form.tsx";
import { ChosenPeople } from "../../people/members/chosen-people.tsx";
import { userName } from "../../people/members/user-name.tsx";

interface MemberPickerProps {
  groupId: string;
  label: string;
  value: readonly string[];
  onChange: (userIds: string[]) => void;
  max?: number;
}

const MAX_SHOWN = 6;

export function MemberPicker({ groupId, label, value, onChange, max = Infinity }: MemberPickerProps) {
  const { t } = useTranslation("group-settings");
  const [text, setText] = useState("");
  const { found } = useMemberSearch(groupId, text);
  const offered =
    text.trim() === ""
      ? []
      : found.filter(({ member }) => !value.includes(member.userId)).slice(0, MAX_SHOWN);
  const choose = (userId: string) => {
    onChange([...value, userId]);
    setText("");
  };
  return (
    <div className="grid gap-2">
      <ChosenPeople value={value} onChange={onChange} removeLabel={(name) => t("pickerRemove", { name })} />
      {value.length < max && (
        <TextField
          label={label}
          placeholder={t("common:searchByName")}
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            // Enter must not submit the surrounding form.
            if (event.key !== "Enter") return;
            event.preventDefault();
            const first = offered[0];
            if (first !== undefined) choose(first.member.userId);
          }}
        />
      )}
      {offered.length > 0 && (
        <ul className="grid rounded-md border border-line">
          {offered.map(({ member: { userId }, user }) => (
            <ListRow
              key={userId}
              leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} size={24} />}
              title={userName(user)}
              trailing={<Plus size={16} aria-hidden className="me-2 text-muted" />}
              onClick={() => choose(userId)}
            />
          ))}
        </ul>
      )}
      {text.trim() !== "" && offered.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {t("members:panel.none")}
        </p>
      )}
    </div>
  );
}
