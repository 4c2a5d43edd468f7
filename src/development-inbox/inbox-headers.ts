export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** For the gallery, and for the screens in its frame. */
export const galleryPolicy = pagePolicy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/** Allows only an email's inline styles. Its links escape the sandbox, so that the pages behind them work. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/** For an email's document, in a frame of the page or in a tab. */
export const mailHeaders = {
  'content-security-policy': mailPolicy,
  'x-frame-options': 'SAMEORIGIN',
  // Browsers refuse to open a sandboxed document with its own opener policy in a tab.
  'cross-origin-opener-policy': 'unsafe-none',
  // Its origin is opaque, so it cannot join the origin-keyed agent cluster.
  'origin-agent-cluster': '?0',
};
