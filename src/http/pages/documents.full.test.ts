import { expect, test } from 'vitest';
import { languages, pathIn } from '../../contract/languages.ts';
import { openTestServer } from '../../testing/test-server.ts';

// It renders every page anew, which takes longer than all other tests of pages.
test('the operator’s own name and sentences are escaped in each language, and a payload with others is sent again', async () => {
  const settings = {
    PRODUCT_NAME: 'Wächter & "Söhne"',
    REGISTRATION_LEAD: 'Free <for> {all} & #.',
    SIGN_IN_PANEL: '{"de":"Alle Rechner der Beispiel GmbH."}',
  };
  const named = await openTestServer('sqlite', settings, { ownPages: true });
  for (const { code } of languages) {
    const { body } = await named.client().get(pathIn(code, '/'));
    expect(body).toContain('Wächter &amp; &quot;Söhne&quot;');
    expect(body).not.toContain('& "S');
    expect(body.includes('Alle Rechner der Beispiel GmbH.')).toBe(code === 'de');
    const registration = await named.client().get(pathIn(code, '/register/'));
    const shown = 'Free &lt;for&gt; {all} &amp; #.';
    expect(registration.body).toMatch(new RegExp(`<p[^>]*>\u2068?${shown}\u2069?</p>`));
    expect(registration.body).toMatch(new RegExp(`name="description" content="\u2068?${shown}`));
    expect(registration.body).not.toMatch(/credit card|Kreditkarte/);
  }
  const other = (await openTestServer('sqlite')).client();
  const tag = (await other.get('/de/_payload.json')).headers.get('etag') ?? '';
  expect((await other.get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(304);
  expect((await named.client().get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(200);
});
