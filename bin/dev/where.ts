// `npm run -s where < trace`: maps the positions in a stack trace of the built server to the sources.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { inProject, root } from '../steps/places.mjs';

const folder = inProject('dist', 'server');
const map = new SourceMap(JSON.parse(readFileSync(join(folder, 'server.js.map'), 'utf8')));

/** Lines and columns in a trace start at one. */
function sourceOf(place: string, line: string, column: string): string {
  const found = map.findOrigin(Number(line), Number(column));
  return 'fileName' in found
    ? `${relative(root, join(folder, found.fileName))}:${found.lineNumber}:${found.columnNumber}`
    : place;
}

const trace = await text(process.stdin);
process.stdout.write(trace.replaceAll(/(?:file:\/\/)?[^\s("]*dist\/server\/server\.js:(\d+):(\d+)/g, sourceOf));
