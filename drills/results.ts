import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from './drill.ts';
import { cellsOf, type Row } from './table.ts';

const file = join(import.meta.dirname, 'results.md');

const head = `# Drill results

Written by \`npm run drill\` with a name or \`all\`; each run replaces its own section.
`;

/** Writes the rows of a drill. */
export function writeRows({ name, promise, scenes, broken, seconds }: Run, rows: readonly Row[]): void {
  const { columns, cells } = cellsOf(rows);
  const held = `${scenes - broken} of ${scenes} held, in ${seconds} s.`;
  replaceSection(`Drill: ${name}`, `${promise}\n\n${markdown(columns, cells)}\n\n${held}`);
}

const written = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : head);

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
