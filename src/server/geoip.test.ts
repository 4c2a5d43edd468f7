import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LanguageCode } from '../contract/languages.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { password, registerProven } from '../testing/people.ts';
import { writePlacesFile } from '../testing/places-file.ts';
import { openTestServer } from '../testing/test-server.ts';
import { openGeoIp } from './geoip.ts';

const berlin = {
  city: { names: { de: 'Berlin', en: 'Berlin', ru: 'Берлин', 'zh-CN': '柏林', 'pt-BR': 'Berlim' } },
  country: { iso_code: 'DE', names: { de: 'Deutschland', en: 'Germany', 'zh-CN': '德国', 'pt-BR': 'Alemanha' } },
};
const networks = {
  '198.51.100.0/24': berlin,
  '203.0.113.0/25': { country: { iso_code: 'CL', names: { en: 'Chile' } } },
  '203.0.113.128/25': { city: { names: { en: 'Nowhere' } } },
  '2001:db8:1::/48': berlin,
  '192.0.2.0/24': { traits: { note: 'no place' } },
};

test.each<[ip: string, language: LanguageCode, place: string | undefined]>([
  ['198.51.100.7', 'en', 'Berlin, Germany'],
  ['198.51.100.255', 'de', 'Berlin, Deutschland'],
  ['198.51.100.7', 'ru', 'Берлин, Германия'],
  ['198.51.100.7', 'pt', 'Berlim, Alemanha'],
  ['198.51.100.7', 'zh', '德国柏林'],
  ['198.51.100.7', 'ja', 'ドイツ・Berlin'],
  ['198.51.100.7', 'ar', 'Berlin، ألمانيا'],
  ['2001:db8:1:2::3', 'en', 'Berlin, Germany'],
  ['2001:db8:2::3', 'en', undefined],
  ['203.0.113.1', 'fr', 'Chili'],
  ['203.0.113.200', 'fr', 'Nowhere'],
  ['192.0.2.1', 'en', undefined],
  ['198.51.101.7', 'en', undefined],
  ['no address', 'en', undefined],
])('%s is in %s: %s', async (ip, language, expected) => {
  const places = await openGeoIp(await writePlacesFile(networks));
  expect(places.of(ip, language)).toBe(expected);
});

test('without a file, places are unknown; a missing or invalid file is reported with its setting', async () => {
  expect((await openGeoIp(undefined)).of('198.51.100.7', 'en')).toBeUndefined();
  const { dataDir } = await freshDatabase('sqlite');
  const file = join(dataDir, 'places.mmdb');
  await expect(openGeoIp(file)).rejects.toThrow(/^PLACES_FILE: .*places\.mmdb is not a readable MaxMind DB/);
  await writeFile(file, 'not a database');
  await expect(openGeoIp(file)).rejects.toThrow(/^PLACES_FILE: .*places\.mmdb is not a readable MaxMind DB/);
});

test('sessions, activity and the email about a new device contain the place', async () => {
  const server = await openTestServer('sqlite', { PLACES_FILE: await writePlacesFile(networks) });
  const { email } = await registerProven(server, { locale: 'de' });
  const other = server.client({ ip: '198.51.100.7' });
  await other.post('/auth/login', { email, password });
  const bodyOf = async (path: string) => JSON.stringify((await other.get(path)).body);
  expect(await bodyOf('/account/sessions?locale=ru')).toContain('"place":"Берлин, Германия"');
  expect(await bodyOf('/account/activity')).toContain('"place":"Berlin, Germany"');
  expect(await bodyOf('/account/activity?locale=xx')).toContain('"place":"Berlin, Germany"');
  expect((await server.mailTo(email, /Neue Anmeldung/)).text).toContain('Ungefährer Ort: Berlin, Deutschland');
});
