import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { html, type Html } from '../../base/html.ts'
import { formatInstant, type Instant, isDate } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import {
  changeBusinessAndLocations,
  changeBusinessInScope,
  presentBusiness,
  showBusinessInScope,
} from '../../catalogue/business.ts'
import { type Business, ChangeBusiness } from '../../catalogue/business-schemas.ts'
import { effectivePlan } from '../../access/actor.ts'
import { segmentsThisMonth } from '../../mails/text-report.ts'
import { textKinds } from '../../catalogue/mail-settings-rules.ts'
import { maxTermsLength } from '../../catalogue/business-rules.ts'
import { locationKind } from '../../catalogue/catalogue-kinds.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import { faultSummary, filledForm, type FormState, numberOf, tick, typedPhone } from '../../pages/form.ts'
import { listItems } from '../frame/lists.ts'
import { type ConsoleVisit, doneNotice, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import {
  areWrong,
  fieldsOf,
  inColumns,
  fillRows,
  ids,
  lines,
  number,
  optional,
  readRows,
  type Rows,
  text,
  time,
} from '../frame/form-rows.ts'
import { appointmentsOf } from '../team/holiday-notice.ts'
import { zone } from '../team/people-form.ts'
import { zoneNames } from '../team/zone-names.ts'
import { mailLanguage } from './new-business-form.ts'

/** Registers the settings of a business: name, emails, and the retention of clients. */
export function settingsRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [settingsPage(context)])
}

const path = '/console/settings'

function settingsPage(context: Context): ConsoleRoute {
  return {
    path,
    name: 'SettingsPage',
    summary: 'Settings of a business',
    role: 'owner',
    query: movedQuery,
    show: async (visit, { query }) => {
      const business = await showBusinessInScope(context, visit.person, visit.business.id)
      const filled = fillRows(settingsRows(visit), presentBusiness(business))
      const state = filledForm({ ...filled, zoneToo: 'on' })
      return shown(context, visit, { state, query })
    },
    form: {
      rows: settingsRows,
      act: async (visit, typed) => {
        const { person, business } = visit
        const change = checkedForm(ChangeBusiness, readRows(settingsRows(visit), typed))
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

/** Parameters for the notice after a change of the time zone. */
const movedQuery = {
  ahead: Type.Optional(
    Type.String({ maxLength: 4, description: 'How many appointments have a new time of day.' }),
  ),
  date: Type.Optional(Type.String({ maxLength: 10, description: 'Of the first of them.' })),
}

/** Returns the locations of a business: those in its time zone, and the others. */
async function locationsOf(context: Context, { person, business: { id, timezone } }: BusinessVisit) {
  const locations = await listItems(context, person, { kind: locationKind, businessId: id })
  return Object.groupBy(locations, (one) => (one.timezone === timezone ? 'inZone' : 'others'))
}

/** Returns the starts of upcoming bookings at these locations, whose time of day has changed. */
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

/** Maximum number to count. */
const maxAhead = 100
/** Bounds the queries of a business with thousands of locations. */
const maxRead = 500

function settingsRows({ texts, locale, hasTexts }: ConsoleVisit): Rows<Business> {
  const { settings: words, services, locations, start, booking } = texts
  const between = /[\s,;]+/
  const phone = { type: 'tel', max: 32, spell: typedPhone } as const
  return [
    ['name', text({ required: true, max: 200 }), words.name],
    ['timezone', zone({ locale }), locations.zone, words.zoneHint({ kept: locations.zoneHint })],
    ['phone', optional(phone), words.phone, words.phoneHint],
    ['locale', mailLanguage(locale), start.language, start.languageHint],
    ['reply_to_email', optional({ type: 'email', max: 254 }), words.reply, words.replyHint],
    ['notify_emails', lines({ between, rows: 2, max: 1_500 }), words.notify, words.notifyHint],
    ['reminder_hours', lines({ between, each: numberOf, max: 60 }), words.reminders, words.remindersHint],
    ['quiet_hours.from', time(), words.quietFrom],
    ['quiet_hours.to', time(), words.quietTo],
    ...(hasTexts
      ? [['text_kinds', ids(textKinds.map((id) => ({ id, name: booking.mails[id] }))), words.texts] as const]
      : []),
    ['max_bookings_per_client', number(), words.perClient, words.perClientHint],
    ['max_gap_minutes', number({ unit: services.minutes, usual: 0 }), words.gap, words.gapHint],
    [
      'offer_minutes',
      number({ unit: services.minutes, usual: 60 }),
      words.offerMinutes,
      words.offerMinutesHint,
    ],
    ['retention_days', number({ unit: words.days }), words.retention, words.retentionHint],
    ['trusted_networks', lines({ rows: 2, max: 800 }), words.networks, words.networksHint],
    ['imprint_url', optional({ type: 'url', max: 2_048 }), words.imprint, words.imprintHint],
    ['privacy_url', optional({ type: 'url', max: 2_048 }), words.privacy],
    ['terms', optional({ rows: 6, max: maxTermsLength }), words.terms, words.termsHint],
    ['terms_language', mailLanguage(locale), words.termsLanguage],
  ]
}

/** Returns the text messages that a business has used and may use this month. Undefined if the server sends none. */
async function textsOf(context: Context, { business: { id }, person, locale, hasTexts }: BusinessVisit) {
  if (!hasTexts) return undefined
  const { plan, hub_plan } = await showBusinessInScope(context, person, id)
  const number = new Intl.NumberFormat(locale)
  return {
    used: number.format(await segmentsThisMonth(context, id)),
    allowed: number.format(context.config.smsPerMonth[effectivePlan(plan, hub_plan)]),
  }
}

async function shown(
  context: Context,
  visit: BusinessVisit,
  { state, query = {} }: { state: FormState; query?: Record<string, string | undefined> },
): Promise<ShownPage> {
  const { settings: words, setUp } = visit.texts
  return {
    title: words.title,
    section: 'settings',
    body: html`<h1>${words.title}</h1>
      ${doneNotice({ saved: setUp.done.saved }, query['done'])} ${movedNotice(visit, query)}
      ${faultSummary(state, setUp)}
      <form method="post" class="fields wide-fields">
        ${settingsFields(visit, state, {
          ...(await locationsOf(context, visit)),
          texts: await textsOf(context, visit),
        })}
        <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
      </form>`,
  }
}

/** Renders the notice after a change of the time zone, with the upcoming bookings that keep their instant. */
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

/** Renders a section with a line about it. */
function card(title: string, about: string, content: Html): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    <p class="soft">${about}</p>
    ${content}
  </section>`
}

/** Settings that few owners need. */
const rare = ['max_gap_minutes', 'offer_minutes', 'trusted_networks'] as const

function settingsFields(
  visit: BusinessVisit,
  state: FormState,
  {
    inZone = [],
    others = [],
    texts,
  }: { inZone?: Location[]; others?: Location[]; texts: Awaited<ReturnType<typeof textsOf>> },
): Html {
  const { settings: words } = visit.texts
  const at = fieldsOf(settingsRows(visit), state)
  const left = html`${card(
    words.business,
    words.businessHint,
    html`${at('name', 'timezone')}
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
                  (${zoneNames(visit.locale)(timezone)})`,
            )}
          </p>`
    }
    ${at('phone')}`,
  )}
  ${card(
    visit.texts.mails.title,
    words.messagesHint,
    html`${at('locale', 'reply_to_email', 'notify_emails', 'reminder_hours')}
      <div class="beside">${at('quiet_hours.from', 'quiet_hours.to')}</div>
      <p class="soft">${words.quietHint}</p>
      ${
        texts
          ? html`${at('text_kinds')}
              <p class="soft">${words.textsHint(texts)}</p>`
          : ''
      }`,
  )}`
  const right = html`${card(
    words.clients,
    words.clientsHint,
    html`<div class="beside">${at('max_bookings_per_client', 'retention_days')}</div>
      <details ${areWrong(state, rare) ? html`open` : ''}>
        <summary>${visit.texts.frame.menu}</summary>
        ${at(...rare)}
      </details>`,
  )}
  ${card(words.legal, words.legalHint, at('imprint_url', 'privacy_url', 'terms', 'terms_language'))}`
  return inColumns(left, right)
}
