import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { cx } from "./cx.ts";
import type { MenuItem } from "./menu-item.ts";
import { MENU_ITEM_CLASS } from "./popup-class.ts";

/** The entries within a Menu or a ContextMenu. */
export function MenuItems({ items }: { items: readonly MenuItem[] }) {
  return items.map((item, index) => {
    // A separator has nothing but its place to tell it by.
    if (item === "separator")
      return <Base.Separator key={`line-${index}`} className="mx-1 my-1 h-px bg-line" />;
    const { label, icon: Icon, onSelect, danger, disabled = false, checked, shortcut } = item;
    const content = (
      <>
        {Icon && <Icon size={16} aria-hidden className={cx("shrink-0", danger !== true && "text-muted")} />}
        <span className="flex-1 truncate">{label}</span>
        {shortcut !== undefined && <span className="pl-4 text-xs text-muted">{shortcut}</span>}
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
