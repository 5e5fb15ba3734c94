import type { Client } from '../support/client.ts'
import { unknownId } from '../support/tenant-things.ts'
import type { Reply } from '../support/test-service.ts'
import type { Answer } from './model.ts'
import { perform } from './perform.ts'
import type { World } from './world.ts'

/** Attempts of others on foreign things. To them these do not exist, and nothing happens. */
const onBookings: Record<string, (client: Client, id: string) => Promise<Reply>> = {
  'looks at': (client, id) => client.show(id),
  reschedules: (client, id) => client.change(id, { status: 'completed' }),
  cancels: (client, id) => client.cancel(id),
}

const onHolds: Record<string, (client: Client, id: string) => Promise<Reply>> = {
  'looks at': (client, id) => client.showHold(id),
  books: (client, id) => client.book(id),
  releases: (client, id) => client.release(id),
}

export async function meddle(world: World): Promise<void> {
  const { random, model, strangers, strangeSession } = world
  const isHold = random.chance(0.5)
  const { id } = random.of([...(isHold ? model.holds : model.bookings), { id: unknownId }])
  const client = random.of(isHold ? [...strangers, strangeSession] : strangers)
  const [says, tries] = random.of(Object.entries(isHold ? onHolds : onBookings))
  const expected: Answer = { status: 404, code: isHold ? 'hold_not_found' : 'not_found' }
  await perform(world, {
    says: `a stranger ${says} ${id}`,
    send: () => tries(client, id),
    expected,
  })
}

/** Keys may be used only for their purpose, whatever a request names. */
export async function overstep(world: World): Promise<void> {
  const { random, model, callers } = world
  const { id } = random.of([...model.bookings, { id: unknownId }])
  const { client, name } = random.of(callers.filter(({ session }) => session !== undefined))
  await perform(world, {
    says: `${name} wants to cancel ${id}`,
    send: () => client.cancel(id),
    expected: { status: 403, code: 'key_type_not_allowed' },
  })
}
