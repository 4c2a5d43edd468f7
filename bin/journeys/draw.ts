// Draws the journeys into docs/journeys.md from what the code says: `npm run journeys`.
//   --check  only says whether the drawing is what the code gives; `npm test` runs it
import { readFileSync, writeFileSync } from 'node:fs';
import { inProject } from '../steps/places.mjs';
import { mapOf, stepsDiagram } from './diagram.ts';
import { type Drawn, readPages } from './read-pages.ts';

const target = 'docs/journeys.md';

const pageOf = (page: Drawn): string => {
  const rows = page.requests.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`);
  const parts = [
    `## ${page.title}`,
    `\`${page.path}\``,
    stepsDiagram(page),
    rows.length > 0 && ['| it asks | |', '|---|---|', ...rows].join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
};

const { pages, everywhere } = await readPages();
const drawing = `# Journeys

Drawn from the code by \`npm run journeys\`: not to be edited. An arrow from page to page is a link, a request that was
answered, or a guard that lets nobody in. Inside a page an arrow from the black dot says when a part of it is shown.

${mapOf(pages)}

From every page the product’s name leads to ${everywhere.map(({ to }) => `\`${to}\``).join(', ')}.

${pages.map(pageOf).join('\n\n')}
`;

if (!process.argv.includes('--check')) writeFileSync(inProject(target), drawing);
else if (readFileSync(inProject(target), 'utf8') === drawing) console.log(`${target} is what the code gives`);
else {
  console.error(`${target} is not what the code gives: run \`npm run journeys\``);
  process.exitCode = 1;
}
