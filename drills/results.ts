import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drill, Run } from './drill.ts';
import type { Proof } from './prove.ts';
import { cellsOf, type Row } from './table.ts';

const file = join(import.meta.dirname, 'results.md');

const head = `# Drill results

Written by \`npm run drill\` with a name or \`all\`, and by \`npm run drill prove\`; each run replaces its own section.
`;

/** Writes the rows of a drill. */
export function writeRows({ name, promise, scenes, broken, seconds }: Run, rows: readonly Row[]): void {
  const { columns, cells } = cellsOf(rows);
  const held = `${scenes - broken} of ${scenes} held, in ${seconds} s.`;
  replaceSection(`Drill: ${name}`, `${promise}\n\n${markdown(columns, cells)}\n\n${held}`);
}

/** Writes which mistakes a drill notices, and keeps the last outcome of those that were not tried now. */
export function writeProof(name: string, proofs: readonly Proof[], { mutations }: Drill): void {
  const title = `Mistakes that ${name} notices`;
  const rows = new Map(sectionOf(title).map((line) => [line.split(' | ', 1)[0]?.slice(2) ?? '', line]));
  for (const { mistake, scene, outcome, broken, seconds } of proofs) {
    const verdict = outcome === 'noticed' ? outcome : `**${outcome}**`;
    rows.set(mistake, row([mistake, scene, verdict, broken, `${seconds} s`]));
  }
  const known = mutations.flatMap(({ mistake }) => rows.get(mistake) ?? []);
  const columns = ['mistake', 'scene', '', 'broken promise', 'duration'];
  replaceSection(title, [...headOf(columns), ...known].join('\n'));
}

const written = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : head);

/** The lines of a section in the current file. */
const sectionOf = (title: string): string[] =>
  (written().split(`## ${title}\n`)[1]?.split(/^## /m, 1)[0] ?? '').split('\n');

function replaceSection(title: string, body: string): void {
  const [top = head, ...sections] = written().split(/^(?=## )/m);
  const isThis = (section: string) => section.startsWith(`## ${title}\n`);
  const today = new Date().toISOString().slice(0, 10);
  const section = `## ${title}\n\n${today}, Node ${process.versions.node}, ${process.platform} ${process.arch}.\n\n${body}\n`;
  const others = sections.filter((one) => !isThis(one)).map((one) => `${one.trimEnd()}\n`);
  const all = [...others, section].sort();
  writeFileSync(file, `${top.trimEnd()}\n\n${all.join('\n')}`);
}

const markdown = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [...headOf(columns), ...rows.map(row)].join('\n');

const headOf = (columns: readonly string[]): string[] => [row(columns), `|${columns.map(() => '---|').join('')}`];

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
