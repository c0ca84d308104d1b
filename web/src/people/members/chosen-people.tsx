import { X } from "lucide-react";
import { Avatar } from "../../ui/display.tsx";
import { IconButton } from "../../ui/button.tsx";
import { usePerson } from "./user-name.tsx";

interface ChosenPeopleProps {
  label?: string;
  value: readonly string[];
  onChange: (userIds: string[]) => void;
  removeLabel: (name: string) => string;
}

export function ChosenPeople({ label, value, onChange, removeLabel }: ChosenPeopleProps) {
  if (value.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {value.map((userId) => (
        <Chosen
          key={userId}
          userId={userId}
          removeLabel={removeLabel}
          onRemove={() => onChange(value.filter((id) => id !== userId))}
        />
      ))}
    </ul>
  );
}

interface ChosenProps extends Pick<ChosenPeopleProps, "removeLabel"> {
  userId: string;
  onRemove: () => void;
}

function Chosen({ userId, removeLabel, onRemove }: ChosenProps) {
  const { name, avatarUrl } = usePerson(userId);
  return (
    <li className="flex items-center gap-1.5 rounded-full bg-selected py-0.5 pe-0.5 ps-1 text-sm">
      <Avatar id={userId} name={name} src={avatarUrl} size={20} />
      {name}
      <IconButton icon={X} size="sm" label={removeLabel(name)} onClick={onRemove} className="rounded-full" />
    </li>
  );
}
