import { useTranslation } from "react-i18next";

/** Keys whose label depends on the language. */
const NAMED = { Ctrl: "ctrl", Shift: "shift", Del: "delete", Space: "space" } as const;

/** Keyboard keys, such as `["Ctrl", "K"]`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  const { t } = useTranslation("ui");
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="min-w-6 rounded-sm border border-line bg-sidebar px-1.5 py-0.5 text-center font-sans text-xs text-muted"
        >
          {key in NAMED ? t(`keys.${NAMED[key as keyof typeof NAMED]}`) : key}
        </kbd>
      ))}
    </span>
  );
}
