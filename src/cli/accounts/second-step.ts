import { iso } from '../../contract/iso-time.ts';
import { removeSecondStep } from '../../operations/remove-second-step.ts';
import { type StoreCommand, UsageError } from '../command.ts';
import { operationOf, reasonOption } from '../operator.ts';
import { withAccount } from './account.ts';

export const accountsSecondStep: StoreCommand = {
  name: ['accounts', 'second-step'],
  usage: 'accounts second-step WHO --remove --reason TEXT [--now]',
  summary:
    'remove a lost second step after SECOND_STEP_REMOVAL_HOURS, during which the owner can stop it; --now removes it immediately',
  options: { remove: { type: 'boolean' }, now: { type: 'boolean' }, ...reasonOption },
  run: (given) =>
    withAccount({ ...given, command: 'accounts second-step' }, async (account) => {
      const { email, id } = account;
      const { config, options } = given;
      const immediately = options.now === true;
      const operation = operationOf(given);
      if (options.remove !== true || operation.operator.reason === undefined)
        throw new UsageError(
          `accounts second-step ${email} --remove --reason TEXT [--now]: give --remove and a reason`,
        );
      const removesAt = await removeSecondStep(operation, { account, config, immediately });
      if (removesAt === undefined)
        return { text: `${email}: no second step`, data: { id, second_step: false }, failed: true };
      const text = immediately
        ? `${email}: second step removed`
        : `${email}: the second step will be removed at ${iso(removesAt)}; the owner got an email with a link that stops it`;
      return { text, data: { id, removed: immediately, removal_at: iso(removesAt) } };
    }),
};
