import { monotonicMs } from './clock.ts'

/** The rules for grouping members. */
interface TogetherOptions<Member> {
  /** Largest group. */
  maxMembers?: number
  /** Maximum number of current groups. Later members wait for the next group. */
  maxGroups?: number
  /**
   * Returns the owner of a member. A group takes one member of each owner in turn. An owner without a current group
   * need not wait for an owner with one.
   */
  ownerOf?: (member: Member) => string
  /**
   * Maximum number of current groups with members of one owner. The others are for owners without a current group.
   * Default: all.
   */
  maxGroupsOfOwner?: number
  /**
   * Milliseconds from the start of the last group until another group with members of the same owner begins. Default:
   * none.
   */
  patienceMs?: number
  /** Decides if the members of a group that failed as a whole are tried one by one. Default: always. */
  isWorthTrying?: (error: unknown) => boolean
}

/** The result of a member, or its individual error. */
export type Outcome<Result> = Result | Error

interface Waiting<Member, Result> {
  member: Member
  isGone: (() => boolean) | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** The client of a member disconnected before the member was sent. */
export class MemberGone extends Error {
  override readonly name = 'MemberGone'

  constructor() {
    super('the client went away')
  }
}

/**
 * Combines the calls of everyone who waits into one statement. Calls that arrive while a group runs go into the next
 * one. Nothing waits when idle: a group starts once the event loop has read its input. Each member gets its own result
 * or its own error. If a group fails as a whole, its members are tried one by one, so that none makes another fail.
 * `run` returns an outcome for each member, in their order.
 */
export function together<Member, Result>(
  run: (members: readonly Member[]) => Promise<readonly Outcome<Result>[]>,
  options: TogetherOptions<Member> = {},
): (member: Member, isGone?: () => boolean) => Promise<Result> {
  const groups = new Groups(run, options)
  return (member, isGone) => new Promise((resolve, reject) => groups.add({ member, isGone, resolve, reject }))
}

class Groups<Member, Result> {
  private readonly run: (members: readonly Member[]) => Promise<readonly Outcome<Result>[]>
  private readonly options: Required<TogetherOptions<Member>>
  private readonly waiting = new Map<string, Waiting<Member, Result>[]>()
  /** Counts the current groups with members of an owner. */
  private readonly underWay = new Map<string, number>()
  private count = 0
  private begunMs = -Infinity
  private isPlanned = false
  private impatient: NodeJS.Timeout | undefined

  constructor(
    run: (members: readonly Member[]) => Promise<readonly Outcome<Result>[]>,
    options: TogetherOptions<Member>,
  ) {
    this.run = run
    const { maxGroups = 1 } = options
    this.options = {
      maxMembers: 64,
      maxGroups,
      maxGroupsOfOwner: maxGroups,
      patienceMs: 0,
      ownerOf: () => '',
      isWorthTrying: () => true,
      ...options,
    }
  }

  add(entry: Waiting<Member, Result>): void {
    const owner = this.options.ownerOf(entry.member)
    const queue = this.waiting.get(owner)
    if (queue) queue.push(entry)
    else this.waiting.set(owner, [entry])
    this.plan()
  }

  private plan(): void {
    if (this.isPlanned || this.waiting.size === 0 || this.count >= this.options.maxGroups) return
    if (this.waiting.keys().some(this.mayGo)) {
      this.isPlanned = true
      setImmediate(() => this.start())
    } else if (this.options.patienceMs > 0) {
      const again = () => {
        this.impatient = undefined
        this.plan()
      }
      this.impatient ??= setTimeout(again, Math.max(1, this.patienceLeftMs()))
    }
  }

  private start(): void {
    this.isPlanned = false
    while (this.count < this.options.maxGroups) {
      const group = takeGroup(this.waiting, this.options.maxMembers, this.mayGo)
      if (group.length === 0) break
      this.begin(group)
    }
    this.plan()
  }

  private begin(group: Waiting<Member, Result>[]): void {
    const owners = new Set(group.map(({ member }) => this.options.ownerOf(member)))
    const note = (change: 1 | -1) => {
      this.count += change
      for (const owner of owners) {
        const left = (this.underWay.get(owner) ?? 0) + change
        if (left === 0) this.underWay.delete(owner)
        else this.underWay.set(owner, left)
      }
    }
    note(1)
    this.begunMs = monotonicMs()
    void this.send(group).finally(() => {
      note(-1)
      this.plan()
    })
  }

  private async send(group: Waiting<Member, Result>[]): Promise<void> {
    try {
      settle(group, await this.run(group.map(({ member }) => member)))
    } catch (error) {
      if (group.length > 1 && this.options.isWorthTrying(error))
        for (const one of group) await this.send([one])
      else for (const { reject } of group) reject(error)
    }
  }

  /** True if members of an owner may join a group now. */
  private readonly mayGo = (owner: string): boolean => {
    const own = this.underWay.get(owner) ?? 0
    return own === 0 || (own < this.options.maxGroupsOfOwner && this.patienceLeftMs() <= 0)
  }

  private patienceLeftMs(): number {
    return this.begunMs + this.options.patienceMs - monotonicMs()
  }
}

/** Takes the next group: one member of each eligible owner in turn, beginning with those who have waited longest. */
function takeGroup<Member, Result>(
  waiting: Map<string, Waiting<Member, Result>[]>,
  maxMembers: number,
  mayGo: (owner: string) => boolean,
): Waiting<Member, Result>[] {
  const group: Waiting<Member, Result>[] = []
  const turns = [...waiting].filter(([owner]) => mayGo(owner))
  for (const [owner, queue] of turns) {
    const next = queue.shift()
    waiting.delete(owner)
    if (queue.length > 0) {
      waiting.set(owner, queue) // behind the others, for the next group too
      turns.push([owner, queue])
    }
    if (next?.isGone?.()) next.reject(new MemberGone())
    else if (next) group.push(next)
    if (group.length === maxMembers) break
  }
  return group
}

function settle<Member, Result>(
  group: readonly Waiting<Member, Result>[],
  outcomes: readonly Outcome<Result>[],
): void {
  if (outcomes.length !== group.length) throw new Error('a group needs an outcome for each member')
  for (const [index, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[index]
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome as Result)
  }
}
