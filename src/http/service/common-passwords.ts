import type { FastifyInstance } from 'fastify';
import { listCommonPasswords, passwordGroup } from '../../contract/sign-in/common-passwords.ts';
import { readCommonPasswords } from '../../security/common-passwords.ts';
import type { Service } from '../../server/service.ts';
import { mountOn } from '../mount.ts';

/** Serves the list of refused passwords in small groups, so that a form can refuse one while it is filled in. */
export function commonPasswordsRoute(app: FastifyInstance, service: Service): void {
  let grouped: { list: string; groups: ReadonlyMap<string, readonly number[]> } | undefined;
  mountOn(app, service)(listCommonPasswords, ({ params, reply }) => {
    grouped ??= groupPasswords(readCommonPasswords().toString('latin1'));
    const { list, groups } = grouped;
    // The list is public, but the address tells a little about a password: no cache may keep it.
    reply.header('cache-control', 'no-store');
    return { passwords: (groups.get(params.group) ?? []).map((at) => lineAt(list, at)) };
  });
}

const lineAt = (list: string, at: number): string => list.slice(at, list.indexOf('\n', at));

/** Positions in the list instead of copies: a megabyte instead of ten. */
function groupPasswords(list: string) {
  const groups = new Map<string, number[]>();
  for (let at = 0; at < list.length; at = list.indexOf('\n', at) + 1) {
    const group = passwordGroup(lineAt(list, at));
    const positions = groups.get(group);
    if (positions) positions.push(at);
    else groups.set(group, [at]);
  }
  return { list, groups };
}
