// The only script of /dev/inbox/: shows times in the reader's own zone, and what has arrived.
const zoned = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
for (const time of document.querySelectorAll('time')) time.textContent = zoned.format(new Date(time.dateTime));

for (const button of document.querySelectorAll('[data-call]'))
  button.addEventListener('click', () => fetch(`/dev/inbox/calls/${button.dataset.call}/call`, { method: 'POST' }));

setInterval(async () => {
  const response = await fetch('/dev/inbox/state').catch(() => undefined);
  if (response?.ok && (await response.text()) !== document.body.dataset.state) location.reload();
}, 1000);
