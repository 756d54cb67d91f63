interface Stop {
  readonly promise: Promise<undefined>;
  readonly forget: () => void;
}

/** Returns a promise that resolves when the signal aborts. Each turn needs its own promise, because a shared promise would keep the answers of all turns in memory. */
export function stopOf(signal: AbortSignal): Stop {
  let stop = (): void => {};
  const promise = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  return { promise, forget: () => signal.removeEventListener('abort', stop) };
}
