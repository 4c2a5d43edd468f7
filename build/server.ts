import { isBuiltin } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vite';

/** Where the files are that hold the whole server, and the whole command line. */
export const outFolder = 'dist/server';

/** Of Vite's environments, those that are built so. */
const isOneFile = ({ name }: { readonly name: string }): boolean => name === 'server' || name === 'cli';

/**
 * Tells a module in one of these files where its source is: files that it reads, threads that it starts and
 * packages that it looks for are found from there, whether it was built or not.
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
          // Lines stay where they are.
          map: null,
        };
      },
    },
  };
}

const fromOutput = (path: string): string => JSON.stringify(relative(resolve(outFolder), path).split(sep).join('/'));

const prefix = '\0builtin:';

/**
 * Takes Node's own modules as they are. `import` would look at everything that they offer, and so load what they load
 * only on demand: for `node:http` that is 90 modules and 16 MB, `fetch` and WebSocket among them.
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
