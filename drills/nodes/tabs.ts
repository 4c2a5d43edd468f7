import type { Engine } from '../../src/store/database.ts';
import type { Client } from '../../src/testing/client.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { inParallel, insist, newBrowser, type Person, registerPeople, tally } from '../fixtures/visitors.ts';

const peopleCount = 100;
const tabsEach = 50;
/** People who wake simultaneously, each with all their tabs. */
const maxConcurrentPeople = 10;
export const refreshCookie = '__Host-refresh_token';

const scenes: readonly { readonly engine: Engine; readonly nodes: number }[] = [
  { engine: 'sqlite', nodes: 1 },
  { engine: 'postgres', nodes: 1 },
  { engine: 'postgres', nodes: 2 },
];

async function play(stage: Stage, { engine, nodes }: (typeof scenes)[number]): Promise<Row> {
  const database = await stage.fresh(engine);
  const urls: string[] = [];
  while (urls.length < nodes) urls.push((await stage.start({ database })).url);
  const people = await registerPeople(urls[0] as string, peopleCount);
  const woken = await inParallel(maxConcurrentPeople, people, (person) => wake(person, urls));

  const responses = woken.flatMap((one) => one.responses);
  const signOuts = responses.filter((response) => response?.status === 401).length;
  const once = woken.filter(({ successors }) => successors === 1).length;
  const goOn = woken.filter((one) => one.goesOn).length;
  return judged(
    {
      engine,
      nodes,
      'people × tabs': `${peopleCount} × ${tabsEach}`,
      responses: tally(responses),
      'sign-outs': signOuts,
      'rotated once': `${once} of ${peopleCount}`,
      'still signed in afterward': `${goOn} of ${peopleCount}`,
    },
    {
      'no user is signed out': signOuts === 0,
      'every tab gets a response': responses.every((response) => response?.status === 200),
      'one rotation for each user': once === peopleCount,
      'each session stays active': goOn === peopleCount,
    },
  );
}

/** A tab with the cookies of a browser, on the node with this URL. */
export function openTab(browser: Client, url: string): Client {
  const tab = newBrowser(url);
  for (const [name, value] of browser.cookies) tab.cookies.set(name, value);
  return tab;
}

/** All tabs of a browser refresh with the one cookie that they share. */
async function wake({ browser }: Person, urls: readonly string[]) {
  const tabs = Array.from({ length: tabsEach }, (_, at) => openTab(browser, urls[at % urls.length] as string));
  const responses = await Promise.all(tabs.map((tab) => insist(() => tab.post('/auth/refresh'))));
  const successors = new Set(tabs.map(({ cookies }) => cookies.get(refreshCookie)));
  const next = await insist(() => (tabs.at(-1) ?? browser).post('/auth/refresh'));
  return { responses, successors: successors.size, goesOn: next?.status === 200 };
}

export const drill: Drill = {
  promise: 'Tabs never sign their user out: 50 that wake simultaneously share one rotation, on one node and on two.',
  maxConcurrent: 1,
  scenes: scenes.map((scene) => ({
    name: `${scene.nodes === 1 ? 'one node' : 'two nodes'} (${scene.engine})`,
    play: (stage) => play(stage, scene),
  })),
};
