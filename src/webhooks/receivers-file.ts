import * as z from 'zod/mini';
import { SettingsError } from '../contract/settings.ts';
import { eventTypes, isReceiverUrl, maxReceivers } from '../contract/webhook-events.ts';
import { readSettingsFile } from '../runtime/settings-file.ts';
import { hrefOf, keyIn, type Receiver, receiverId, secretPrefix } from './receivers.ts';

/** In bytes, as Standard Webhooks 1.0.0 requires. */
const secretSize = { least: 24, max: 64 };

const secret = z.string('must be text that begins with whsec_').check(
  z.refine((value) => {
    const text = value.startsWith(secretPrefix) ? value.slice(secretPrefix.length) : '';
    const bytes = Buffer.from(text, 'base64');
    const isBase64 = bytes.toString('base64').replaceAll('=', '') === text.replaceAll('=', '');
    return isBase64 && bytes.length >= secretSize.least && bytes.length <= secretSize.max;
  }, 'must be whsec_ and the base64 of 24 to 64 random bytes'),
);

const url = z
  .string('must be a URL')
  .check(
    z.refine(isReceiverUrl, 'must be an https:// URL, or http:// of this machine, without a user name and without a #'),
  );

const receiver = z.strictObject(
  {
    url,
    secret: z.union([secret, z.array(secret).check(z.minLength(1), z.maxLength(2))], {
      error: 'must be whsec_ and the base64 of 24 to 64 random bytes, or a list of two such secrets during a change',
    }),
    events: z
      .array(z.enum(eventTypes, { error: `must be some of ${eventTypes.join(', ')}` }), 'must be a list of event types')
      .check(z.minLength(1, 'must list at least one event type')),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown keys: ${issue.keys.join(', ')}`
        : 'must have url, secret and events',
  },
);

const receiversFile = z.array(receiver, 'must be a list of receivers').check(
  z.maxLength(maxReceivers, `must list at most ${maxReceivers} receivers`),
  z.refine((all) => new Set(all.map((one) => hrefOf(one.url))).size === all.length, 'must list each URL once'),
);

/** Reads the receivers of webhooks. Throws a `SettingsError` that names every entry that is unusable. */
export function readReceivers(file: string | undefined): readonly Receiver[] {
  if (file === undefined) return [];
  const { data, error } = receiversFile.safeParse(readSettingsFile('WEBHOOKS_FILE', file));
  if (error) {
    const lines = error.issues.map(({ path, message }) => `WEBHOOKS_FILE: ${file} ${placeOf(path)}${message}`);
    throw new SettingsError(lines);
  }
  return data.map((one) => ({
    id: receiverId(one.url),
    url: new URL(one.url),
    secrets: [one.secret].flat().map(keyIn),
    events: [...new Set(one.events)],
    isFromFile: true,
  }));
}

function placeOf([index, ...rest]: readonly PropertyKey[]): string {
  if (index === undefined) return '';
  return [`receiver ${Number(index) + 1}:`, ...rest.slice(0, 1).map(String), ''].join(' ');
}
