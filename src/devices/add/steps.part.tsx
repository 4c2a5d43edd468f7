import { useState } from 'react';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useCountdown } from '../../browser/platform/timers.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { pathIn } from '../../contract/languages.ts';
import { minutes } from '../../contract/units.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/command.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { ThisPhone } from '../computers/phone/this-phone.part.tsx';
import type { requestEnrolment } from '../contract/computers.ts';
import css from './steps.module.css';
import { type AddedSystem, systemNames, systemsFor, visitorSystem } from './visitor-system.part.ts';

interface Offer extends ResponseBody<typeof requestEnrolment> {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

interface StepsProps {
  readonly offer: Offer;
  /** Whether a new code is on its way. */
  readonly busy: boolean;
  readonly ask: () => void;
}

/** How to use a code, for the visitor's own system first. An expired code dims everything that contains it. */
export function Steps({ offer, busy, ask }: StepsProps) {
  const [own] = useState(() => visitorSystem());
  const [system, setSystem] = useState(own);
  const { left, clock } = useCountdown(offer.deadline, minutes(15));
  const expired = left === 0;
  const { smartphoneApp: app } = usePage().settings;
  const reportsItself = system === 'smartphone' && app === undefined;
  return (
    <div className={css.pair}>
      <Card>
        <Systems systems={systemsFor(own)} chosen={system} choose={setSystem} />
        {reportsItself && (
          <BrowserSteps isHere={own === 'smartphone'} code={expired ? undefined : offer.code} ask={ask} />
        )}
        {!reportsItself && (
          <>
            <div className={css.offer}>
              <div className={css.code} role={expired ? 'status' : undefined}>
                <Paragraph
                  className={expired ? css.old : undefined}
                  id="computers_add.code"
                  values={{ code: offer.code }}
                />
                <p className={expired ? css.over : css.left}>
                  {expired ? (
                    <Text id="computers_add.expired" />
                  ) : (
                    <Text id="computers_add.valid" values={{ time: clock }} />
                  )}
                </p>
              </div>
              <Button
                label="computers_add.new_code"
                busy={busy ? 'frame.loading' : undefined}
                narrow
                plain={!expired}
                onClick={ask}
              />
            </div>
            <div className={expired ? css.dimmed : css.live} inert={expired}>
              <ol className={css.steps}>
                {system !== 'smartphone' && own === 'smartphone' && <Elsewhere />}
                {system !== 'smartphone' && <ComputerSteps system={system} offer={offer} />}
                {system === 'smartphone' && app && (
                  <AppSteps isHere={own === 'smartphone'} link={offer.link} app={app} />
                )}
              </ol>
              <p className={css.wait}>
                <span className={css.pulse} />
                <span>
                  <Text id="computers_add.step_wait" />
                </span>
              </p>
            </div>
          </>
        )}
      </Card>
      {!reportsItself && <Reported undo={system === 'smartphone' ? undefined : offer.undo} />}
    </div>
  );
}

/** The page is open on a smartphone: commands are of use only on the computer. */
function Elsewhere() {
  const { language, settings } = usePage();
  const address = `${settings.publicUrl}${pathIn(language, '/computers/add/')}`;
  return (
    <li>
      <Text id="computers_add.elsewhere" values={{ address }} />
    </li>
  );
}

const terminals = {
  windows: 'computers_add.terminal_windows',
  macos: 'computers_add.terminal_macos',
  linux: 'computers_add.terminal_linux',
} as const;

/** The executables of each system, by the processors as `uname` names them. */
const downloads = {
  windows: ['Windows_NT-x86_64.exe'],
  macos: ['Darwin-arm64', 'Darwin-x86_64'],
  linux: ['Linux-x86_64', 'Linux-aarch64'],
} as const;

const ComputerSteps = ({ system, offer }: { system: keyof typeof systemNames; offer: Offer }) => (
  <>
    {offer.needs_node && (
      <li>
        <Text
          id="computers_add.needs_node"
          tags={{ node: <a href="https://nodejs.org/en/download" target="_blank" rel="noopener noreferrer" /> }}
        />
      </li>
    )}
    <li>
      <Text id={terminals[system]} />
    </li>
    <li>
      <Text id="computers_add.step_command" />
      <Command systems={systemNames[system]} command={offer.commands[system]} />
      {!offer.needs_node && (
        <ul className={css.downloads} aria-labelledby="downloads">
          <li id="downloads">
            <Text id="computers_add.downloads" />
          </li>
          {[...downloads[system].map((end) => `vestibule-agent-${end}`), 'SHA256SUMS'].map((name) => (
            <li key={name} translate="no">
              <a href={`/computers/agents/${name}`} download={name}>
                {name.replace('vestibule-agent-', '')}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  </>
);

interface BrowserStepsProps {
  /** This page is open on a smartphone, whose camera cannot scan its own screen. */
  readonly isHere: boolean;
  /** Undefined once it has expired. */
  readonly code: string | undefined;
  readonly ask: () => void;
}

/** Without an app of the operator, a smartphone reports from its browser: this page must be open there. */
function BrowserSteps({ isHere, ...offer }: BrowserStepsProps) {
  const { language, settings } = usePage();
  if (isHere) return <ThisPhone {...offer} />;
  return (
    <div>
      <Paragraph id="computers_add.phone_scan" />
      <div className={css.phone}>
        <QrCode label="computers_add.qr" text={settings.publicUrl + pathIn(language, '/computers/add/')} />
      </div>
    </div>
  );
}

interface AppStepsProps {
  readonly isHere: boolean;
  readonly link: string;
  /** Where to get the app. */
  readonly app: string;
}

function AppSteps({ isHere, link, app }: AppStepsProps) {
  const tags = { app: <a href={app} target="_blank" rel="noopener noreferrer" /> };
  return isHere ? (
    <li>
      <Text id="computers_add.smartphone_here" tags={tags} />
      <Command command={link} />
    </li>
  ) : (
    <li>
      <Text id="computers_add.step_smartphone" tags={tags} />
      <div className={css.phone}>
        <QrCode label="computers_add.qr" text={link} />
      </div>
    </li>
  );
}

const reported = [
  'computers_add.reports_name',
  'computers_add.reports_signal',
  'computers_add.reports_readings',
  'computers_add.reports_changes',
] as const;
const never = ['computers_add.never_files', 'computers_add.never_typing', 'computers_add.never_programs'] as const;

interface ReportedProps {
  /** The command that removes the agent; smartphones have an app instead. */
  readonly undo: string | undefined;
}

/** What the reference agent reports, what it never reports, and how to remove it. */
const Reported = ({ undo }: ReportedProps) => (
  <Card>
    <h2>
      <Text id="computers_add.reports" />
    </h2>
    <ul className={css.list}>
      {reported.map((id) => (
        <li key={id}>
          <Text id={id} />
        </li>
      ))}
    </ul>
    <h2>
      <Text id="computers_add.never" />
    </h2>
    <ul className={css.list}>
      {never.map((id) => (
        <li key={id}>
          <Text id={id} />
        </li>
      ))}
    </ul>
    {undo && (
      <>
        <h2 id="undo">
          <Text id="computers_add.undo" />
        </h2>
        <Paragraph id="computers_add.undo_how" />
        <Command command={undo} purpose="undo" />
      </>
    )}
  </Card>
);

interface SystemsProps {
  readonly systems: readonly AddedSystem[];
  readonly chosen: AddedSystem;
  readonly choose: (system: AddedSystem) => void;
}

/** Chooses the kind of device to add. */
const Systems = ({ systems, chosen, choose }: SystemsProps) => (
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
