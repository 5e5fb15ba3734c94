import {
  Ground,
  type Held,
  refused,
  type Request,
  type Send,
  type Slot,
  slotMs,
  type Visitor,
  won,
} from './operations.ts'

/** The measured operations that Floyd Engine has, too. */
export const operationsOfFloyd = ['hold', 'hot-slot', 'convert', 'flow', 'release', 'show', 'cancel', 'day']

/** Requests the same of Floyd Engine, as its documentation describes them. It has no sessions, so its flow has one request less. */
export class FloydGround extends Ground {
  override readonly root: string = '/v1'
  private people = 0

  override visitor(): Promise<Visitor> {
    return Promise.resolve({ token: this.world.businessKey, network: '10.255.0.1' })
  }

  private path(rest: string): string {
    return `/ledgers/${this.world.ledgerId ?? ''}${rest}`
  }

  /** Returns the request for a hold. Its clients choose the person: here, each in turn. */
  private holdOf({ service_id, starts_at, staff_id }: Slot): Request {
    const staff = this.world.staffIds[this.world.serviceIds.indexOf(service_id)] ?? []
    return this.byKey('POST', this.path('/bookings'), {
      ...{ serviceId: service_id, resourceId: staff_id ?? staff[this.people++ % staff.length] },
      ...{ startTime: starts_at, endTime: new Date(Date.parse(starts_at) + slotMs).toISOString() },
      metadata: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', phone: '+4930123456' },
    })
  }

  override async hold(send: Send, visitor: Visitor, slot: Slot = this.slot()): Promise<Held> {
    const { data } = await send<{ data: { id: string } }>(this.holdOf(slot), [201])
    return { id: data.id, visitor }
  }

  override async race(send: Send): Promise<string> {
    const answer = await send<{ data?: object }>(this.holdOf(this.hotSlot()), [201, 409])
    return answer.data ? won : refused
  }

  override async book(send: Send, held: Held): Promise<Held> {
    await send(this.byKey('POST', this.path(`/bookings/${held.id}/confirm`)))
    return held
  }

  override show(send: Send, { id }: Held): Promise<unknown> {
    return send(this.byKey('GET', this.path(`/bookings/${id}`)))
  }

  override cancel(send: Send, { id }: Held): Promise<unknown> {
    return send(this.byKey('POST', this.path(`/bookings/${id}/cancel`)))
  }

  override release(send: Send, held: Held): Promise<unknown> {
    return this.cancel(send, held)
  }

  override slotsOf(turn: number, days: number): Request {
    const { serviceIds, firstSlotMs } = this.world
    const service = serviceIds[turn % serviceIds.length] ?? ''
    return this.byKey('POST', this.path(`/services/${service}/availability/slots`), {
      startTime: new Date(firstSlotMs).toISOString(),
      endTime: new Date(firstSlotMs + days * 86_400_000).toISOString(),
      durationMs: slotMs,
    })
  }
}
