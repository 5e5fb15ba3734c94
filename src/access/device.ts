import { timingSafeEqual } from 'node:crypto'
import type { Context } from './context.ts'

/*
 * Marks browsers in which a person has logged in. Log-in attempts from such a browser are counted separately from those
 * of strangers. So strangers cannot use up the person's attempts, wherever the person is. A mark grants no access and
 * only names a count. Holdfast stores nothing of it.
 */

/** A limit for people who share a browser. */
const maxMarks = 4
const nonceBytes = 12
const markPattern = /^([\w-]{16})~([\w-]{43})$/

type Parts = Pick<Context, 'secret'>

/** Returns the mark of this browser for an address, or undefined if nobody with that address has logged in here. */
export async function knownDevice(
  { secret }: Parts,
  email: string,
  marks: string | undefined,
): Promise<string | undefined> {
  const digest = await secret.digester('device')
  return marksIn(marks).find((mark) => isOf(digest, email, mark))
}

/** Returns the marks of a browser after a log-in there. */
export async function markedDevice(
  context: Parts & Pick<Context, 'ids'>,
  email: string,
  marks: string | undefined,
): Promise<string> {
  const digest = await context.secret.digester('device')
  const present = marksIn(marks)
  const own = present.find((mark) => isOf(digest, email, mark)) ?? newMark(context, digest, email)
  return [own, ...present.filter((mark) => mark !== own)].slice(0, maxMarks).join('.')
}

function newMark({ ids }: Pick<Context, 'ids'>, digest: (text: string) => string, email: string): string {
  const nonce = ids.bytes(nonceBytes).toString('base64url')
  return `${nonce}~${digest(`${nonce}\n${email}`)}`
}

function marksIn(marks: string | undefined): string[] {
  const all = (marks ?? '').split('.', maxMarks)
  return all.filter((mark) => markPattern.test(mark))
}

function isOf(digest: (text: string) => string, email: string, mark: string): boolean {
  const [, nonce = '', given = ''] = markPattern.exec(mark) ?? []
  return timingSafeEqual(Buffer.from(digest(`${nonce}\n${email}`)), Buffer.from(given))
}
