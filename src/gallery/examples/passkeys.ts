import type { ResponseBody } from '../../contract/endpoint.ts';
import type { listPasskeys } from '../../journeys/passkeys/passkeys.contract.ts';

type Passkey = ResponseBody<typeof listPasskeys>['passkeys'][number];

/** Options of a ceremony, as the server sends them. */
export const pickOptions = {
  challenge: 'Y2hhbGxlbmdl',
  timeout: 300_000,
  rpId: 'localhost',
  userVerification: 'required' as const,
};

export const createOptions = {
  rp: { id: 'localhost', name: 'Vestibule' },
  user: { id: 'dXNlcg', name: 'anna@example.com', displayName: 'Anna Berg' },
  challenge: 'Y2hhbGxlbmdl',
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true as const,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
};

export const macPasskey: Passkey = {
  id: 'one',
  name: 'iCloud Keychain',
  provider: 'iCloud Keychain',
  synced: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: '2026-02-01T09:30:00Z',
};

export const keyPasskey: Passkey = {
  id: 'two',
  name: 'Anna’s security key',
  provider: 'YubiKey 5 Series',
  synced: false,
  created_at: '2026-01-15T00:00:00Z',
  last_used_at: null,
};
