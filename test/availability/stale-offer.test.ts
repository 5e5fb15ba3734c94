import { expect, test } from 'vitest'
import { StaleOffer, withOffer } from '../../src/availability/find-offer.ts'
import { offer, businessOf, startTestService } from '../support/test-service.ts'

test('a catalogue that changes under each reading is answered by "try again", not by an error of ours', async () => {
  const service = await startTestService('sqlite')
  try {
    const salon = businessOf(service.world, 'Salon Spree')
    let readings = 0
    const attempt = withOffer(
      service.context,
      { businessId: salon.id },
      {
        request: offer(salon, 'Haircut'),
        work: () => {
          readings += 1
          return Promise.reject(new StaleOffer())
        },
      },
    )
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
    expect(readings).toBe(4)
  } finally {
    await service.stop()
  }
})
