import { useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyOtherTabs } from '../../browser/requests/session.ts';
import { localeOf } from '../../contract/languages.ts';
import { days, hours } from '../../contract/units.ts';
import { FormButtons } from '../../journeys/account/layout/rows.part.tsx';
import { Button } from '../../ui/button.tsx';
import { Failed } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Field, Input, inputProps } from '../../ui/fields/field.tsx';
import { TimeZoneField } from '../../ui/fields/time-zone-field.tsx';
import { FormStack, Sheet, SheetLead, SheetPart } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import type { Scope } from '../contract/pauses.ts';
import { type Alarms, addPause, removePause } from './alarms.contract.ts';
import css from './pauses.module.css';
import { namesOf, ScopeName } from './rule-words.part.tsx';
import { ScopeField } from './scope.part.tsx';

type Pause = Alarms['pauses'][number];
type Changed = (next: Pick<Alarms, 'pauses'>) => void;

interface PausesProps {
  readonly alarms: Alarms;
  readonly changed: Changed;
}

const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

/** Times in the page's language, on the clocks of a time zone. */
export function useZonedTimes() {
  const locale = `${localeOf(usePage().language)}-u-ca-gregory-nu-latn`;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  const list = new Intl.ListFormat(locale, { style: 'short', type: 'unit' });
  return {
    /** Of a time of day such as `19:00`. */
    clock: (at: string) => time.format(new Date(`1970-01-01T${at}Z`)),
    /** From Monday, 1; 5 January 1970 was one. */
    weekday: (day: number) => weekday.format(days(day + 3)),
    weekdays: (all: readonly number[]) => list.format(all.map((day) => weekday.format(days(day + 3)))),
    range(from: string, until: string, timeZone: string): string {
      const parts = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
      return new Intl.DateTimeFormat(locale, { ...parts, timeZone }).formatRange(new Date(from), new Date(until));
    },
  };
}

/** Hours in which devices are off as usual, and planned maintenance. */
export function Pauses({ alarms, changed }: PausesProps) {
  /** The id of the pause whose form is open, or the kind of a new one. */
  const [open, setOpen] = useState<string>();
  const [pressed, press] = useState<string>();
  const accepting = useRequest(async (signal, offer: Alarms['usually_off'][number]) => {
    press(offer.computers[0]);
    const body = { kind: 'off_hours' as const, tags: [], time_zone: alarms.time_zone, ...offer };
    changed(await sendRequest(addPause, { body, signal }));
    notifyOtherTabs();
  });
  const removing = useRequest(async (signal, id: string) => {
    changed(await sendRequest(removePause, { params: { id }, signal }));
    notifyOtherTabs();
  });
  const times = useZonedTimes();
  const form = (kind: Pause['kind'], pause?: Pause) => (
    <PauseForm kind={kind} pause={pause} alarms={alarms} changed={changed} close={() => setOpen(undefined)} />
  );
  const failure = accepting.error ?? removing.error;
  return (
    <Sheet title="pauses.title">
      <SheetLead text="pauses.hint">
        <Button label="pauses.add_off" quiet narrow onClick={() => setOpen('off_hours')} />
        <Button label="pauses.add_maintenance" quiet narrow onClick={() => setOpen('maintenance')} />
      </SheetLead>
      {(open === 'off_hours' || open === 'maintenance') && <SheetPart>{form(open)}</SheetPart>}
      {failure && (
        <SheetPart>
          <Failed failure={failure} />
        </SheetPart>
      )}
      {alarms.pauses.length > 0 && (
        <ul className={css.list}>
          {alarms.pauses.map((pause) => (
            <li key={pause.id} className={css.item}>
              {open === pause.id ? (
                form(pause.kind, pause)
              ) : (
                <>
                  <PauseWords pause={pause} devices={alarms.computers} />
                  <span className={css.actions}>
                    <TextButton onClick={() => setOpen(pause.id)}>
                      <Text id="pauses.change" />
                      <VisuallyHidden> {namesOf(pause, alarms.computers)}</VisuallyHidden>
                    </TextButton>
                    <TextButton onClick={() => void removing.start(pause.id)}>
                      <Text id="pauses.remove" />
                      <VisuallyHidden> {namesOf(pause, alarms.computers)}</VisuallyHidden>
                    </TextButton>
                  </span>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {alarms.usually_off.map((offer) => (
        <div key={offer.computers[0]} className={css.offer}>
          <span className={css.words}>
            <span>
              <Text
                id="pauses.usually"
                values={{
                  from: times.clock(offer.from),
                  until: times.clock(offer.until),
                  devices: namesOf({ tags: [], computers: offer.computers }, alarms.computers) ?? '',
                }}
                dir="auto"
              />
            </span>
            {offer.days_off.length > 0 && (
              <span className={css.detail}>
                <Text id="pauses.all_day" values={{ days: times.weekdays(offer.days_off) }} />
              </span>
            )}
          </span>
          <Button
            label="pauses.accept"
            plain
            busy={accepting.state === 'pending' && pressed === offer.computers[0] ? 'form.wait' : undefined}
            retry={() => accepting.restart(offer)}
            onClick={() => void accepting.start(offer)}
          />
        </div>
      ))}
    </Sheet>
  );
}

function PauseWords({ pause, devices }: { pause: Pause; devices: Alarms['computers'] }) {
  const { from, until, days_off: daysOff, time_zone: zone, next } = pause;
  const times = useZonedTimes();
  const ranges = next.map((span) => times.range(span.from, span.until, zone));
  return (
    <div className={css.words}>
      <span>
        <ScopeName scope={pause} devices={devices} />
      </span>
      {pause.kind === 'maintenance' ? (
        <span>
          <Text id="pauses.maintenance" values={{ when: ranges[0] ?? '' }} dir="auto" />
        </span>
      ) : (
        <>
          {from !== null && until !== null && (
            <span>
              <Text id="pauses.off" values={{ from: times.clock(from), until: times.clock(until) }} dir="auto" />
            </span>
          )}
          {daysOff.length > 0 && (
            <span>
              <Text id="pauses.all_day" values={{ days: times.weekdays(daysOff) }} dir="auto" />
            </span>
          )}
          <span className={css.detail}>
            <Text id="pauses.next" />
          </span>
          <ul className={css.next}>
            {ranges.map((range) => (
              <li key={range}>{range}</li>
            ))}
          </ul>
        </>
      )}
      <span className={css.detail}>
        <bdi>{zone}</bdi>
      </span>
    </div>
  );
}

interface PauseFormProps extends PausesProps {
  readonly kind: Pause['kind'];
  /** Undefined: a new one. */
  readonly pause: Pause | undefined;
  readonly close: () => void;
}

/** A full hour by the clocks of a zone, for a new maintenance: such as `2026-12-01T22:00`. */
const hourIn = (zone: string, at: number): string =>
  `${new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone: zone }).format(at).slice(0, 13).replace(' ', 'T')}:00`;

function PauseForm({ kind, pause, alarms, changed, close }: PauseFormProps) {
  const [scope, choose] = useState<Scope>({ tags: pause?.tags ?? [], computers: pause?.computers ?? [] });
  const zone = pause?.time_zone ?? alarms.time_zone;
  const [begins, ends] =
    kind === 'off_hours' ? ['19:00', '07:00'] : [hours(1), hours(3)].map((later) => hourIn(zone, Date.now() + later));
  const isOffAllDay = (day: number) => pause?.days_off.includes(day) ?? false;
  const form = useForm({
    contract: () => import('./alarms.contract.ts'),
    schema: ({ pauseForms }) => pauseForms[kind],
    initial: {
      pause_from: (pause ? pause.from : begins) ?? '',
      pause_until: (pause ? pause.until : ends) ?? '',
      pause_zone: zone,
      ...{ day_1: isOffAllDay(1), day_2: isOffAllDay(2), day_3: isOffAllDay(3), day_4: isOffAllDay(4) },
      ...{ day_5: isOffAllDay(5), day_6: isOffAllDay(6), day_7: isOffAllDay(7) },
    },
    async send({ addPause: add, changePause: change, pauseOf }, fields, signal) {
      const { tags, computers } = scope;
      const body = { ...pauseOf(kind, fields), tags: [...tags], computers: [...computers] };
      changed(
        pause
          ? await sendRequest(change, { params: { id: pause.id }, body, signal })
          : await sendRequest(add, { body, signal }),
      );
      notifyOtherTabs();
      close();
    },
  });
  const { weekday } = useZonedTimes();
  const t = useText();
  const type = kind === 'off_hours' ? 'time' : 'datetime-local';
  const [from, until] = [form.field('pause_from'), form.field('pause_until')];
  return (
    <div className={css.form}>
      <FormStack {...form.props}>
        <FormProblems form={form} labels={labels} />
        <ScopeField scope={scope} devices={alarms.computers} choose={choose} />
        <div className={css.times}>
          <Field field={from} label="pauses.begins">
            <Input type={type} {...inputProps(from)} />
          </Field>
          <Field field={until} label="pauses.ends">
            <Input type={type} {...inputProps(until)} />
          </Field>
        </div>
        {kind === 'off_hours' && (
          <fieldset className={css.days} aria-label={t('pauses.days')}>
            <legend>
              <Text id="pauses.days" />
            </legend>
            {weekdays.map((day) => (
              <label key={day} className={css.day}>
                <input type="checkbox" id={form.field(`day_${day}`).id} name={`day_${day}`} />
                {weekday(day)}
              </label>
            ))}
          </fieldset>
        )}
        <TimeZoneField field={form.field('pause_zone')} />
        <FormButtons form={form} label="account.save" cancel={close} />
      </FormStack>
    </div>
  );
}

/** Labels of the fields whose messages do not name the field, for the summary of errors. */
const labels = { pause_from: 'pauses.begins', pause_until: 'pauses.ends', pause_zone: 'account.time_zone' } as const;
