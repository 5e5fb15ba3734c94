import { expect } from 'vitest'
import type { Reply } from '../support/test-service.ts'
import { isInDoubt, randomFault, sufferFault, type Fault } from './failing-statements.ts'
import type { Answer } from './model.ts'
import type { World } from './world.ts'

/** One request, its expected answer, and its consequences. */
export interface Act {
  /** For the log. */
  says: string
  send: () => Promise<Reply>
  expected: Answer
  /** Updates the model. Without a reply, its answer was lost. */
  done?: (reply: Reply | undefined) => Promise<void> | void
  /** Finds out if the request succeeded, after its answer was lost. */
  happened?: () => Promise<boolean>
  /** The caller repeats it until there is an answer. Twice has the same effect as once. */
  isRepeated?: boolean
}

const faultProbability = 0.12

/** Sends the request, perhaps with a failing statement, and compares the answer with the model's. */
export async function perform(world: World, act: Act): Promise<void> {
  const { random, log } = world
  const fieldError = random.chance(faultProbability) ? randomFault(random) : undefined
  log.push(fieldError ? `${act.says}; ${describe(fieldError)}` : act.says)
  const reply = fieldError ? await sufferFault(fieldError, act.send) : await act.send()
  if (fieldError?.struck === undefined || fieldError.how === 'later' || reply.status !== 503) {
    return follow(act, reply)
  }
  log.push(`  failed at: ${fieldError.struck.slice(0, 60)}`)
  expect([reply.body.code, reply.headers['retry-after']]).toEqual(['unavailable', '1'])
  if (act.isRepeated) {
    const again = await act.send()
    if (again.headers['idempotent-replayed'] !== undefined) expect(isInDoubt(fieldError)).toBe(true)
    return follow(act, again)
  }
  if (act.expected.status >= 400 || !(await act.happened?.())) return
  expect(isInDoubt(fieldError), 'what was done was answered so, unless its commit was in doubt').toBe(true)
  log.push('  was done all the same')
  await act.done?.(undefined)
}

async function follow(act: Act, reply: Reply): Promise<void> {
  const { status, code: expectedCode, orCodes = [] } = act.expected
  const code = (reply.body as { code?: string } | undefined)?.code
  if (code !== undefined && orCodes.includes(code)) return
  expect({ status: reply.status, code }).toEqual({ status, code: expectedCode })
  if (reply.status < 400) await act.done?.(reply)
}

function describe({ how, after, commitsOnly }: Fault): string {
  return `${commitsOnly ? 'commit' : 'statement'} ${String(after + 1)} of it fails: ${how}`
}
