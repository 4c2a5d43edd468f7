/*
 * A plain script without imports that runs before the first paint. It applies the chosen theme without a flash, holds a
 * form that is submitted before hydration (`document.tsx` then sends it; after ten seconds without hydration, the button
 * offers to reload the page), marks the last button that is pressed before hydration (`document.tsx` then presses it), and
 * hides the sign-in and registration forms from signed-in users, whom the guard is about to redirect, until the response
 * is late.
 */
{
  const hiddenFor = 2000;
  const lateAfter = 10_000;
  const page = document.documentElement;

  const hold = (event: Event) => {
    if ('alive' in page.dataset) return document.removeEventListener('submit', hold, true);
    event.preventDefault();
    // The scripts never came. Browsers keep what was typed when a page is reloaded.
    if (page.dataset.submitted === 'late') return location.reload();
    page.dataset.submitted = '';
    setTimeout(() => {
      if ('submitted' in page.dataset) page.dataset.submitted = 'late';
    }, lateAfter);
  };
  document.addEventListener('submit', hold, true);

  let pressed: HTMLElement | undefined;
  const press = ({ target }: Event) => {
    if ('alive' in page.dataset) return document.removeEventListener('click', press, true);
    const button = (target as Element).closest<HTMLElement>('button[type=button]');
    if (!button) return;
    delete pressed?.dataset.pressed;
    pressed = button;
    button.dataset.pressed = '';
  };
  document.addEventListener('click', press, true);

  try {
    const theme = /(?:^|; )theme=(\w+)/.exec(document.cookie)?.[1];
    if (theme) page.dataset.theme = theme;
    if (document.currentScript?.dataset.guests && /(?:^|; )session_hint=/.test(document.cookie)) {
      page.dataset.returning = '';
      setTimeout(() => delete page.dataset.returning, hiddenFor);
    }
  } catch {
    // If the browser blocks cookies, no theme is stored.
  }
}
