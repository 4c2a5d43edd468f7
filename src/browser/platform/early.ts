/*
 * Runs before the first paint, as a plain script of its own that imports nothing: shows the chosen appearance
 * without a flash, and holds a form that is submitted before the page is alive (`comes-alive.ts` sends it then).
 */
{
  const page = document.documentElement;

  const hold = (event: Event) => {
    if ('alive' in page.dataset) return document.removeEventListener('submit', hold, true);
    event.preventDefault();
    page.dataset.submitted = '';
  };
  document.addEventListener('submit', hold, true);

  try {
    const theme = /(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1];
    if (theme) page.dataset.theme = theme;
  } catch {
    // Where cookies are forbidden nothing was chosen.
  }
}
