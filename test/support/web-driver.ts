import { setTimeout as wait } from "node:timers/promises";

const PATIENCE_MS = 60_000;
const POLL_MS = 100;
/** The key of an element's ID in answers. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

type ElementId = Readonly<Record<typeof ELEMENT, string>>;

const FIND = `
  const [css, name] = arguments;
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  };
  const namesOf = ({ ariaLabel, innerText, labels, placeholder }) =>
    [ariaLabel, innerText, innerText.trim().split("\\n")[0], labels?.[0]?.innerText, placeholder].map((one) => one?.trim());
  return [...document.querySelectorAll(css)].find(
    (element) => isShown(element) && (name === null || namesOf(element).includes(name)),
  ) ?? null;
`;

/** A browser that is controlled by the WebDriver protocol. Its methods wait for the elements that they need. */
export class WebDriver {
  readonly #session: string;

  private constructor(session: string) {
    this.#session = session;
  }

  /** Starts a browser. @param url of the driver program */
  static async start(url: string, capabilities: object): Promise<WebDriver> {
    const { sessionId } = (await command("POST", `${url}/session`, {
      capabilities: { alwaysMatch: capabilities },
    })) as { sessionId: string };
    return new WebDriver(`${url}/session/${sessionId}`);
  }

  /** Ends the browser. */
  async stop(): Promise<void> {
    await command("DELETE", this.#session);
  }

  /** Runs the body of a function in the page. @returns what it returns; promises are awaited */
  async run<T>(script: string, ...args: readonly unknown[]): Promise<T> {
    return (await this.#post("execute/sync", { script, args })) as T;
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    return this.run<T>(`return ${expression}`);
  }

  async open(url: string): Promise<void> {
    await this.#post("url", { url });
  }

  /** Goes to a path of the application, as its own links do. */
  async visit(path: string): Promise<void> {
    await this.run(
      "history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))",
      path,
    );
  }

  async reload(): Promise<void> {
    await this.#post("refresh", {});
  }

  /** Sets the size of the page, without the window's own bars. */
  async resize(width: number, height: number): Promise<void> {
    let [outerWidth, outerHeight] = [width, height];
    await until(`a page of ${width} × ${height}`, async () => {
      const [isWidth, isHeight] = await this.evaluate<[number, number]>("[innerWidth, innerHeight]");
      if (isWidth === width && isHeight === height) return true;
      await this.#post("window/rect", { x: 0, y: 0, width: outerWidth, height: outerHeight });
      const [nowWidth, nowHeight] = await this.evaluate<[number, number]>("[innerWidth, innerHeight]");
      outerWidth += width - nowWidth;
      outerHeight += height - nowHeight;
      return false;
    });
  }

  /** Waits for an element that is shown. @param name its label, its text or the first line of it */
  async find(css: string, name: string | null = null): Promise<ElementId> {
    return until(name === null ? css : `${css} “${name}”`, () => this.#look(css, name));
  }

  /** Fails while something covers the element. */
  async click(css: string, name: string | null = null): Promise<void> {
    await this.#on(css, name, (element) => this.#post(`element/${element}/click`, {}));
  }

  /** @returns false if there is no such element now, or it disappears meanwhile */
  async clickIfShown(css: string, name: string | null = null): Promise<boolean> {
    const element = await this.#look(css, name);
    if (element === null) return false;
    return this.#post(`element/${element[ELEMENT]}/click`, {}).then(
      () => true,
      () => false,
    );
  }

  /** Moves the mouse over an element, and clicks with a button if one is given: 2 is the right one. */
  async point(css: string, name: string | null = null, button?: number): Promise<void> {
    const click =
      button === undefined
        ? []
        : [
            { type: "pointerDown", button },
            { type: "pointerUp", button },
          ];
    await this.#on(css, name, (element) => {
      const move = { type: "pointerMove", origin: { [ELEMENT]: element }, x: 0, y: 0 };
      const mouse = { type: "pointer", id: "mouse", actions: [move, ...click] };
      return this.#post("actions", { actions: [mouse] });
    });
  }

  /** Replaces the text of a field. */
  async type(css: string, text: string, name: string | null = null): Promise<void> {
    await this.#on(css, name, async (element) => {
      await this.#post(`element/${element}/clear`, {});
      await this.#post(`element/${element}/value`, { text });
    });
  }

  /** Types into whatever has the focus. Special keys are those of the protocol, such as `KEYS.enter`. */
  async press(keys: string): Promise<void> {
    const actions = Array.from(keys).flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.#post("actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** Waits until an element's text includes a text. */
  async untilText(css: string, text: string): Promise<void> {
    await until(`“${text}”`, () =>
      this.run<boolean>(
        "return [...document.querySelectorAll(arguments[0])].some((one) => one.innerText.includes(arguments[1]))",
        css,
        text,
      ),
    );
  }

  #look(css: string, name: string | null): Promise<ElementId | null> {
    return this.run<ElementId | null>(FIND, css, name);
  }

  async #on(css: string, name: string | null, act: (id: string) => Promise<unknown>): Promise<void> {
    // An element can be replaced or moved in the meantime.
    await until(name ?? css, async () => {
      await act((await this.find(css, name))[ELEMENT]);
      return true;
    });
  }

  #post(path: string, body: object): Promise<unknown> {
    return command("POST", `${this.#session}/${path}`, body);
  }
}

export const KEYS = { enter: "\uE007", escape: "\uE00C" } as const;

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
  if (!response.ok) throw new Error(`${value?.error}: ${value?.message}`);
  return value;
}

/**
 * Polls a condition until it returns something other than false, null and undefined. It may throw before.
 * @throws {Error} if that takes too long, with what the condition threw
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  const endMs = Date.now() + PATIENCE_MS;
  let failure: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as NonNullable<Exclude<T, false>>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > endMs) throw new Error(`Waited too long for ${what}.`, { cause: failure });
    await wait(POLL_MS);
  }
}
