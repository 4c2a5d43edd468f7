import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { ownId } from '../own-id.ts';

/** Bits of a group's number: few enough that it says little about a password, many enough for short groups. */
const bits = 12;

/** The group of a password: the first bits of its FNV-1a hash, as three hexadecimal digits. Ignores case. */
export function passwordGroup(password: string): string {
  let hash = 0x811c9dc5;
  for (const unit of password.toLowerCase()) hash = Math.imul(hash ^ (unit.codePointAt(0) as number), 0x01000193);
  return (hash >>> (32 - bits)).toString(16).padStart(3, '0');
}

/** Lists some fifty passwords. A page that asks for a group reveals 12 bits of a hash, and never the password. */
export const listCommonPasswords = endpoint({
  method: 'GET',
  path: '/auth/common-passwords/:group',
  summary: 'List the common passwords in one of 4,096 groups',
  params: z.object({ group: ownId }),
  status: 200,
  response: z.object({ passwords: z.array(z.string()) }),
});
