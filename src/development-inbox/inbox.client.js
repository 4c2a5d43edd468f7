// The only script of /dev/inbox/: shows new emails and calls on arrival, and times in the reader's own zone.
const { newest = '', chosen } = document.body.dataset;
const ringsFor = 15_000;

const zoned = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** @param {ParentNode} within */
function writeTimes(within) {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = time.dateTime ? zoned.format(new Date(time.dateTime)) : '';
  }
}

/** @param {string} text */
function say(text) {
  const status = document.querySelector('[role=status]');
  if (status) status.textContent = text;
}

/** @param {Element | null} element @param {string} text */
function write(element, text) {
  if (element) element.textContent = text;
}

/** @param {string} id of a template */
function copyOf(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
}

/** @typedef {{ id: string, at: string, to: string, subject: string }} Mail */

/** @param {Mail} mail */
function showMail({ id, at, to, subject }) {
  const list = document.querySelector('.list ol');
  // The developer has not chosen an email, so the new one opens.
  if (chosen === undefined || !list) return location.reload();
  if (list.querySelector(`a[href="/dev/inbox/?mail=${id}"]`)) return;
  const item = copyOf('mail');
  const link = /** @type {HTMLAnchorElement} */ (item.querySelector('a'));
  link.href = `/dev/inbox/?mail=${id}`;
  link.classList.add('new');
  write(link.querySelector('strong'), subject);
  write(link.querySelector('span'), to);
  /** @type {HTMLTimeElement} */ (link.querySelector('time')).dateTime = at;
  writeTimes(item);
  list.prepend(item);
  say(`New email: ${subject}`);
}

const phone = /** @type {HTMLElement} */ (document.querySelector('.phone'));
const handset = /** @type {HTMLElement} */ (phone.querySelector('.handset'));
const earlier = /** @type {HTMLElement} */ (phone.querySelector('ol'));
let hangUp = 0;

/** @param {number} milliseconds */
function ring(milliseconds) {
  clearTimeout(hangUp);
  phone.dataset.state = 'ringing';
  write(handset.querySelector('.state'), 'Incoming call');
  hangUp = setTimeout(() => {
    phone.dataset.state = 'missed';
    write(handset.querySelector('.state'), handset.dataset.way === 'voice' ? 'Last call' : 'Missed call');
  }, milliseconds);
}

const quiet = /** @type {Record<string, string>} */ ({
  sms: 'Text message',
  telegram: 'Message in Telegram',
  reverse: 'Waiting for your call',
});

/** Rings for calls; only shows messages and reverse calls. @param {number} milliseconds */
function signal(milliseconds) {
  const { way = '', called } = handset.dataset;
  if (!quiet[way]) return milliseconds > 0 && ring(milliseconds);
  clearTimeout(hangUp);
  phone.dataset.state = 'missed';
  write(handset.querySelector('.state'), called === 'true' ? 'You have called' : (quiet[way] ?? ''));
}

handset.querySelector('.for-reverse')?.addEventListener('click', () => {
  void fetch(`/dev/inbox/calls/${handset.dataset.id}/call`, { method: 'POST' });
});

/** @typedef {{ id: string, at: string, to: string, from: string, way: string, spoken?: string, called?: boolean }} Call */

/** @param {ParentNode} root @param {Call} call */
function fill(root, { at, from, to, spoken = '' }) {
  const [start, digits] = root.querySelectorAll('[dir=ltr] > *');
  write(start ?? null, from.slice(0, -4));
  write(digits ?? null, from.slice(-4));
  write(root.querySelector('span[dir=ltr]'), to);
  write(root.querySelector('[dir=auto]'), spoken);
  /** @type {HTMLTimeElement} */ (root.querySelector('time')).dateTime = at;
  writeTimes(root);
}

/** @type {Call | undefined} */
let shown = readShown();

/** @returns {Call | undefined} */
function readShown() {
  const at = handset.dataset.at ?? '';
  const part = (/** @type {string} */ name) => handset.querySelector(name)?.textContent ?? '';
  return at === ''
    ? undefined
    : {
        id: handset.dataset.id ?? '',
        at,
        from: part('.caller'),
        to: part('span[dir=ltr]'),
        way: '',
        spoken: part('blockquote'),
      };
}

/** @param {Call} call */
function showCall(call) {
  if (shown && shown.id !== call.id) {
    const item = copyOf('earlier-call');
    fill(item, shown);
    earlier.prepend(item);
  }
  shown = call;
  fill(handset, call);
  Object.assign(handset.dataset, { id: call.id, way: call.way, called: String(call.called ?? false) });
  signal(ringsFor);
  say(`${quiet[call.way] ?? 'Incoming call'}: ${call.from}${call.spoken ? `: ${call.spoken}` : ''}`);
}

writeTimes(document);
const since = shown ? Date.now() - Date.parse(shown.at) : ringsFor;
if (shown) signal(since < ringsFor ? ringsFor - Math.max(0, since) : 0);

const events = new EventSource(`/dev/inbox/events?after=${newest}`);
events.addEventListener('mail', (event) => showMail(JSON.parse(event.data)));
events.addEventListener('call', (event) => showCall(JSON.parse(event.data)));
