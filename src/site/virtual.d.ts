declare module 'virtual:build-assets' {
  const assets: import('./page-assets.ts').BuildAssets;
  export default assets;
}

declare module 'virtual:page-texts' {
  /** The message ids that each page can show, in the order of `pages.ts`; see `build/page-texts.ts`. */
  const texts: readonly (readonly import('../messages/ids.ts').MessageId[])[];
  export default texts;
}
