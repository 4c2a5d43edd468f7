import { isBuiltin } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vite';

/** The folder with the bundles of the server and the command line. */
export const outFolder = 'dist/server';

/** Whether a Vite environment is built as one file. */
const isOneFile = ({ name }: { readonly name: string }): boolean => name === 'server' || name === 'cli';

/**
 * Gives each module in a bundle the path of its source, so that it finds files, worker threads and packages as it does
 * when it runs from source.
 */
export function whereSourcesAre(): Plugin {
  return {
    name: 'where-sources-are',
    applyToEnvironment: isOneFile,
    transform: {
      order: 'pre',
      filter: { id: /\/src\/.*\.ts$/, code: /import\.meta\.(?:url|dirname)/ },
      handler(code, id) {
        const file = fromOutput(id);
        const folder = `process.getBuiltinModule('node:path').join(import.meta.dirname, ${fromOutput(dirname(id))})`;
        return {
          code: code
            .replaceAll('import.meta.dirname', folder)
            .replaceAll('import.meta.url', `new URL(${file}, import.meta.url).href`),
          // Line numbers do not change.
          map: null,
        };
      },
    },
  };
}

const fromOutput = (path: string): string => JSON.stringify(relative(resolve(outFolder), path).split(sep).join('/'));

const prefix = '\0builtin:';

/**
 * Fetches Node's built-in modules instead of importing them. `import` evaluates all their exports, including those that
 * load on demand: for `node:http` 90 modules and 16 MB, including `fetch` and WebSocket.
 */
export function builtinsOnDemand(): Plugin {
  return {
    name: 'builtins-on-demand',
    enforce: 'pre',
    applyToEnvironment: isOneFile,
    resolveId: (id) => (isBuiltin(id) && id !== 'node:module' ? prefix + id : undefined),
    load: (id) =>
      id.startsWith(prefix)
        ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(prefix.length))})`
        : undefined,
  };
}
