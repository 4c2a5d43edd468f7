import { pointAt, toggle } from '../../gallery/acts.ts';
import { type States, specimen } from '../../gallery/state.tsx';
import { Menu, Tooltip } from './menu.tsx';

const menu = (
  <Menu id="letters" button="Letters">
    {(hide) =>
      ['Alpha', 'Beta', 'Gamma'].map((letter) => (
        <button key={letter} type="button" aria-pressed={letter === 'Beta'} onClick={hide}>
          {letter}
        </button>
      ))
    }
  </Menu>
);

/** The product's own menus are in the frame's header. */
const { show } = specimen('Menus', 'The header has them.');

export const states: readonly States[] = [
  {
    of: 'Menus',
    page: 'register',
    states: {
      closed: specimen('Menu', menu),
      open: { ...specimen('Menu', menu), acts: [toggle('letters')] },
      languages: { show, acts: [toggle('languages')], shows: ['frame.language'] },
      themes: { show, acts: [toggle('themes')], shows: ['frame.theme_dark'] },
      'a name for a picture': specimen('Tooltip', <Tooltip text="Letters">{<button type="button">L</button>}</Tooltip>),
      tooltip: { show, acts: [pointAt('frame.theme')], shows: ['frame.theme'] },
    },
  },
];
