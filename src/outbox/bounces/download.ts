import { seconds } from '../../contract/durations.ts';
import { Failure } from '../../contract/failures.ts';
import type { Download } from './relays/sns.ts';

const answersWithin = seconds(5);
const longestAnswer = 64 * 1024;

/** Asks as far as a certificate goes: follows nobody elsewhere, and reads no more than that. */
export const download: Download = async (url) => {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answersWithin) });
    if (!answer.ok || !answer.body) throw new Error(`answered with ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      if (size > longestAnswer) throw new Error('answered with more than a certificate');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (cause) {
    throw new Failure('try_again_later', { cause });
  }
};
