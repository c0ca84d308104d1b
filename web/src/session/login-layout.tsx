import { Gauge, type LucideIcon, MessagesSquare, ServerCog, Languages, Moon, Sun } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { languageName, LANGUAGES, tagOf } from "../i18n/language.ts";
import { useFirstShown } from "../shared/first-shown.ts";
import { setPreferences, useIsDark } from "../state/preferences.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { usePageTitle } from "../ui/hooks.ts";
import { cx } from "../ui/cx.ts";
import { useBranding } from "./branding.ts";
import type { SessionNotice } from "./session-store.ts";
import { loginPath, parseFragment } from "../routes.ts";
import { Main } from "../ui/main.tsx";

const COUNT = 9;
const STEP = 95;

const POINTS: { textKey: "point.speed" | "point.complete" | "point.own"; icon: LucideIcon }[] = [
  { textKey: "point.speed", icon: Gauge },
  { textKey: "point.complete", icon: MessagesSquare },
  { textKey: "point.own", icon: ServerCog },
];

/** Layout of all pages before login. */
export function LoginLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation("session");
  const { name, logoUrl, landingText } = useBranding();
  useFirstShown();
  return (
    <div className="grid min-h-0 flex-1 grid-rows-[auto_1fr] overflow-y-auto lg:grid-cols-[1.15fr_1fr] lg:grid-rows-1">
      <header className="relative isolate flex overflow-clip bg-accent-soft px-5 pt-[max(2.5rem,env(safe-area-inset-top))] pb-8 lg:px-16 lg:py-12">
        <Waves />
        <div className="mx-auto grid w-full max-w-lg content-center justify-items-center gap-3 text-center lg:justify-items-start lg:gap-6 lg:text-start">
          <div className="flex items-center gap-3">
            <img src={logoUrl ?? "/favicon.svg"} alt="" className="size-11 shrink-0 rounded-md lg:size-14" />
            <h1 className="text-3xl font-bold tracking-tight wrap-anywhere">{name}</h1>
          </div>
          {landingText === "" ? (
            <>
              <p className="max-w-md text-balance text-text lg:text-2xl lg:leading-snug lg:font-medium">
                {t("tagline")}
              </p>
              <Points />
            </>
          ) : (
            <p className="max-w-md whitespace-pre-line wrap-anywhere lg:text-lg">{landingText}</p>
          )}
        </div>
      </header>
      <div className="flex flex-col bg-canvas">
        <Main className="mx-auto grid w-full max-w-md flex-1 content-start gap-5 px-5 py-8 lg:content-center">
          {children}
        </Main>
        <LoginFooter />
      </div>
    </div>
  );
}

function Points() {
  const { t } = useTranslation("session");
  return (
    <ul className="grid gap-3 max-lg:hidden">
      {POINTS.map(({ textKey, icon: Icon }) => (
        <li key={textKey} className="flex items-center gap-3">
          <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-raised text-accent-text">
            <Icon size={18} aria-hidden />
          </span>
          {t(textKey)}
        </li>
      ))}
    </ul>
  );
}

/** Language and theme for users without settings. */
function LoginFooter() {
  const { t, i18n } = useTranslation("session");
  const isDark = useIsDark();
  return (
    <footer className="flex items-center justify-center gap-1 px-5 pb-[max(1rem,env(safe-area-inset-bottom))]">
      <label className="relative flex min-h-control items-center gap-2 rounded-md px-2.5 text-sm font-medium text-muted hover:bg-hover hover:text-text">
        <Languages size={16} aria-hidden />
        <span className="sr-only">{t("language")}</span>
        {/* The page's own lists would be half of what this page loads. */}
        <select
          className="bg-transparent outline-offset-4"
          value={i18n.language}
          onChange={(event) => setPreferences({ language: event.target.value })}
        >
          {LANGUAGES.map((language) => (
            <option key={language} value={language} lang={tagOf(language)} className="bg-raised text-text">
              {languageName(language)}
            </option>
          ))}
        </select>
      </label>
      <IconButton
        icon={isDark ? Sun : Moon}
        label={isDark ? t("theme.light") : t("theme.dark")}
        size="sm"
        onClick={() => setPreferences({ theme: isDark ? "light" : "dark" })}
      />
    </footer>
  );
}

function Waves() {
  return (
    <svg
      aria-hidden
      viewBox="0 0 1000 1000"
      preserveAspectRatio="xMinYMax slice"
      className="absolute inset-0 -z-10 size-full text-accent"
    >
      {Array.from({ length: COUNT }, (_, index) => (
        <circle
          key={index}
          cx="0"
          cy="1000"
          r={STEP * (index + 1)}
          fill="none"
          stroke="currentColor"
          strokeWidth={2 + (COUNT - index) * 1.5}
          opacity={0.17 - index * 0.016}
        />
      ))}
    </svg>
  );
}

interface OutcomeProps {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  tone?: "good" | "danger";
  children?: ReactNode;
}

/** The result of an action and the next step. Announced by screen readers. */
export function Outcome({ icon: Icon, title, text, tone = "good", children }: OutcomeProps) {
  usePageTitle(title);
  return (
    <div role="status" className="grid justify-items-center gap-2 text-center">
      <span
        className={cx(
          "mb-1 flex size-14 items-center justify-center rounded-full",
          tone === "good" ? "bg-good-soft text-good" : "bg-danger-soft text-danger-text",
        )}
      >
        <Icon size={26} aria-hidden />
      </span>
      <h2 className="text-2xl font-semibold">{title}</h2>
      <p className="text-muted wrap-anywhere">{text}</p>
      {children !== undefined && <div className="mt-3 grid w-full gap-2">{children}</div>}
    </div>
  );
}

export function SessionNoticeBanner({ notice }: { notice: SessionNotice | null }) {
  const { t } = useTranslation("session");
  if (notice === null) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text"
    >
      <p>{t(`notice.${notice}`)}</p>
      {notice === "updated" && (
        <Button size="sm" onClick={() => location.reload()}>
          {t("ui:reload")}
        </Button>
      )}
    </div>
  );
}

export function LoginLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="rounded-sm font-medium text-accent-text underline-offset-2 hover:underline">
      {children}
    </Link>
  );
}

/** Back to the login. */
export function ToLogin() {
  const { t } = useTranslation("session");
  return (
    <p className="text-center text-sm">
      <LoginLink href={loginPath()}>{t("toLogin")}</LoginLink>
    </p>
  );
}

export function LoginTitle({ title, text }: { title: string; text?: string | undefined }) {
  usePageTitle(title);
  return (
    <header className="grid gap-1">
      <h2 className="text-2xl font-semibold">{title}</h2>
      {text !== undefined && <p className="text-muted">{text}</p>}
    </header>
  );
}

/** Reads the token from the link's fragment and removes it from the address, so that it isn't kept in the history. */
export function useFragmentToken(): [token: string | null, forget: () => void] {
  const [token, setToken] = useState(readToken);
  useEffect(() => {
    const take = () => {
      const next = readToken();
      if (next === null) return;
      setToken(next);
      history.replaceState(history.state, "", location.pathname);
    };
    take();
    // Pasting another link into the address bar doesn't reload the page.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return [token, () => setToken(null)];
}

function readToken(): string | null {
  return parseFragment(location.hash).get("token");
}
