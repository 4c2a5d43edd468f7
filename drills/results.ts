import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from './prove.ts';
import type { Run } from './run.ts';
import { cellsOf, type Row } from './table.ts';

const file = join(import.meta.dirname, 'results.md');

const head = `# What the drills showed

Written by \`npm run drill\` with a name or \`all\`, and by \`npm run drill prove\`; each section is replaced when its part runs again.
`;

/** What a drill has seen. */
export function writeRows({ name, promise, scenes, broken, seconds }: Run, rows: readonly Row[]): void {
  const { columns, cells } = cellsOf(rows);
  const held = `${scenes - broken} of ${scenes} held, in ${seconds} s.`;
  replaceSection(`Drill: ${name}`, `${promise}\n\n${markdown(columns, cells)}\n\n${held}`);
}

/** Which mistakes a drill notices. */
export function writeProof(name: string, proofs: readonly Proof[]): void {
  const rows = proofs.map(({ mistake, scene, outcome, broken, seconds }) => [
    mistake,
    scene,
    outcome === 'noticed' ? outcome : `**${outcome}**`,
    broken,
    `${seconds} s`,
  ]);
  const columns = ['mistake', 'scene', '', 'since this is broken', 'took'];
  replaceSection(`Mistakes that ${name} notices`, markdown(columns, rows));
}

function replaceSection(title: string, body: string): void {
  const written = existsSync(file) ? readFileSync(file, 'utf8') : head;
  const [top = head, ...sections] = written.split(/^(?=## )/m);
  const isThis = (section: string) => section.startsWith(`## ${title}\n`);
  const today = new Date().toISOString().slice(0, 10);
  const section = `## ${title}\n\n${today}, Node ${process.versions.node}, ${process.platform} ${process.arch}.\n\n${body}\n`;
  const others = sections.filter((one) => !isThis(one)).map((one) => `${one.trimEnd()}\n`);
  const all = [...others, section].sort();
  writeFileSync(file, `${top.trimEnd()}\n\n${all.join('\n')}`);
}

function markdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
