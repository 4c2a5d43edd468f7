import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../contract/units.ts';
import type { KeyEncryption } from '../security/macs.ts';
import { columnsOfKeys, otherSealedColumns, replaceSealed } from '../store/access/sealed-secrets.ts';
import { audit, type Operation } from './operation.ts';

/** Longer than every node takes to read the keys again, and then to seal with the secret that seals them. */
const nodesFollowWithin = seconds(15);

/**
 * Seals every stored secret with the present SECRET_KEY; returns how many it changed. The keys come first: nodes seal with
 * the secret that seals the newest key, so once they have read them, no more secrets are sealed with the former one.
 */
export async function resealSecrets({ store, ...operation }: Operation, secrets: KeyEncryption): Promise<number> {
  const again = (sealed: string) => (secrets.isCurrent(sealed) ? sealed : secrets.sealCurrent(secrets.open(sealed)));
  const keys = await store.transaction().execute(async (trx) => {
    const count = await replaceSealed(trx, columnsOfKeys, again);
    await audit(trx, operation, { action: 'keys_resealed', subject: `${count} keys` });
    return count;
  });
  if (keys > 0) await pause(nodesFollowWithin);
  return keys + (await replaceSealed(store, otherSealedColumns, again));
}
