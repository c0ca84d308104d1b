import { useEffect, useState } from "react";
import { parseFragment } from "../routes.ts";

/** What a mailed link carries. It is taken out of the address, so that it stays in no history; null where there is none. */
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
    // Another link that is pasted into the address bar loads nothing anew.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return [token, () => setToken(null)];
}

function readToken(): string | null {
  return parseFragment(location.hash).get("token");
}

const NAME = "Fanfare";

/** What the tab of the browser says while this is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`;
    return () => {
      document.title = NAME;
    };
  }, [title]);
}
