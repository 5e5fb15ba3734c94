import type { FieldError, ProblemCode } from './errors.ts'
import { exampleIds, exampleTimes } from './examples.ts'

/**
 * The explanation of a problem code, in Markdown: for its page (`/problems/<code>`), for the API reference, and
 * for docs/guides/errors.md, which a test compares with this.
 */
interface ProblemText {
  when: string
  /** Its extension members. */
  carries?: string
  whatToDo: string
  /** The members of an example document that are its own. */
  example: { detail: string; errors?: FieldError[] } & Record<string, unknown>
}

const alternatives = [
  {
    starts_at: exampleTimes.startsAt,
    ends_at: exampleTimes.endsAt,
    staff_ids: [exampleIds.staff],
    seats_left: 1,
  },
]

/** The text of every code, in the order of the guide to errors. */
export const problemTexts: Record<ProblemCode, ProblemText> = {
  malformed_json: {
    when: 'the body is not JSON in UTF-8, is nested deeper than 20 levels, or has a key such as `__proto__`.',
    whatToDo: 'correct the body.',
    example: { detail: 'The body is not valid JSON in UTF-8, or holds a key such as __proto__.' },
  },
  malformed_request: {
    when: 'what arrived is not valid HTTP/1.1, the body is shorter or longer than its `Content-Length`, or a signed body is not an event of the payment processor.',
    whatToDo: 'check the client, and any proxy in between.',
    example: { detail: 'This is not valid HTTP/1.1.' },
  },
  invalid_signature: {
    when: 'an event of the payment processor is not signed with `STRIPE_WEBHOOK_SECRET`, or was signed more than five minutes before or after now.',
    whatToDo:
      'compare `STRIPE_WEBHOOK_SECRET` with the signing secret of the endpoint at the processor, and the clocks.',
    example: {
      detail: 'The event is not signed with the configured secret, or not within five minutes of now.',
    },
  },
  missing_credentials: {
    when: 'there is no header `Authorization: Bearer …`.',
    whatToDo: 'send the key or the session token.',
    example: { detail: 'Send the header "Authorization: Bearer <key or session token>".' },
  },
  invalid_credentials: {
    when: 'the token is unknown, damaged (its checksum is wrong) or revoked.',
    whatToDo: 'check that the whole token was copied and that it belongs to this server.',
    example: { detail: 'The bearer token is unknown, malformed or revoked.' },
  },
  session_expired: {
    when: 'the session token is older than an hour, or a newer session replaced it.',
    whatToDo:
      'exchange the publishable key again. Send the old token in `X-Previous-Session` within 15 minutes, and the new session takes over its holds and bookings.',
    example: { detail: 'The session token has expired; exchange the publishable key for a new one.' },
  },
  key_type_not_allowed: {
    when: 'this type of key may not do this, for example a session token on `PATCH /bookings/{id}`.',
    carries: '`allowed_key_types`.',
    whatToDo: 'use a key of one of these types.',
    example: {
      detail: 'A session token may not do this; it needs one of type business or hub.',
      allowed_key_types: ['business', 'hub'],
    },
  },
  plan_required: {
    when: 'a business key or hub key is used on a plan that does not include it.',
    carries: '`required_plan`.',
    whatToDo: 'ask the operator of the server to change the plan.',
    example: { detail: 'Business keys need the Enterprise plan.', required_plan: 'enterprise' },
  },
  origin_not_allowed: {
    when: 'the publishable key, or the key that a session came from, is for certain websites only, and the header `Origin` names another.',
    whatToDo: 'issue a key that allows the website.',
    example: { detail: 'The website that sends this request is not among those allowed for the key.' },
  },
  not_found: {
    when: 'nothing exists at this address or with this id, or it belongs to another business. The response does not tell which. An id in a path that is not a UUID gives 404.',
    whatToDo: 'check the address and the id.',
    example: { detail: 'There is no booking with this id.' },
  },
  hold_not_found: {
    when: 'the hold does not exist, was released, was placed by another session, or its record is more than a day past its end.',
    whatToDo: 'hold the slot again.',
    example: { detail: 'There is no hold with this id.' },
  },
  hold_expired: {
    when: 'the hold expired before it was converted.',
    whatToDo: 'hold the slot again. It may be taken by now.',
    example: { detail: 'The hold has expired; place a new one.' },
  },
  method_not_allowed: {
    when: 'the path exists, but not with this method.',
    whatToDo: 'use one of the methods in the header `Allow`.',
    example: { detail: 'Use one of: GET, HEAD, OPTIONS.' },
  },
  request_timeout: {
    when: 'the request did not arrive completely within 15 seconds.',
    whatToDo: 'send it again.',
    example: { detail: 'The request did not arrive in time.' },
  },
  slot_held: {
    when: 'not enough seats are free; at least one is only held.',
    carries: '`alternatives`: up to three of the nearest free slots of the same request.',
    whatToDo: 'choose another time, or retry later: the hold may expire or be released.',
    example: {
      detail: 'The slot is held by another client; retry later or choose another time.',
      alternatives,
    },
  },
  slot_booked: {
    when: 'not enough seats are free, and no hold is in the way.',
    carries: '`alternatives`: up to three of the nearest free slots of the same request.',
    whatToDo: 'offer the alternatives, or choose another time.',
    example: { detail: 'The slot is booked; choose another time.', alternatives },
  },
  hold_converted: {
    when: 'the hold is a booking already and is converted or released again.',
    carries: '`booking_id`, for the session or key that placed the hold.',
    whatToDo: 'read the booking; it has the id of the hold. To free its slot, the business cancels it.',
    example: { detail: 'The hold already became a booking.', booking_id: exampleIds.booking },
  },
  change_not_allowed: {
    when: 'a client may not move or cancel the booking with its manage link, or somebody moves a cancelled booking.',
    carries:
      '`reason`: `too_late` (the cut-off of the service has passed), `too_many` (it was moved as often as the service allows), `not_allowed` (the service never allows it, or the booking has begun, is over or was cancelled).',
    whatToDo:
      'ask the business: it can change the booking at any time. `GET /manage` tells beforehand what is allowed. To move a cancelled booking, send a `status` with the time: it takes its slot again.',
    example: { detail: 'It is too late to move this booking.', reason: 'too_late' },
  },
  idempotency_in_flight: {
    when: 'the first request with this `Idempotency-Key` is still running after five seconds of waiting for it.',
    whatToDo: 'send the same request again after `Retry-After` seconds.',
    example: { detail: 'The first request with this Idempotency-Key is still running; repeat it later.' },
  },
  webhook_limit_reached: {
    when: 'the business has 20 webhooks, or the hub has 20 of its own.',
    whatToDo: 'delete one that is not needed any more, or change one.',
    example: { detail: 'The business has 20 webhooks; delete one first.' },
  },
  calendar_limit_reached: {
    when: 'the business has 20 feeds, or the staff member has 5 busy calendars.',
    whatToDo: 'delete one that is not needed any more.',
    example: { detail: 'The business has 20 feeds; delete one first.' },
  },
  rotation_in_progress: {
    when: 'the secret of the webhook was replaced less than 24 hours ago, and the one before still counts. A third would leave a receiver without any that it knows.',
    whatToDo: 'wait until the 24 hours are over, or register another webhook.',
    example: {
      detail:
        'The secret was changed less than 24 hours ago; the next change is possible from 2026-11-21T09:00:00.000Z on.',
    },
  },
  version_conflict: {
    when: '`If-Match` names another version than the booking has.',
    carries: '`current_etag`.',
    whatToDo: 'read the booking again, and decide whether your change is still right.',
    example: {
      detail: 'The booking is at version "2"; read it again before changing it.',
      current_etag: '"2"',
    },
  },
  payload_too_large: {
    when: 'the body has more than 65536 bytes.',
    whatToDo: 'send less.',
    example: { detail: 'The body may have at most 65536 bytes.' },
  },
  unsupported_media_type: {
    when: 'there is a body, and its `Content-Type` is not `application/json`.',
    whatToDo: 'set the header. curl sends `application/x-www-form-urlencoded` unless you say otherwise.',
    example: { detail: 'Send the body as JSON with "Content-Type: application/json".' },
  },
  headers_too_large: {
    when: 'the address and all request headers together have more than 16384 bytes, or there are more than 100 headers.',
    whatToDo: 'send less.',
    example: { detail: 'The address and all headers together may have at most 16384 bytes.' },
  },
  validation_failed: {
    when: 'fields of the body or the query are missing, unknown or wrong.',
    carries: '`errors`, with one of these codes each:',
    whatToDo: 'correct every field that `errors` names.',
    example: {
      detail: '/client/last_name must not be empty.',
      errors: [{ pointer: '/client/last_name', code: 'too_short', detail: 'must not be empty' }],
    },
  },
  slot_not_offered: {
    when: 'the business does not offer this slot.',
    carries:
      '`reason`, and `alternatives`: up to three of the nearest free slots. The reasons: `in_the_past` (the start is not in the future), `too_soon` (the service needs more notice), `beyond_horizon` (it cannot be booked so far ahead yet), `outside_hours`, `blocked`, `not_on_grid` (no slot starts then), `staff_not_available` (nobody who could be asked for works then), `not_offered_here` (the service, location or staff member is inactive, or they do not belong together).',
    whatToDo:
      'offer the alternatives, or what `GET /availability` shows. `GET /availability/explain` gives the reason for any time.',
    example: {
      detail: 'The location is not open for the whole of that time.',
      reason: 'outside_hours',
      alternatives,
    },
  },
  idempotency_key_reused: {
    when: 'this `Idempotency-Key` was used for a different request in the last 24 hours.',
    whatToDo: 'use a new key for each new request.',
    example: { detail: 'This Idempotency-Key was used for a different request; use a new one.' },
  },
  rate_limited: {
    when: 'the key, the session or the address has made as many requests as it may in a minute or an hour.',
    whatToDo:
      'wait the seconds of `Retry-After`, then send the request again. The refused request changed nothing and was not counted.',
    example: { detail: 'This key or session may make 30 requests a minute; try again in 12 s.' },
  },
  hold_limit_reached: {
    when: 'the session has `MAX_HOLDS_PER_SESSION` active holds, or its network address (IPv6: its /64) has `MAX_HOLDS_PER_IP`.',
    whatToDo:
      'release a hold, or wait the seconds of `Retry-After`, until enough of them have expired. If clients who have nothing to do with each other meet this, the server may see all of them under the address of its proxy: see `TRUST_PROXY`.',
    example: { detail: 'There are already 10 active holds of this session; the limit is 10.' },
  },
  booking_limit_reached: {
    when: 'too many bookings were made from this network address, or this client has too many bookings ahead, or the business takes no bookings online from this client. The response does not say which. Keys are exempt.',
    whatToDo:
      'wait the seconds of `Retry-After`, or ask the business, which can book for you. If it happens to honest clients, the guide to rate limits says how to raise the caps.',
    example: {
      detail:
        'No more bookings can be made this way at the moment. Try again later, or ask the business itself.',
    },
  },
  internal: {
    when: 'a bug in Holdfast.',
    whatToDo: 'report it with the line of the log that has this `request_id`.',
    example: { detail: 'Internal error. Report it with this request ID.' },
  },
  unavailable: {
    when: 'the database does not answer in time or cannot take the change now, or the server is overloaded. Also: the payment processor does not answer, or takes no deposit.',
    whatToDo: 'retry after `Retry-After` seconds. A hold stays as it is.',
    example: { detail: 'The database is unavailable. Retry.' },
  },
}

/** Explains the `code` of an entry of `errors` in a `validation_failed`, in Markdown as above. */
export const fieldErrorTexts: Record<string, string> = {
  required: 'the field is missing',
  unknown_field: 'the field is not known here; unknown fields are refused, not ignored',
  wrong_type: 'for example a number in quotes; nothing is converted',
  invalid_format:
    'not a UUID, a date and time with an offset, a time zone, an e-mail address, a phone number …',
  too_short: 'shorter than allowed, usually empty',
  too_long: 'longer than allowed',
  too_few: 'fewer entries than needed',
  too_many: 'more entries than allowed',
  not_allowed: 'not one of the values that are possible here, or a field that does not go with another',
  out_of_range: 'a number that is too small or too large, or a time that cannot be represented',
  wrong_length:
    '`ends_at` does not follow `starts_at`, or a booking is to last more than 24 hours; `Idempotency-Key` has not 1 to 255 characters',
  wrong_value: 'the answer to a custom field does not fit the type of the field',
  repeated:
    'something that may come once comes twice: an answer to a custom field, an id, a key, a date, the e-mail of a person',
  overlap: 'opening hours that overlap others of the same week or date',
  unknown_reference: 'an id of something that the business, or the key, does not have',
  invalid_cursor: '`cursor` is not the `next_cursor` of a page',
  invalid: 'anything else',
}
