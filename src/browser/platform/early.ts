/*
 * Runs before the first paint, as a plain script of its own that imports nothing: shows the chosen appearance without a
 * flash, holds a form that is submitted before the page is alive (`hydrated.ts` sends it then), and keeps the forms for
 * getting in from whoever is in already: the guard is about to move them on.
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
    if (document.currentScript?.dataset.guests && /(?:^|; )session_hint=/.test(document.cookie))
      page.dataset.returning = '';
  } catch {
    // Where cookies are forbidden nothing was chosen.
  }
}
