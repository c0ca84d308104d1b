import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";
import { cx } from "./cx.ts";
import type { MenuItem } from "./menu-item.ts";
import { MenuItems } from "./menu-items.tsx";
import { POPUP_CLASS } from "./popup-class.ts";

interface MenuProps {
  /** A button: what opens the menu. */
  trigger: ReactElement;
  items: readonly MenuItem[];
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
}

/** Things to do, behind a button. */
export function Menu({ trigger, items, side = "bottom", align = "end" }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={4} className="z-50">
          <Base.Popup className={cx(POPUP_CLASS, "min-w-44 max-w-72")}>
            <MenuItems items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
