import type { Plugin } from 'vite';

/**
 * In place of Vite's own code around `import()`: fetches a part's files before it is imported. Browsers remember for
 * the life of a page that an import failed, and whoever was without a connection then could never try again.
 * The styles of a screen need nothing more: payloads name them, and React waits for those. Those of a part are linked
 * here, and there before it is shown.
 */
export function fetchBeforeImport(): Plugin {
  return {
    name: 'fetch-before-import',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? helper : undefined),
  };
}

/**
 * What the page itself links is on its way already. Vite tells what else a part needs (`files`), and names the part
 * alone in the `import()` itself.
 */
const helper = `
const fetched = new Map();
const linked = (file) => document.querySelector('link[href="/' + file + '"]');
const fetchOnce = (file) => {
  if (fetched.has(file) || linked(file)) return fetched.get(file);
  const fetching = fetch('/' + file).then(({ ok }) => ok || Promise.reject()).catch(() => {
    fetched.delete(file);
    throw new TypeError('nothing to import: ' + file);
  });
  fetched.set(file, fetching);
  return fetching;
};
const style = (file) => /css$/.test(file) && !linked(file) && new Promise((onload) =>
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/' + file, onload, onerror: onload })));
export const __vitePreload = (load, files = []) => {
  const part = /\\.\\/([\\w.-]+\\.js)/.exec(load);
  return Promise.all([...files, ...(part ? ['assets/' + part[1]] : [])].map(fetchOnce))
    .then(() => /\\.screen-/.test(load) || Promise.all(files.map(style)))
    .then(load);
};
`;
