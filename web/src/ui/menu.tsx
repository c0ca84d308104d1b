import { Menu as Base } from "@base-ui/react/menu";
import { type ReactElement, useRef, useState } from "react";
import { ContextMenu as ContextBase } from "@base-ui/react/context-menu";
import { Check, type LucideIcon } from "lucide-react";
import { useBack } from "./use-back.ts";
import { cx } from "./cx.ts";
import { BACKDROP_CLASS, PLACE_CLASS, SheetHandle } from "./sheet.tsx";

interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement;
  items: MenuList;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
}

export function Menu({ trigger, items, side = "bottom", align = "end", onOpenChange, ...state }: MenuProps) {
  const { close, ...props } = useClosing(onOpenChange, state.open);
  return (
    <Base.Root modal={false} {...props} {...state}>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Backdrop className={BACKDROP_CLASS} />
        <Base.Positioner side={side} align={align} sideOffset={4} className={PLACE_CLASS}>
          <Base.Popup className={MENU_CLASS}>
            <SheetHandle onClose={close} />
            <MenuItems items={items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function useClosing(onOpenChange?: (isOpen: boolean) => void, open?: boolean) {
  const [isOpen, setOpen] = useState(false);
  const actionsRef = useRef<Base.Root.Actions>(null);
  const close = () => actionsRef.current?.close();
  useBack(open ?? isOpen, close);
  const change = (next: boolean) => {
    setOpen(next);
    onOpenChange?.(next);
  };
  return { actionsRef, close, onOpenChange: change };
}

interface ContextMenuProps {
  items: MenuList;
  /** One element. Right click or long press opens the menu. */
  children: ReactElement;
  /** The element to focus after closing; null: the first one in `children` that can have the focus; false: none. */
  finalFocus?: () => HTMLElement | false | null;
}

/** A context menu, opened by right click, long press or the menu key. Offer the same actions with a button too. */
export function ContextMenu({ items, children, finalFocus }: ContextMenuProps) {
  const { close, ...props } = useClosing();
  return (
    <ContextBase.Root {...props}>
      <ContextBase.Trigger
        render={children as ReactElement<Record<string, unknown>>}
        // useLongPress dispatches a contextmenu event; the component's own long press would open the menu twice.
        onTouchStart={(event) => event.preventBaseUIHandler()}
      />
      <ContextBase.Portal>
        <ContextBase.Backdrop className={BACKDROP_CLASS} />
        <ContextBase.Positioner className={PLACE_CLASS}>
          <ContextBase.Popup className={MENU_CLASS} {...(finalFocus && { finalFocus })}>
            <SheetHandle onClose={close} />
            <MenuItems items={items} />
          </ContextBase.Popup>
        </ContextBase.Positioner>
      </ContextBase.Portal>
    </ContextBase.Root>
  );
}

function MenuItems({ items }: { items: MenuList }) {
  return items.map((item, index) => {
    if (!item) return null;
    // Separators can only be identified by their index.
    if (item === "separator")
      return <Base.Separator key={`line-${index}`} className="mx-1 my-1 h-px bg-line" />;
    const { label, icon: Icon, onSelect, danger, disabled = false, checked, shortcut } = item;
    const content = (
      <>
        {Icon && <Icon size={16} aria-hidden className={cx("shrink-0", danger !== true && "text-muted")} />}
        <span className="flex-1 truncate">{label}</span>
        {shortcut !== undefined && <span className="ps-4 text-xs text-muted">{shortcut}</span>}
        {checked === true && <Check size={16} aria-hidden />}
      </>
    );
    const className = cx(
      MENU_ITEM_CLASS,
      danger === true && "text-danger-text data-highlighted:bg-danger-soft",
    );
    if (checked === undefined) {
      return (
        <Base.Item key={label} className={className} disabled={disabled} onClick={onSelect}>
          {content}
        </Base.Item>
      );
    }
    return (
      <Base.CheckboxItem
        key={label}
        className={className}
        disabled={disabled}
        checked={checked}
        onCheckedChange={onSelect}
        closeOnClick
      >
        {content}
      </Base.CheckboxItem>
    );
  });
}

/** A menu item or a separator. */
export type MenuItem =
  | "separator"
  | {
      label: string;
      icon?: LucideIcon;
      onSelect: () => void;
      danger?: boolean;
      disabled?: boolean;
      /** For toggles: whether it is on. */
      checked?: boolean;
      /** The keyboard shortcut as text. */
      shortcut?: string;
    };

/** `false` entries are skipped. */
export type MenuList = readonly (MenuItem | false | undefined)[];

/** Styles shared by menus, popovers and select lists. */
export const POPUP_CLASS =
  "pop rounded-lg border border-line bg-raised p-1 text-text shadow-raised outline-none max-md:sheet";

/** In a low window, a long menu scrolls. */
const MENU_CLASS = `${POPUP_CLASS} max-h-(--available-height) max-w-72 min-w-44 overflow-y-auto max-md:px-2`;

export const MENU_ITEM_CLASS =
  "flex min-h-row cursor-default select-none items-center gap-2.5 rounded-sm px-2.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-hover max-md:min-h-12 max-md:text-base";
