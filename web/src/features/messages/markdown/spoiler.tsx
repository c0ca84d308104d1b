import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Token } from "./lex.ts";
import { plainText } from "./plain-text.ts";

/** Hidden until it is pressed; until then its text is not on the page either, only room for it. */
export function Spoiler({ tokens, children }: { tokens: readonly Token[]; children: ReactNode }) {
  const { t } = useTranslation("messages");
  const [isShown, setShown] = useState(false);
  if (isShown) return <span className="spoiler">{children}</span>;
  return (
    <button
      type="button"
      className="spoiler-cover"
      aria-label={t("markdown.showSpoiler")}
      onClick={() => setShown(true)}
    >
      {"\u2007".repeat(Math.min(plainText(tokens).length, 60) + 2)}
    </button>
  );
}
