import { type ComponentType, lazy as reactLazy, useEffect, useState } from "react";
import { loadMoreTexts, loadNextTexts } from "../i18n/set-up.ts";
import { firstShown } from "./first-shown.ts";
import { whenLoaded } from "./when-loaded.ts";

type State<P> = { component: ComponentType<P> } | { error: unknown };

/** `load` loads the code before it is first rendered. */
type Later<P> = ComponentType<P> & { load(): Promise<void> };

/**
 * A component whose code is loaded after it is first rendered, with a placeholder until then. Not with `lazy`: React shows the content of
 * a Suspense boundary no earlier than 300 ms after its fallback.
 * @param loadTexts those that the component shows
 */
export function later<P extends object>(
  loadComponent: () => Promise<ComponentType<P>>,
  Placeholder: ComponentType<P> = Nothing,
  loadTexts: () => Promise<void> = loadNextTexts,
): Later<P> {
  let loaded: State<P> | null = null;
  const load = async (): Promise<void> => {
    loaded ??= { component: await withTexts(loadComponent, loadTexts) };
  };
  function WhenLoaded(props: P) {
    const [state, setState] = useState(loaded);
    useEffect(() => {
      load().then(
        () => setState(loaded),
        (error: unknown) => setState({ error }),
      );
    }, []);
    if (state === null) return <Placeholder {...props} />;
    // For the error boundary.
    if ("error" in state) throw state.error;
    return <state.component {...props} />;
  }
  return Object.assign(WhenLoaded, { load });
}

function Nothing() {
  return null;
}

/** Without a network, the code may never be loaded. */
const KEEP_MAX_MS = 3000;

/** A placeholder of what takes the focus: what is typed meanwhile goes there afterwards, not where the focus was. */
export function TypedAhead() {
  useEffect(() => {
    let typed = "";
    const keep = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key.length === 1) typed += event.key;
    };
    addEventListener("keydown", keep, { capture: true, signal: AbortSignal.timeout(KEEP_MAX_MS) });
    return () => {
      removeEventListener("keydown", keep, true);
      // Once it has the focus.
      setTimeout(() => document.execCommand("insertText", false, typed));
    };
  }, []);
  return null;
}

/** Like `later`, but it waits until the first page shows its content. */
export function afterFirst<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Placeholder: ComponentType<P> = Nothing,
): ComponentType<P> {
  return later(async () => {
    await firstShown;
    return load();
  }, Placeholder);
}

/** Like React's, which without a network would break the page until it is reloaded. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>) {
  return reactLazy(async () => ({ default: await withTexts(load, loadNextTexts) }));
}

/** Also loads the texts of what is rarely opened. */
export function lazyWithTexts<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => (await Promise.all([load(), loadMoreTexts("pages")]))[0]);
}

async function withTexts<P extends object>(
  load: () => Promise<ComponentType<P>>,
  loadTexts: () => Promise<void>,
): Promise<ComponentType<P>> {
  const [component] = await Promise.all([whenLoaded(load), whenLoaded(loadTexts)]);
  return component;
}
