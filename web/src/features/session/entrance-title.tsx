import { usePageTitle } from "./use-page-title.ts";

export const ENTRANCE_LINK = "rounded-sm font-medium text-accent-text underline-offset-2 hover:underline";

/** What a page before the login is for. */
export function EntranceTitle({ title, text }: { title: string; text?: string | undefined }) {
  usePageTitle(title);
  return (
    <header className="grid gap-1">
      <h2 className="text-2xl font-semibold">{title}</h2>
      {text !== undefined && <p className="text-muted">{text}</p>}
    </header>
  );
}
