import type { Context } from '../context.ts'
import { missingSettings, type MissingSetting } from './deposit-setting-rules.ts'
import { anyDeposit } from './payment-queries.ts'

/** What is missing for deposits; nothing as long as no service asks for any. */
export async function checkDeposits({
  db,
  config,
}: Pick<Context, 'db' | 'config'>): Promise<MissingSetting[]> {
  const missing = missingSettings(config)
  return missing.length > 0 && (await anyDeposit(db.reads)) ? missing : []
}
