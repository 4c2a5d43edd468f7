import { useText } from '../../../../browser/language/text.tsx';
import { RequestFailure } from '../../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { retryEmails } from '../../service.contract.ts';
import type { retryDeliveries } from '../../webhooks.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';

interface RetryAllProps {
  /** Of the emails, or of the webhooks. */
  endpoint: typeof retryEmails | typeof retryDeliveries;
  /** Called once they are sent. */
  done: () => void;
  close: () => void;
}

/** The dialog that sends everything again that was given up or waits, such as after an outage. */
export function RetryAll({ endpoint, done, close }: RetryAllProps) {
  const t = useText();
  return (
    <ActDialog
      label="console_service.retry_all"
      does="console_service.retry_all_does"
      send={async (typed, sending) => {
        const body = { ids: 'all' as const, reason: typed('reason') || undefined };
        const { retried } = await sendRequest(endpoint, { body, ...sending });
        if (retried.length === 0) throw new RequestFailure(0, { ownMessage: t('console_act.none_sent') });
        done();
        return undefined;
      }}
      close={close}
    />
  );
}
