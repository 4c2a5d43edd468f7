import { sha256 } from '@noble/hashes/sha2.js';
import { maxBits, solutionNumbers } from '../../contract/sign-in/proof-of-work.ts';

/**
 * Finds the numbers that solve a task (`contract/sign-in/proof-of-work.ts`) and returns the proof. Throws for any other
 * text. `crypto.subtle` takes four times as long for such short texts, because it passes each one to another thread.
 */
export function solve(task: string): string {
  const bits = Number(task.split('.', 1)[0]);
  // A task of more bits would keep the processor busy for minutes.
  if (!(bits > 0 && bits <= maxBits)) throw new Error(`a task of ${bits} bits`);
  const encoder = new TextEncoder();
  const begun = sha256.create().update(encoder.encode(`${task}:`));
  const found: number[] = [];
  for (let number = 0; found.length < solutionNumbers; number += 1) {
    const hash = begun
      .clone()
      .update(encoder.encode(`${number}`))
      .digest();
    if (new DataView(hash.buffer).getUint32(0) >>> (32 - bits) === 0) found.push(number);
  }
  return `${task}:${found.join('.')}`;
}
