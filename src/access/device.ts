import { timingSafeEqual } from 'node:crypto'
import type { Context } from './context.ts'

/*
 * Marks of browsers in which somebody has logged in. Tries from such a browser are counted apart from those of strangers, who
 * therefore cannot use up what the person needs, wherever they are. A mark opens nothing: it only names a count. Nothing of
 * it is stored.
 */

/** Of people who share a browser. */
const maxMarks = 4
const nonceBytes = 12
const markPattern = /^([\w-]{16})~([\w-]{43})$/

type Parts = Pick<Context, 'secret'>

/** The mark of this browser for an address; undefined where nobody with that address has logged in here. */
export async function knownDevice(
  { secret }: Parts,
  email: string,
  marks: string | undefined,
): Promise<string | undefined> {
  const digest = await secret.digester('device')
  return marksIn(marks).find((mark) => isOf(digest, email, mark))
}

/** The marks of a browser once somebody has logged in there. */
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
