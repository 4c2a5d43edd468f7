import type { Plugin } from 'vite';

/**
 * Replaces Vite's wrapper around `import()`: fetches the files of a part before importing it. Browsers cache a failed
 * import for the life of the page, so a visitor who was offline at that moment could never retry. The styles of a
 * screen are listed in its payload, and React waits for them; the styles of a part are linked here before it renders.
 */
export function fetchBeforeImport(): Plugin {
  return {
    name: 'fetch-before-import',
    enforce: 'pre',
    load: (id) => (id === '\0vite/preload-helper.js' ? helper : undefined),
  };
}

/**
 * Skips files that the page itself links. Vite passes the other files of a part in `files`; the part's own file is
 * only in the `import()` itself.
 */
const helper = `
const fetched = new Map();
const linked = (file) => document.querySelector('[href="/' + file + '"], [src="/' + file + '"]');
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
