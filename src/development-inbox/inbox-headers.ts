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

/** For the gallery, and for the product's own screens in its frame. */
export const galleryPolicy = pagePolicy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/** A mail has inline styles and nothing else; its links leave the sandbox, so that the page they open works. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/** For a mail's own document, in a frame of the page or in a tab. */
export const mailHeaders = {
  'content-security-policy': mailPolicy,
  'x-frame-options': 'SAMEORIGIN',
  // A sandboxed document with an opener policy of its own is refused by browsers in a tab.
  'cross-origin-opener-policy': 'unsafe-none',
  // Its origin is nobody's, so it cannot share in our origin's own process.
  'origin-agent-cluster': '?0',
};
