import { inProject } from '../steps/places.mjs';

/** A short check that runs in parallel with the tests. */
export interface Step {
  readonly name: string;
  /** The arguments for Node. */
  readonly args: readonly string[];
  readonly needsBuild?: boolean;
}

const tool = (...parts: readonly string[]) => inProject('node_modules', ...parts);
/** The short checks. They run one after another while the tests run. */
export const steps: readonly Step[] = [
  // Three projects that share what they have read; after the first run, only changed files are checked. Each further
  // checker would repeat half of the work, and the tests need the other processors.
  { name: 'types', args: [tool('typescript', 'bin', 'tsc'), '-b', '--checkers', '1', '--builders', '1'] },
  {
    name: 'lint and format',
    args: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '--max-diagnostics=100'],
  },
  { name: 'import rules', args: [inProject('bin', 'imports', 'check.ts')] },
  { name: 'styles', args: [inProject('bin', 'styles', 'check.ts')] },
  { name: 'unused code', args: [tool('knip', 'bin', 'knip.js'), '--treat-config-hints-as-errors'] },
  { name: 'messages', args: [inProject('bin', 'steps', 'check-messages.ts')] },
  { name: 'byte budget', args: [inProject('bin', 'budget.mjs')], needsBuild: true },
];
