import type { Command } from 'commander'
import { reconcilePayments } from '../payments/reconcile-payments.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { surroundings } from './surroundings.ts'

/** `holdfast payments reconcile`: asks the payment processor about everything that is still due. */
export function addPaymentsReconcile(payments: Command): void {
  payments
    .command('reconcile')
    .description('ask the payment processor about all deposits still due; for when its events were lost')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast payments reconcile')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withExistingDatabase(reconcilePayments)
      print(counts, {
        json,
        lines: () => [
          `paid: ${counts.paid}`,
          `expired: ${counts.expired}`,
          `refunded: ${counts.refunded}`,
          `still open: ${counts.open}`,
          `not answered: ${counts.unreachable}`,
        ],
      })
      if (counts.unreachable > 0) surroundings().endWith(1)
    })
}
