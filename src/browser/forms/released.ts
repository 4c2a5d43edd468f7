const releases = ['pointerup', 'pointercancel', 'keyup'] as const;

/**
 * Resolves once nothing is pressed. A click that blurs a field must hit its button before a message moves that button
 * down: a press and a release on different elements are no click.
 */
export async function released(): Promise<void> {
  if (document.documentElement.matches(':active')) await nextRelease();
  // The click follows its release in the same turn.
  await new Promise((resolve) => setTimeout(resolve));
}

const nextRelease = () =>
  new Promise<void>((resolve) => {
    for (const release of releases) addEventListener(release, () => resolve(), { capture: true, once: true });
  });
