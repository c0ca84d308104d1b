import type { User } from "@fanfare/contract";
import { Check } from "lucide-react";
import { useState, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDirects, useFriends, useUsers } from "../../data/people.ts";
import { useMe } from "../../data/me.ts";
import { useUserSearch } from "../../data/search.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { cx } from "../../ui/cx.ts";
import { ListRow } from "../../ui/list-row.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ChosenPeople } from "../members/chosen-people.tsx";

/** Those one can choose from at once; who has more friends finds them by name. */
const MAX_SHOWN = 50;

const NOBODY: readonly string[] = [];

interface PeoplePickerProps {
  /** Ids of those who are chosen. */
  value: readonly string[];
  onChange: (userIds: readonly string[]) => void;
  /** Who cannot be chosen, such as those who are there already. */
  without?: readonly string[];
  max: number;
}

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
      <ChosenPeople
        label={t("picker.chosen")}
        value={value}
        onChange={onChange}
        removeLabel={(name) => t("picker.remove", { name })}
      />
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

/**
 * Friends and those one talks with already, by name; with a text those whose name has it, and accounts whose name begins so.
 * @param without ids of those to leave out; give the same array until they are others
 */
function usePeople(text: string, without: readonly string[]): User[] {
  const { i18n } = useTranslation();
  const me = useMe();
  const isAccount = me.kind === "member";
  const { data: friends } = useFriends({ enabled: isAccount });
  const { data: directs } = useDirects();
  const knownIds = useMemo(() => {
    const ids = new Set(friends?.map(({ userId }) => userId));
    for (const { memberIds } of directs ?? []) for (const id of memberIds) ids.add(id);
    ids.delete(me.id);
    return [...ids];
  }, [friends, directs, me.id]);
  const known = useUsers(knownIds).filter(({ deleted }) => deleted !== true);
  const query = text.trim().toLowerCase();
  // Guests search no accounts.
  const found = useUserSearch(isAccount ? query : "").data ?? [];
  const compare = new Intl.Collator(i18n.language).compare;
  const hits = known.filter(
    ({ nickname, username }) =>
      nickname.toLowerCase().includes(query) || (username?.toLowerCase().includes(query) ?? false),
  );
  const others = found.filter(({ id, kind }) => kind !== "bot" && id !== me.id && !knownIds.includes(id));
  return [...hits.toSorted((a, b) => compare(a.nickname, b.nickname)), ...others]
    .filter(({ id }) => !without.includes(id))
    .slice(0, MAX_SHOWN);
}
