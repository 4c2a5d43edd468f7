// Runs in a page before anything else, and records the timings of its load in `seen`, in milliseconds:
// https://www.w3.org/TR/paint-timing/ and related specifications.
const seen = { FCP: 0, LCP: 0, CLS: 0, alive: 0 };
window.seen = seen;

const observe = (type, hear) =>
  new PerformanceObserver((list) => list.getEntries().forEach(hear)).observe({ type, buffered: true });

observe('paint', ({ name, startTime }) => {
  if (name === 'first-contentful-paint') seen.FCP = startTime;
});
observe('largest-contentful-paint', ({ startTime }) => {
  seen.LCP = startTime;
});
observe('layout-shift', ({ value }) => {
  seen.CLS += value;
});

const alive = 'data-alive';
new MutationObserver((_, observer) => {
  if (!document.documentElement?.hasAttribute(alive)) return;
  seen.alive = performance.now();
  observer.disconnect();
}).observe(document, { attributes: true, subtree: true, attributeFilter: [alive] });
