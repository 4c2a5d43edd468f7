/** Combines listeners into one; undefined without listeners, so that callers can skip measuring. */
export function combineListeners<Event>(...listeners: readonly (((event: Event) => void) | undefined)[]) {
  const listening = listeners.filter((listener) => listener !== undefined);
  if (listening.length === 0) return undefined;
  return (event: Event): void => {
    for (const listener of listening) listener(event);
  };
}
