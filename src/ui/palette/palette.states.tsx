import { openSideMenu, press, type } from '../../gallery/acts.ts';
import { account, signedIn } from '../../gallery/examples/account.ts';
import { computer, devicesReply } from '../../gallery/examples/devices.ts';
import type { State, States } from '../../gallery/state.tsx';

const devices = ['Front desk', 'هاتف ليلى', 'W'.repeat(60)].map((name, at) =>
  computer(name, { tags: at === 1 ? [] : ['Berlin', 'rack 1'] }),
);
const some = {
  ...signedIn,
  replies: [account, devicesReply(devices)],
  acts: [openSideMenu, press('label.search')],
} satisfies Partial<State>;
const finding = (find: string) => ({ ...some, acts: [...some.acts, type({ command: find })] });

export const states: readonly States[] = [
  {
    of: 'Palette',
    page: 'account',
    states: {
      'pages and commands': {
        ...some,
        shows: ['dashboard.page', 'rules.title', 'frame.theme_dark', 'account_frame.sign_out'],
      },
      'a device by its tag': { ...finding('rack'), shows: ['palette.found'] },
      'a language': { ...finding('deutsch'), shows: ['frame.language'] },
      'nothing found': { ...finding('x'.repeat(60)), shows: ['palette.found'] },
    },
  },
];
