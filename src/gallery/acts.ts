import type { MessageId } from '../messages/ids.ts';
import { passTime } from './clock.ts';

/** A user action on a screen; `words` are the texts of its page. */
export type Act = (words: (id: MessageId) => string) => void | Promise<void>;

/** Milliseconds before `waitFor` gives up. */
const patience = 60_000;
/** A screen is calm after this many turns without a change, each of some milliseconds. */
const calmAfter = { turns: 5, each: 4 };

/** Waits until `look` finds something. Throws after `patience`, naming what is missing. */
export async function waitFor<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    const found = look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`${what} not found`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until the screen stops changing. Counts turns, not time, since a busy machine may suspend the page. */
export async function waitForCalm(): Promise<void> {
  let quiet = 0;
  const observer = new MutationObserver(() => {
    quiet = 0;
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (; quiet < calmAfter.turns; quiet += 1) await new Promise((resolve) => setTimeout(resolve, calmAfter.each));
  observer.disconnect();
}

const field = (name: string) =>
  waitFor(`field ${name}`, () =>
    [...document.querySelectorAll<HTMLInputElement>(`[name="${name}"]`)].find((input) => input.type !== 'hidden'),
  );

/** Keeps no-break spaces, which are part of the text. */
const wordsOf = (element: Element) =>
  (element.getAttribute('aria-label') ?? element.textContent).replace(/[ \n]+/g, ' ').trim();

/** Finds a button or link by its exact text, or else by a part of its text; only below a heading if that is given. */
const control = (words: string, heading?: string) =>
  waitFor(`button "${words}"`, () => {
    const above = [...document.querySelectorAll('h1, h2, h3')].find((one) => wordsOf(one) === heading);
    const isBelow = (one: Element) =>
      ((above?.compareDocumentPosition(one) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const all = [...document.querySelectorAll<HTMLElement>('button, a[href]')];
    const shown = all.filter((one) => one.checkVisibility() && (heading === undefined || isBelow(one)));
    return (
      shown.find((element) => wordsOf(element) === words) ?? shown.find((element) => wordsOf(element).includes(words))
    );
  });

/** Types into fields or checks boxes, by field name. */
export const type =
  (values: Readonly<Record<string, string | boolean>>): Act =>
  async () => {
    for (const [name, value] of Object.entries(values)) {
      const input = await field(name);
      input.focus();
      if (typeof value === 'boolean') input.checked = value;
      else writeInto(input, value);
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  };

/** Sets the value as typing does. React overrides the element's own setter and would ignore the change. */
function writeInto(input: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set?.call(input, value);
}

/** Blurs a field. */
export const leave =
  (name: string): Act =>
  async () =>
    (await field(name)).blur();

/** Presses the first button, or follows the first link, with this text, below a heading if that is given. */
export const press =
  (id: MessageId, below?: MessageId): Act =>
  async (words) => {
    const found = await control(words(id), below && words(below));
    found.focus();
    found.click();
  };

/** Opens the side menu of signed-in pages where it is behind a button. */
export const openSideMenu: Act = () => {
  const opener = document.querySelector<HTMLElement>('[popovertarget="side-menu"]');
  if (opener?.checkVisibility()) document.getElementById('side-menu')?.showPopover();
};

/** Presses the submit button. */
export const submit: Act = async () => {
  const button = await waitFor('submit button', () =>
    document.querySelector<HTMLElement>('button[type="submit"], form button:not([type])'),
  );
  button.focus();
  button.click();
};

/** Presses the submit button of the open dialog. */
export const submitDialog: Act = () => document.querySelector<HTMLElement>('dialog[open] [type=submit]')?.click();

/** Opens or closes a popup by its button. */
export const toggle =
  (popup: string): Act =>
  async () => {
    const button = await waitFor(`button of ${popup}`, () =>
      document.querySelector<HTMLElement>(`[popovertarget="${popup}"]`),
    );
    // With `source` the popup appears beside its button, as after a click.
    document.getElementById(popup)?.togglePopover({ source: button });
  };

/** Presses a key with Caps Lock on. */
export const typeInCapitals =
  (name: string): Act =>
  async () => {
    const input = await field(name);
    input.focus();
    input.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'A', modifierCapsLock: true }));
  };

/** Chooses a radio button by its value. */
export const pick =
  (value: string): Act =>
  async () => {
    const radio = await waitFor(`choice ${value}`, () =>
      document.querySelector<HTMLElement>(`[type="radio"][value="${value}"]`),
    );
    radio.focus();
    radio.click();
  };

/** Advances the clock by milliseconds, without waiting. */
export const wait =
  (duration: number): Act =>
  () =>
    passTime(duration);

/** Opens a fold, by the text of its line. */
export const unfold =
  (id: MessageId): Act =>
  async (words) => {
    const label = words(id);
    const line = await waitFor(`fold "${label}"`, () =>
      [...document.querySelectorAll('summary')].find((summary) => wordsOf(summary) === label),
    );
    line.click();
  };

/** Hovers over a button until its tooltip appears. */
export const pointAt =
  (id: MessageId): Act =>
  async (words) => {
    const found = await control(words(id));
    found.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
    await waitFor('tooltip', () => found.nextElementSibling);
  };
