import * as z from 'zod/mini';
import { textLike } from '../contract/settings.ts';
import type { CallProvider } from './provider.ts';

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type Values<Settings extends Shape> = { readonly [Name in keyof Settings]: z.output<Settings[Name]> };
type Optional<Settings extends Shape> = { readonly [Name in keyof Settings]: z.ZodMiniOptional<Settings[Name]> };

type ProviderImplementation = Omit<CallProvider, 'name'>;

interface ProviderDefinition<Needed extends Shape, Other extends Shape, Provider extends ProviderImplementation> {
  /** Its name in `CALL_PROVIDERS`. */
  readonly name: string;
  /** Required settings. */
  readonly needed: Needed;
  /** Settings that are optional or have a default. */
  readonly other: Other;
  readonly open: (values: Values<Needed> & Values<Other>) => Provider;
}

/** Defines a provider: its settings, all optional in the schema of `config.ts`, and the function that opens it. */
export function defineCallProvider<Needed extends Shape, Other extends Shape, Provider extends ProviderImplementation>(
  described: ProviderDefinition<Needed, Other, Provider>,
) {
  const { name, needed, other } = described;
  const optional = Object.fromEntries(Object.entries(needed).map(([key, schema]) => [key, z.optional(schema)]));
  return {
    name,
    needed: Object.keys(needed),
    settings: { ...optional, ...other } as Optional<Needed> & Other,
    open: (values: Values<Needed> & Values<Other>) => ({ name, ...described.open(values) }),
  };
}

export const text = z.string().check(z.minLength(1));

/** A key sent in a header, limited to the characters allowed there (RFC 6750, section 2.1). */
export const headerKey = textLike(/^[\x21-\x7e]+$/, 'must be of ASCII letters, digits and signs, without blanks');

/** Requests carry keys and codes, so only this machine may be reached without TLS. */
export const apiUrl = textLike((value) => {
  const url = URL.parse(value);
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
}, 'must begin with https:// (http:// only for this machine)');
