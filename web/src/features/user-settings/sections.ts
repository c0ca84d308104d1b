import {
  Bell,
  CircleUserRound,
  FileDown,
  IdCard,
  type LucideIcon,
  Palette,
  ShieldCheck,
  UserRoundX,
} from "lucide-react";

interface Section {
  id: string;
  icon: LucideIcon;
  textKey: string;
}

export const SECTIONS = [
  { id: "profile", icon: IdCard, textKey: "user-settings:section.profile" },
  { id: "account", icon: CircleUserRound, textKey: "user-settings:section.account" },
  { id: "security", icon: ShieldCheck, textKey: "user-settings:section.security" },
  { id: "notifications", icon: Bell, textKey: "user-settings:section.notifications" },
  { id: "privacy", icon: UserRoundX, textKey: "user-settings:section.privacy" },
  { id: "appearance", icon: Palette, textKey: "user-settings:section.appearance" },
  { id: "data", icon: FileDown, textKey: "user-settings:section.data" },
] as const satisfies readonly Section[];

export type SectionId = (typeof SECTIONS)[number]["id"];
