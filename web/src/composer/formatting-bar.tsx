import {
  Bold,
  Code,
  EyeOff,
  Italic,
  Link,
  List,
  ListOrdered,
  type LucideIcon,
  SquareCode,
  Strikethrough,
  TextQuote,
} from "lucide-react";
import { memo, type RefObject, useMemo, Fragment } from "react";
import { useTranslation } from "react-i18next";
import { type Combo, isApple, keysOf } from "../app/shortcuts/shortcuts.ts";
import { editField, type EditName, EDITS } from "./markdown-edit.ts";
import { Toolbar as Base } from "@base-ui/react/toolbar";
import { IconButton, type IconButtonProps } from "../ui/button.tsx";

interface Formatting {
  edit: EditName;
  icon: LucideIcon;
  textKey: string;
  combo: Combo | null;
}

/** In groups. */
export const FORMATTING: readonly (readonly Formatting[])[] = [
  [
    { edit: "bold", icon: Bold, textKey: "format.bold", combo: "mod+b" },
    { edit: "italic", icon: Italic, textKey: "format.italic", combo: "mod+i" },
    { edit: "strikethrough", icon: Strikethrough, textKey: "format.strikethrough", combo: "mod+Shift+x" },
    { edit: "spoiler", icon: EyeOff, textKey: "format.spoiler", combo: null },
  ],
  [
    { edit: "link", icon: Link, textKey: "format.link", combo: "mod+k" },
    { edit: "quote", icon: TextQuote, textKey: "format.quote", combo: "mod+Shift+9" },
    { edit: "numberedList", icon: ListOrdered, textKey: "format.numberedList", combo: "mod+Shift+7" },
    { edit: "bulletedList", icon: List, textKey: "format.bulletedList", combo: "mod+Shift+8" },
  ],
  [
    { edit: "code", icon: Code, textKey: "format.code", combo: "mod+e" },
    { edit: "codeBlock", icon: SquareCode, textKey: "format.codeBlock", combo: null },
  ],
];

interface FormattingBarProps {
  field: RefObject<HTMLTextAreaElement | null>;
}

export const FormattingBar = memo(function FormattingBar({ field }: FormattingBarProps) {
  const { t } = useTranslation("composer");
  const groups = useMemo(() => {
    const apple = isApple();
    return FORMATTING.map((group) =>
      group.map(({ edit, icon, textKey, combo }) => ({
        id: edit,
        icon,
        label: t(textKey),
        ...(combo !== null && { keys: keysOf(combo, apple) }),
        size: "sm" as const,
        // Keeps the focus in the field, and the phone's keyboard open.
        onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
        onClick: () => {
          const { current } = field;
          if (current === null) return;
          editField(current, EDITS[edit](current.value, current.selectionStart, current.selectionEnd));
        },
      })),
    );
  }, [t, field]);
  return <Toolbar label={t("format.label")} groups={groups} />;
});

interface ToolbarProps {
  label: string;
  groups: readonly (readonly (IconButtonProps & { id: string })[])[];
}

/** Buttons with one tab stop: the arrow keys move between them. */
function Toolbar({ label, groups }: ToolbarProps) {
  return (
    <Base.Root
      aria-label={label}
      className="base-ui-disable-scrollbar flex items-center gap-0.5 overflow-x-auto px-1 pt-1"
    >
      {groups.map((buttons, index) => (
        <Fragment key={buttons[0]?.id}>
          {index > 0 && <Base.Separator className="mx-1 h-4 w-px shrink-0 bg-line" />}
          {buttons.map(({ id, ...button }) => (
            <Base.Button key={id} render={<IconButton {...button} />} />
          ))}
        </Fragment>
      ))}
    </Base.Root>
  );
}
