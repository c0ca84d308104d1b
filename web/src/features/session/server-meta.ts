import type { Meta } from "@fanfare/contract";
import { useEffect, useState } from "react";

let asked: Promise<Meta | null> | null = null;

/** What this server can do besides: undefined until it has answered, and where it does not. */
export function useServerMeta(): Meta | undefined {
  const [meta, setMeta] = useState<Meta | null>(null);
  useEffect(() => {
    let shown = true;
    asked ??= askMeta();
    void asked.then((answer) => shown && setMeta(answer));
    return () => {
      shown = false;
    };
  }, []);
  return meta ?? undefined;
}

async function askMeta(): Promise<Meta | null> {
  try {
    const answer = await fetch("/api/meta");
    if (answer.ok) return (await answer.json()) as Meta;
  } catch {
    // Whoever tries to log in hears that the server cannot be reached.
  }
  asked = null;
  return null;
}
