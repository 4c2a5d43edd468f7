import { defineConfig, type EnvironmentOptions } from 'vite';
import { chunks } from './build/chunks.ts';
import { className } from './build/class-name.ts';
import { earlyScript } from './build/early-script.ts';
import { fetchBeforeImport } from './build/fetch-before-import.ts';
import { compressAssets, writeBuildId } from './build/finish.ts';
import { pageAssets } from './build/page-assets.ts';
import { pageTexts } from './build/page-texts.ts';
import { builtinsOnDemand, outFolder, whereSourcesAre } from './build/server.ts';

/** They load a program for the machine, by its name. */
const nativePackages = ['@node-rs/argon2'];

/** What only some operators ask for: loaded for them alone, so that the text of it is in nobody else's memory. */
const onDemand = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`);

/** What runs on the server, in one file with its packages: ready in half the time that its sources take. */
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
        // Names stay, for stack traces. In plain ASCII the text takes half the memory: a byte for each character.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
        comments: false,
      },
      checks: { ineffectiveDynamicImport: false },
    },
  },
});

/**
 * `vite build` makes what browsers load (dist/client), then what renders the pages for them (dist/prerender), for
 * development the gallery (dist/gallery), and the server and the command line (dist/server).
 */
export default defineConfig(({ command }) => ({
  appType: 'custom',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic' } },
  css: { modules: { generateScopedName: className } },
  plugins: [fetchBeforeImport(), earlyScript(), pageAssets(), pageTexts(), whereSourcesAre(), builtinsOnDemand()],
  environments: {
    client: {
      // What React says to its developer tools travels to nobody; `npm run dev` has it.
      ...(command === 'build' && { define: { __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined' } }),
      build: {
        outDir: 'dist/client',
        target: 'baseline-widely-available',
        // Modules are preloaded by links in the HTML; every browser of the target knows them.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: 'src/site/entry.tsx',
          output: { codeSplitting: { groups: chunks } },
          // The error page is a page like others, and is also at hand for when nothing more can be loaded.
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
        // One file, for developers on their own machine.
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
        // React's own production code, however the service that renders the pages is started.
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
      for (const name of ['client', 'prerender', 'gallery', 'server', 'cli'] as const)
        if (environments[name]) await build(environments[name]);
      await compressAssets('dist/client/assets');
      await writeBuildId('dist');
    },
  },
}));
