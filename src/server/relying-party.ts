import { isIP } from 'node:net';
import { SettingsError } from '../contract/settings.ts';
import type { RelyingParty } from '../security/web-authn/web-authn.ts';

interface PasskeySettings {
  readonly PASSKEYS: 'on' | 'off';
  readonly WEBAUTHN_RP_ID?: string | undefined;
  readonly WEBAUTHN_RELATED_ORIGINS: readonly string[];
}

/**
 * The domain that passkeys belong to, and the origins that may use them. Undefined if they are off, or the host is an IP
 * address, for which browsers create no passkeys.
 */
export function relyingPartyOf(settings: PasskeySettings, publicUrl: string): RelyingParty | undefined {
  const { PASSKEYS, WEBAUTHN_RP_ID, WEBAUTHN_RELATED_ORIGINS } = settings;
  const { hostname } = new URL(publicUrl);
  if (PASSKEYS === 'off' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return { id: WEBAUTHN_RP_ID ?? hostname, origins: [...new Set([publicUrl, ...WEBAUTHN_RELATED_ORIGINS])] };
}

/** Browsers refuse a domain that is neither the host nor above it, unless that domain lists our origin. */
export function refuseForeignRelyingParty(settings: PasskeySettings & { readonly PUBLIC_URL: string }): void {
  const { WEBAUTHN_RP_ID: id, WEBAUTHN_RELATED_ORIGINS: related, PUBLIC_URL } = settings;
  const { hostname } = new URL(PUBLIC_URL);
  if (id === undefined || hostname === id || hostname.endsWith(`.${id}`) || related.includes(PUBLIC_URL)) return;
  throw new SettingsError([
    `WEBAUTHN_RP_ID: must be ${hostname} or a domain above it; if ${id} lists ${PUBLIC_URL} in its /.well-known/webauthn, also add that origin to WEBAUTHN_RELATED_ORIGINS`,
  ]);
}
