import { SettingsError } from '../contract/settings-error.ts';
import type { CallProvider } from './provider.ts';
import { plusofon } from './providers/plusofon.ts';
import { smsRu } from './providers/sms-ru.ts';
import { smsc } from './providers/smsc.ts';
import { telegram } from './providers/telegram.ts';
import { telnyx } from './providers/telnyx.ts';
import { twilio } from './providers/twilio.ts';
import { ucaller } from './providers/ucaller.ts';
import { webhook } from './providers/webhook.ts';
import { whatsapp } from './providers/whatsapp.ts';
import { zvonok } from './providers/zvonok.ts';

const kinds = [ucaller, smsRu, zvonok, smsc, plusofon, telnyx, twilio, whatsapp, telegram, webhook] as const;

/** The names that `CALL_PROVIDERS` accepts. */
export const callProviderNames: readonly string[] = kinds.map(({ name }) => name);

/** Every setting of every provider, for the schema in `config.ts`; all are optional there. */
export const callSettings = {
  ...ucaller.settings,
  ...smsRu.settings,
  ...zvonok.settings,
  ...smsc.settings,
  ...plusofon.settings,
  ...telnyx.settings,
  ...twilio.settings,
  ...whatsapp.settings,
  ...telegram.settings,
  ...webhook.settings,
};

/**
 * Opens the providers of `CALL_PROVIDERS` in its order, with settings parsed by `callSettings`, without any connection.
 * Throws a `SettingsError` with one line for each missing setting.
 */
export function openCallProviders(
  names: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): readonly CallProvider[] {
  const wanted = [...new Set(names)].map((name) => ({ name, kind: kinds.find((kind) => kind.name === name) }));
  const missing = wanted.flatMap(({ name, kind }) =>
    kind
      ? kind.needed
          .filter((setting) => settings[setting] === undefined)
          .map((setting) => `${setting}: must be set, because CALL_PROVIDERS contains ${name}`)
      : [`CALL_PROVIDERS: knows ${callProviderNames.join(', ')}, not ${name}`],
  );
  if (missing.length > 0) throw new SettingsError(missing);
  // The required settings are present, and the provider's own schema has parsed them.
  return wanted.flatMap(({ kind }) => (kind ? [kind.open(settings as never)] : []));
}
