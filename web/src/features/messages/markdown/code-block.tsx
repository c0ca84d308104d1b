import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CodePiece } from "./highlighter.ts";
import { withoutOverrides } from "./text-parts.ts";

const CONFIRM_MS = 2000;

/** Code with a button to copy it. Its colours come a moment later, when what knows the language is loaded. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const name = /^[\w+#.-]{1,20}/.exec(language)?.[0] ?? "";
  const shown = withoutOverrides(code);
  const pieces = useHighlighted(shown, name);
  return (
    <div className="code-block" dir="ltr">
      <pre tabIndex={0}>
        <code>{pieces === null ? shown : <Pieces pieces={pieces} />}</code>
      </pre>
      <div className="code-block-bar">
        {name !== "" && <span>{name}</span>}
        <CopyButton text={shown} />
      </div>
    </div>
  );
}

function Pieces({ pieces }: { pieces: readonly CodePiece[] }): ReactNode {
  return pieces.map((piece, index) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <span key={index} className={`code-${piece.kind}`}>
        <Pieces pieces={piece.children} />
      </span>
    ),
  );
}

function useHighlighted(code: string, language: string): readonly CodePiece[] | null {
  const [found, setFound] = useState<{ of: string; pieces: readonly CodePiece[] | null } | null>(null);
  useEffect(() => {
    if (language === "") return undefined;
    let isWanted = true;
    const colour = async (): Promise<void> => {
      const { highlight } = await import("./highlighter.ts");
      if (isWanted) setFound({ of: code, pieces: highlight(code, language) });
    };
    // Without colours it is read as well.
    colour().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [code, language]);
  return found?.of === code ? found.pieces : null;
}

function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation("messages");
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  const label = isCopied ? t("markdown.copied") : t("markdown.copyCode");
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" aria-label={label} title={label} onClick={copy}>
      <Icon size={14} aria-hidden="true" />
    </button>
  );
}
