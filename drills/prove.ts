import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes } from '../src/contract/durations.ts';
import { copyProject, type ProjectCopy } from '../src/testing/project-copy.ts';
import type { Drill, Mutation } from './drill.ts';
import { brokenCode } from './exit-codes.ts';
import { project } from './fixtures/environment.ts';
import { mutate } from './mutate.ts';

/** The outcome of one mistake. */
export interface Proof {
  readonly mistake: string;
  readonly scene: string;
  /** `not played`: the scene ended without a verdict. */
  readonly outcome: 'noticed' | 'missed' | 'not played';
  readonly seconds: number;
  /** The promises that the scene named as broken. */
  readonly broken: string;
  /** The output of the scene, or why it was not played. */
  readonly seen: string;
}

/** Scenes have their own deadlines; a run that takes longer than this hangs. */
const longest = minutes(10);
/** Random points of a scene that has some: fewer than usual suffice to find a mistake that is always present. */
const points = 10;

/**
 * Shows that a drill notices mistakes. Plays each mutation's scene in a copy of the product: first without the mistake,
 * where the promise must hold, then with it, where the promise must break. Throws when a mistake no longer has a place
 * in the product.
 */
export async function prove(name: string, { mutations }: Drill, say: (line: string) => void): Promise<Proof[]> {
  for (const mutation of mutations) mutate(mutation);
  const copy = copyProject({ built: true });
  try {
    const sound = new Map<string, Played>();
    const proofs: Proof[] = [];
    for (const mutation of mutations) {
      const { scene } = mutation;
      const control = sound.get(scene) ?? (await playSound(copy, name, scene));
      sound.set(scene, control);
      const proof = control.state === 'held' ? await proveOne(copy, name, mutation) : unproven(mutation, control);
      const why = proof.broken && `: ${proof.broken}`;
      say(`${proof.outcome.padEnd(12)}${name}: ${proof.mistake} (${proof.scene}, ${proof.seconds} s)${why}`);
      if (proof.outcome !== 'noticed') say(proof.seen);
      proofs.push(proof);
    }
    return proofs;
  } finally {
    copy.remove();
  }
}

const about = ({ mistake, scene }: Mutation) => ({ mistake, scene });

const unproven = (mutation: Mutation, { output }: Played): Proof => ({
  ...about(mutation),
  outcome: 'not played',
  seconds: 0,
  broken: '',
  seen: `The scene does not hold even without the mistake:\n${output}`,
});

/** Retries once: a busy machine may break a promise, but hardly twice in a row. */
async function playSound(copy: ProjectCopy, name: string, scene: string): Promise<Played> {
  const first = await playIn(copy, name, scene);
  return first.state === 'held' ? first : playIn(copy, name, scene);
}

async function proveOne(copy: ProjectCopy, name: string, mutation: Mutation): Promise<Proof> {
  const mutated = mutate(mutation);
  const file = copy.path(...mutated.file.split('/'));
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, mutated.source);
  const began = performance.now();
  const builds = !isTest(mutation.scene);
  const built = builds ? await runIn(copy, [copy.path('drills', 'build-server.ts')]) : nothingBuilt;
  const { state, output } = built.state === 'held' ? await playIn(copy, name, mutation.scene) : built;
  const seconds = Math.round((performance.now() - began) / 1000);
  writeFileSync(file, source);
  if (builds) cpSync(join(project, 'dist', 'server'), copy.path('dist', 'server'), { recursive: true });
  return { ...about(mutation), seconds, outcome: outcomes[state], broken: brokenIn(output), seen: output };
}

const outcomes = { held: 'missed', broken: 'noticed', failed: 'not played' } as const;

/** The broken promise or failed test in the output of a run, without folder names. */
const brokenIn = (output: string): string =>
  (/^ +(?:BROKEN .*?, \d+ s:|FAIL .* >) (.*)$/m.exec(output)?.[1] ?? '').replaceAll(/\S*vestibule-copy\S*/g, '…');

interface Played {
  /** `failed`: it was not played to its end, so it says nothing about the promise. */
  readonly state: 'held' | 'broken' | 'failed';
  readonly output: string;
}

/** Vitest's exit code when a test fails. */
const failedTests = 1;

/** Some mistakes need an ordinary test instead of a scene. */
const isTest = (scene: string): boolean => scene.endsWith('.test.ts');

const nothingBuilt: Played = { state: 'held', output: '' };

const playIn = (copy: ProjectCopy, name: string, scene: string): Promise<Played> =>
  isTest(scene)
    ? runIn(copy, [copy.path('node_modules', 'vitest', 'vitest.mjs'), 'run', scene], failedTests)
    : runIn(copy, [copy.path('drills', 'run.ts'), name, scene, '--points', String(points)]);

function runIn(copy: ProjectCopy, program: readonly string[], broken = brokenCode): Promise<Played> {
  return new Promise((resolve) => {
    // One engine is enough, the one that a test is about.
    const isAboutPostgres = program.some((word) => /^src\/.*postgres/.test(word));
    const env = { ...process.env, ENGINES: isAboutPostgres ? 'postgres' : 'sqlite', NO_COLOR: '1' };
    const child = spawn(process.execPath, program, { cwd: copy.path(), env });
    let output = '';
    // SIGTERM, so that it also ends the processes that it has started.
    const late = setTimeout(() => child.kill('SIGTERM'), longest);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        output += text;
      });
    }
    child.once('close', (code) => {
      clearTimeout(late);
      if (code === 0) resolve({ state: 'held', output });
      else resolve({ state: code === broken ? 'broken' : 'failed', output });
    });
  });
}
