import { type ProblemCode, problemKinds } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { fieldErrorTexts, problemTexts } from '../base/problem-texts.ts'
import { keyScopes } from '../base/key-scopes.ts'
import { tokenTypes } from '../base/token-types.ts'
import { componentReference, type Schema } from './openapi-schemas.ts'

/* The problem documents (RFC 9457) of the OpenAPI document. */

const text: Schema = { type: 'string' }

const fieldErrors: Schema = {
  type: 'array',
  description: 'Every invalid field of the request, at most 100.',
  items: {
    type: 'object',
    properties: {
      pointer: { type: 'string', description: 'A JSON pointer to the field (RFC 6901).' },
      code: { type: 'string', enum: Object.keys(fieldErrorTexts) },
      detail: { type: 'string', description: 'How to correct the field, for people.' },
    },
    required: ['pointer', 'code', 'detail'],
  },
}

/** Reasons of `slot_not_offered`. */
const reasons = [
  ...['in_the_past', 'too_soon', 'beyond_horizon', 'outside_hours'],
  ...['blocked', 'not_on_grid', 'not_offered_here', 'staff_not_available'],
  ...['no_such_day', 'time_skipped'],
]

const alternativesOfProblem: Schema = {
  type: 'array',
  maxItems: 3,
  description: 'The nearest free slots for the same request.',
  items: { $ref: componentReference('Slot') },
}

const item: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'The item of the visit that cannot be served, from 0.',
}

const conflicts: Schema = {
  type: 'array',
  description: 'Of a series: each time that cannot be had, with other times.',
  items: { $ref: componentReference('SkippedTime') },
}

/** The extension members of problem documents. A name that ends with `?` is optional. */
const extensions: Partial<Record<ProblemCode, Record<string, Schema>>> = {
  validation_failed: { errors: fieldErrors },
  key_type_not_allowed: {
    allowed_key_types: { type: 'array', items: { type: 'string', enum: [...tokenTypes] } },
  },
  insufficient_scope: {
    required_scopes: { type: 'array', items: { type: 'string', enum: [...keyScopes] } },
  },
  plan_required: { required_plan: { type: 'string', const: 'enterprise' } },
  hold_converted: { 'booking_id?': { type: 'string', format: 'uuid' } },
  change_not_allowed: { reason: { type: 'string', enum: ['too_late', 'not_allowed', 'too_many'] } },
  client_exists: { 'client_id?': text },
  version_conflict: { current_etag: text },
  not_found: { 'item?': item },
  slot_held: { alternatives: alternativesOfProblem, 'item?': item, 'conflicts?': conflicts },
  slot_booked: { alternatives: alternativesOfProblem, 'item?': item, 'conflicts?': conflicts },
  slot_not_offered: {
    reason: { type: 'string', enum: reasons },
    alternatives: alternativesOfProblem,
    'item?': item,
    'conflicts?': conflicts,
  },
}

/** Returns the schema name for a code's problem documents: `slot_held` → `SlotHeldProblem`. */
function problemName(code: ProblemCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Problem`
}

/** Returns the schema of the problem documents (RFC 9457) with this code. */
function problemSchema(code: ProblemCode): Schema {
  const { status, title } = problemKinds[code]
  const more = Object.entries(extensions[code] ?? {})
  const always = more.flatMap(([name]) => (name.endsWith('?') ? [] : [name]))
  return {
    title: problemName(code),
    type: 'object',
    description: `${title}. ${problemTexts[code].when}`,
    properties: {
      type: { type: 'string', const: `/problems/${code}`, description: 'A page that explains what to do.' },
      title: text,
      status: { type: 'integer', const: status },
      detail: { type: 'string', description: 'The fault of this request, for people.' },
      code: { type: 'string', const: code },
      request_id: text,
      ...Object.fromEntries(more.map(([name, schema]) => [name.replace('?', ''), schema])),
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id', ...always],
  }
}

/** Returns an example problem document. */
export function exampleProblem(code: ProblemCode): Record<string, unknown> {
  const { status, title } = problemKinds[code]
  const { detail, ...more } = problemTexts[code].example
  const usual = { type: `/problems/${code}`, title, status, detail, code, request_id: exampleIds.request }
  return { ...usual, ...more }
}

/** Returns the components that responses with these codes refer to. */
export function problemComponents(codes: ProblemCode[]) {
  return {
    schemas: Object.fromEntries(codes.map((code) => [problemName(code), problemSchema(code)])),
    examples: Object.fromEntries(
      codes.map((code) => [code, { summary: problemKinds[code].title, value: exampleProblem(code) }]),
    ),
  }
}

/** Returns the response with one of these codes, which share one status. */
export function problemResponse(codes: ProblemCode[]) {
  const references = codes.map((code) => ({ $ref: componentReference(problemName(code)) }))
  const mapping = codes.map((code) => [code, componentReference(problemName(code))] as const)
  return {
    description: codes.map((code) => `\`${code}\`: ${problemKinds[code].title}.`).join('\n\n'),
    content: {
      'application/problem+json': {
        schema:
          codes.length === 1
            ? references[0]
            : {
                oneOf: references,
                discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) },
              },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: componentReference(code, 'examples') }]),
        ),
      },
    },
  }
}
