declare module 'virtual:build-assets' {
  const assets: import('./page-assets.ts').BuildAssets;
  export default assets;
}
