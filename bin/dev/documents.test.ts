import { expect, test } from 'vitest';
import { documents } from './documents.ts';

test.each(await documents())('$path is up to date (otherwise: npm run documents)', ({ now, wanted }) => {
  expect(now).toBe(wanted);
});

test('every setting and every endpoint is in its table, with the file that mounts it', async () => {
  const [settings, addresses] = await documents();
  expect(settings?.wanted.match(/^\| `[A-Z]/gm)?.length).toBeGreaterThan(60);
  const rows = addresses?.wanted.match(/^\| `[A-Z]+ \/.*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(90);
  const isUnmounted = (line: string) => /^(?:[^|]*\|){3} – \|/.test(line);
  // Documents, which `mount` does not serve, and the export, whose contract has a part of each wing.
  expect(rows.filter(isUnmounted).map((line) => line.split('`')[1])).toEqual([
    'GET /account/export',
    'GET /openapi.json',
    'GET /operators/openapi.json',
  ]);
});
