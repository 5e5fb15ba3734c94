import type { Operation } from './plan.ts'
import type { HeldSlot, Request, Requests, Session } from './requests.ts'
import type { Answer } from './wire.ts'

/** Sends a request and gives the answer: over a socket, or straight into a server. */
export type Send = (request: Request) => Promise<Answer>

/** What one operation does, again and again, and what has to be there before. */
export interface Repeated {
  /** Makes what so many repetitions use up. Not measured. */
  prepare: (send: Send[], repetitions: number) => Promise<void>
  once: (send: Send, turn: number) => Promise<unknown>
}

const holdsOfSession = 10

async function accepted(answer: Promise<Answer>): Promise<string> {
  const { status, body } = await answer
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${body.slice(0, 300)}`)
  return body
}

function textIn(body: string, name: string): string {
  // the answers are large, and only this is needed of them
  return new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? ''
}

export async function openSession(send: Send, requests: Requests): Promise<Session> {
  const request = requests.session()
  const body = await accepted(send(request))
  return { token: textIn(body, 'session_token'), network: request.network }
}

export async function placeHold(send: Send, requests: Requests, session: Session): Promise<HeldSlot> {
  return { id: textIn(await accepted(send(requests.hold(session))), 'hold_id'), session }
}

export async function bookHold(send: Send, requests: Requests, hold: HeldSlot): Promise<void> {
  await accepted(send(requests.convert(hold)))
}

/** Does a piece of work so often, over all senders at once. */
export async function repeat(
  send: Send[],
  times: number,
  work: (send: Send, turn: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0
  await Promise.all(
    send.map(async (one) => {
      while (begun < times) await work(one, begun++)
    }),
  )
}

/** The repetition of an operation. `holds` are such that are there already. */
export function repeated(operation: Operation, requests: Requests, holds: HeldSlot[] = []): Repeated {
  const sessions: Session[] = []
  const openSessions = (send: Send[], most: number) =>
    repeat(send, most, async (one) => sessions.push(await openSession(one, requests)))
  const sessionOf = (turn: number) => sessions[turn % sessions.length] ?? { token: '', network: '' }
  switch (operation) {
    case 'session':
      return { prepare: async () => {}, once: (send) => openSession(send, requests) }
    case 'hold':
      return {
        prepare: (send, repetitions) => openSessions(send, Math.ceil(repetitions / holdsOfSession)),
        once: (send, turn) => placeHold(send, requests, sessionOf(turn)),
      }
    case 'convert':
      return {
        prepare: async (send, repetitions) => {
          if (holds.length >= repetitions) return
          await openSessions(send, Math.ceil(repetitions / holdsOfSession))
          await repeat(send, repetitions - holds.length, async (one, turn) =>
            holds.push(await placeHold(one, requests, sessionOf(turn))),
          )
        },
        once: async (send, turn) => {
          const hold = holds[turn]
          if (hold) await bookHold(send, requests, hold)
        },
      }
    case 'flow':
      return {
        prepare: async () => {},
        once: async (send) => {
          const session = await openSession(send, requests)
          await bookHold(send, requests, await placeHold(send, requests, session))
        },
      }
    case 'show':
    case 'list':
    case 'reschedule':
    case 'availability':
      return {
        prepare: async () => {},
        once: (send, turn) => accepted(send(requests.reading(operation, turn))),
      }
  }
}
