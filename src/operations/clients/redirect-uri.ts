import { isLoopbackHost } from '../../contract/loopback.ts';

const longestUri = 2000;

/**
 * Why a URI cannot receive people who signed in; undefined if it can. Browsers and operating systems send codes there,
 * so it is an https URL, a loopback URL, or for apps a scheme with a dot (RFC 8252, sections 7.1 and 7.3).
 */
export function redirectProblem(uri: string, { isPublic }: { isPublic: boolean }): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > longestUri || /[\s\p{Cc}\\*]/u.test(uri)) return 'is not a URL';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname) ? undefined : 'must begin with https://';
  if (!/^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/.test(url.protocol))
    return 'must begin with https://, or with a scheme that has a dot, such as com.example.app:/';
  return isPublic ? undefined : 'has a private-use scheme, which only a public client can have';
}

/** Why a URI cannot receive back-channel logouts, which this service sends itself; undefined if it can. */
export function backchannelProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url || uri.length > longestUri || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  return undefined;
}
