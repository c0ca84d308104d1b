import type { User } from "@fanfare/contract";
import { Check, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../data/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useName } from "../members/use-name.ts";
import { usePeople } from "./use-people.ts";

interface PeoplePickerProps {
  /** Ids of those who are chosen. */
  value: readonly string[];
  onChange: (userIds: readonly string[]) => void;
  /** Who cannot be chosen, such as those who are there already. */
  without?: readonly string[];
  max: number;
}

const NOBODY: readonly string[] = [];

/** Chooses several people: friends and those one talks with, or any account by name. */
export function PeoplePicker({ value, onChange, without = NOBODY, max }: PeoplePickerProps) {
  const { t } = useTranslation("directs");
  const [text, setText] = useState("");
  const people = usePeople(text, without);
  const isFull = value.length >= max;
  const toggle = ({ id }: User) => {
    if (value.includes(id)) return onChange(value.filter((held) => held !== id));
    if (isFull) return;
    onChange([...value, id]);
    setText("");
  };
  return (
    <div className="grid gap-3">
      {value.length > 0 && (
        <ul aria-label={t("picker.chosen")} className="flex flex-wrap gap-1.5">
          {value.map((userId) => (
            <Chosen
              key={userId}
              userId={userId}
              onRemove={() => onChange(value.filter((id) => id !== userId))}
            />
          ))}
        </ul>
      )}
      <TextField
        label={t("picker.label")}
        placeholder={t("picker.placeholder")}
        hint={isFull ? t("picker.full") : t("picker.left", { count: max - value.length })}
        value={text}
        onChange={setText}
        autoComplete="off"
        autoFocus
      />
      <ul aria-label={t("picker.people")} className="grid max-h-64 gap-px overflow-y-auto">
        {people.map((user) => {
          const isChosen = value.includes(user.id);
          return (
            <li key={user.id}>
              <ListRow
                leading={<Avatar name={user.nickname} id={user.id} src={user.avatarUrl} />}
                title={
                  <>
                    {user.nickname}
                    {isChosen && <span className="sr-only"> {t("picker.isChosen")}</span>}
                  </>
                }
                subtitle={user.username === null ? undefined : `@${user.username}`}
                selected={isChosen}
                onClick={() => toggle(user)}
                trailing={<Mark isOn={isChosen} />}
              />
            </li>
          );
        })}
      </ul>
      {people.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {text.trim() === "" ? t("picker.noFriends") : t("picker.none")}
        </p>
      )}
    </div>
  );
}

function Mark({ isOn }: { isOn: boolean }) {
  return (
    <span
      aria-hidden
      className={cx(
        "mr-2 flex size-5 items-center justify-center rounded-full border",
        isOn ? "border-accent bg-accent text-on-accent" : "border-line-strong",
      )}
    >
      {isOn && <Check size={14} strokeWidth={3} />}
    </span>
  );
}

function Chosen({ userId, onRemove }: { userId: string; onRemove: () => void }) {
  const { t } = useTranslation("directs");
  const user = useUser(userId);
  const name = useName(user);
  return (
    <li className="flex items-center gap-1.5 rounded-full bg-selected py-0.5 pr-0.5 pl-1 text-sm">
      <Avatar id={userId} name={name} src={user?.avatarUrl} size={20} />
      {name}
      <IconButton
        icon={X}
        size="sm"
        label={t("picker.remove", { name })}
        onClick={onRemove}
        className="rounded-full"
      />
    </li>
  );
}
