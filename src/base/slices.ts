import { monotonicMs } from './clock.ts'
import { MemberGone } from './together.ts'

/** Work yields to the event loop after this time. */
const maxSliceMs = 1
/** A shorter turn of the event loop has had nothing else to do. */
const quietMs = 0.2
/** Work continues after this time, even without such a turn. */
const maxPatienceMs = 10

/** Work waiting to continue. Many waiting pieces put no more load on the event loop than one. */
const waiting: (() => void)[] = []
let waitingSinceMs = 0
let lastTurnMs = 0

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) letOthersGo()
  })
}

function letOthersGo(): void {
  waitingSinceMs = monotonicMs()
  lastTurnMs = waitingSinceMs
  setImmediate(goOn)
}

/** Continues one piece of work if the event loop has nothing else to do. A request takes several turns of the loop. */
function goOn(): void {
  const nowMs = monotonicMs()
  const isQuiet = nowMs - lastTurnMs < quietMs
  lastTurnMs = nowMs
  if (!isQuiet && nowMs - waitingSinceMs < maxPatienceMs) {
    setImmediate(goOn)
    return
  }
  waiting.shift()?.()
  if (waiting.length > 0) letOthersGo()
}

/**
 * Divides long work on the serving thread. Between two parts it awaits `giveWay`, so that other requests proceed, and
 * stops if its client has disconnected.
 */
export class Slices {
  private readonly isGone: () => boolean
  private sinceMs = monotonicMs()

  constructor(isGone: () => boolean = () => false) {
    this.isGone = isGone
  }

  /** Lets other work run once the slice is used up. Throws MemberGone. */
  giveWay(): Promise<void> | undefined {
    return monotonicMs() - this.sinceMs < maxSliceMs ? undefined : this.rest()
  }

  /** Maps each item. Throws MemberGone. */
  async map<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
    const made: Made[] = []
    for (const item of items) {
      made.push(make(item))
      const wait = this.giveWay()
      if (wait) await wait
    }
    return made
  }

  /** Serialises an object with long lists as JSON. Throws MemberGone. */
  async json(object: object): Promise<string> {
    const members: string[] = []
    for (const [name, value] of Object.entries(object) as [string, unknown][]) {
      const text = Array.isArray(value)
        ? `[${(await this.map(value, (item) => JSON.stringify(item))).join(',')}]`
        : JSON.stringify(value)
      members.push(`${JSON.stringify(name)}:${text}`)
    }
    return `{${members.join(',')}}`
  }

  /** Lets other work run first. Throws MemberGone. */
  async rest(): Promise<void> {
    await nextTurn()
    if (this.isGone()) throw new MemberGone()
    this.sinceMs = monotonicMs()
  }
}
