import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { countMail } from '../../access/sent-mails.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { formatInstant, type Instant, isDate } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import {
  changeBusinessAndLocations,
  changeBusinessInScope,
  showBusinessInScope,
} from '../../catalogue/business.ts'
import { networksIn } from '../../catalogue/business-rules.ts'
import { ChangeBusiness } from '../../catalogue/business-schemas.ts'
import { locationKind } from '../../catalogue/catalogue.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import { localeNamed, mailSettings, usualLocale } from '../../catalogue/mail-settings-rules.ts'
import type { MailKind } from '../../database/tables.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import { mailRoute } from '../../mails/outbox.ts'
import { sampleKinds, sampleMail } from '../../mails/sample.ts'
import { mailFolder, MailSender } from '../../mails/send.ts'
import {
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  linesOf,
  numberOf,
  tick,
  type Typed,
  typedPhone,
} from '../../pages/form.ts'
import { listItems } from '../frame/lists.ts'
import { doneNotice, findVisit, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
  tags,
} from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { appointmentsOf } from '../team/holiday-notice.ts'
import { zoneField, zoneName } from '../team/people-form.ts'
import { languageField } from './new-business-form.ts'

/** Settings of a business: its name, its mails, and how long it keeps clients. */
export function settingsRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    consoleRoutes(app, context, [settingsPage(context), testMail(context, limiter)])
    mailPreview(app, context)
  }
}

const path = '/console/settings'

type Business = Awaited<ReturnType<typeof showBusinessInScope>>

function settingsPage(context: Context): ConsoleRoute {
  return {
    path,
    name: 'SettingsPage',
    summary: 'Settings of a business',
    role: 'owner',
    query: movedQuery,
    show: async (visit, { query }) => {
      const business = await showBusinessInScope(context, visit.person, visit.business.id)
      const state = filledForm({ ...typedSettings(business), zoneToo: 'on' })
      return shown(context, visit, { state, query })
    },
    form: {
      fieldOf,
      act: async (visit, typed) => {
        const { person, business } = visit
        const change = checkedForm(ChangeBusiness, settingsOf(typed))
        const wanted = { id: business.id, change }
        if (typed['zoneToo'] !== 'on') {
          await changeBusinessInScope(context, person, wanted)
          return { path, query: { done: 'saved' } }
        }
        const moved = await changeBusinessAndLocations(context, person, wanted)
        const ahead = await appointmentsAhead(context, visit, moved)
        return { path, query: { done: 'saved', ...aheadQuery(ahead, change.timezone) } }
      },
      again: (visit, state) => shown(context, visit, { state }),
    },
  }
}

/** What the page is told of a time zone that was just changed. */
const movedQuery = {
  ahead: Type.Optional(
    Type.String({ maxLength: 4, description: 'How many appointments have a new time of day.' }),
  ),
  date: Type.Optional(Type.String({ maxLength: 10, description: 'Of the first of them.' })),
}

/** Locations of a business: those in its time zone, and the others. */
async function locationsOf(context: Context, { person, business: { id, timezone } }: BusinessVisit) {
  const locations = await listItems(context, person, { kind: locationKind, businessId: id })
  return Object.groupBy(locations, (one) => (one.timezone === timezone ? 'inZone' : 'others'))
}

/** The starts of the bookings ahead at these locations, whose time of day has changed. */
async function appointmentsAhead(
  context: Context,
  visit: BusinessVisit,
  locationIds: readonly string[],
): Promise<Instant[]> {
  const starts: Instant[] = []
  for (const id of locationIds.slice(0, maxRead)) {
    const { kept } = await appointmentsOf(context, visit, { location_id: id, from: context.clock.now() })
    starts.push(...kept.map(({ starts_at }) => starts_at))
  }
  return starts.toSorted()
}

function aheadQuery(starts: readonly Instant[], timezone = 'UTC'): { ahead?: string; date?: string } {
  const [first] = starts
  if (first === undefined) return {}
  return {
    ahead: String(Math.min(starts.length, maxAhead)),
    date: formatInstant(first, timezone).slice(0, 10),
  }
}

/** More are not counted. */
const maxAhead = 100
/** Bounds the queries of a business with thousands of locations. */
const maxRead = 500

function typedSettings(business: Business): Typed {
  const { name, timezone, phone, retention_days, max_bookings_per_client, trusted_networks_json } = business
  const { locale, reply_to_email, notify_emails, reminder_hours, quiet_hours } = mailSettings(business)
  return {
    ...{
      name,
      timezone,
      phone: phone ?? '',
      locale: localeNamed(locale) ?? usualLocale, // older ones may have extensions
      reply: reply_to_email ?? '',
      notify: notify_emails.join('\n'),
    },
    reminders: reminder_hours.join(', '),
    ...{ quietFrom: quiet_hours?.from ?? '', quietTo: quiet_hours?.to ?? '' },
    retention: retention_days === null ? '' : String(retention_days),
    perClient: max_bookings_per_client === null ? '' : String(max_bookings_per_client),
    networks: networksIn(trusted_networks_json).join('\n'),
  }
}

/** What the API takes. */
function settingsOf(typed: Typed): Record<string, unknown> {
  const { name, timezone, locale, reply = '', quietFrom = '', quietTo = '', reminders = '' } = typed
  const hours = reminders.split(/[\s,;]+/).filter((hour) => hour !== '')
  return {
    ...{ name, timezone, locale },
    ...('phone' in typed && { phone: typedPhone(typed['phone']) || null }),
    reply_to_email: reply || null,
    notify_emails: (typed['notify'] ?? '').split(/[\s,;]+/).filter((email) => email !== ''),
    reminder_hours: hours.map((hour) => numberOf(hour)),
    quiet_hours: quietFrom === '' && quietTo === '' ? null : { from: quietFrom, to: quietTo },
    retention_days: numberOf(typed['retention']),
    max_bookings_per_client: numberOf(typed['perClient']),
    trusted_networks: linesOf(typed['networks']),
  }
}

const fields: Record<string, string> = {
  reply_to_email: 'reply',
  notify_emails: 'notify',
  reminder_hours: 'reminders',
  quiet_hours: 'quietFrom',
  retention_days: 'retention',
  max_bookings_per_client: 'perClient',
  trusted_networks: 'networks',
}

function fieldOf(pointer: string): string {
  const [, member = ''] = pointer.split('/')
  return fields[member] ?? member
}

async function shown(
  context: Context,
  visit: BusinessVisit,
  { state, query = {} }: { state: FormState; query?: Record<string, string | undefined> },
): Promise<ShownPage> {
  const { settings: words, setUp } = visit.texts
  const folder = mailFolder(context.config)
  const sent = folder === undefined ? words.sent : words.filed({ folder })
  const notes: Record<string, string> = { saved: setUp.done.saved, sent, notSent: words.notSent }
  return {
    title: words.title,
    section: 'settings',
    body: html`<h1>${words.title}</h1>
      ${doneNotice(notes, query['done'])} ${movedNotice(visit, query)} ${faultSummary(state, setUp)}
      <form method="post" class="fields wide-fields">
        ${businessFields(visit, state, await locationsOf(context, visit))} ${mailFields(visit, state)}
        ${clientFields(visit, state)}
        <div class="actions"><button type="submit" class="main">${setUp.save}</button></div>
      </form>
      ${mailPart(context, visit)}`,
  }
}

/** After a change of the time zone: the appointments ahead, which keep their moment. */
function movedNotice(
  visit: BusinessVisit,
  { ahead = '', date = '' }: Record<string, string | undefined>,
): Html {
  if (!/^[1-9]\d*$/.test(ahead) || !isDate(date)) return html``
  const { settings: words } = visit.texts
  return html`<p class="alert" role="status">
    ${words.moved({ count: Number(ahead), isMore: Number(ahead) >= maxAhead })}
    <a href="${pathOf('/console', visit, { date })}">${words.seeMoved}</a>
  </p>`
}

function businessFields(
  visit: BusinessVisit,
  state: FormState,
  { inZone = [], others = [] }: { inZone?: Location[]; others?: Location[] },
): Html {
  const { settings: words } = visit.texts
  return html`<h2>${words.business}</h2>
    ${field(state, { name: 'name', label: words.name, required: true, max: 200 })}
    ${zoneField(visit, state, { hint: words.zoneHint({ kept: visit.texts.locations.zoneHint }) })}
    ${inZone.length === 0 ? '' : tick(state, 'zoneToo', words.zoneToo({ names: inZone.map(({ name }) => name).join(', ') }))}
    ${
      others.length === 0
        ? ''
        : html`<p class="soft">
            ${words.otherZones}
            ${others.map(
              ({ id, name, timezone }, index) =>
                html`${index === 0 ? '' : ', '}<a href="${pathOf(`/console/locations/${id}`, visit)}"
                    ><bdi>${name}</bdi></a
                  >
                  (${zoneName(timezone)})`,
            )}
          </p>`
    }
    ${field(state, { name: 'phone', label: words.phone, hint: words.phoneHint, type: 'tel', max: 32 })}`
}

function mailFields(visit: BusinessVisit, state: FormState): Html {
  const { settings: words } = visit.texts
  return html`<h2>${words.mails}</h2>
    ${languageField(visit, state, 'locale')}
    ${field(state, { name: 'reply', label: words.reply, hint: words.replyHint, type: 'email', max: 254 })}
    ${field(state, { name: 'notify', label: words.notify, hint: words.notifyHint, rows: 2, max: 1_500 })}
    ${field(state, { name: 'reminders', label: words.reminders, hint: words.remindersHint, max: 60 })}
    <div class="beside">
      ${field(state, { name: 'quietFrom', label: words.quietFrom, type: 'time' })}
      ${field(state, { name: 'quietTo', label: words.quietTo, type: 'time' })}
    </div>
    <p class="soft">${words.quietHint}</p>`
}

function clientFields(visit: BusinessVisit, state: FormState): Html {
  const { settings: words } = visit.texts
  const number = (name: string, label: string, hint: string, unit?: string) =>
    field(state, { name, label, hint, type: 'number', ...(unit !== undefined && { unit }) })
  return html`<h2>${words.clients}</h2>
    <div class="beside">
      ${number('perClient', words.perClient, words.perClientHint)}
      ${number('retention', words.retention, words.retentionHint, words.days)}
    </div>
    ${field(state, { name: 'networks', label: words.networks, hint: words.networksHint, rows: 2, max: 800 })}`
}

/** Each mail to look at, and one to try. */
function mailPart(context: Context, visit: BusinessVisit): Html {
  const { settings: words, booking } = visit.texts
  const names: Partial<Record<MailKind, string>> = booking.mails
  return html`<h2>${words.previews}</h2>
    <p class="soft">${words.previewsHint}</p>
    <ul class="rows">
      ${sampleKinds.map(
        (kind) =>
          html`<li>
            <a href="${pathOf('/console/settings/mail', visit, { kind })}">${names[kind] ?? kind}</a>
          </li>`,
      )}
    </ul>
    ${
      mailRoute(context.config) === 'off'
        ? html`<p class="soft">${words.mailsOff}</p>`
        : html`<form method="post" action="${pathOf('/console/settings/test-mail', visit)}">
            ${hidden({ to: 'me' })}
            <button type="submit">${words.test({ email: visit.person.email })}</button>
          </form>`
    }`
}

/** A mail with made-up data, as clients of this business would get it. */
function sampleOf(context: Context, business: Business, { kind, to }: { kind: MailKind; to: string }) {
  const { name, timezone, brand_color: color, phone } = business
  const { locale, reply_to_email: replyTo } = mailSettings(business)
  const sample = { kind, locale, to, now: context.clock.now() }
  return sampleMail(context.config, { ...sample, business: { name, color, phone, replyTo, timezone } })
}

function testMail(context: Context, limiter: RateLimiter): ConsoleRoute {
  return {
    path: '/console/settings/test-mail',
    name: 'TestMail',
    summary: 'Send a mail with made-up data to oneself',
    role: 'owner',
    form: {
      refusals: { rate_limited: 429 },
      words: ({ setUp, users }) => ({
        ...setUp,
        problem: (code, detail) =>
          code === 'rate_limited' ? users.tooManyMails({ minutes: 60 }) : setUp.problem(code, detail),
      }),
      act: async ({ person, business: { id } }) => {
        if (mailRoute(context.config) === 'off') throw new Problem('not_found', 'No mail is sent here.')
        await countMail(context, limiter, { person, email: person.email })
        const mail = sampleOf(context, await showBusinessInScope(context, person, id), {
          kind: 'confirmed',
          to: person.email,
        })
        const sender = new MailSender(context.config)
        // each of its own: mail programs drop what they have
        const { outcome } = await sender.send({ ...mail, id: context.ids.next() })
        sender.close()
        return { path, query: { done: outcome === 'sent' ? 'sent' : 'notSent' } }
      },
      again: (visit, state) => shown(context, visit, { state }),
    },
  }
}

/** The mail itself, without scripts, forms or anything from elsewhere but pictures. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'none'; sandbox"

function mailPreview(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/settings/mail',
    {
      schema: {
        operationId: 'showMailPreview',
        tags,
        summary: 'A mail with made-up data, for owners',
        description: 'As clients of the business get it. Its links lead nowhere.',
        querystring: StrictObject({
          kind: Type.Optional(Type.Enum([...sampleKinds])),
          business: Type.Optional(Type.String({ maxLength: 40 })),
        }),
        response: { 200: Media('text/html', 'The mail.'), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(reply, { next: path })
      if (!visit.business || visit.person.role !== personRoles.at(-1))
        throw new Problem('not_found', 'There is no such mail.')
      const business = await showBusinessInScope(context, visit.person, visit.business.id)
      const { content } = sampleOf(context, business, {
        kind: request.query.kind ?? 'confirmed',
        to: visit.person.email,
      })
      return reply
        .headers({
          'content-security-policy': mailPolicy,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        })
        .type('text/html; charset=utf-8')
        .send(content.html)
    },
  )
}
