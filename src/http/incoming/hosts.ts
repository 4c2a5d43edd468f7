import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';

/** Refuses requests with several Host headers (RFC 9112, section 3.2): a proxy in front may have read the other one. */
export function rejectMultipleHosts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    let names = 0;
    for (let at = 0; at < raw.rawHeaders.length; at += 2) if (isHost(raw.rawHeaders[at])) names += 1;
    done(names > 1 ? new Failure('malformed_request') : undefined);
  });
}

const isHost = (name: string | undefined): boolean => name?.length === 4 && name.toLowerCase() === 'host';

/** Strips the origin from a URL in absolute form, as for a proxy (RFC 9112, section 3.2.2); routing ignores it. */
export const stripOrigin = ({ url = '/' }: { url?: string | undefined }): string => {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
  const rest = url.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
};
