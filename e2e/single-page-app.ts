import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { addTestClient } from '../src/testing/applications/application.ts';
import { onFileEnd } from '../src/testing/file-cleanup.ts';
import { freePort } from '../src/testing/free-port.ts';
import type { TestSite } from './test-site.ts';

const library = readFileSync('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js');

/** A single-page application with oidc-client-ts, on an origin of its own, with the fields of its client. */
export async function openSinglePageApp(
  { server, origin: authority }: TestSite,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const { entry } = await addTestClient(server, {
    redirect_uris: [`${origin}/callback`],
    public: true,
    first_party: false,
    ...fields,
  });
  const settings = {
    authority,
    client_id: entry.client_id,
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile',
    loadUserInfo: true,
  };
  const html = `<!doctype html><title>Notes</title><link rel="icon" href="data:,"><p id="who"></p>
    <script src="/library.js"></script><script>
      const manager = new oidc.UserManager(${JSON.stringify(settings)});
      if (location.pathname === '/callback')
        manager.signinCallback().then(({ profile }) => { who.textContent = 'Hello ' + profile.name; });
      else manager.signinRedirect({ ui_locales: new URLSearchParams(location.search).get('language') ?? 'en' });
    </script>`;
  const listener = createServer(({ url }, response) => {
    const isLibrary = url === '/library.js';
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isLibrary ? library : html);
  });
  await new Promise<void>((resolve) => listener.listen(port, 'localhost', resolve));
  onFileEnd(() => new Promise((resolve) => listener.close(resolve)));
  return origin;
}
