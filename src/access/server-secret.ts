import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Config } from '../base/config.ts'
import type { Ids } from '../base/ids.ts'
import type { Database, Reads } from '../database/database.ts'
import { findServerSecret, insertServerSecret } from './access-queries.ts'

interface Parts {
  db: Database
  ids: Ids
  config: Pick<Config, 'secret'>
}

/** Encrypts credentials at rest. */
export interface Sealer {
  seal(text: string, owner: string): string
  /** Returns undefined if another secret sealed the text, as after a change of HOLDFAST_SECRET. */
  open(sealed: string, owner: string): string | undefined
}

const name = 'server'
/** Length for AES-GCM (NIST SP 800-38D). */
const ivBytes = 12
const tagBytes = 16
const secretBytes = 32

/** Returns the secret that a server without HOLDFAST_SECRET has generated, or undefined. */
export async function generatedSecret(db: Reads): Promise<Buffer | undefined> {
  const secret = await findServerSecret(db, name)
  return secret === undefined ? undefined : Buffer.from(secret, 'base64')
}

/** The secret that all servers of a database share: HOLDFAST_SECRET, or one that the first server generates. */
export class ServerSecret {
  private readonly parts: Parts
  private secret: Promise<Buffer> | undefined

  constructor(parts: Parts) {
    this.parts = parts
  }

  /**
   * Returns a keyed digest (HMAC-SHA-256) for one purpose. With HOLDFAST_SECRET, a copy of the database is not enough
   * to guess the texts. May read the database, so call it outside transactions.
   */
  async digester(purpose: string): Promise<(text: string) => string> {
    const secret = await this.read()
    return (text) => createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
  }

  /**
   * Returns an encryption (AES-256-GCM) for one purpose. A sealed text opens only for the owner for whom it was sealed.
   * May read the database, so call it outside transactions.
   */
  async sealer(purpose: string): Promise<Sealer> {
    const key = createHmac('sha256', await this.read())
      .update(`seal\n${purpose}`)
      .digest()
    return {
      seal: (text, owner) => {
        const iv = this.parts.ids.bytes(ivBytes)
        const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
        const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
        return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
      },
      open: (sealed, owner) => {
        const bytes = Buffer.from(sealed, 'base64url')
        const body = bytes.subarray(ivBytes + tagBytes)
        try {
          const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
            authTagLength: tagBytes,
          })
          decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
          return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
        } catch {
          return undefined
        }
      },
    }
  }

  /** Reads once, even for simultaneous callers. Retries after a failure. */
  private read(): Promise<Buffer> {
    this.secret ??= this.find().catch((error: unknown) => {
      this.secret = undefined
      throw error
    })
    return this.secret
  }

  private async find(): Promise<Buffer> {
    const { db, ids, config } = this.parts
    if (config.secret) return config.secret
    const kept = await keptSecret({ db }, name, async () => ids.bytes(secretBytes).toString('base64'))
    return Buffer.from(kept, 'base64')
  }
}

/** Returns a secret of the database, which all its servers share. If two servers make one at once, the first counts. */
export async function keptSecret(
  { db }: Pick<Parts, 'db'>,
  name: string,
  make: () => Promise<string>,
): Promise<string> {
  const kept = await findServerSecret(db.reads, name)
  if (kept !== undefined) return kept
  const secret = await make()
  return db.transaction(async (tx) => {
    await insertServerSecret(tx.db, { name, secret, created_at: tx.now })
    const stored = await findServerSecret(tx.db, name)
    if (stored === undefined) throw new Error('a secret that was just stored is missing')
    return stored
  })
}
