import { describe, expect, test } from 'vitest';
import type { SiteSettings } from '../../contract/settings.ts';
import { randomSecret } from '../../security/macs.ts';
import { openService } from '../../server/open-service.ts';
import { readConfig } from '../../server/settings/config.ts';
import { addPromoCode } from '../../store/accounts/promo-codes.ts';
import { engines, freshDatabase, withLongTimeouts } from '../../testing/databases/databases.ts';
import { onFileEnd } from '../../testing/file-cleanup.ts';
import { form } from '../../testing/people.ts';
import { openSharedSite } from '../../testing/shared-pages.ts';
import type { Registration } from './register.contract.ts';
import { registerOnce } from './register.ts';

const visitor = {
  ip: '192.0.2.1',
  userAgent: '',
  timeZone: undefined,
  source: '192.0.2.1',
  networks: [],
  paidNetworks: [],
};

const browser = { visitor, deviceToken: undefined, formerSession: undefined };

describe.each(engines)('two parallel requests of one registration, on %s,', (engine) => {
  async function openAlone() {
    const { dataDir, databaseUrl } = await freshDatabase(engine);
    const config = readConfig({
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      PUBLIC_URL: 'https://door.example',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      PHONE_CONFIRMATION: 'off',
    });
    const openSite = (settings: SiteSettings) => openSharedSite(settings, { ownPages: false });
    const service = await openService({ config, openSite, ...withLongTimeouts });
    onFileEnd(() => service.close());
    return service;
  }

  /** Holds requests after hashing the password until `count` of them arrive, so that they then commit in parallel. */
  function abreast(count: number): (hash: string) => Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let come = 0;
    return async (hash) => {
      come += 1;
      if (come === count) resolve();
      await promise;
      return hash;
    };
  }

  test.each([
    ['for one address', {}],
    ['for the last use of a promo code', { promo_code: 'ONLY ONE' }],
  ])('%s, both get the one account', async (_what, changes) => {
    const service = await openAlone();
    const { passwords } = service;
    await addPromoCode(service.store, { code: 'only one', uses: 1, until: null, at: service.now() });
    const together = abreast(2);
    const hash = (password: string) => passwords.hash(password).then(together);
    // The gate admits as many hashes as there are processors, maybe only one.
    const gate = { ...service.gate, run: <Result>(_place: object, work: () => Promise<Result>) => work() };
    const person = form({ attempt: randomSecret(128), ...changes }) as Registration;
    const first = { ...service, gate, passwords: { ...passwords, hash } } as typeof service;
    const registered = await Promise.all([registerOnce(first, person, browser), registerOnce(first, person, browser)]);
    expect(registered.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
    expect(new Set(registered.map(({ accountId }) => accountId)).size).toBe(1);
  });
});
