// The only script of /dev/inbox/: shows what has arrived, and times in the reader's own zone.
const zoned = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
for (const time of document.querySelectorAll('time')) time.textContent = zoned.format(new Date(time.dateTime));

/** @type {HTMLElement | null} */
const button = document.querySelector('[data-call]');
button?.addEventListener('click', () => {
  void fetch(`/dev/inbox/calls/${button.dataset.call}/call`, { method: 'POST' });
});

setInterval(async () => {
  const response = await fetch('/dev/inbox/state').catch(() => undefined);
  if (response?.ok && (await response.text()) !== document.body.dataset.state) location.reload();
}, 1000);
