import type { ReactNode } from 'react';
import { useText } from '../../../../browser/language/text.tsx';
import { RequestFailure } from '../../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { TextField } from '../../../../ui/fields/field.tsx';
import { allowAddress, retryDeliveries, retryEmails } from '../../service.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import type { ServiceLine } from './lists.part.ts';

interface LineActProps {
  line: ServiceLine;
  /** What the line is about. */
  whom: ReactNode;
  /** Called once the act is done, with what the list shows then instead of the line, if anything. */
  done: (after: ServiceLine | undefined) => void;
  close: () => void;
}

/** The dialog of the act that a line of a list offers. */
export function LineAct({ line, whom, done, close }: LineActProps) {
  const t = useText();
  const { id, act, person } = line;
  const shown = { whom, close };
  if (act === 'allow')
    return (
      <ActDialog
        {...shown}
        label="console_act.allow"
        does="console_act.allow_does"
        // The list masks the address, which is enough for an account.
        required={person ? [] : ['who']}
        fields={(field) =>
          !person && (
            <TextField field={field('who')} label="label.email" autoComplete="off" dir="ltr" spellCheck={false} />
          )
        }
        send={async (typed, sending) => {
          const body = { who: person ?? typed('who'), reason: typed('reason') || undefined };
          await sendRequest(allowAddress, { body, ...sending });
          done(undefined);
          return undefined;
        }}
      />
    );
  return (
    <ActDialog
      {...shown}
      label="recovery.resend"
      does="console_act.retry_one_does"
      send={async (typed, sending) => {
        const endpoint = act === 'retry_webhook' ? retryDeliveries : retryEmails;
        const { retried } = await sendRequest(endpoint, {
          body: { ids: [id], reason: typed('reason') || undefined },
          ...sending,
        });
        if (retried.length === 0) throw new RequestFailure(0, { ownMessage: t('console_act.none_sent') });
        const { act: _, ...rest } = line;
        done({ ...rest, state: 'queued' });
        return undefined;
      }}
    />
  );
}
