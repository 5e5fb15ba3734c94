import { askForTimes } from './availability-acts.ts'
import { cancelBooking, changeBooking, changeItems, listBookings, showBooking } from './booking-acts.ts'
import {
  convertHold,
  holdSlot,
  meddleWithFurther,
  releaseHold,
  repeatRequest,
  showHold,
} from './hold-acts.ts'
import { keepHouse, passTime, refreshSession, setWallClock, switchWebhook } from './passing-time.ts'
import { deliverMessage, endCheckout, payDeposit, payLate, visitCheckout, workOff } from './payment-acts.ts'
import { holdSeries } from './series-acts.ts'
import { meddle, overstep } from './stranger-acts.ts'
import { blockTime, holdVisit } from './visit-acts.ts'
import { answerOffer, checkRequests, joinList, offerByHand, passOn, sweep } from './waiting-acts.ts'
import type { World } from './world.ts'

type Step = (world: World) => Promise<void> | void

/** The possible steps, with their shares. */
const steps: [share: number, step: Step][] = [
  [18, holdSlot],
  [18, holdVisit],
  [6, holdSeries],
  [17, convertHold],
  [3, releaseHold],
  [1, showHold],
  [4, repeatRequest],
  [16, changeBooking],
  [7, changeItems],
  [6, cancelBooking],
  [2, showBooking],
  [2, listBookings],
  [4, askForTimes],
  [4, blockTime],
  [7, payDeposit],
  [2, endCheckout],
  [3, payLate],
  [9, deliverMessage],
  [3, visitCheckout],
  [3, workOff],
  [3, meddle],
  [1, meddleWithFurther],
  [0.5, overstep],
  [8, passTime],
  [1, setWallClock],
  [1, refreshSession],
  [9, joinList],
  [9, sweep],
  [8, answerOffer],
  [3, passOn],
  [2, offerByHand],
  [4, checkRequests],
  [1, switchWebhook],
  [0.5, keepHouse],
]

const shares = steps.reduce((sum, [share]) => sum + share, 0)

/** Takes one step at random. */
export async function takeStep(world: World): Promise<void> {
  let dice = (world.random.below(1_000_000) / 1_000_000) * shares
  for (const [share, step] of steps) {
    dice -= share
    if (dice < 0) return step(world)
  }
}
