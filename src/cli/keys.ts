import { iso } from '../contract/units.ts';
import { audit } from '../operations/operation.ts';
import { describeSigningKeys, resealSecrets } from '../operations/service.ts';
import { counted } from '../server/doctor/finding.ts';
import { rotateKeys } from '../server/keys/rotate-keys.ts';
import { openKeys, openSecrets } from '../server/keys/stored-keys.ts';
import { readSecret } from '../server/settings/environment.ts';
import { inColumns, operationOf, reasonOption, type StoreCommand, UsageError } from './command.ts';

const keysList: StoreCommand = {
  usage: 'keys',
  summary: 'list the keys that sign sessions and proofs: when each was created, and until when it verifies',
  example: 'keys',
  async run({ store, now }) {
    const keys = await describeSigningKeys(store, now);
    const rows = keys.map((key) => [key.purpose, key.id, key.created_at, key.verifies_until ?? 'in use']);
    return { text: inColumns(rows), data: { keys } };
  },
};

const keysRotate: StoreCommand = {
  usage: 'keys rotate',
  summary:
    'create new keys; everyone stays signed in, but --compromised invalidates the old keys immediately and signs everyone out',
  example: 'keys rotate --reason "yearly"',
  options: {
    compromised: { type: 'boolean', help: 'invalidate the old keys immediately, and sign everyone out' },
    ...reasonOption,
  },
  async run(given) {
    const { store, config, now, options } = given;
    const compromised = options.compromised === true;
    const operation = operationOf(given);
    const rotated = await rotateKeys(store, {
      config,
      now,
      compromised,
      record: (trx) =>
        audit(trx, operation, { action: 'keys_rotated', subject: compromised ? 'compromised' : 'all purposes' }),
    });
    if (!rotated) throw new UsageError('keys rotate: there are no keys yet; the first start creates them');
    const { signsFrom, retiredAt } = rotated;
    const last = iso(Math.max(...Object.values(retiredAt)));
    return {
      text: compromised
        ? 'New keys sign now. Within ten seconds, everything that the old keys signed becomes invalid: everyone has to sign in again.'
        : `New keys sign from ${iso(signsFrom)}, when every node has loaded them; the old keys verify until ${last}.`,
      data: { signs_from: iso(signsFrom), verifies_until: last, compromised },
    };
  },
};

const keysReseal: StoreCommand = {
  usage: 'keys reseal',
  summary:
    'seal all stored secrets with SECRET_KEY instead of PREVIOUS_SECRET_KEY, while the service runs; everyone stays signed in',
  example: 'keys reseal --reason "someone left"',
  options: reasonOption,
  async run(given) {
    const { store, config, now } = given;
    if (readSecret(config) === undefined) throw new UsageError('keys reseal: set SECRET_KEY to the new secret');
    const secrets = openSecrets(config);
    // Also says in the operator's words if neither secret opens them.
    await openKeys(store, { config, now, secrets });
    const resealed = await resealSecrets(operationOf(given), secrets);
    const remove = config.PREVIOUS_SECRET_KEY ? '; remove PREVIOUS_SECRET_KEY from the settings of every node' : '';
    return { text: `${counted(resealed, 'secret')} resealed${remove}`, data: { resealed } };
  },
};

export const keyCommands = [keysRotate, keysReseal, keysList];
