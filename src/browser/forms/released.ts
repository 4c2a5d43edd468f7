/** Milliseconds. */
const pollingInterval = 20;

/**
 * Resolves once nothing is pressed. A click that blurs a field must hit its button before a message moves that button
 * down: a press and a release on different elements are no click. Polls, since a tap sends its events out of this order.
 */
export async function released(): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, pollingInterval));
  while (document.documentElement.matches(':active'));
}
