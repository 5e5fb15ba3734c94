import { createHmac } from 'node:crypto'
import type { Config } from '../base/config.ts'
import type { Ids } from '../base/ids.ts'
import type { Database, Reads } from '../database/database.ts'
import { findServerSecret, insertServerSecret } from './access-queries.ts'

interface Parts {
  db: Database
  ids: Ids
  config: Pick<Config, 'secret'>
}

const name = 'server'
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
    const generated = await generatedSecret(db.reads)
    return generated ?? Buffer.from(await this.store(ids.bytes(secretBytes)), 'base64')
  }

  /** If two servers start at once, both use the first one's secret. */
  private store(generated: Buffer): Promise<string> {
    return this.parts.db.transaction(async (tx) => {
      await insertServerSecret(tx.db, { name, secret: generated.toString('base64'), created_at: tx.now })
      const stored = await findServerSecret(tx.db, name)
      if (stored === undefined) throw new Error('a secret that was just stored is missing')
      return stored
    })
  }
}
