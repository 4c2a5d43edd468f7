import { type ReactNode, useId, useState } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Select } from '../../../ui/fields/choice-fields.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { FilterOpener } from '../filters.part.tsx';
import { type Arranging, countsOf } from './arrange.part.ts';
import css from './device-filters.module.css';
import { groupsShown, groupWords, platformName, type Seen, Sign } from './device-state.part.tsx';

interface DeviceFiltersProps {
  readonly all: readonly Seen[];
  /** All tags of the devices. */
  readonly tags: readonly string[];
  /** The devices that match everything except the state. */
  readonly matching: readonly Seen[];
  /** Number of matches. */
  readonly found: number;
  readonly arranging: Arranging;
  /** How much is offered: for a few devices only the states, and in a `line` what fits there. */
  readonly extent: 'states' | 'line' | 'everything';
}

/** States with their numbers, search, systems and the form of the list; on a narrow screen some are behind a button. */
export function DeviceFilters({ all, tags, matching, found, arranging, extent }: DeviceFiltersProps) {
  const { arrangement, setFind, setGroup, setSystem, setTag } = arranging;
  const t = useText();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const counts = countsOf(matching);
  const [wasSearched] = useState(arrangement.find !== '');
  const systems = [...new Set(all.map(({ computer }) => platformName(computer.platform)))].sort();
  const { find, group, system, tag } = arrangement;
  const isFiltered = find !== '' || group !== undefined || system !== '' || tag !== '';
  const hasSystems = extent === 'everything' ? systems.length > 1 : system !== '';
  const hasTags = extent === 'everything' ? tags.length > 0 : tag !== '';
  return (
    <search className={css.filters}>
      {extent !== 'states' && (
        <div className={extent === 'line' && !wasSearched ? `${css.find} ${css.spare}` : css.find}>
          <label htmlFor={`${id}find`}>
            <VisuallyHidden text="dashboard.find" />
          </label>
          <SearchField
            id={`${id}find`}
            name="find"
            placeholder={t('dashboard.find')}
            value={find}
            onChange={({ target }) => setFind(target.value)}
          />
        </div>
      )}
      {extent === 'everything' && (
        <FilterOpener
          controls={`${id}more ${id}view`}
          active={[system, tag].filter((value) => value !== '').length}
          isOpen={isOpen}
          toggle={() => setOpen(!isOpen)}
        />
      )}
      {(hasSystems || hasTags) && (
        <div id={`${id}more`} className={isOpen || extent !== 'everything' ? css.more : `${css.more} ${css.folded}`}>
          {hasSystems && (
            <Choice id={`${id}system`} label="devices.system" values={systems} chosen={system} choose={setSystem} />
          )}
          {hasTags && <Choice id={`${id}tag`} label="devices.tag" values={tags} chosen={tag} choose={setTag} />}
        </div>
      )}
      {extent === 'everything' && (
        <div id={`${id}view`} className={isOpen ? css.view : `${css.view} ${css.folded}`}>
          <ViewToggles tags={tags} arranging={arranging} />
        </div>
      )}
      <fieldset className={css.chips}>
        <legend>
          <VisuallyHidden text="devices.state" />
        </legend>
        <Toggle className={css.chip} pressed={group === undefined} press={() => setGroup(undefined)}>
          <Text id="dashboard.count_devices" values={{ count: matching.length }} />
        </Toggle>
        {groupsShown
          .filter((each) => counts[each] > 0 || each === group)
          .map((each) => (
            <Toggle
              key={each}
              className={css.chip}
              pressed={each === group}
              press={() => setGroup(each === group ? undefined : each)}
            >
              <Sign group={each} />
              <Text id={groupWords[each]} values={{ count: counts[each] }} />
            </Toggle>
          ))}
      </fieldset>
      <output htmlFor={extent === 'states' ? undefined : `${id}find`} className={found === 0 ? css.none : css.quiet}>
        {isFiltered && <Text id="dashboard.found" values={{ count: found }} />}
      </output>
    </search>
  );
}

/** Buttons that change the form of the list. */
export const ViewToggles = ({ tags, arranging }: Pick<DeviceFiltersProps, 'tags' | 'arranging'>) => {
  const { byTag, compact } = arranging.arrangement;
  return (
    <>
      {(tags.length > 0 || byTag) && (
        <Toggle className={css.form} pressed={byTag} press={() => arranging.setByTag(!byTag)}>
          <Text id="devices.by_tag" />
        </Toggle>
      )}
      <Toggle className={css.form} pressed={compact} press={() => arranging.setCompact(!compact)}>
        <Text id="devices.compact" />
      </Toggle>
    </>
  );
};

interface ChoiceProps {
  readonly id: string;
  readonly label: MessageId;
  readonly values: readonly string[];
  /** Empty for all; offered even if no device has it. */
  readonly chosen: string;
  readonly choose: (value: string) => void;
}

function Choice({ id, label, values, chosen, choose }: ChoiceProps) {
  const t = useText();
  return (
    <div className={css.fields}>
      <label htmlFor={id} className={css.label}>
        <Text id={label} />
      </label>
      <Select id={id} value={chosen} onChange={({ target }) => choose(target.value)}>
        <option value="">{t('dashboard.filter_all')}</option>
        {[...new Set([...values, ...(chosen ? [chosen] : [])])].map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
    </div>
  );
}

interface ToggleProps {
  /** A chip selects devices; the form of the list looks like the fields beside it. */
  readonly className: string | undefined;
  readonly pressed: boolean;
  readonly press: () => void;
  readonly children: ReactNode;
}

const Toggle = ({ className, pressed, press, children }: ToggleProps) => (
  <button type="button" className={className} aria-pressed={pressed} onClick={press}>
    {children}
  </button>
);
