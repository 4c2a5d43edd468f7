import { mostBits, solutionNumbers } from '../../contract/sign-in/proof-of-work.ts';
import { openHasher } from './sha256.ts';

/** Finds the numbers that solve a task (`contract/sign-in/proof-of-work.ts`) and returns the proof. Throws for any other text. */
export function solve(task: string): string {
  const bits = Number(task.split('.', 1)[0]);
  // A task of more bits would keep the processor busy for minutes.
  if (!(bits > 0 && bits <= mostBits)) throw new Error(`a task of ${bits} bits`);
  const hash = openHasher(`${task}:`);
  const found: number[] = [];
  for (let number = 0; found.length < solutionNumbers; number += 1)
    if (hash(`${number}`) >>> (32 - bits) === 0) found.push(number);
  return `${task}:${found.join('.')}`;
}
