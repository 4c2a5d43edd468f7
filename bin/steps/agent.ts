import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inProject } from './places.mjs';

const entry = inProject('bin', 'agent', 'agent.mjs');
const target = inProject('dist', 'agent', 'vestibule-agent.mjs');

/** The program’s first line and its introduction. */
const headOf = /^#!.*\n(?:\/\/.*\n)*/;
const imports = /^import \{([^}]*)\} from '([^']+)';\n/gm;
const typeImports = /^\/\*\* @import .*\n+/gm;
const exportWords = /^export /gm;

/**
 * Assembles the reference agent as one file, which people download and read: its modules in the order of their imports,
 * otherwise exactly as written. A bundler would drop comments and rewrite numbers. Names are unique across modules.
 */
function assembleAgent(): string {
  const builtins = new Map<string, string[]>();
  const sections = new Map<string, string>();
  const add = (file: string): void => {
    const source = readFileSync(file, 'utf8');
    sections.set(file, '');
    for (const [, names = '', from = ''] of source.matchAll(imports)) {
      const imported = join(dirname(file), from);
      if (!from.startsWith('.')) builtins.set(from, [...(builtins.get(from) ?? []), ...namesIn(names)]);
      else if (!sections.has(imported)) add(imported);
    }
    const body = [headOf, imports, typeImports, exportWords].reduce((text, part) => text.replace(part, ''), source);
    // Moves it behind the modules that it imports.
    sections.delete(file);
    sections.set(file, `// --- ${basename(file)} ---\n\n${body.trim()}\n`);
  };
  add(entry);
  const [head] = headOf.exec(readFileSync(entry, 'utf8')) ?? [''];
  return `${head}${[...builtins].sort().map(importOf).join('')}\n${[...sections.values()].join('\n')}`;
}

export function writeAgent(): void {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, assembleAgent(), { mode: 0o755 });
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const importOf = ([module, names]: readonly [string, readonly string[]]): string => {
  const list = [...new Set(names)].sort();
  const line = `import { ${list.join(', ')} } from '${module}';\n`;
  return line.length <= 120 ? line : `import {\n${list.map((name) => `  ${name},\n`).join('')}} from '${module}';\n`;
};
