import { expect, test } from 'vitest';
import { languages, pathIn } from '../../contract/languages.ts';
import { openTestServer } from '../../testing/test-server.ts';

// It renders every page anew, which takes longer than all other tests of pages.
test('the operator’s product name is escaped in each language, and a payload with another name is sent again', async () => {
  const named = await openTestServer('sqlite', { PRODUCT_NAME: 'Wächter & "Söhne"' }, { ownPages: true });
  for (const { code } of languages) {
    const { body } = await named.client().get(pathIn(code, '/'));
    expect(body).toContain('Wächter &amp; &quot;Söhne&quot;');
    expect(body).not.toContain('& "S');
  }
  const other = (await openTestServer('sqlite')).client();
  const tag = (await other.get('/de/_payload.json')).headers.get('etag') ?? '';
  expect((await other.get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(304);
  expect((await named.client().get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(200);
});
