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

// Always a visible notice, whatever arrives: otherwise Apple ends the subscription, and other browsers show one of their own.
async function show(data) {
  /** @type {{ title?: string, body?: string, path?: string, topic?: string, lang?: string, dir?: 'ltr' | 'rtl' }} */
  let notice = {};
  try {
    notice = data?.json() ?? {};
  } catch {
    // A push service may deliver an empty message.
  }
  const { title = location.host, body = '', path = '/dashboard/', topic, lang, dir } = notice;
  const known = { icon: '/icon-192.png', data: path, body, lang, dir };
  await registration.showNotification(title, topic ? { ...known, tag: topic, renotify: true } : known);
}

addEventListener('push', (event) => event.waitUntil(show(event.data)));

// The page that is open already, if it shows this, or a new one.
async function open(path) {
  const target = new URL(path, location.origin);
  // What a message says may not lead elsewhere.
  if (target.origin !== location.origin) return;
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find(({ url }) => url === target.href);
  await (page ? page.focus() : clients.openWindow(target.href));
}

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
