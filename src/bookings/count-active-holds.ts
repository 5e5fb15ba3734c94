import type { Context } from '../context.ts'
import { countClaimsOfHolds } from './claim-queries.ts'

/** How many holds are active now, of all businesses. */
export function countActiveHolds({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return countClaimsOfHolds(db.reads, clock.now())
}
