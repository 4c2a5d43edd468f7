import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket endpoint for commands to the browser. */
    browserEndpoint: string;
  }
}

/**
 * One browser for all test files of a run; each visitor gets their own context. Vitest calls this before the first test
 * file, and the returned function after the last.
 */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const browser = await startBrowser();
  project.provide('browserEndpoint', browser.wsEndpoint());
  return () => browser.close();
}

/**
 * Starts a real Chromium: on Linux x64 the one from npm; elsewhere, or with `HEADED=1` to watch the tests, an installed
 * Chrome, Chromium or Edge.
 */
export async function startBrowser(): Promise<BrowserServer> {
  const headless = !process.env.HEADED;
  if (headless && process.platform === 'linux' && process.arch === 'x64') return chromium.launchServer(await fromNpm());
  const tried: string[] = [];
  for (const channel of ['chrome', 'chromium', 'msedge']) {
    try {
      return await chromium.launchServer({ channel, args, timeout: launchTimeout, headless });
    } catch (error) {
      tried.push(`${channel}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new Error(
    `The browser tests need Google Chrome, Chromium or Microsoft Edge on this machine.\n${tried.join('\n')}`,
  );
}

/** Milliseconds. */
const launchTimeout = 300_000;

// Without hinting, text widths do not depend on the machine.
const args = ['--font-render-hinting=none'];

const require = createRequire(import.meta.url);

/**
 * Unpacks `@sparticuz/chromium` once and returns its launch options. Omits the package's arguments for serverless
 * machines (one process, no web security): the tests need the real rules of the web.
 */
async function fromNpm(): Promise<LaunchOptions> {
  const folder = await unpacked();
  const executablePath = join(folder, 'chromium');
  const env: Record<string, string | undefined> = { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') };
  const bare = spawnSync(executablePath, ['--version'], { env });
  // A machine without NSS and the like uses the libraries in the package.
  if (bare.status !== 0)
    env.LD_LIBRARY_PATH = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return { executablePath, env, args, timeout: launchTimeout };
}

/** The folder of the unpacked browser. Created atomically, so that parallel runs do not collide. */
async function unpacked(): Promise<string> {
  const entry = require.resolve('@sparticuz/chromium');
  const { version } = require(join(dirname(entry), '..', 'package.json')) as { version: string };
  const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const packed = join(dirname(entry), '..', 'bin');
  await inTemporaryFolder(unfinished, async () => {
    const { default: npmChromium, inflate } = await import('@sparticuz/chromium');
    await npmChromium.executablePath(packed);
    await inflate(join(packed, 'al2023.tar.br'));
  });
  writeFileSync(join(unfinished, 'fonts.conf'), fontsConf(join(folder, 'fonts')));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Sets TMPDIR during `work`, since the package unpacks only into the system's temporary folder. */
async function inTemporaryFolder(folder: string, work: () => Promise<void>): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    await work();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/** The machine's fonts, plus those of the package for a machine without fonts. */
const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
