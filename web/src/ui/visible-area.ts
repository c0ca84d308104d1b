/**
 * Keeps the application above the on-screen keyboard. Most browsers resize the page (`interactive-widget` in index.html); Safari on iOS lays
 * the keyboard over it and scrolls the page up instead.
 * @returns a function that stops following
 */
export function followVisibleArea(): () => void {
  const { visualViewport: viewport } = window;
  if (viewport === null) return () => {};
  const stop = new AbortController();
  const { style } = document.documentElement;
  const update = (): void => {
    const { scale, offsetTop, height } = viewport;
    // Zooming in shows a part of the page without covering anything.
    const [top, bottom] = scale > 1 ? [0, 0] : [offsetTop, innerHeight - offsetTop - height];
    style.setProperty("--visible-top", `${Math.max(0, Math.round(top))}px`);
    style.setProperty("--visible-bottom", `${Math.max(0, Math.round(bottom))}px`);
  };
  for (const name of ["resize", "scroll"]) viewport.addEventListener(name, update, { signal: stop.signal });
  return () => stop.abort();
}
