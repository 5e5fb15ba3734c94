import { reconcilePayments } from '../payments/reconcile.ts'
import { type CliCommand, commandIO, print, withExistingDatabase } from './command-line.ts'

export function registerPaymentCommands(program: CliCommand): void {
  program
    .group('payments', 'manage deposits', 'reconcile')
    .command('reconcile')
    .description('check all open deposits with the payment processor, in case events were lost')
    .withJson()
    .examples('payments reconcile')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withExistingDatabase(reconcilePayments)
      print(counts, json, () => [
        `paid: ${counts.paid}`,
        `expired: ${counts.expired}`,
        `refunded: ${counts.refunded}`,
        `still open: ${counts.open}`,
        `no answer: ${counts.unreachable}`,
      ])
      if (counts.unreachable > 0) commandIO().endWith(1)
    })
}
