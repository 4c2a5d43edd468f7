import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { unusedFeatures } from './react-features.ts';

const packages = createRequire(import.meta.url);

/** Names by which modules import React, and React’s file with its production code. */
const files: Readonly<Record<string, string>> = {
  react: 'react/cjs/react.production.js',
  'react/jsx-runtime': 'react/cjs/react-jsx-runtime.production.js',
  'react-dom': 'react-dom/cjs/react-dom.production.js',
  'react-dom/client': 'react-dom/cjs/react-dom-client.production.js',
  scheduler: 'scheduler/cjs/scheduler.production.js',
};

/**
 * Bundles React as ES modules. Its packages are CommonJS, of which a bundler keeps every export, such as `createRoot`
 * and `cloneElement`, and calls each one as a property. Throws for code that it cannot convert.
 */
export function reactModules(): Plugin {
  const paths = new Map(Object.entries(files).map(([name, file]) => [name, pathOf(file)]));
  const ours = new Set(paths.values());
  return {
    name: 'react-modules',
    enforce: 'pre',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId: (name) => paths.get(name),
    transform: {
      filter: { id: /\.production\.js$/ },
      handler: (code, id) => (ours.has(id) ? { code: asModule(code, id), map: null } : undefined),
    },
  };
}

/** A package's folder is that of its `package.json`, since React exports no file in `cjs/`. */
function pathOf(file: string): string {
  const [name = '', ...rest] = file.split('/');
  return join(dirname(packages.resolve(`${name}/package.json`)), ...rest);
}

const imported = /^var ((?:\w+ = require\("[\w-]+"\)(?:,\s+|;))+)/m;
const topLevel = /^exports\.(\w+) =/gm;
const unconverted = /\brequire\(|\bmodule\.exports\b|\bexports\[/;

const unused = Object.values(unusedFeatures);
const unusedExports = new Set(unused.flatMap(({ exports = [] }) => exports));

function asModule(code: string, id: string): string {
  const imports = (imported.exec(code)?.[1] ?? '').matchAll(/(\w+) = require\("([\w-]+)"\)/g);
  const exported = new Set([...code.matchAll(topLevel)].map(([, name]) => name as string));
  const own = (id.includes('react-dom-client') ? withoutUnused(code) : code)
    .replace(imported, '')
    .replace(topLevel, 'var exported_$1 =')
    .replace(/\bexports\.(\w+)/g, 'exported_$1')
    // Exports that a development build has.
    .replace(/\bScheduler\.(?:log|unstable_setDisableYieldValue)\b/g, 'undefined');
  if (exported.size === 0 || unconverted.test(own)) throw new Error(`${id} is not the CommonJS that the build expects`);
  const names = [...exported].filter((name) => !unusedExports.has(name));
  return [
    ...[...imports].map(([, name, from]) => `import * as ${name} from '${from}';`),
    own,
    `export { ${names.map((name) => `exported_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}

/** Empties the functions of unused features, and removes their methods. */
function withoutUnused(code: string): string {
  const drop = (text: string, { what, instead }: { what: RegExp; instead: string }) => {
    if (text.search(what) === -1) throw new Error(`React has changed: ${what} matches nothing in react-dom/client`);
    return text.replaceAll(what, instead);
  };
  const functions = unused.flatMap((feature) => feature.functions);
  const classes = unused.flatMap((feature) => feature.classes ?? []);
  const emptied = functions.reduce((text, name) => {
    const what = new RegExp(`^(function ${name.replace('$', '\\$')}\\([^)]*\\) \\{\\n)[^]*?^\\}`, 'gm');
    return drop(text, { what, instead: '$1}' });
  }, code);
  return classes.reduce((text, name) => {
    const what = new RegExp(`^${name}\\.prototype\\.\\w+ = function [^]*?^\\};`, 'gm');
    return drop(text, { what, instead: '' });
  }, emptied);
}
