import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { unavailable } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'

/*
 * Passwords are hashed with Argon2id (RFC 9106) as OWASP recommends: 19 MiB, two passes, one lane. A hash takes about
 * 45 ms of one core and its memory. A process therefore computes at most two at once.
 */

const memoryKiB = 19_456
const passes = 2
const saltBytes = 16
const hashBytes = 32
/** Limit for one process. */
const maxAtOnce = 2
/** About a second of work. Later requests must retry. */
const maxWaiting = 40

const phc = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Hashes a new password into the PHC string format. Throws unavailable. */
export async function hashPassword(password: string, ids: Pick<Ids, 'bytes'>): Promise<string> {
  const salt = ids.bytes(saltBytes)
  const digest = await digestOf(password, salt)
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${unpadded(salt)}$${unpadded(digest)}`
}

/** Compares a password with a hash. Without a hash, does the same work and returns false. Throws unavailable. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt, expected] = phc.exec(stored ?? '') ?? []
  const digest = await digestOf(password, salt ? Buffer.from(salt, 'base64') : Buffer.alloc(saltBytes))
  const wanted = expected ? Buffer.from(expected, 'base64') : Buffer.alloc(hashBytes)
  return timingSafeEqual(digest, wanted) && expected !== undefined
}

/** Limits simultaneous work and refuses work that would wait too long. */
export class Gate {
  private running = 0
  private readonly waiting: (() => void)[] = []
  private readonly limits: { atOnce: number; waiting: number }

  constructor(limits: { atOnce: number; waiting: number }) {
    this.limits = limits
  }

  /** Throws unavailable if too much work is already waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.atOnce) {
      if (this.waiting.length >= this.limits.waiting)
        throw unavailable('Too many people are logging in at the moment. Retry.')
      await new Promise<void>((resolve) => this.waiting.push(resolve)) // inherits the slot of finished work
    } else this.running += 1
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running -= 1
    }
  }
}

const gate = new Gate({ atOnce: maxAtOnce, waiting: maxWaiting })
const derive = promisify(argon2)

function digestOf(password: string, salt: Buffer): Promise<Buffer> {
  // different keyboards produce different bytes for the same password (NIST SP 800-63B, 5.1.1.2)
  const message = Buffer.from(password.normalize('NFC'))
  return gate.run(() =>
    derive('argon2id', {
      message,
      nonce: salt,
      parallelism: 1,
      tagLength: hashBytes,
      memory: memoryKiB,
      passes,
    }),
  )
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
