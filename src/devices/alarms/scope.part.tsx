import { useId, useState } from 'react';
import { useSortedByName } from '../../browser/language/language.tsx';
import { Text } from '../../browser/language/text.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import type { Scope } from '../contract/pauses.ts';
import css from './scope.module.css';

interface ScopeFieldProps {
  readonly scope: Scope;
  readonly devices: readonly { readonly id: string; readonly name: string; readonly tags: readonly string[] }[];
  readonly choose: (scope: Scope) => void;
}

/** So many entries need a search. */
const searchFrom = 8;
const entriesShown = 50;

/** All devices, or tags and devices to choose. */
export function ScopeField({ scope, devices, choose }: ScopeFieldProps) {
  const id = useId();
  const [isChosen, limit] = useState(scope.tags.length + scope.computers.length > 0);
  const [find, search] = useState('');
  const tags = useSortedByName(
    [...new Set([...scope.tags, ...devices.flatMap((device) => device.tags)])].map((tag) => ({ id: tag, name: tag })),
  );
  const computers = useSortedByName(devices);
  const all = [
    ...tags.map((tag) => ({ ...tag, list: 'tags' as const })),
    ...computers.map((device) => ({ id: device.id, name: device.name, list: 'computers' as const })),
  ];
  const isFound = ({ name }: { name: string }) => name.toLowerCase().includes(find.trim().toLowerCase());
  const toggle = (list: 'tags' | 'computers', entry: string, isOn: boolean) =>
    choose({ ...scope, [list]: isOn ? [...scope[list], entry] : scope[list].filter((one) => one !== entry) });
  return (
    <fieldset className={css.scope}>
      <legend className={css.legend}>
        <Text id="devices.page" />
      </legend>
      <label className={css.line}>
        <input
          type="radio"
          name={`${id}scope`}
          value="all"
          checked={!isChosen}
          onChange={() => {
            limit(false);
            choose({ tags: [], computers: [] });
          }}
        />
        <Text id="devices.all" />
      </label>
      {all.length > 0 && (
        <label className={css.line}>
          <input type="radio" name={`${id}scope`} value="some" checked={isChosen} onChange={() => limit(true)} />
          <Text id="pauses.some" />
        </label>
      )}
      {isChosen && (
        <div className={css.choice}>
          {all.length >= searchFrom && (
            <>
              <label htmlFor={`${id}find`}>
                <VisuallyHidden text="dashboard.find" />
              </label>
              <SearchField id={`${id}find`} value={find} onChange={({ target }) => search(target.value)} />
            </>
          )}
          <ul className={css.entries}>
            {all
              .filter((entry) => scope[entry.list].includes(entry.id) || isFound(entry))
              .slice(0, entriesShown)
              .map(({ id: entry, name, list }) => (
                <li key={`${list} ${entry}`}>
                  <label className={css.line}>
                    <input
                      type="checkbox"
                      checked={scope[list].includes(entry)}
                      onChange={({ target }) => toggle(list, entry, target.checked)}
                    />
                    <span>
                      {list === 'tags' && (
                        <>
                          <Text id="devices.tag" />{' '}
                        </>
                      )}
                      <bdi>{name}</bdi>
                    </span>
                  </label>
                </li>
              ))}
          </ul>
        </div>
      )}
    </fieldset>
  );
}
