import { useEffect } from "react";
import { useUnreadChannels } from "../../data/inbox.ts";
import { useWantedUnread } from "./use-wanted-unread.ts";
import { countForUser } from "./wanted-unread.ts";

const NAME = "Fanfare";
const MAX_SHOWN = 99;

/** How much waits for the user: before the title of the tab, and as a mark on its icon. */
export function PageBadge() {
  const { data: channels = [] } = useUnreadChannels();
  const count = countForUser(channels, useWantedUnread());
  useEffect(() => {
    document.title = count === 0 ? NAME : `(${count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}) ${NAME}`;
    setIcon(count > 0 ? "/favicon-unread.svg" : "/favicon.svg");
  }, [count]);
  useEffect(
    () => () => {
      document.title = NAME;
      setIcon("/favicon.svg");
    },
    [],
  );
  return null;
}

function setIcon(path: string): void {
  document.querySelector("link[rel=icon]")?.setAttribute("href", path);
}
