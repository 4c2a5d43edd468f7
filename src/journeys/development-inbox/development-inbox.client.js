// The one script of /dev/inbox/: shows new mails as they come, and times in the reader's own zone.
const { newest = '', chosen } = document.body.dataset;
const list = document.querySelector('nav ol');
const status = document.querySelector('[role=status]');
const template = document.querySelector('template');

const zoned = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** @param {ParentNode} within */
function writeTimes(within) {
  for (const time of within.querySelectorAll('time')) time.textContent = zoned.format(new Date(time.dateTime));
}

/** @param {{ id: string, at: string, to: string, subject: string }} mail */
function show({ id, at, to, subject }) {
  // Nobody is reading a certain mail: the new one is what they wait for.
  if (chosen === undefined || !list || !template) return location.reload();
  if (list.querySelector(`a[href="/dev/inbox/?mail=${id}"]`)) return;
  const item = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const link = /** @type {HTMLAnchorElement} */ (item.querySelector('a'));
  link.href = `/dev/inbox/?mail=${id}`;
  link.classList.add('new');
  const [title, recipient] = /** @type {HTMLElement[]} */ ([...link.children]);
  if (title) title.textContent = subject;
  if (recipient) recipient.textContent = to;
  const time = link.querySelector('time');
  if (time) time.dateTime = at;
  writeTimes(item);
  list.prepend(item);
  if (status) status.textContent = `New mail: ${subject}`;
}

writeTimes(document);
new EventSource(`/dev/inbox/events?after=${newest}`).addEventListener('mail', (event) => show(JSON.parse(event.data)));
