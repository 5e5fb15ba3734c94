import { minute, type Model, type ModelHold } from './model.ts'

/** Returns the deadline of a session's booking and the reminder before it. Undefined if it is no request. */
export function requestOf(model: Model, { wanted, items }: Pick<ModelHold, 'wanted' | 'items'>) {
  const services = items?.map(({ service }) => service) ?? [wanted.service]
  const asking = services.flatMap(({ respondWithin = [] }) => respondWithin)
  if (asking.length === 0) return undefined
  const respondBy = Math.min(model.now + Math.min(...asking) * minute, wanted.start - 60 * minute)
  const half = Math.floor((respondBy - model.now) / 2 / minute) * minute
  return { respondBy, checkAt: model.now + half }
}
