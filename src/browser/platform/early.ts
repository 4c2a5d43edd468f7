/*
 * A plain script without imports that runs before the first paint. It applies the chosen theme without a flash, holds a
 * form that is submitted before hydration (`hydrated.ts` then sends it), and hides the sign-in and registration forms
 * from signed-in users, whom the guard is about to redirect. On a page behind sign-in it requests the page's data, so that
 * data and code arrive together (`requests/early-reads.ts`).
 */
{
  const page = document.documentElement;

  const hold = (event: Event) => {
    if ('alive' in page.dataset) return document.removeEventListener('submit', hold, true);
    event.preventDefault();
    page.dataset.submitted = '';
  };
  document.addEventListener('submit', hold, true);

  const { guests, reads } = document.currentScript?.dataset ?? {};
  try {
    const theme = /(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1];
    if (theme) page.dataset.theme = theme;
    if (guests && /(?:^|; )session_hint=/.test(document.cookie)) page.dataset.returning = '';
  } catch {
    // If the browser blocks cookies, no theme is stored.
  }

  try {
    const token = reads && sessionStorage.getItem('token');
    if (token) {
      const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
      const read = (path: string) => fetch(path, { headers }).catch(() => undefined);
      const responses = new Map(reads.split(' ').map((path) => [path, read(path)]));
      window.earlyReads = { token, at: Date.now(), responses };
    }
  } catch {
    // Without storage, the token is not known before the page's code runs.
  }
}
