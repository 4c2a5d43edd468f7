import { expect, it } from 'vitest';
import { leadsOf, type Words } from './leads.ts';
import { movesOf } from './moves.ts';
import { componentsOf, inSentence, stepsOf } from './steps.ts';
import { parse } from './syntax.ts';

const texts: Record<string, string> = {
  forgot: 'Forgot password?',
  help: 'Sign in, or <reset>set a new password</reset>.',
  change: 'Use another address',
};
const words: Words = {
  text: (id) => texts[id] ?? '',
  request: (name) => (name === 'ask' ? 'Ask for a link' : undefined),
};

it.each<[sentence: string, source: string, to: string, event: string]>([
  ['a link says its words', '<Link to="/a/"><Text id="forgot" /></Link>', '/a/', 'Forgot password?'],
  ['so does one that looks like a button', '<ButtonLink to="/a/" label="forgot" />', '/a/', 'Forgot password?'],
  [
    'a link in a text says its part',
    '<Text id="help" tags={{ reset: <Link to="/a/" /> }} />',
    '/a/',
    'set a new password',
  ],
  ['an answered request leads on', 'async () => { await sendRequest(ask, {}); go("/a/"); }', '/a/', 'Ask for a link'],
  ['what is done before does, too', 'async () => { await endSession(); go("/"); }', '/', 'end session'],
  ['to the last place', 'async () => { await sendRequest(ask, {}); goToLastPlace(); }', 'last place', 'Ask for a link'],
  ['by a button’s other use', '<Button retry={() => go("/a/")} />', '/a/', 'retry'],
])('%s', (_sentence, source, to, event) => {
  expect(leadsOf(parse('a.tsx', `const x = ${source};`), words)).toEqual([{ to, event }]);
});

const screen = parse(
  'a.screen.tsx',
  `
  export default function Recovery() {
    const [sentTo, setSentTo] = useState();
    const check = useRequest(async () => { await sendRequest(ask, {}); });
    const sent = (email) => { setSentTo(email); };
    if (check.error?.code === 'gone') return <Gone />;
    return sentTo === undefined
      ? <Form sent={sent} />
      : <Sent change={() => setSentTo(undefined)} />;
  }
  const Form = ({ sent }) => {
    const form = useForm({ async send() { await sendRequest(ask, {}); sent('a'); } });
    return <Field />;
  };
  const Sent = ({ change }) => <TextButton onClick={change}><Text id="change" /></TextButton>;
  const Gone = () => <p />;
  `,
);
const components = componentsOf(screen);
const steps = components.flatMap((component) => stepsOf(component, words));

it('parts of a screen are there under their conditions', () => {
  const own = steps.filter(({ within }) => within === 'Recovery');
  expect(own.map(({ shows, conditions, requests }) => [shows, inSentence(conditions, requests)])).toEqual([
    ['Gone', '“Ask for a link” is refused as gone'],
    ['Form', 'sentTo is missing'],
    ['Sent', 'sentTo is there'],
  ]);
});

it('parts of a screen follow each other by what they call', () => {
  expect(components.flatMap((component) => movesOf(component, { components, steps, words }))).toEqual([
    { within: 'Recovery', from: 'Form', to: 'Sent', event: 'Ask for a link' },
    { within: 'Recovery', from: 'Sent', to: 'Form', event: 'Use another address' },
  ]);
});
