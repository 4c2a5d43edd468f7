// Checks that every rule and token of the style sheets is used; `npm test` runs it.
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { inProject, root } from '../steps/places.mjs';
import { readSheet, styleProblems } from './rules.ts';

const leastClasses = 50;

const files = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => ({
    path: file.split(sep).join('/'),
    content: readFileSync(inProject(file), 'utf8'),
  }));

const sheets = files('src/**/*.css').map(({ path, content }) => readSheet(path, content));
const sources = files('src/**/*.{ts,tsx,js}').filter(({ path }) => !/\.test\.tsx?$/.test(path));
const classes = sheets.flatMap((sheet) => sheet.classes).length;
const properties = sheets.flatMap((sheet) => sheet.properties).length;

const problems = styleProblems({ sheets, sources });
if (classes < leastClasses) problems.push(`only ${classes} classes were read: the check looks in the wrong place`);
console.log(`${sheets.length} style sheets, ${classes} classes, ${properties} custom properties`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
