import { useEffect } from "react";

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
