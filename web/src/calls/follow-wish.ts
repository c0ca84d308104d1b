/**
 * Runs what turns something on and off, one at a time, until the last wish is fulfilled. What was started for an older wish can ask whether
 * it is still wanted.
 */
export function followWish(
  turn: (isOn: boolean, isStillWanted: () => boolean) => Promise<void>,
): (isOn: boolean) => Promise<void> {
  let wish = false;
  let running: Promise<void> | null = null;
  const follow = async (): Promise<void> => {
    try {
      let done: boolean;
      do {
        done = wish;
        await turn(done, () => wish === done);
      } while (wish !== done);
    } finally {
      running = null;
    }
  };
  return (isOn) => {
    wish = isOn;
    running ??= follow();
    return running;
  };
}

/**
 * Reports a state that changes often: at most once per interval, and again in each interval while it is on.
 * @returns a function for each change, and one that ends the reports
 */
export function reportRepeatedly(intervalMs: number, send: (isOn: boolean) => void) {
  let isOn = false;
  let wasSent = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = (): void => {
    timer = undefined;
    if (!isOn && !wasSent) return;
    send(isOn);
    wasSent = isOn;
    timer = setTimeout(report, intervalMs);
  };
  return {
    change(next: boolean): void {
      isOn = next;
      if (timer === undefined) report();
    },
    end: () => clearTimeout(timer),
  };
}
