import {
  Gauge,
  Hourglass,
  KeyRound,
  type LucideIcon,
  Megaphone,
  ScrollText,
  UserCog,
  Users,
  Wrench,
} from "lucide-react";

export type AdminSection =
  | "overview"
  | "users"
  | "groups"
  | "access"
  | "announcements"
  | "maintenance"
  | "jobs"
  | "audit-log";

/** What the list of the admin pages has, in its order. */
export const ADMIN_SECTIONS: readonly { id: AdminSection; textKey: string; icon: LucideIcon }[] = [
  { id: "overview", textKey: "admin:sections.overview", icon: Gauge },
  { id: "users", textKey: "admin:sections.users", icon: UserCog },
  { id: "groups", textKey: "admin:sections.groups", icon: Users },
  { id: "access", textKey: "admin:sections.access", icon: KeyRound },
  { id: "announcements", textKey: "admin:sections.announcements", icon: Megaphone },
  { id: "maintenance", textKey: "admin:sections.maintenance", icon: Wrench },
  { id: "jobs", textKey: "admin:sections.jobs", icon: Hourglass },
  { id: "audit-log", textKey: "admin:sections.auditLog", icon: ScrollText },
];

/** Anything else in the address is the first section. */
export function sectionOf(name: string | undefined): AdminSection {
  return ADMIN_SECTIONS.find(({ id }) => id === name)?.id ?? "overview";
}
