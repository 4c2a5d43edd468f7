import '../ui/tokens.css';
import './gallery.css';
import { createRoot } from 'react-dom/client';
import { themes } from '../browser/platform/theme.ts';
import { languages } from '../contract/languages.ts';
import { allPages } from '../site/all-pages.ts';
import { type Choice, everyState, queryOf, readChoice, widths } from './every-state.ts';

const choice = readChoice(location.href);

/** The list of all states on one side, the chosen state on the other. */
const Gallery = () => (
  <main>
    <div className="choices">
      <h1>Gallery</h1>
      <Switch title="Language" name="language" values={languages.map(({ code, name }) => [code, name])} />
      <Switch title="Theme" name="theme" values={themes.map((theme) => [theme, theme])} />
      <Switch title="Width" name="width" values={widths.map((width) => [width, width ?? 'full'])} />
      {[...new Set(everyState.map(({ of }) => of))].map((of) => (
        <nav key={of} aria-label={of}>
          <h2>{of}</h2>
          <ul>
            {everyState
              .filter((place) => place.of === of)
              .map((place) => (
                <li key={place.id}>
                  <a
                    href={queryOf(choice, { place })}
                    data-state={place.id}
                    data-page={place.page}
                    data-repeated={place.state.repeated}
                    aria-current={place === choice.place ? 'true' : undefined}
                  >
                    {place.name}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
      ))}
    </div>
    <div className="shown">
      <p>
        {choice.place.of}: {choice.place.name}{' '}
        <a href={`/dev/gallery/stage/${queryOf(choice)}`} target="_blank" rel="noopener">
          alone
        </a>
      </p>
      <iframe
        title="The state"
        className={`width-${choice.width ?? 'full'}`}
        src={`/dev/gallery/stage/${queryOf(choice)}`}
      />
    </div>
  </main>
);

interface SwitchProps<Name extends keyof Choice> {
  title: string;
  name: Name;
  values: readonly (readonly [value: Choice[Name], label: string | number])[];
}

const Switch = <Name extends keyof Choice>({ title, name, values }: SwitchProps<Name>) => (
  <nav aria-label={title}>
    <h2>{title}</h2>
    <ul className="row">
      {values.map(([value, label]) => (
        <li key={label}>
          <a href={queryOf(choice, { [name]: value })} aria-current={choice[name] === value ? 'true' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

document.documentElement.dataset.gallery = '';
createRoot(document.body).render(<Gallery />);
// For the test that compares the texts in payloads with the texts that states show.
document.documentElement.dataset.payloads = JSON.stringify(
  allPages.map(({ path }) => `/dev/gallery/payloads${path}_payload.json`),
);
