import { sql } from 'kysely'
import { expect } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import type { Engine } from '../../src/database/database.ts'
import { changeRows, nextStart, type Tenant, unknownId } from './tenant-things.ts'
import { businessOf, offer, type Reply, type TestService } from './test-service.ts'

/* Requests of every kind that carry secrets and data of clients, for tests of places that must not show them. */

/** A client's own data. Each text occurs nowhere else. */
const said = {
  first_name: 'Quintessa',
  last_name: 'Zyxwvut',
  email: 'quintessa.secret@private.example',
  phone: '+49 555 0199 777',
  notes: 'Plans a surprise divorce party',
  answer: 'An embarrassing reason',
  query: 'colour-of-money',
  origin: 'https://shady-embedder.example',
  header: 'idempotent-looking-secret',
}

/** Changes that make the database refuse each booking. PostgreSQL's errors quote the written values. */
const surprises = {
  sqlite: [`create trigger surprise before insert on bookings begin select raise(abort, 'a surprise'); end`],
  postgres: [
    `create function surprise() returns trigger language plpgsql as
       $$ begin raise exception 'a surprise: %', new.client_email using detail = new.notes, hint = new.client_phone; end $$`,
    `create trigger surprise before insert on bookings for each row execute function surprise()`,
  ],
}

const calm = {
  sqlite: ['drop trigger surprise'],
  postgres: ['drop trigger surprise on bookings', 'drop function surprise'],
}

/** Requests to one business, through successes, refusals and internal errors. */
export interface SeededRequests {
  /** Sends requests of every kind that carry secrets, with successes and refusals. Also returns the used tokens. */
  provoke(): Promise<{ replies: Reply[]; tokens: string[] }>
  /** Sends conversions that fail internally in two ways. The second error quotes written values (PostgreSQL). */
  failInside(): Promise<{ replies: Reply[]; tokens: string[] }>
}

export function seededRequests(service: TestService, engine: Engine, salon: Tenant): SeededRequests {
  const client = {
    first_name: said.first_name,
    last_name: said.last_name,
    email: said.email,
    phone: said.phone,
  }

  const holdAndBook = async (token: string, more: object = {}) => {
    const consultation = salon.services.find(({ name }) => name === 'Consultation')
    const held = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer(salon, 'Consultation'), starts_at: nextStart() },
    })
    const field_id = consultation?.custom_fields[0]?.id
    return service.call('POST', '/bookings', {
      token,
      body: {
        hold_id: held.body?.hold_id ?? unknownId,
        client,
        notes: said.notes,
        custom_field_values: [{ field_id, value: said.answer }],
        ...more,
      },
    })
  }

  const provoke = async () => {
    const token = await service.session(salon)
    const refreshed = await service.session(salon, { 'x-previous-session': token })
    const key = salon.business_key
    const booked = await holdAndBook(refreshed)
    const path = `/bookings/${booked.body.id ?? unknownId}`
    const json = { 'content-type': 'application/json' }
    const seeded = { authorization: `Basic ${said.header}`, cookie: said.header, 'if-match': said.header }
    const replies = [
      booked,
      await service.call('GET', path, { token: key }),
      await service.call('PATCH', path, { token: key, body: { notes: `${said.notes}!` } }),
      await service.call('GET', `/bookings?email=${encodeURIComponent(said.email)}`, { token: key }),
      await service.call('DELETE', path, { token: service.world.hub.key }),
      await holdAndBook(refreshed, { extra: said.answer, [said.answer]: 1 }),
      await holdAndBook(refreshed, { hold_id: said.notes }),
      await holdAndBook(refreshed, { client: { ...client, email: `${said.email}@` } }),
      await service.call('GET', `/services?${said.query}=${said.query}`, { token: key }),
      await service.call('GET', `/services/${said.query}`, { token: key }),
      await service.call('GET', `/${said.query}/${said.query}`),
      await service.call('GET', `/services/%zz${said.query}`, { token: key }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: json,
        rawBody: `{"notes":"${said.notes}"`,
      }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: json,
        rawBody: said.notes.repeat(5000),
      }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: { 'content-type': said.header },
        rawBody: said.notes,
      }),
      await service.call('GET', '/services', { headers: seeded }),
      await service.call('GET', '/services', { token: `${key}x` }),
      await service.call('GET', '/services', { token: newToken('business', systemIds) }),
      await service.call('PATCH', path, { token: refreshed, body: { notes: said.notes } }),
      await service.call('GET', '/services', {
        token: businessOf(service.world, 'Lotus Clinic').business_key,
      }),
      await service.call('GET', '/services', { token }),
      await service.call('PATCH', path, {
        token: key,
        headers: { 'if-match': `"${said.header}"` },
        body: {},
      }),
      await service.call('GET', '/services', {
        token: key,
        headers: { origin: said.origin, referer: said.origin },
      }),
      await service.call('PUT', `/services/${said.query}`, { token: key, body: { notes: said.notes } }),
      await service.call('GET', '/services', { token: key, headers: { 'x-request-id': key } }),
      ...(await withKeyEverywhere(key)),
      await service.call('GET', '/services', {
        token: key,
        headers: {
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          tracestate: `vendor=${said.header}`,
          baggage: `client=${said.header}`,
          'user-agent': said.header,
        },
      }),
      await service.call('POST', '/bookings/hold', {
        token: key,
        headers: { 'idempotency-key': said.header },
        body: { ...offer(salon, 'Haircut'), starts_at: nextStart() },
      }),
    ]
    return { replies, tokens: [token, refreshed] }
  }

  /** Puts the key in every wrong place, alone and attached to other characters. */
  const withKeyEverywhere = async (key: string) => {
    const replies = []
    for (const text of [key, `x${key}`, `9${key}9`, `_${key}_`, `key:${key}/${key}`]) {
      const inPath = encodeURIComponent(text)
      replies.push(
        await service.call('GET', `/${inPath}?${inPath}=${inPath}`),
        await service.call('GET', `/services/${inPath}`, { token: text }),
        await service.call('GET', `/services?key=${inPath}`, {
          headers: { authorization: text, 'x-request-id': text, 'user-agent': text, referer: text },
        }),
        await service.call('POST', '/bookings', { token: key, body: { [text]: text, hold_id: text } }),
        await service.call('GET', '/services', { headers: { origin: text, host: text, traceparent: text } }),
      )
    }
    return replies
  }

  const failInside = async () => {
    const token = await service.session(salon)
    await changeRows(service, sql`alter table events rename to events_gone`)
    const failed = await holdAndBook(token)
    await changeRows(service, sql`alter table events_gone rename to events`)
    for (const statement of surprises[engine]) await changeRows(service, sql.raw(statement))
    const quoted = await holdAndBook(token)
    for (const statement of calm[engine]) await changeRows(service, sql.raw(statement))
    return { replies: [failed, quoted], tokens: [token] }
  }

  return { provoke, failInside }
}

/** Fails if a text contains a secret of a token or any data of a client. */
export function expectNoSecrets(service: TestService, text: string, tokens: string[]): void {
  const { world } = service
  const keys = [
    world.hub.key,
    ...world.businesses.flatMap((each) => [each.business_key, each.publishable_key]),
  ]
  for (const token of [...tokens, ...keys]) {
    for (const part of [token, token.slice(8, 40), token.slice(8, 20), token.slice(20, 40)]) {
      expect(text).not.toContain(part)
    }
  }
  for (const secret of [
    ...Object.values(said),
    encodeURIComponent(said.email),
    'Zyx',
    '555 0199',
    '5550199',
  ]) {
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
  }
}
