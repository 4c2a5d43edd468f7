import { Text } from '../../../browser/language/text.tsx';
import css from './systems.module.css';
import { type AddedSystem, systemNames } from './visitor-system.part.ts';

interface SystemsProps {
  readonly systems: readonly AddedSystem[];
  readonly chosen: AddedSystem;
  readonly choose: (system: AddedSystem) => void;
}

/** Chooses the kind of device to add. */
export const Systems = ({ systems, chosen, choose }: SystemsProps) => (
  <fieldset className={css.systems}>
    <legend>
      <Text id="computers_add.which" />
    </legend>
    {systems.map((system) => (
      <label key={system} className={css.system}>
        <input type="radio" name="system" value={system} checked={system === chosen} onChange={() => choose(system)} />
        {system === 'smartphone' ? (
          <Text id="computers_add.smartphone" />
        ) : (
          <span translate="no">{systemNames[system]}</span>
        )}
      </label>
    ))}
  </fieldset>
);
