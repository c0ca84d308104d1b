import type { LucideIcon } from "lucide-react";

/** An entry of a menu, or a line between entries. */
export type MenuItem =
  | "separator"
  | {
      label: string;
      icon?: LucideIcon;
      onSelect: () => void;
      danger?: boolean;
      disabled?: boolean;
      /** Whether what it switches is on; leave it out where nothing is switched. */
      checked?: boolean;
      /** The keys that do the same, as text. */
      shortcut?: string;
    };
