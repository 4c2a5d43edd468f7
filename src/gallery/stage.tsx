import './surroundings.ts';
import { createRoot, type Root } from 'react-dom/client';
import { type Messages, TextContext, textsOf } from '../browser/language/text.tsx';
import { keptQuery } from '../browser/navigation/kept-query.ts';
import { type Navigation, NavigationContext } from '../browser/navigation/navigation.tsx';
import { PageContext, type Payload } from '../browser/navigation/page.tsx';
import { placeOf, type Route } from '../browser/navigation/route.ts';
import { newBuild } from '../browser/platform/new-build.ts';
import { writeCookie } from '../browser/platform/storage.ts';
import { solving } from '../browser/proof-of-work/solve-for.ts';
import { knownAccount, sessionLost, sessionNotice } from '../browser/requests/session.ts';
import { languageOf, pathIn } from '../contract/languages.ts';
import { csrfCookie } from '../contract/pages.ts';
import type { MessageId } from '../messages/ids.ts';
import { allPages } from '../site/all-pages.ts';
import { waitFor, waitForCalm } from './acts.ts';
import { forgetTime, ownTime } from './clock.ts';
import { type Choice, everyState, queryOf, readChoice } from './every-state.ts';
import { pageSettings } from './examples/page-settings.ts';
import { restorePasskeys } from './passkey-dialogs.ts';
import { giveUpRequests, replyWith } from './replies.ts';
import { emptySurroundings } from './surroundings.ts';

const settings = { ...pageSettings, publicUrl: location.origin };

/** Output for the test: `staged` once the state is shown, `problem` if it failed, `said` with the ids of its texts. */
const { dataset } = document.documentElement;

let root: Root | undefined;

/** Shows the state in the address with its page's texts and styles. */
async function stage(choice: Choice): Promise<void> {
  const { language, theme, place } = choice;
  const { state } = place;
  const route = allPages.find(({ name }) => name === place.page);
  if (!route) throw new Error(`unknown page: ${place.page}`);
  const { tag, dir } = languageOf(language);
  Object.assign(document.documentElement, { lang: tag, dir });
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;

  const payload = await payloadOf(route, choice);
  const [{ default: Screen }] = await Promise.all([route.screen(), ...payload.styles.map(addStyle)]);
  // Parts that load on demand bring styles that no page lists. Last, since the page’s first style orders the layers.
  await addStyle('/dev/gallery/assets/gallery.css');
  const texts = textsOf(language, payload.messages);
  const said = new Set<MessageId>();
  const words: typeof texts = (id, values) => {
    said.add(id);
    return texts(id, values);
  };
  const { head } = payload;
  const setTitle = (title = head.title) => {
    document.title = title;
  };
  const { search = '', params = {} } = state;
  const page = { name: route.name, language, path: route.path, search, params, head, setTitle, setStep: setTitle };
  setTitle();

  writeCookie(csrfCookie, 'token');
  replyWith(state.replies ?? []);
  state.before?.();
  root = createRoot(document.body);
  root.render(
    <TextContext value={words}>
      <PageContext value={{ ...page, settings: { ...settings, ...state.settings } }}>
        <NavigationContext value={navigationOf(choice)}>{state.show ?? <Screen />}</NavigationContext>
      </PageContext>
    </TextContext>,
  );
  await waitFor('heading', () => document.querySelector('h1'));
  await waitForCalm();
  for (const act of state.acts ?? []) {
    await act(texts);
    await waitForCalm();
  }
  for (const id of state.shows) await waitFor(`"${id}"`, () => said.has(id) && isShown(payload.messages[id]));
  await waitForCalm();
  dataset.said = JSON.stringify([...said]);
}

const fetchNow = window.fetch.bind(window);

/** Fetches the payload, also of a page that not everyone may open. */
async function payloadOf({ path }: Route, { language }: Choice): Promise<Payload> {
  const response = await fetchNow(`/dev/gallery/payloads${pathIn(language, path)}_payload.json`);
  return response.json();
}

const styles = new Map<string, Promise<unknown>>();

function addStyle(href: string): Promise<unknown> {
  const added = styles.get(href) ?? loadStyle(href);
  styles.set(href, added);
  return added;
}

function loadStyle(href: string): Promise<unknown> {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  document.head.append(link);
  return new Promise((resolve) => link.addEventListener('load', resolve));
}

const nothing = () => undefined;

/** Whether the last click came from a person rather than an act. */
let pressed = false;
document.addEventListener(
  'click',
  ({ isTrusted }) => {
    pressed = isTrusted;
  },
  true,
);

/** When a person follows a link, shows the first state of that page; acts never leave their state. */
const travelFrom = (choice: Choice) => (address: string) => {
  if (!pressed) return;
  const there = placeOf(allPages, new URL(address, location.href));
  const place = everyState.find(({ page }) => page === there?.route.name);
  if (there && place) location.search = queryOf(choice, { place, language: there.language });
};

function navigationOf(choice: Choice): Navigation {
  const { slow = false, unanswered: message } = choice.place.state;
  const travel = travelFrom(choice);
  const destination = () => new URL(location.href);
  return {
    travel,
    replace: travel,
    prefetch: nothing,
    destination,
    slow,
    unanswered: message && { message, retry: nothing },
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Whether the text of a message is visible, apart from its values, tags and plural forms. */
function isShown(message: Messages[string] | undefined): boolean {
  const read = oneLine(document.body.innerText);
  const pieces = (message ?? []).flatMap((token) => (typeof token === 'string' ? token.split(/<\/?\w+>/) : []));
  return pieces.every((piece) => read.includes(oneLine(piece)));
}

/** Resets everything in the document that outlives an unmounted screen. */
async function resetState(): Promise<void> {
  giveUpRequests();
  // Let the aborted requests reject first: their handlers may still store something.
  await new Promise((resolve) => setTimeout(resolve));
  forgetTime();
  emptySurroundings();
  restorePasskeys();
  keptQuery.write({ email: '', link: undefined, dbType: undefined });
  sessionNotice.write(undefined);
  sessionLost.write(0);
  knownAccount.write(undefined);
  newBuild.write(false);
  solving.write(false);
  document.documentElement.removeAttribute('data-problem');
  scrollTo(0, 0);
}

/** Shows the state in the address, in a reset document. */
async function show(): Promise<void> {
  delete dataset.staged;
  const choice = readChoice(location.href);
  try {
    root?.unmount();
    await resetState();
    history.replaceState(null, '');
    await stage(choice);
  } catch (problem) {
    dataset.problem = (problem as Error).message;
    console.error(problem);
  }
  dataset.staged = '';
}

ownTime();
// Another state of the same page can reuse the document: change the address, then dispatch this event.
document.addEventListener('stage', () => void show());
void show();
