import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Paragraph, Text, useText } from '../../browser/language/text.tsx';
import { focusHeading } from '../../browser/navigation/history.ts';
import { useQuery } from '../../browser/navigation/navigation.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyOtherTabs } from '../../browser/requests/session.ts';
import { Button } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/feedback.tsx';
import { icon } from '../../ui/icons.tsx';
import { Sheet, SheetLead, SheetPart } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { type AlarmRule, idleRules } from '../contract/alarm-rules.ts';
import type { Alarms } from './alarms.contract.ts';
import { RuleForm } from './rule-form.part.tsx';
import { RuleSentence } from './rule-words.part.tsx';
import { type AlarmRules, orderAlarmRules, removeAlarmRule } from './rules.contract.ts';
import css from './rules.module.css';

interface RulesProps {
  readonly alarms: Alarms;
  readonly changed: (next: { readonly rules: AlarmRules }) => void;
  /** Reads again what is stored. */
  readonly again: () => void;
}

type Move = 'up' | 'down';

/** The alarm rules in the order in which they decide, each in a sentence. */
export function Rules({ alarms, changed, again }: RulesProps) {
  const { rules } = alarms;
  const marks = useMarks(alarms);
  /** One sentence says so instead of one for each. */
  const isSilent = rules.length > 1 && rules.every(({ id }) => marks.get(id) === 'unsent');
  const named = useQuery().query.get('rule');
  /** The id of the rule whose form is open; empty: a new one. */
  const [open, setOpen] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const [moved, setMoved] = useState<{ readonly id: string; readonly move: Move; readonly times: number }>();
  const ordering = useRequest(
    async (signal, order: string[]) => {
      changed(await sendRequest(orderAlarmRules, { body: { order }, signal }));
      notifyOtherTabs();
    },
    { onError: again },
  );
  const removing = useRequest(async (signal, id: string) => {
    changed(await sendRequest(removeAlarmRule, { params: { id }, signal }));
    notifyOtherTabs();
    // The button that was pressed disappears.
    focusHeading();
  });
  function move(rule: AlarmRule, direction: Move): void {
    const at = rules.indexOf(rule);
    const next = rules.toSpliced(at, 1).toSpliced(direction === 'up' ? at - 1 : at + 1, 0, rule);
    changed({ rules: next });
    setMoved((before) => ({ id: rule.id, move: direction, times: (before?.times ?? 0) + 1 }));
    ordering.restart(next.map(({ id }) => id));
  }
  // A line that moves loses the focus; at the end of the list, its other button gets it.
  useLayoutEffect(() => {
    if (!moved) return;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(
      `[data-rule="${CSS.escape(moved.id)}"] [data-move]`,
    );
    const enabled = [...(buttons ?? [])].filter((button) => !button.disabled);
    (enabled.find((button) => button.dataset.move === moved.move) ?? enabled[0])?.focus();
  }, [moved]);
  // An incident leads to its rule.
  useEffect(() => {
    if (named !== null)
      list.current?.querySelector(`[data-rule="${CSS.escape(named)}"]`)?.scrollIntoView({ block: 'center' });
  }, [named]);
  const close = () => setOpen(undefined);
  const failure = ordering.error ?? removing.error;
  const place = rules.findIndex(({ id }) => id === moved?.id) + 1;
  return (
    <Sheet>
      <SheetLead text="rules.hint">
        {open !== '' && <Button label="rules.add" quiet narrow data-opens="" onClick={() => setOpen('')} />}
      </SheetLead>
      {open === '' && (
        <SheetPart>
          <RuleForm alarms={alarms} changed={changed} close={close} />
        </SheetPart>
      )}
      {isSilent && (
        <div className={css.silent}>
          <Mark of="all_unsent" />
        </div>
      )}
      {failure && (
        <SheetPart>
          <Failed failure={failure} />
        </SheetPart>
      )}
      <ol ref={list} className={css.list}>
        {rules.map((rule, at) => (
          <li key={rule.id} className={rule.id === named ? `${css.item} ${css.named}` : css.item} data-rule={rule.id}>
            {open === rule.id ? (
              <RuleForm alarms={alarms} rule={rule} changed={changed} close={close} />
            ) : (
              <>
                <div className={css.words}>
                  <RuleSentence rule={rule} devices={alarms.computers} />
                  {!isSilent && <Mark of={marks.get(rule.id)} />}
                </div>
                <span className={css.actions}>
                  <span className={css.moves}>
                    <MoveButton move="up" disabled={at === 0} onClick={() => move(rule, 'up')} />
                    <MoveButton move="down" disabled={at === rules.length - 1} onClick={() => move(rule, 'down')} />
                  </span>
                  <TextButton onClick={() => setOpen(rule.id)} label="pauses.change" />
                  <TextButton onClick={() => void removing.start(rule.id)} label="pauses.remove" />
                </span>
              </>
            )}
          </li>
        ))}
      </ol>
      <VisuallyHidden role="status">
        {moved && place > 0 && <Text id="rules.place" values={{ place: String(place), count: String(rules.length) }} />}
      </VisuallyHidden>
    </Sheet>
  );
}

const markWords = {
  unmatched: 'rules.unmatched',
  asleep: 'rules.asleep',
  shadowed: 'rules.shadowed',
  unsent: 'rules.unsent',
  all_unsent: 'rules.all_unsent',
} as const;

/** Why rules do nothing, or less than they say, by their ids. */
function useMarks({ rules, computers, channels, email_confirmed }: Alarms) {
  const idle = useMemo(() => idleRules(rules, computers), [rules, computers]);
  const isUsable = (name: string) => channels.some((one) => one === name) && (name !== 'email' || email_confirmed);
  const isUnsent = ({ by, channels: chosen }: AlarmRule) => {
    if (by === 'none' || (by === 'chosen' && chosen.length === 0)) return false;
    return !(by === 'all' ? channels : chosen).some(isUsable);
  };
  const unsent = rules.filter(isUnsent).map(({ id }) => [id, 'unsent'] as const);
  return new Map<string, keyof typeof markWords>([...unsent, ...idle]);
}

const Mark = ({ of }: { of: keyof typeof markWords | undefined }) =>
  of && <Paragraph className={css.mark} id={markWords[of]} />;

const Up = icon(<path d="M10 16V4.5M5 9l5-5 5 5" />);
const Down = icon(<path d="M10 4v11.5M5 11l5 5 5-5" />);

interface MoveButtonProps {
  readonly move: Move;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function MoveButton({ move, disabled, onClick }: MoveButtonProps) {
  const label = useText()(move === 'up' ? 'rules.up' : 'rules.down');
  return (
    <button
      type="button"
      className={css.move}
      data-move={move}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {move === 'up' ? <Up /> : <Down />}
    </button>
  );
}
