import type { ComponentProps, MouseEvent } from "react";
import { navigate } from "./route.ts";

/** A link within the application: an ordinary one, except that a plain click does not load the page again. */
export function Link({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!plain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
