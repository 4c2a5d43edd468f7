import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolveConfig } from 'vite';
import { afterAll, afterEach, expect, test, vi } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'vestibule-mode-'));

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(['development', 'production', 'test'])(
  'NODE_ENV=%s, exported and in `.env`, changes neither a build nor `npm run dev`',
  async (set) => {
    writeFileSync(join(root, '.env'), `NODE_ENV=${set}\n`);
    for (const exported of [set, undefined]) {
      for (const command of ['build', 'serve'] as const) {
        vi.stubEnv('NODE_ENV', exported);
        const { isProduction } = await resolveConfig({ root, configFile: resolve('vite.config.ts') }, command);
        expect(isProduction).toBe(command === 'build');
      }
    }
  },
);
