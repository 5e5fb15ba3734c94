import { createHash } from 'node:crypto'

/** A digest of what a request asks for: the same for the same body, whatever the order of its members. */
export function requestDigest(body: unknown): string {
  return createHash('sha256').update(canonical(body)).digest('hex')
}

/** JSON with sorted members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}
