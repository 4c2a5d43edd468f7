import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { copyProject, type ProjectCopy } from '../src/testing/project-copy.ts';
import type { Drill, Mutation } from './drill.ts';

/** What became of one mistake. */
export interface Proof {
  readonly mistake: string;
  readonly scene: string;
  readonly noticed: boolean;
  readonly seconds: number;
  /** What the scene saw, or why the proof is none. */
  readonly seen: string;
}

/** In milliseconds; a scene that takes longer has noticed, too: it waits for what does not come any more. */
const longest = 15 * 60_000;

/**
 * Shows that a drill would notice mistakes: plays each mutation's scene in a copy of the product without it, where the
 * promise must hold, and with it, where it must not.
 */
export async function prove(name: string, { mutations }: Drill, say: (line: string) => void): Promise<Proof[]> {
  const copy = copyProject({ built: true });
  try {
    const sound = new Map<string, Played>();
    const proofs: Proof[] = [];
    for (const mutation of mutations) {
      const { scene } = mutation;
      const control = sound.get(scene) ?? (await playIn(copy, name, scene));
      sound.set(scene, control);
      const proof =
        control.state === 'held'
          ? await proveOne(copy, name, mutation)
          : { ...mutation, noticed: false, seconds: 0, seen: `It does not hold without it:\n${control.output}` };
      say(`${proof.noticed ? 'noticed' : 'MISSED '}  ${name}: ${proof.mistake} (${proof.scene}, ${proof.seconds} s)`);
      if (!proof.noticed) say(proof.seen);
      proofs.push(proof);
    }
    return proofs;
  } finally {
    copy.remove();
  }
}

async function proveOne(copy: ProjectCopy, name: string, mutation: Mutation): Promise<Proof> {
  const file = copy.path(...mutation.file.split('/'));
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, mutate(source, mutation));
  const began = performance.now();
  const { state, output } = await playIn(copy, name, mutation.scene);
  writeFileSync(file, source);
  const seconds = Math.round((performance.now() - began) / 1000);
  const { mistake, scene } = mutation;
  return { mistake, scene, seconds, noticed: state === 'broken', seen: output };
}

/** The source with the mistake in it; throws when the mistake has no place, or several. */
export function mutate(source: string, { mistake, file, from, to }: Mutation): string {
  const places = source.split(from).length - 1;
  if (places !== 1) throw new Error(`"${mistake}": ${file} has ${places} places for it, and should have one`);
  return source.replace(from, () => to);
}

interface Played {
  /** `failed`: it was not played at all, so it says nothing of the promise. */
  readonly state: 'held' | 'broken' | 'failed';
  readonly output: string;
}

function playIn(copy: ProjectCopy, name: string, scene: string): Promise<Played> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [copy.path('drills', 'run.ts'), name, scene], { cwd: copy.path() });
    let output = '';
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, longest);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        output += text;
      });
    }
    child.once('close', (code) => {
      clearTimeout(late);
      if (code === 0) resolve({ state: 'held', output });
      else resolve({ state: isLate || /\bBROKEN\b/.test(output) ? 'broken' : 'failed', output });
    });
  });
}
