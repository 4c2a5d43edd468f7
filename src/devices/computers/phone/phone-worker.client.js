// The service worker of the installed app. Its scope contains no page: it answers no requests and keeps no pages.
// Browsers with Periodic Background Sync let it report now and then while no page is open.

/** What `own-phone.part.ts` keeps for it. */
const token = async () => (await (await caches.open('phone')).match('/phone-token'))?.text();

async function report() {
  const known = await token();
  if (!known) return;
  await fetch('/computers/heartbeat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${known}` },
    body: '{}',
  });
}

addEventListener('periodicsync', (event) => event.waitUntil(report()));
