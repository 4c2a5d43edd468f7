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
  /** How much is offered: for a few devices only the states, and in a `line` what fits there, the search above it. */
  readonly extent: 'states' | 'line' | 'everything';
  readonly findId: string;
}

/** States with their numbers, search, systems and the form of the list; on a narrow screen some are behind a button. */
export function DeviceFilters({ all, tags, matching, found, arranging, extent, findId }: DeviceFiltersProps) {
  const { arrangement, setGroup, setSystem, setTag } = arranging;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const counts = countsOf(matching);
  const systems = [...new Set(all.map(({ computer }) => platformName(computer.platform)))].sort();
  const { find, group, system, tag } = arrangement;
  const isFiltered = find !== '' || group !== undefined || system !== '' || tag !== '';
  const hasSystems = extent === 'everything' ? systems.length > 1 : system !== '';
  const hasTags = extent === 'everything' ? tags.length > 0 : tag !== '';
  return (
    <search className={css.filters}>
      {extent === 'everything' && <FindDevice id={findId} arranging={arranging} />}
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
      <output htmlFor={extent === 'states' ? undefined : findId} className={found === 0 ? css.none : css.quiet}>
        {isFiltered && <Text id="dashboard.found" values={{ count: found }} />}
      </output>
    </search>
  );
}

/** Finds devices by words. In the `head` of a list it is left out where chips and buttons need the room. */
export function FindDevice({ id, arranging, head = false }: { id: string; arranging: Arranging; head?: boolean }) {
  const t = useText();
  const { arrangement, setFind } = arranging;
  const [wasSearched] = useState(arrangement.find !== '');
  return (
    <div className={`${head ? css.inHead : css.find} ${head && !wasSearched ? css.spare : ''}`}>
      <label htmlFor={id}>
        <VisuallyHidden text="dashboard.find" />
      </label>
      <SearchField
        id={id}
        name="find"
        placeholder={t('dashboard.find')}
        value={arrangement.find}
        onChange={({ target }) => setFind(target.value)}
      />
    </div>
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
