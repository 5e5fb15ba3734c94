import type { FieldError, ProblemCode } from './errors.ts'
import { exampleIds, exampleTimes } from './examples.ts'

/**
 * The explanation of a problem code, in Markdown sentences. They appear on its page (`/problems/<code>`), in the API
 * reference, and in docs/guides/errors.md, which `npm run errors:write` generates.
 */
interface ProblemText {
  when: string
  /** Its extension members. */
  fields?: string
  whatToDo: string
  /** Links of the guide. They are separate because the server does not serve the other guides. */
  seeAlso?: string
  /** The specific members of an example document. */
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

/** In the order of the guide, within each status. */
export const problemTexts: Record<ProblemCode, ProblemText> = {
  malformed_json: {
    when: 'The body is not JSON in UTF-8, is nested deeper than 20 levels or has a key such as `__proto__`.',
    whatToDo: 'Correct the body.',
    example: { detail: 'The body is not valid JSON in UTF-8, or contains a key such as __proto__.' },
  },
  malformed_request: {
    when: 'The message is not valid HTTP/1.1, or its body does not match `Content-Length`. A signed body may also be something other than an event of the payment processor.',
    whatToDo: 'Check the client and any proxy in between.',
    example: { detail: 'This is not valid HTTP/1.1.' },
  },
  invalid_signature: {
    when: 'An event of the payment processor is not signed with `STRIPE_WEBHOOK_SECRET`, or its timestamp is more than five minutes off.',
    whatToDo:
      'Compare `STRIPE_WEBHOOK_SECRET` with the signing secret at the processor, and check the clock.',
    example: {
      detail: 'The event is not signed with the configured secret, or not within five minutes of now.',
    },
  },
  missing_credentials: {
    when: 'The header `Authorization: Bearer …` is missing.',
    whatToDo: 'Send the key or the session token.',
    example: { detail: 'Send the header "Authorization: Bearer <key or session token>".' },
  },
  invalid_credentials: {
    when: 'The token is unknown, damaged (its checksum is wrong) or revoked, or the key has expired.',
    whatToDo: 'Check that you copied the whole token and that it belongs to this server.',
    example: { detail: 'The bearer token is unknown, malformed or revoked.' },
  },
  session_expired: {
    when: 'The session token is more than an hour old, or a newer session replaced it.',
    whatToDo:
      'Exchange the publishable key again. Send the old token in `X-Previous-Session` within 15 minutes to keep its holds and bookings.',
    example: { detail: 'The session token has expired; exchange the publishable key for a new one.' },
  },
  key_type_not_allowed: {
    when: 'This type of key may not do this, such as a session token on `PATCH /bookings/{id}`.',
    fields: '`allowed_key_types`.',
    whatToDo: 'Use a key of one of these types.',
    seeAlso: '[Who may do what](keys-and-sessions.md#who-may-do-what)',
    example: {
      detail: 'A session token may not do this; it needs one of type business or hub.',
      allowed_key_types: ['business', 'hub'],
    },
  },
  plan_required: {
    when: 'The plan does not include business or hub keys.',
    fields: '`required_plan`.',
    whatToDo: 'Ask the operator of the server to change the plan.',
    example: { detail: 'Business keys need the Enterprise plan.', required_plan: 'enterprise' },
  },
  insufficient_scope: {
    when: 'The key is limited to parts of the API (`scopes`), and this operation is in another one.',
    fields: '`required_scopes`, of which the key needs one.',
    whatToDo: 'Create a key with one of these scopes. A key cannot get more of them.',
    seeAlso: '[Scopes](keys-and-sessions.md#scopes)',
    example: {
      detail: 'The key is limited to read:bookings; this needs write:bookings.',
      required_scopes: ['write:bookings'],
    },
  },
  origin_not_allowed: {
    when: 'The publishable key, or that of the session, works only on certain websites, and the header `Origin` names another one.',
    whatToDo: 'Use a key that allows the website.',
    example: { detail: 'The website that sends this request is not among those allowed for the key.' },
  },
  not_found: {
    when: 'Nothing exists at this address or with this ID, or it belongs to another business. The response does not say which.',
    whatToDo: 'Check the address and the ID, which must be a UUID.',
    example: { detail: 'There is no booking with this id.' },
  },
  hold_not_found: {
    when: 'The hold does not exist, was released, belongs to another session or ended more than a day ago.',
    whatToDo: 'Hold the slot again.',
    example: { detail: 'There is no hold with this id.' },
  },
  hold_expired: {
    when: 'The hold expired before it was converted.',
    whatToDo: 'Hold the slot again, if it is still free.',
    example: { detail: 'The hold has expired; place a new one.' },
  },
  method_not_allowed: {
    when: 'The path does not support this method.',
    whatToDo: 'Use a method from the header `Allow`.',
    example: { detail: 'Use one of: GET, HEAD, OPTIONS.' },
  },
  request_timeout: {
    when: 'The request did not arrive completely within 15 seconds.',
    whatToDo: 'Send it again.',
    example: { detail: 'The request did not arrive in time.' },
  },
  slot_held: {
    when: 'Too few seats are free, and some others are only held.',
    fields: '`alternatives`: up to three free slots nearest to the requested one.',
    whatToDo: 'Choose another time, or retry later: the hold may end.',
    example: {
      detail: 'The slot is held by another client; retry later or choose another time.',
      alternatives,
    },
  },
  slot_booked: {
    when: 'Too few seats are free, and all others are booked.',
    fields: '`alternatives`: up to three free slots nearest to the requested one.',
    whatToDo: 'Choose another time, such as one of the alternatives.',
    example: { detail: 'The slot is booked; choose another time.', alternatives },
  },
  hold_converted: {
    when: 'The hold already became a booking.',
    fields: '`booking_id`, for the session or key that placed the hold.',
    whatToDo: 'Read the booking, which has the ID of the hold. To free the slot, the business cancels it.',
    example: { detail: 'The hold already became a booking.', booking_id: exampleIds.booking },
  },
  change_not_allowed: {
    when: 'The client may not move or cancel the booking by the manage link, or the request moves a cancelled booking.',
    fields:
      '`reason`. `too_late`: the deadline has passed. `too_many`: the client has used up all moves. `not_allowed`: the service never allows it, or the booking has begun or was cancelled.',
    whatToDo:
      'Ask the business, which can change a booking at any time. To move a cancelled booking, send a new `status` with the time.',
    seeAlso: '[Manage link](manage-link.md)',
    example: { detail: 'It is too late to move this booking.', reason: 'too_late' },
  },
  idempotency_in_flight: {
    when: 'The first request with this `Idempotency-Key` is still running after five seconds.',
    whatToDo: 'Send the same request again after `Retry-After` seconds.',
    seeAlso: '[Safe retries](idempotency.md)',
    example: { detail: 'The first request with this Idempotency-Key is still running; repeat it later.' },
  },
  webhook_limit_reached: {
    when: 'The business already has 20 webhooks, or the hub itself has 20.',
    whatToDo: 'Delete or change an existing one.',
    example: { detail: 'The business has 20 webhooks; delete one first.' },
  },
  calendar_limit_reached: {
    when: 'The business has 20 feeds, or the staff member has 5 busy calendars.',
    whatToDo: 'Delete one that you no longer need.',
    example: { detail: 'The business has 20 feeds; delete one first.' },
  },
  catalogue_limit_reached: {
    when: 'The business has as many services, locations, staff members or resources as its plan or the operator allows. Its services may also list too many locations or staff members in total. Or it has too much text in descriptions, questions, hours and addresses, or 200 pictures.',
    whatToDo:
      'Delete one that you no longer need, remove some from services, or shorten texts. A picture goes a day after nothing shows it. Or ask the operator for a higher limit.',
    seeAlso: '[Catalogue limits](catalogue.md#limits)',
    example: { detail: 'The business may have 300 services, and this would make 301: delete some first.' },
  },
  client_exists: {
    when: 'Another client of the business has this name and email address. Without an address, the phone number counts. `client_id` names the other client.',
    whatToDo: 'Change that client, or merge the two with `POST /clients/{id}/merge`.',
    example: {
      detail: 'Another client has this name and contact; change or merge that one.',
      client_id: '01a1fa68-2f8d-7c51-9b07-3c1d5a8e6f40',
    },
  },
  test_business: {
    when: 'Only test businesses have a clock. They do not use real mail servers, payments or calendar accounts.',
    whatToDo: 'Use a business that was created with `test: true` for tests, and another one for clients.',
    example: { detail: 'Only a test business has a clock. This business is not for tests.' },
  },
  rotation_in_progress: {
    when: "The webhook's secret was replaced less than 24 hours ago.",
    whatToDo: 'Wait until the 24 hours are over, or register another webhook.',
    example: {
      detail:
        'The secret was changed less than 24 hours ago; the next change is possible from 2026-11-21T09:00:00.000Z on.',
    },
  },
  version_conflict: {
    when: "`If-Match` names a version that is not the booking's current one.",
    fields: '`current_etag`.',
    whatToDo: 'Read the booking again and decide whether your change still applies.',
    example: {
      detail: 'The booking is at version "2"; read it again before changing it.',
      current_etag: '"2"',
    },
  },
  payload_too_large: {
    when: 'The body has more than 65536 bytes.',
    whatToDo: 'Send less.',
    example: { detail: 'The body may have at most 65536 bytes.' },
  },
  unsupported_media_type: {
    when: 'The request has a body whose `Content-Type` is not `application/json`.',
    whatToDo: 'Set the header. curl sends `application/x-www-form-urlencoded` by default.',
    example: { detail: 'Send the body as JSON with "Content-Type: application/json".' },
  },
  headers_too_large: {
    when: 'The address and headers together have more than 16384 bytes, or there are more than 100 headers.',
    whatToDo: 'Send less.',
    example: { detail: 'The address and all headers together may have at most 16384 bytes.' },
  },
  validation_failed: {
    when: 'Fields of the body or the query are missing, unknown or invalid.',
    fields: '`errors`, each with one of these codes:',
    whatToDo: 'Correct every field that `errors` names.',
    example: {
      detail: '/client/last_name must not be empty.',
      errors: [{ pointer: '/client/last_name', code: 'too_short', detail: 'must not be empty' }],
    },
  },
  slot_not_offered: {
    when: 'The business does not offer this slot.',
    fields:
      '`alternatives`: up to three free slots nearest to the requested one. `reason`: one of `in_the_past`, `too_soon`, `beyond_horizon`, `outside_hours`, `blocked`, `not_on_grid`, `staff_not_available` or `not_offered_here`. `not_on_grid` means that no slot starts then. `not_offered_here` means that the service, location or staff member is inactive, or that they do not match.',
    whatToDo: 'Offer the alternatives or slots from `GET /availability`.',
    seeAlso: '[Availability](availability.md#why-is-a-slot-not-there)',
    example: {
      detail: 'The location is not open for the whole of that time.',
      reason: 'outside_hours',
      alternatives,
    },
  },
  idempotency_key_reused: {
    when: 'This `Idempotency-Key` was used for a different request in the last 24 hours.',
    whatToDo: 'Use a new key for each new request.',
    example: { detail: 'This Idempotency-Key was used for a different request; use a new one.' },
  },
  rate_limited: {
    when: 'The key, session or network address has used up its requests for the minute or hour.',
    whatToDo: 'Send the request again after `Retry-After` seconds.',
    seeAlso: '[Limits](rate-limits.md#the-limits)',
    example: { detail: 'This key or session may make 30 requests a minute; try again in 12 s.' },
  },
  hold_limit_reached: {
    when: 'The session has `MAX_HOLDS_PER_SESSION` active holds, or its network address (IPv6: its /64) has `MAX_HOLDS_PER_IP`.',
    whatToDo:
      "Release a hold, or wait for `Retry-After` seconds. If unrelated clients run into this, set `TRUST_PROXY`: the server may see only its proxy's address.",
    seeAlso: '[Behind a proxy](keys-and-sessions.md#behind-a-proxy)',
    example: { detail: 'There are already 10 active holds of this session; the limit is 10.' },
  },
  booking_limit_reached: {
    when: 'This network address made too many bookings, or the client has too many bookings ahead or is blocked. The response does not say which.',
    whatToDo:
      'Wait for `Retry-After` seconds, or let the business book. If honest clients run into this, raise the caps.',
    seeAlso: '[Bookings from one address](rate-limits.md#bookings-from-one-address)',
    example: {
      detail:
        'No more bookings can be made this way at the moment. Try again later, or ask the business itself.',
    },
  },
  internal: {
    when: 'Holdfast has a bug.',
    whatToDo: 'Report it with the line of the log that has this `request_id`.',
    example: { detail: 'Internal error. Report it with this request ID.' },
  },
  unavailable: {
    when: 'The database does not respond or cannot accept changes, or the server is overloaded. The payment processor may also not respond, or take no deposits.',
    whatToDo: 'Retry after `Retry-After` seconds. A hold stays as it is.',
    example: { detail: 'The database is unavailable. Retry.' },
  },
}

/** Explains the `code` of an entry of `errors` in a `validation_failed`, in Markdown as above. */
export const fieldErrorTexts: Record<string, string> = {
  required: 'the field is missing',
  unknown_field: 'the API does not know the field',
  wrong_type: 'wrong JSON type, such as a number in quotes',
  invalid_format: 'not a UUID, time with an offset, time zone, email address, phone number …',
  too_short: 'too short, usually empty',
  too_long: 'too long',
  too_few: 'too few entries',
  too_many: 'too many entries',
  not_allowed: 'not one of the allowed values, or a field that excludes another',
  out_of_range: 'a number that is too small or too large, or a time that cannot be represented',
  too_many_slots: 'more slots than one answer can hold',
  other_currency: 'a price in another currency than that of another service of the visit',
  unknown_item: 'not an item of this booking',
  wrong_length:
    '`ends_at` is not after `starts_at`, a booking is longer than 24 hours, or `Idempotency-Key` does not have 1 to 255 characters',
  wrong_value: "an answer does not fit the custom field's type, or the current password is wrong",
  must_be_true: 'a required yes or consent is not given',
  text_changed: 'the text of a consent has changed since you showed it; show the new text and ask again',
  repeated:
    'a value that must be unique occurs twice: an answer to a custom field, an ID, key, date or email address',
  web_address: 'a name contains a web address (`://` or `www.`)',
  overlap: 'opening hours that overlap others of the same week or date',
  unknown_reference: 'an ID that the business or the key cannot access',
  not_valid: 'the code of a coupon that does not exist, has ended, is used up or is for other services',
  invalid_cursor: 'not the `next_cursor` of a page',
  invalid: 'anything else',
}
