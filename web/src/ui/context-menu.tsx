import { ContextMenu as Base } from "@base-ui/react/context-menu";
import type { ReactElement } from "react";
import { cx } from "./cx.ts";
import type { MenuItem } from "./menu-item.ts";
import { MenuItems } from "./menu-items.tsx";
import { POPUP_CLASS } from "./popup-class.ts";

interface ContextMenuProps {
  items: readonly MenuItem[];
  /** One element: a right click or a long press on it opens the menu. */
  children: ReactElement;
}

/** Things to do with something, by right click, long press or the menu key. Offer them by a button too. */
export function ContextMenu({ items, children }: ContextMenuProps) {
  return (
    <Base.Root>
      <Base.Trigger
        render={children as ReactElement<Record<string, unknown>>}
        // useLongPress sends a contextmenu event; this component's own long press would open the menu twice.
        onTouchStart={(event) => event.preventBaseUIHandler()}
      />
      <Base.Portal>
        <Base.Positioner className="z-50">
          <Base.Popup className={cx(POPUP_CLASS, "min-w-44 max-w-72")}>
            <MenuItems items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
