import { setTimeout } from "node:timers/promises";

/**
 * The layout faults of the page:
 * - the document or the application's root can scroll: the application would leave the window;
 * - content is wider than the box that clips or scrolls it: its end, such as a badge or a menu, is hidden;
 * - content is higher than the box that clips it: a line is cut off;
 * - an element covers a control, which can't be clicked.
 */
const FIND_FAULTS = `(() => {
  const faults = [];
  const html = (element) => element.outerHTML.slice(0, 200);
  for (const element of [document.documentElement, document.body, document.getElementById("root")]) {
    const { tagName, scrollHeight, scrollWidth } = element;
    if (scrollHeight > innerHeight) faults.push(tagName + " is " + scrollHeight + " px high in " + innerHeight);
    if (scrollWidth > innerWidth) faults.push(tagName + " is " + scrollWidth + " px wide in " + innerWidth);
    element.scrollTo(0, 10000);
    if (element.scrollTop !== 0) faults.push(tagName + " scrolls");
  }
  for (const element of document.body.querySelectorAll("*")) {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element);
    // Texts for screen readers have no size, an ellipsis is meant to clip, and tables and tabs scroll sideways.
    if (overflowX === "visible" || textOverflow === "ellipsis" || element.clientWidth <= 1) continue;
    // Hidden texts have padding; a field's content includes its placeholder.
    if (element.matches(".sr-only, input, textarea") || element.closest(".overflow-x-auto") !== null) continue;
    if (element.scrollWidth > element.clientWidth + 1)
      faults.push(element.scrollWidth + " px in a width of " + element.clientWidth + ": " + html(element));
    const clips = overflowY === "hidden" || overflowY === "clip";
    if (clips && webkitLineClamp === "none" && element.id !== "root" && element.scrollHeight > element.clientHeight + 1)
      faults.push(element.scrollHeight + " px in a height of " + element.clientHeight + ": " + html(element));
  }
  /** Whether a point of an element is within all boxes around it that clip or scroll. */
  const isInView = (element, x, y) => {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
    for (let box = element.parentElement; box !== null; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === "visible") continue;
      const { left, right, top, bottom } = box.getBoundingClientRect();
      if (x < left || x >= right || y < top || y >= bottom) return false;
    }
    return true;
  };
  for (const control of document.querySelectorAll("a, button, input, textarea, select, [role=button]")) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // Nothing behind a dialog can be clicked, and the field of a label is often hidden.
    if (control.matches(".sr-only, :disabled") || control.closest("[aria-hidden=true], [inert]") !== null) continue;
    if (getComputedStyle(control).pointerEvents === "none") continue;
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (width <= 1 || height <= 1 || !isInView(control, x, y)) continue;
    const above = document.elementFromPoint(x, y);
    if (above === null || control.contains(above) || above.contains(control)) continue;
    // A popup covers the page until it is closed.
    const popup = above.closest("[role=dialog]");
    if (popup !== null && !popup.contains(control)) continue;
    faults.push(html(above) + " covers " + html(control));
  }
  return faults;
})()`;

/** A page of Chromium or WebKit. */
interface EvaluatesScripts {
  evaluate<T>(expression: string): Promise<T>;
}

const LOOKS = 30;
const LOOK_EVERY_MS = 100;

/** Layout faults that persist: a virtual list measures new rows before it positions them. */
export async function layoutFaults(page: EvaluatesScripts, what: string): Promise<string[]> {
  for (let look = 1; ; look++) {
    const faults = await page.evaluate<string[]>(FIND_FAULTS);
    if (faults.length === 0 || look === LOOKS) return faults.map((fault) => `${what}: ${fault}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}
