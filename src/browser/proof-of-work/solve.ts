import { mostBits, solutionNumbers } from '../../contract/sign-in/proof-of-work.ts';

/** Hashes at the same time: waiting for each one would take longer than the hashes. */
const batch = 256;

/** Finds the numbers that solve a task (`contract/sign-in/proof-of-work.ts`) and returns the proof. Throws for any other text. */
export async function solve(task: string): Promise<string> {
  const bits = Number(task.split('.', 1)[0]);
  // A task of more bits would keep the processor busy for minutes.
  if (!(bits > 0 && bits <= mostBits)) throw new Error(`a task of ${bits} bits`);
  const encoder = new TextEncoder();
  const found: number[] = [];
  for (let first = 0; found.length < solutionNumbers; first += batch) {
    const numbers = Array.from({ length: batch }, (_, at) => first + at);
    const hashes = await Promise.all(
      numbers.map((number) => crypto.subtle.digest('SHA-256', encoder.encode(`${task}:${number}`))),
    );
    found.push(
      ...numbers.filter((_, at) => new DataView(hashes[at] as ArrayBuffer).getUint32(0) >>> (32 - bits) === 0),
    );
  }
  return `${task}:${found.slice(0, solutionNumbers).join('.')}`;
}
