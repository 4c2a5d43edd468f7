import { useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useCountdown } from '../../../browser/platform/countdown.ts';
import type { requestEnrolment } from '../../../contract/computers/enrolments.ts';
import { minutes } from '../../../contract/durations.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { pathIn } from '../../../contract/languages.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { QrCode } from '../../../ui/qr-code.tsx';
import { Command } from './command.part.tsx';
import { Reported } from './reported.part.tsx';
import css from './steps.module.css';
import { Systems } from './systems.part.tsx';
import { systemNames, systemsFor, visitorSystem } from './visitor-system.part.ts';

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
  return (
    <div className={css.pair}>
      <Card>
        <Systems systems={systemsFor(own)} chosen={system} choose={setSystem} />
        <div className={css.offer}>
          <div className={css.code} role={expired ? 'status' : undefined}>
            <p className={expired ? css.old : undefined}>
              <Text id="computers_add.code" values={{ code: offer.code }} />
            </p>
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
            quiet={!expired}
            narrow
            onClick={ask}
          />
        </div>
        <div className={expired ? css.dimmed : css.live} inert={expired}>
          <ol className={css.steps}>
            {system !== 'smartphone' && own === 'smartphone' && <Elsewhere />}
            {system === 'smartphone' ? (
              <SmartphoneSteps isHere={own === 'smartphone'} link={offer.link} />
            ) : (
              <ComputerSteps system={system} command={offer.commands[system]} />
            )}
          </ol>
          <p className={css.wait}>
            <span className={css.pulse} />
            <span>
              <Text id="computers_add.step_wait" />
            </span>
          </p>
        </div>
      </Card>
      <Reported undo={system === 'smartphone' ? undefined : offer.undo} />
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

const ComputerSteps = ({ system, command }: { system: keyof typeof systemNames; command: string }) => (
  <>
    <li>
      <Text
        id="computers_add.needs_node"
        tags={{ node: <a href="https://nodejs.org/en/download" target="_blank" rel="noopener noreferrer" /> }}
      />
    </li>
    <li>
      <Text id={terminals[system]} />
    </li>
    <li>
      <Text id="computers_add.step_command" />
      <Command systems={systemNames[system]} command={command} />
    </li>
  </>
);

interface SmartphoneStepsProps {
  /** This page is open on a smartphone, whose camera cannot scan its own screen. */
  readonly isHere: boolean;
  readonly link: string;
}

const SmartphoneSteps = ({ isHere, link }: SmartphoneStepsProps) =>
  isHere ? (
    <li>
      <Text id="computers_add.smartphone_here" />
      <Command command={link} />
    </li>
  ) : (
    <li>
      <Text id="computers_add.step_smartphone" />
      <div className={css.phone}>
        <QrCode label="computers_add.qr" text={link} />
      </div>
    </li>
  );
