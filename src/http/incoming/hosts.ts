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

/**
 * The path and query that routing sees: without the origin of a URL in absolute form, as for a proxy (RFC 9112, section
 * 3.2.2), and with malformed percent-encoding as literal text, so that a browser gets the localized 404 page.
 */
export const routedUrl = ({ url = '/' }: { url?: string | undefined }): string => {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
  const rest = url.slice(origin.length);
  const [path = '', ...query] = (rest.startsWith('/') ? rest : `/${rest}`).split('?');
  return [isDecodable(path) ? path : path.replaceAll('%', '%25'), ...query].join('?');
};

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}
