import { UsageError } from '../base/errors.ts'
import type { Context } from '../bookings/context.ts'
import { resourceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import type { Step } from '../catalogue/catalogue-types.ts'
import { readMoney, unlessNone } from './input.ts'
import { idsOf } from './item.ts'

interface PartOptions {
  steps?: string
  need?: string[] | false
  terms?: string[] | false
}

/** Returns readers for steps, needs and terms. They throw UsageErrors. */
export function partReaders(context: Context, businessId: string, { steps, need, terms }: PartOptions) {
  return {
    steps: () => (steps === undefined ? undefined : unlessNone(steps, readSteps)),
    needs: () => (need === false ? [] : need && readAll(need, (text) => readNeed(context, businessId, text))),
    terms: () =>
      terms === false ? [] : terms && readAll(terms, (text) => readTerms(context, businessId, text)),
  }
}

async function readAll<T>(texts: string[], read: (text: string) => Promise<T>): Promise<T[]> {
  const all: T[] = []
  for (const text of texts) all.push(await read(text))
  return all
}

/** Reads "30, 35 without, 25". Throws a UsageError. */
function readSteps(text: string): Step[] {
  return text.split(',').map((part) => {
    const [, minutes, without] = /^(\d{1,4})( without)?$/.exec(part.trim()) ?? []
    if (minutes === undefined)
      throw new UsageError(`"${part.trim()}" is not a step; write minutes, such as "30, 35 without, 25".`)
    return { minutes: Number(minutes), staffed: without === undefined }
  })
}

/** Reads "Basin 1 | Basin 2 x2 staffed". Throws a UsageError. */
async function readNeed(context: Context, businessId: string, text: string) {
  const [, names = '', quantity, staffed] = /^(.*?)(?: x(\d{1,3}))?( staffed)?$/.exec(text.trim()) ?? []
  const references = names.split('|').map((name) => name.trim())
  return {
    resource_ids: await idsOf(context, resourceKind, { businessId, option: '--need', references }),
    ...(quantity !== undefined && { quantity: Number(quantity) }),
    ...(staffed !== undefined && { during: 'staffed' as const }),
  }
}

/** Reads "Anna Weber: 60 EUR in 30, 10 without, 5". Throws a UsageError. */
async function readTerms(context: Context, businessId: string, text: string) {
  const [, name, price = '', steps] = /^(.+?): *(.*?)(?:(?:^| +|(?<=: *))in (.+))?$/.exec(text.trim()) ?? []
  if (name === undefined || (price === '' && steps === undefined))
    throw new UsageError(
      `"${text}" is not valid; write "Anna Weber: 60 EUR in 40", "Anna Weber: 60 EUR" or "Anna Weber: in 40".`,
    )
  const [staff_id = ''] = await idsOf(context, staffKind, {
    businessId,
    option: '--terms',
    references: [name],
  })
  return {
    staff_id,
    ...(price !== '' && { price: readMoney(price) }),
    ...(steps !== undefined && lengthOf(steps)),
  }
}

function lengthOf(text: string) {
  const steps = readSteps(text)
  const [only, ...others] = steps
  return only?.staffed === true && others.length === 0 ? { duration_minutes: only.minutes } : { steps }
}
