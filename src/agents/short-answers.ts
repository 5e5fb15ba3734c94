import { type Static, type TObject, Type } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../access/context.ts'
import type { Availability, SoonestSlot } from '../availability/availability-schemas.ts'
import { type FieldError } from '../base/errors.ts'
import { isDate } from '../base/instants.ts'
import { nameOffered } from '../catalogue/catalogue.ts'
import { Service } from '../catalogue/service-schemas.ts'
import { Nullable, ShownId, ShownInstant } from '../base/wire.ts'

/*
 * Answers of tools that are shorter than the API's, or contain more. Agents pay for every word, and IDs
 * mean nothing to people.
 */

type Arguments = Record<string, unknown>

/** Differences between a tool and its operation. */
export interface ShortAnswer {
  /** Arguments that replace others of the operation. */
  arguments?: {
    replaced: string[]
    schemas: Record<string, object>
    required: string[]
    /** Returns the faults of these arguments. */
    faults: (args: Arguments) => FieldError[]
    /** Returns the arguments of the operation. */
    meant: (args: Arguments) => Arguments
  }
  schema: TObject
  /** Converts the operation's answer into that of the tool. */
  answer: (body: unknown, by: { context: Context; actor: Actor }) => object | Promise<object>
}

const Named = Type.Object({ id: ShownId, name: Type.String() })
const { location_ids: _places, staff_ids: _people, ...serviceMembers } = Service.properties

interface ServicePage {
  data: Static<typeof Service>[]
  next_cursor: string | null
}

/** Lists services with the names of their locations and staff instead of IDs alone. */
export const namedServices: ShortAnswer = {
  schema: Type.Object({
    data: Type.Array(
      Type.Object({ ...serviceMembers, locations: Type.Array(Named), staff: Type.Array(Named) }),
    ),
    next_cursor: Nullable(Type.String()),
  }),
  answer: async (body, { context, actor }) => {
    const { data, next_cursor } = body as ServicePage
    const names = await nameOffered(context, actor, data)
    return {
      data: data.map(({ location_ids: _, staff_ids: __, ...service }, index) => ({
        ...service,
        ...names[index],
      })),
      next_cursor,
    }
  },
}

const seatsLeft = Type.Optional(Type.Integer({ description: 'Absent unless several clients can share it.' }))
const heldByYou = Type.Optional(Type.Literal(true))
const visitItems = Type.Optional(
  Type.Array(Type.Object({ service_id: ShownId, staff_ids: Type.Array(ShownId), starts_at: ShownInstant }), {
    description: 'The services of a visit. staff_ids: who could give each then.',
  }),
)

/** Lists the slots of one date, without the values that they share. */
export const daySlots: ShortAnswer = {
  arguments: {
    replaced: ['from', 'to'],
    schemas: {
      date: {
        type: 'string',
        format: 'date',
        maxLength: 10,
        description: 'The date, in the zone of the location.',
        examples: ['2026-12-01'],
      },
    },
    required: ['date'],
    faults: ({ date }) => {
      const fault = (code: string, detail: string) => [{ pointer: '/date', code, detail }]
      if (date === undefined || date === null) return fault('required', 'is required')
      if (typeof date !== 'string') return fault('wrong_type', 'must be of type string')
      return isDate(date) ? [] : fault('invalid_format', 'must be a date such as 2026-12-01')
    },
    meant: ({ date, ...others }) => ({ ...others, from: date, to: date }),
  },
  schema: Type.Object({
    service_id: ShownId,
    location_id: ShownId,
    timezone: Type.String(),
    date: Type.String({ format: 'date' }),
    slots: Type.Array(
      Type.Object({
        starts_at: ShownInstant,
        ends_at: Type.Optional(Type.String({ format: 'date-time', description: 'Of a visit.' })),
        seats_left: seatsLeft,
        held_by_you: heldByYou,
        items: visitItems,
      }),
    ),
  }),
  answer: (body) => {
    const { days, ...place } = body as Static<typeof Availability>
    const [day] = days
    return { ...place, date: day?.date, slots: (day?.slots ?? []).map(shortSlot) }
  },
}

/** Returns the next slot, or null. */
export const nextSlot: ShortAnswer = {
  schema: Type.Object({
    slot: Nullable(
      Type.Object({
        starts_at: ShownInstant,
        ends_at: ShownInstant,
        seats_left: seatsLeft,
        held_by_you: heldByYou,
        items: visitItems,
      }),
    ),
  }),
  answer: (body) => {
    const slot = body as Static<typeof SoonestSlot>
    if (slot === null) return { slot }
    const { starts_at, ...others } = shortSlot(slot)
    return { slot: { starts_at, ends_at: slot.ends_at, ...others } }
  },
}

type ShownSlot = Static<typeof Availability>['days'][number]['slots'][number]

function shortSlot({ starts_at, ends_at, staff_ids, seats_left, held_by_you, items }: ShownSlot) {
  return {
    starts_at,
    ...(items && { ends_at }),
    ...(seats_left > Math.max(1, staff_ids.length) && { seats_left }),
    ...(held_by_you && { held_by_you }),
    ...(items && { items: items.map(({ ends_at: _, ...item }) => item) }),
  }
}
