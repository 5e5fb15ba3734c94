import type { Carried, Target } from './carried.ts'
import type { Grid } from './grid.ts'
import type { Live } from './live.ts'
import { decideTelling, type Move, moveBlock, moveBooking, type Outcome } from './move-api.ts'
import type { Note } from './note.ts'
import { filled, type Texts } from './texts.ts'

const farMs = 6 * 86_400_000

interface Parts {
  texts: Texts
  note: Note
  live: Live
  grid: () => Grid | undefined
}

/** Moves appointments and blocks, reports the result and undoes it. */
export class Moves {
  private readonly parts: Parts
  /** One move at a time. */
  private isMoving = false

  constructor(parts: Parts) {
    this.parts = parts
    addEventListener('beforeunload', (event) => {
      if (this.isMoving) event.preventDefault()
    })
  }

  get isBusy(): boolean {
    return this.isMoving
  }

  /** Moves an appointment to where it was dropped. */
  async drop(carried: Carried): Promise<void> {
    const { booking, target } = carried
    const { id, version, client, isTold, block, visit, fromMs, toMs } = booking
    const who = booking.element.closest<HTMLElement>('.cal-col')?.dataset['who'] ?? ''
    const from = { fromMs, toMs, who }
    if (!target) {
      carried.springBack()
      return this.parts.note.show({ text: this.parts.texts.notThere })
    }
    if (isEqual(target, from)) return carried.end()
    carried.wait()
    const move = { id, version, client, isTold, block, visit }
    if (!visit) return this.go({ ...move, from, to: target }, carried)
    const whole = { fromMs: visit.fromMs, toMs: visit.toMs, who }
    const to = shifted({ ...whole, who: target.who }, visit.fromMs + target.fromMs - fromMs)
    await this.go({ ...move, from: whole, to }, carried)
  }

  /** Shows the notice of a move by the form as after dragging. */
  takeOver(notice: HTMLElement): void {
    const move = JSON.parse(notice.dataset['moved'] ?? '') as Omit<Move, 'block'>
    notice.remove()
    const url = new URL(location.href)
    for (const name of ['done', 'undo']) url.searchParams.delete(name)
    history.replaceState(history.state, '', url)
    this.sayMoved({ ...move, block: undefined }, move.version)
  }

  /** Explains that a booking of a class cannot be dropped alone. */
  sayOfClass(path: string): void {
    const { note, texts } = this.parts
    note.show({ text: texts.ofClass, stays: true, link: { text: texts.showClass, path } })
  }

  private async go(move: Move, carried?: Carried): Promise<void> {
    const outcome = await this.send(move, carried)
    if (outcome.kind === 'moved') this.sayMoved(move, outcome.version)
    else this.say(move, outcome)
  }

  private async send(move: Move, carried?: Carried): Promise<Outcome> {
    const { live, note, texts } = this.parts
    note.close()
    this.isMoving = true
    const isSlow = () => note.show({ text: texts.moving, stays: true })
    const outcome = await (move.block === undefined ? moveBooking : moveBlock)(move, isSlow)
    this.isMoving = false
    if (outcome.kind !== 'moved') carried?.springBack()
    await live.refresh()
    if (outcome.kind === 'moved') carried?.end()
    return outcome
  }

  private say(move: Move, outcome: Exclude<Outcome, { kind: 'moved' }>): void {
    const { note, texts } = this.parts
    switch (outcome.kind) {
      case 'taken':
        return note.show({
          text: outcome.near.length > 0 ? texts.taken : texts.takenAlone,
          stays: true,
          buttons: outcome.near
            .toSorted((one, other) => one - other)
            .map((ms) => ({
              text: this.timeOf(ms, move.from.fromMs),
              act: () => void this.go({ ...move, to: shifted(move.to, ms) }),
            })),
        })
      case 'changed':
        return note.show({
          text: move.block === undefined ? texts.changed : texts.blockChanged,
          stays: true,
        })
      case 'refused':
        return note.show({ text: texts.notThere })
      case 'loggedOut':
        return note.show({
          text: texts.notMoved,
          stays: true,
          link: { text: texts.logIn, path: location.pathname + location.search },
        })
      case 'unreachable':
        return note.show({
          text: texts.notMoved,
          stays: true,
          buttons: [{ text: texts.again, act: () => void this.go(move) }],
        })
    }
  }

  /** Blocks cause no email. */
  private sayBlockMoved(move: Move): void {
    const { note, texts } = this.parts
    const back = { ...move, from: move.to, to: move.from }
    const undo = async () => {
      const outcome = await this.send(back)
      if (outcome.kind === 'moved') note.show({ text: texts.undone })
      else this.say(back, outcome)
    }
    note.show({
      text: this.wordsOf(move),
      buttons: [{ text: texts.undo, isUndo: true, act: () => void undo() }],
    })
  }

  private sayMoved(move: Move, version: number): void {
    if (move.block !== undefined) return this.sayBlockMoved(move)
    const { note, texts } = this.parts
    const { from, to, client, id } = move
    let { isTold } = move
    const tell = async (isWanted: boolean) => {
      if (!(await decideTelling(id, version, isWanted))) return false
      isTold = isWanted
      return true
    }
    const undo = async () => {
      // a client who was not notified of the move is not notified of its undoing
      const back = { ...move, version, isTold, from: to, to: from }
      const outcome = await this.send(back)
      if (outcome.kind === 'moved') note.show({ text: texts.undone })
      else this.say(back, outcome)
    }
    note.show({
      text: move.isTold
        ? this.wordsOf(move)
        : `${this.wordsOf(move)} · ${filled(texts.untold, { name: isolated(client) })}`,
      ...(move.isTold && { check: { text: filled(texts.tell, { name: isolated(client) }), changed: tell } }),
      buttons: [{ text: texts.undo, isUndo: true, act: () => void undo() }],
    })
  }

  /** Formats a move: "Mon 9:00 → Tue 14:30, with Ben". */
  private wordsOf({ from, to, visit }: Move): string {
    const { texts } = this.parts
    const person = from.who === to.who ? '' : this.personOf(to.who)
    const isLength = from.fromMs === to.fromMs && from.toMs !== to.toMs
    const moment = (target: Target) =>
      isLength
        ? `${this.timeOf(target.fromMs, from.fromMs)}–${this.clock(target.toMs)}`
        : this.timeOf(target.fromMs, from.fromMs)
    const text = filled(texts.moved, { from: moment(from), to: moment(to) })
    if (person === '') return text
    const service = visit && visit.what !== '' ? `${isolated(visit.what)} ` : ''
    return `${text}, ${service}${filled(texts.withWhom, { name: isolated(person) })}`
  }

  /** Formats a time, with the date if the weekday would be ambiguous. */
  private timeOf(ms: number, besideMs: number): string {
    const grid = this.parts.grid()
    const isFar = Math.abs(ms - besideMs) > farMs
    return (isFar ? grid?.day(ms) : grid?.moment(ms)) ?? ''
  }

  private clock(ms: number): string {
    return this.parts.grid()?.clock(ms) ?? ''
  }

  private personOf(who: string): string {
    return this.parts.grid()?.columns.find((column) => column.who === who)?.person ?? ''
  }
}

function isEqual(one: Target, other: Target): boolean {
  return one.fromMs === other.fromMs && one.toMs === other.toMs && one.who === other.who
}

function shifted(target: Target, fromMs: number): Target {
  return { ...target, fromMs, toMs: fromMs + target.toMs - target.fromMs }
}

/** Isolates a name from the text direction around it. */
function isolated(name: string): string {
  return `\u2068${name}\u2069`
}
