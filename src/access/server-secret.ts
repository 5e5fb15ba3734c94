import { createHmac } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Ids } from '../ids.ts'
import { findServerSecret, insertServerSecret } from './access-queries.ts'

interface Parts {
  db: Database
  ids: Ids
  config: Pick<Config, 'secret'>
}

const name = 'server'
const bytes = 32

/**
 * The secret that all servers of a database share: that of HOLDFAST_SECRET, else one that the first server to need it
 * makes. It never leaves the process.
 */
export class ServerSecret {
  private readonly parts: Parts
  private known: Promise<Buffer> | undefined

  constructor(parts: Parts) {
    this.parts = parts
  }

  /**
   * Digests texts of one purpose with a key (HMAC-SHA-256): who has no more than the database cannot find out what they
   * were by trying. May read the database: call it outside of transactions.
   */
  async digester(purpose: string): Promise<(text: string) => string> {
    const secret = await this.read()
    return (text) => createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
  }

  /** Read once, and for all who ask at the same moment; again after a failure. */
  private read(): Promise<Buffer> {
    this.known ??= this.find().catch((error: unknown) => {
      this.known = undefined
      throw error
    })
    return this.known
  }

  private async find(): Promise<Buffer> {
    const { db, ids, config } = this.parts
    if (config.secret) return config.secret
    const secret = (await findServerSecret(db.reads, name)) ?? (await this.make(ids.bytes(bytes)))
    return Buffer.from(secret, 'base64')
  }

  /** Of two servers that make one at the same moment, both have that of the first. */
  private make(made: Buffer): Promise<string> {
    return this.parts.db.transaction(async (tx) => {
      await insertServerSecret(tx.db, { name, secret: made.toString('base64'), created_at: tx.now })
      const kept = await findServerSecret(tx.db, name)
      if (kept === undefined) throw new Error('a secret that was just kept is gone')
      return kept
    })
  }
}
