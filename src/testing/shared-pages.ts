import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SiteSettings } from '../contract/settings.ts';
import { pageSettings } from '../gallery/examples/page-settings.ts';
import type { Page } from '../http/pages/page.ts';
import { type CompressedText, compress, decompress } from '../http/responses/compression.ts';
import { sha256 } from '../security/macs.ts';
import { keepAssets, openPages, readBuild } from '../server/pages/rendered-pages.ts';
import type { Service } from '../server/service.ts';
import { renderings } from './caches.ts';

type Site = Pick<Service, 'pages' | 'build' | 'assets'>;

const dist = join(import.meta.dirname, '..', '..', 'dist');
const origin = 'https://door.example';

/** The settings of pages that a test only has to find. */
const common: SiteSettings = {
  ...pageSettings,
  publicUrl: origin,
  supportEmail: undefined,
  privacyUrl: undefined,
  termsUrl: undefined,
  phoneConfirmation: 'off',
  phoneWays: [],
  phoneVoice: [],
  ownTexts: {},
  mailCode: true,
  developmentInbox: true,
};

const opened = new Map<string, Promise<Site>>();

/** The pages of the settings, or the common ones: rendering takes longer than most tests, so few tests need their own. */
export async function openSharedSite(settings: SiteSettings, { ownPages }: { ownPages: boolean }): Promise<Site> {
  if (!ownPages) return openRendered(common);
  const site = await openRendered({ ...settings, publicUrl: origin });
  return { ...site, pages: site.pages.map((page) => movedTo(settings.publicUrl, page)) };
}

/** Renders the common pages before the first test, so that parallel processes do not each render them. */
export async function setup(): Promise<void> {
  const current = folderOfBuild();
  if (existsSync(current.all))
    for (const name of readdirSync(current.all))
      if (name !== current.name) rmSync(join(current.all, name), { recursive: true, force: true, maxRetries: 5 });
  await openRendered(common);
}

function folderOfBuild() {
  const [all, name] = [join(renderings, 'builds'), readBuild(dist).id];
  return { all, name, path: join(all, name) };
}

function openRendered(settings: SiteSettings): Promise<Site> {
  const key = sha256(JSON.stringify(settings)).slice(0, 16);
  const site = opened.get(key) ?? render(settings, key);
  opened.set(key, site);
  return site;
}

/** Each combination of settings has its own folder, because a node keeps only its newest renderings. */
async function render(settings: SiteSettings, key: string): Promise<Site> {
  const build = readBuild(dist);
  const dataDir = join(folderOfBuild().path, key);
  mkdirSync(dataDir, { recursive: true });
  const pages = await openPages({ dist, dataDir, settings });
  return { build, pages, assets: keepAssets({ dist, dataDir: renderings, build: build.id }) };
}

/** The same page at another origin. */
function movedTo(publicUrl: string, page: Page): Page {
  if (publicUrl === origin) return page;
  const [html, payload] = [moved(publicUrl, page.html), moved(publicUrl, page.payload)];
  return { ...page, html, payload };
}

/** Compresses on demand, since a test opens few of the pages. */
function moved(publicUrl: string, text: CompressedText): CompressedText {
  let result: CompressedText | undefined;
  const compressed = () => {
    result ??= compress(decompress(text).toString().replaceAll(origin, publicUrl));
    return result;
  };
  return {
    get br() {
      return compressed().br;
    },
    get gzip() {
      return compressed().gzip;
    },
  };
}
