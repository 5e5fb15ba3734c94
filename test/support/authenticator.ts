import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** An answer may differ in these points from that of an honest browser and authenticator. */
export interface Deviation {
  origin?: string
  host?: string
  isVerified?: boolean
  userHandle?: string
  counter?: number
  challenge?: string
  type?: string
}

interface Options {
  challenge: string
}

const [isPresent, isVerifiedFlag, hasCredential] = [0x01, 0x04, 0x40]
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** An authenticator in software, with one passkey (ES256). It answers as browsers do, in JSON. */
export class Authenticator {
  readonly id = randomBytes(16)
  userHandle = ''
  private counter = 0
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  private readonly site: { host: string; origin: string }

  constructor(site: { host: string; origin: string }) {
    this.site = site
  }

  /** Answers the options of a new passkey. */
  create(options: Options & { user: { id: string } }, deviation: Deviation = {}): string {
    this.userHandle = options.user.id
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, number | Uint8Array<ArrayBuffer>>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, isoCBOR.encode(key)])
    const authData = this.data(hasCredential, deviation, credential)
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.json({
      clientDataJSON: this.client('webauthn.create', options, deviation).toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
    })
  }

  /** Answers the options of a log-in. */
  get(options: Options, deviation: Deviation = {}): string {
    this.counter += 1
    const authData = this.data(0, deviation)
    const client = this.client('webauthn.get', options, deviation)
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), this.keys.privateKey)
    return this.json({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: deviation.userHandle ?? this.userHandle,
    })
  }

  private json(response: Record<string, string>): string {
    const id = this.id.toString('base64url')
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }

  private client(type: string, { challenge }: Options, deviation: Deviation): Buffer {
    const origin = deviation.origin ?? this.site.origin
    return Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: deviation.challenge ?? challenge,
        origin,
        crossOrigin: false,
      }),
    )
  }

  private data(flags: number, { host, isVerified = true, counter }: Deviation, credential = Buffer.alloc(0)) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? this.counter)
    const flag = Buffer.from([flags | isPresent | (isVerified ? isVerifiedFlag : 0)])
    return Buffer.concat([sha256(host ?? this.site.host), flag, count, credential])
  }
}
