import { monotonicMs } from './clock.ts'

/** How members are put into groups. */
interface TogetherOptions<Member> {
  /** Largest group. */
  maxMembers?: number
  /** Groups under way at once; who comes then waits for the next. */
  maxGroups?: number
  /** Another group begins beside those under way once the last of them has taken so many milliseconds. Default: at once. */
  patienceMs?: number
  /** Whose member it is: a group takes one of each in turn. */
  ownerOf?: (member: Member) => string
  /** Whether the members of a group that failed as a whole are tried one by one. Default: always. */
  isWorthTrying?: (error: unknown) => boolean
}

/** What `run` gives a member: its result, or the error that is its own alone. */
export type Outcome<Result> = Result | Error

interface Waiting<Member, Result> {
  member: Member
  isGone: (() => boolean) | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** The client of a member went away before the member was sent. */
export class MemberGone extends Error {
  override readonly name = 'MemberGone'

  constructor() {
    super('the client went away')
  }
}

/**
 * Makes one statement for all who wait: what arrives while a group is under way goes into the next one. Nothing waits
 * when idle: a group starts once the event loop has read what is there. Each member gets its own result or its own
 * error; when a group fails as a whole, its members are tried one by one, so that none fails another.
 * `run` gives an outcome for each member, in their order.
 */
export function together<Member, Result>(
  run: (members: readonly Member[]) => Promise<readonly Outcome<Result>[]>,
  {
    maxMembers = 64,
    maxGroups = 1,
    patienceMs = 0,
    ownerOf = () => '',
    isWorthTrying = () => true,
  }: TogetherOptions<Member> = {},
): (member: Member, isGone?: () => boolean) => Promise<Result> {
  const waiting = new Map<string, Waiting<Member, Result>[]>()
  let groups = 0
  let isPlanned = false
  let begunMs = 0
  let impatient: NodeJS.Timeout | undefined

  const send = async (group: Waiting<Member, Result>[]): Promise<void> => {
    try {
      settle(group, await run(group.map(({ member }) => member)))
    } catch (error) {
      if (group.length > 1 && isWorthTrying(error)) for (const one of group) await send([one])
      else for (const { reject } of group) reject(error)
    }
  }

  const start = (): void => {
    isPlanned = false
    while (groups < maxGroups && waiting.size > 0 && patienceLeftMs() <= 0) {
      const group = takeGroup(waiting, maxMembers)
      if (group.length === 0) return
      groups += 1
      begunMs = monotonicMs()
      void send(group).finally(() => {
        groups -= 1
        plan()
      })
    }
    plan()
  }

  const patienceLeftMs = () => (groups === 0 ? 0 : begunMs + patienceMs - monotonicMs())

  const plan = (): void => {
    if (isPlanned || waiting.size === 0 || groups >= maxGroups) return
    const leftMs = patienceLeftMs()
    if (leftMs > 0) {
      impatient ??= setTimeout(() => {
        impatient = undefined
        plan()
      }, leftMs)
      return
    }
    isPlanned = true
    setImmediate(start)
  }

  return (member, isGone) =>
    new Promise((resolve, reject) => {
      const owner = ownerOf(member)
      const entry = { member, isGone, resolve, reject }
      const queue = waiting.get(owner)
      if (queue) queue.push(entry)
      else waiting.set(owner, [entry])
      plan()
    })
}

/** Takes the next group: one member of each owner in turn, those who have waited longest first. */
function takeGroup<Member, Result>(
  waiting: Map<string, Waiting<Member, Result>[]>,
  maxMembers: number,
): Waiting<Member, Result>[] {
  const group: Waiting<Member, Result>[] = []
  while (waiting.size > 0 && group.length < maxMembers) {
    for (const [owner, queue] of [...waiting]) {
      const next = queue.shift()
      waiting.delete(owner)
      if (queue.length > 0) waiting.set(owner, queue) // behind the others, in the next group too
      if (next?.isGone?.()) next.reject(new MemberGone())
      else if (next) group.push(next)
      if (group.length === maxMembers) break
    }
  }
  return group
}

function settle<Member, Result>(
  group: readonly Waiting<Member, Result>[],
  outcomes: readonly Outcome<Result>[],
): void {
  if (outcomes.length !== group.length) throw new Error('a group needs an outcome for each member')
  // not waited for: the next group is under way while these go on
  void fewInATurn(group, ({ resolve, reject }, index) => {
    const outcome = outcomes[index]
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome as Result)
  })
}

/** What a member does once it goes on, such as making an answer, takes some 0.1 ms. */
const goOnInATurn = 4

/**
 * Lets the members of a group go on, a few in a turn of the event loop: all in one, other requests would wait for the code
 * of them all (docs/decisions/0019-what-waits-goes-together.md).
 */
export async function fewInATurn<Member>(
  members: readonly Member[],
  goOn: (member: Member, index: number) => void,
): Promise<void> {
  for (const [index, member] of members.entries()) {
    if (index > 0 && index % goOnInATurn === 0) await new Promise(setImmediate)
    goOn(member, index)
  }
}
