import * as z from 'zod/mini';
import { hostsIn } from '../../store/postgres/hosts.ts';

/** Several hosts, separated by commas, serve one database: the one that accepts writes is used. */
export const databaseUrl = z.string().check(
  z.minLength(1),
  z.refine(
    (value) => hostsIn(value).every((one) => /^postgres(?:ql)?:$/.test(URL.parse(one)?.protocol ?? '')),
    'must be a URL that begins with postgres:// or postgresql://',
  ),
  z.refine(isDecodable, 'has a % that is not part of %XX: write a % as %25'),
);

function isDecodable(text: string): boolean {
  try {
    decodeURI(text);
    return true;
  } catch {
    return false;
  }
}
