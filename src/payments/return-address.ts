import { publicAddress } from '../public-address.ts'

/** Where a client sees how the booking of a payment stands. The id is random, so nobody finds it by guessing. */
export function returnAddress(config: Parameters<typeof publicAddress>[0], paymentId: string): string {
  return `${publicAddress(config)}/checkout/${paymentId}`
}
