/*
 * A plain script without imports for pages behind sign-in: requests the page's data with the tab's token, so that data
 * and code arrive together (`requests/send.ts`).
 */
{
  const { reads = '' } = document.currentScript?.dataset ?? {};
  try {
    const token = sessionStorage.getItem('token');
    if (token) {
      const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
      const read = (path: string) => fetch(path, { headers }).catch(() => undefined);
      const [id = ''] = location.pathname.split('/').slice(-2);
      const responses = new Map(
        reads
          .replaceAll(':id', id)
          .split(' ')
          .filter((path) => !location.search || !path.includes('?'))
          .map((path) => [path, read(path)]),
      );
      globalThis.earlyReads = { token, responses };
    }
  } catch {
    // Without storage, the token is not known before the page's code runs.
  }
}
