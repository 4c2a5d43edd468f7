import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { readProject } from './texts/project.ts';

const virtualId = 'virtual:page-texts';

/**
 * Provides the prerenderer with the messages that each page can show: `virtual:page-texts` lists their ids in the order
 * of `pages.ts`. The build fails if the code does not determine them.
 */
export function pageTexts(): Plugin {
  return {
    name: 'page-texts',
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    async load(id) {
      if (id !== `\0${virtualId}`) return undefined;
      if (this.environment.mode === 'dev') return every;
      const messages: object = JSON.parse(await readFile(resolve('dist/messages/en.json'), 'utf8'));
      const { pages, problems } = await readProject(resolve(), Object.keys(messages));
      if (problems.length > 0) throw new Error(`Cannot determine the texts of each page:\n${problems.join('\n')}`);
      return `export default ${JSON.stringify(pages)}`;
    },
  };
}

/** Without a build (`npm run dev`), each page has all messages: an edited screen may show new ones. */
const every = `
  import { pages } from '/src/site/pages.ts';
  import messages from '/dist/messages/en.json';
  export default pages.map(() => Object.keys(messages));
`;
