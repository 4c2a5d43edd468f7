import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { type ConfigEnv, defineConfig, type EnvironmentOptions, type UserConfig } from 'vite';
import { chunks } from './build/chunks.ts';
import {
  compressAssets,
  emitEarlyScripts,
  fetchBeforeImport,
  pageAssets,
  writeAssetSizes,
  writeBuildId,
} from './build/page-assets.ts';
import { pageTexts } from './build/page-texts.ts';
import { builtinsOnDemand, outFolder, whereSourcesAre } from './build/server.ts';

/**
 * The name of a CSS module's class in the page: its own name, and four characters that are the same for the whole file.
 * Vite's default also appends the line, which differs for each class and does not compress.
 */
const className = (name: string, file: string): string =>
  `${name}_${createHash('sha256').update(relative(process.cwd(), file)).digest('hex').slice(0, 4)}`;

/** They load a native binary by its name. */
const nativePackages = ['@node-rs/argon2'];

/** Packages that only some operators or users need: loaded on demand, so that other processes do not keep them in memory. */
const onDemand = [
  '@simplewebauthn/server',
  '@simplewebauthn/server/helpers',
  ...['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`),
];

/** Bundles a server program and its packages into one file, which starts in half the time of the sources. */
const oneFile = (command: string, input: string, emptyOutDir: boolean): EnvironmentOptions => ({
  consumer: 'server',
  ...(command === 'build' && {
    resolve: { noExternal: true as const, external: [...nativePackages, ...onDemand] },
  }),
  build: {
    outDir: outFolder,
    emptyOutDir,
    target: 'node26',
    sourcemap: true,
    rolldownOptions: {
      input,
      output: {
        codeSplitting: false,
        // Names stay, for stack traces. ASCII halves the memory of the source: V8 keeps one byte per character.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
        comments: false,
      },
      checks: { ineffectiveDynamicImport: false },
    },
  },
});

/**
 * `vite build` writes the site and the console for browsers (dist/client), the program that renders its pages (dist/prerender), the
 * gallery for development (dist/gallery), and the server and the command line (dist/server).
 */
export default defineConfig(({ command }) => {
  // `NODE_ENV` is a setting of the service, exported or in `.env`: it does not change how its code is built.
  process.env.NODE_ENV = command === 'build' ? 'production' : 'development';
  return configOf(command);
});

const configOf = (command: ConfigEnv['command']): UserConfig => ({
  appType: 'custom',
  publicDir: false,
  envDir: false,
  oxc: { jsx: { runtime: 'automatic' } },
  css: { modules: { generateScopedName: className } },
  plugins: [fetchBeforeImport(), emitEarlyScripts(), pageAssets(), pageTexts(), whereSourcesAre(), builtinsOnDemand()],
  environments: {
    client: {
      build: {
        outDir: 'dist/client',
        target: 'baseline-widely-available',
        // Links in the HTML preload modules; every target browser supports them.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: 'src/site/entry.tsx',
          output: {
            codeSplitting: { groups: chunks },
            // The first page lists the names of all others, and a hash does not compress.
            entryFileNames: 'assets/[name]-[hash:7].js',
            chunkFileNames: 'assets/[name]-[hash:7].js',
            assetFileNames: 'assets/[name]-[hash:7][extname]',
          },
          // The error page is also imported statically, for when nothing more can be loaded.
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    // Apart from the pages of visitors, who receive nothing of it.
    console: {
      consumer: 'client',
      build: {
        outDir: 'dist/client',
        emptyOutDir: false,
        target: 'baseline-widely-available',
        modulePreload: false,
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1000,
        rolldownOptions: {
          input: { console: 'src/site/console-entry.tsx' },
          output: {
            codeSplitting: false,
            entryFileNames: 'assets/[name]-[hash:7].js',
            assetFileNames: 'assets/[name]-[hash:7][extname]',
          },
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    gallery: {
      consumer: 'client',
      build: {
        outDir: 'dist/gallery',
        emptyOutDir: true,
        modulePreload: false,
        // A single large file is fine: only developers load it, from their own machine.
        chunkSizeWarningLimit: 1000,
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: { gallery: 'src/gallery/entry.ts' },
          output: { codeSplitting: false, entryFileNames: '[name].js', assetFileNames: 'gallery[extname]' },
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    prerender: {
      consumer: 'server',
      ...(command === 'build' && {
        // Always React's production code, however the service that renders the pages is started.
        define: { 'process.env.NODE_ENV': JSON.stringify('production') },
        resolve: { noExternal: true as const },
      }),
      build: {
        outDir: 'dist/prerender',
        target: 'node26',
        rolldownOptions: {
          input: 'src/site/prerender.tsx',
          output: { codeSplitting: false },
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    server: oneFile(command, 'src/server/server.ts', true),
    cli: oneFile(command, 'src/cli/vestibule.ts', false),
  },
  builder: {
    sharedConfigBuild: true,
    sharedPlugins: true,
    async buildApp({ environments, build }) {
      for (const name of ['client', 'console', 'prerender', 'gallery', 'server', 'cli'] as const)
        if (environments[name]) await build(environments[name]);
      await compressAssets('dist/client/assets');
      await writeAssetSizes('dist/client');
      await writeBuildId('dist');
    },
  },
});
