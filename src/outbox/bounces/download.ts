import { seconds } from '../../contract/durations.ts';
import { Failure } from '../../contract/failures.ts';
import type { Download } from './relays/sns.ts';

const answersWithin = seconds(5);
const longestAnswer = 64 * 1024;

/** Downloads a short text, such as a certificate, without following redirects. Throws the failure `try_again_later`. */
export const download: Download = async (url) => {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answersWithin) });
    if (!response.ok || !response.body) throw new Error(`the response has status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > longestAnswer) throw new Error('the response is too large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (cause) {
    throw new Failure('try_again_later', { cause });
  }
};
