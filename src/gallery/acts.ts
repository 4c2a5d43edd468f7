import type { MessageId } from '../messages/ids.ts';
import { passTime } from './clock.ts';

/** What somebody does on a screen; `words` are the texts of its page. */
export type Act = (words: (id: MessageId) => string) => void | Promise<void>;

/** Milliseconds: longer than this, and what is looked for will not come. */
const patience = 60_000;
/** Turns without a change, of some milliseconds each, after which a screen has reacted. */
const calmAfter = { turns: 5, each: 4 };

/** Waits until something is there. Throws after some seconds, and says what was missing. */
export async function waitFor<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    const found = look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`there is no ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until the screen has not changed for a moment: in turns, since on a busy machine time passes in which nothing could. */
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

/** Spaces that do not break are part of the words. */
const wordsOf = (element: Element) =>
  (element.getAttribute('aria-label') ?? element.textContent).replace(/[ \n]+/g, ' ').trim();

/** What can be pressed: by exactly its words, or else by a part of them. */
const control = (words: string) =>
  waitFor(`button "${words}"`, () => {
    const all = [...document.querySelectorAll<HTMLElement>('button, a[href]')];
    const shown = all.filter((element) => element.checkVisibility());
    return (
      shown.find((element) => wordsOf(element) === words) ?? shown.find((element) => wordsOf(element).includes(words))
    );
  });

/** Types into fields, by their names, or ticks them. */
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

/** As typing does it: React takes what is written by the element's own property for its own writing. */
function writeInto(input: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
}

/** Leaves a field for nowhere. */
export const leave =
  (name: string): Act =>
  async () =>
    (await field(name)).blur();

/** Presses a button or follows a link, by its words. */
export const press =
  (id: MessageId): Act =>
  async (words) => {
    const found = await control(words(id));
    found.focus();
    found.click();
  };

/** Presses the button that sends the form. */
export const submit: Act = async () => {
  const button = await waitFor('button to send the form', () =>
    document.querySelector<HTMLElement>('button[type="submit"], form button:not([type])'),
  );
  button.focus();
  button.click();
};

/** Opens or closes what a button of this kind of pop-up opens. */
export const toggle =
  (popup: string): Act =>
  async () => {
    const button = await waitFor(`button of ${popup}`, () =>
      document.querySelector<HTMLElement>(`[popovertarget="${popup}"]`),
    );
    // Beside the button that opens it, as for whoever presses that.
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

/** Chooses from a list, by its label. */
export const choose =
  (label: MessageId, value: string): Act =>
  async (words) => {
    const list = await waitFor(`list "${words(label)}"`, () =>
      [...document.querySelectorAll('select')].find(({ labels }) => labels[0] && wordsOf(labels[0]) === words(label)),
    );
    list.value = value;
    list.dispatchEvent(new Event('change', { bubbles: true }));
  };

/** Waits, in milliseconds, in no time. */
export const wait =
  (duration: number): Act =>
  () =>
    passTime(duration);

/** Opens what lies behind a line, by its words. */
export const unfold =
  (id: MessageId): Act =>
  async (words) => {
    const label = words(id);
    const line = await waitFor(`fold "${label}"`, () =>
      [...document.querySelectorAll('summary')].find((summary) => wordsOf(summary) === label),
    );
    line.click();
  };

/** Searches in a list. */
export const search =
  (words: string): Act =>
  async () => {
    const input = await waitFor('search field', () => document.querySelector<HTMLInputElement>('[role="combobox"]'));
    writeInto(input, words);
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  };

/** Rests the mouse on a button, until its name is beside it. */
export const pointAt =
  (id: MessageId): Act =>
  async (words) => {
    const found = await control(words(id));
    found.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
    await waitFor('name beside it', () => found.nextElementSibling);
  };
