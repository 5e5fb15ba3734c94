import { Type } from 'typebox'
import { needsEnterprise } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import { compileCreation } from '../../base/validation.ts'
import { listAll, mostPerPage } from '../../base/paging.ts'
import type { Context } from '../../bookings/context.ts'
import { choice, faultSummary, filledForm, type FormState, hidden, tick } from '../../pages/form.ts'
import { listDeliveries, retryByHand, sendSample } from '../../webhooks/delivery.ts'
import { listEvents } from '../../webhooks/event.ts'
import {
  bookingEventTypes,
  type EventType,
  eventTypes,
  usualEventTypes,
} from '../../webhooks/event-payload.ts'
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  presentWebhook,
  removeWebhook,
  rotateSecret,
  showWebhook,
} from '../../webhooks/webhook.ts'
import { ChangeWebhook, CreateWebhook } from '../../webhooks/webhook-schemas.ts'
import { businessOf, doneNotice, pathOf } from '../frame/console-page.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { byDay, nextPage } from '../frame/lists.ts'
import { type BusinessVisit, checkedForm, type ConsoleRoute, type ShownPage } from '../frame/console-route.ts'
import { clientName, clockText, momentOf } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'
import {
  type Codec,
  fieldsOf,
  fillRows,
  ids,
  optional,
  readRows,
  type Rows,
  text,
} from '../frame/form-rows.ts'
import type { ConsoleLanguage, ConsoleTexts } from '../frame/texts.ts'
import { asksOnce, backLink, developersPath, secretPage } from './developers-page.ts'

const path = `${developersPath}/webhooks`
/** The ID in the address of a page for a new webhook. */
const newId = 'new'
const stripLength = 20
/** Maximum number of pages searched in a hub for its own webhooks and those of this business. */
const maxPages = 10

type Webhook = ReturnType<typeof presentWebhook>
type Delivery = Awaited<ReturnType<typeof listDeliveries>>['data'][number]

/** Returns the description of an event, such as `booking.created`. */
function eventText({ events }: ConsoleTexts['developers'], type: EventType): string {
  return textFor(events, type.replace(/^booking\./, '').replace('.', '_')) ?? type
}

/** Returns the pages about webhooks and events. */
export function webhookPages(context: Context): ConsoleRoute[] {
  return [webhookPage(context), ...webhookForms(context), eventPage(context)]
}

function hasWebhooks({ person }: BusinessVisit): boolean {
  return person.plan === 'enterprise'
}

/** Throws plan_required, like the API. */
function assertHasWebhooks(visit: BusinessVisit): void {
  if (!hasWebhooks(visit)) throw needsEnterprise(visit.texts.developers.needsEnterprise)
}

/** Renders the webhooks of a business and its hub, each with its last deliveries. */
export async function webhookList(context: Context, visit: BusinessVisit): Promise<Html> {
  const t = visit.texts.developers
  if (!hasWebhooks(visit))
    return html`<h2>${t.webhooks}</h2>
      <p>${t.needsEnterprise}</p>`
  const webhooks = await webhooksOf(context, visit)
  const strips = await Promise.all(
    webhooks.map(({ id }) => listDeliveries(context, visit.person, { id, query: { limit: stripLength } })),
  )
  const row = (webhook: Webhook, deliveries: Delivery[]) =>
    html`<li class="key">
      <span class="row-what">
        <a href="${pathOf(`${path}/${webhook.id}`, visit)}"><bdi>${webhook.url}</bdi></a>
        <span class="soft">${webhook.events.map((event) => eventText(t, event)).join(', ')}</span>
      </span>
      ${webhook.status === 'active' ? '' : html`<span class="state">${t.disabled}</span>`}
      ${strip(visit, deliveries)}
    </li>`
  return html`<div class="head">
      <h2>${t.webhooks}</h2>
      <a class="button" href="${pathOf(`${path}/${newId}`, visit)}">${t.addWebhook}</a>
    </div>
    ${
      webhooks.length === 0
        ? html`<p>${t.noWebhooks}</p>`
        : html`<ul class="rows">
            ${webhooks.map((webhook, at) => row(webhook, strips[at]?.data ?? []))}
          </ul>`
    }
    <p><a href="${pathOf(`${developersPath}/events`, visit)}">${t.eventLog}</a></p>`
}

async function webhooksOf(context: Context, { person, business }: BusinessVisit): Promise<Webhook[]> {
  const all = await listAll((page) => listWebhooks(context, person, page), { pages: maxPages })
  return all.filter(({ business_id: id }) => id === null || id === business.id)
}

const marks = { succeeded: '✓', failed: '✗', pending: '…' } as const

/** Renders the latest deliveries, oldest first, with a sign and a text each. */
function strip(visit: BusinessVisit, deliveries: Delivery[]): Html {
  const t = visit.texts.developers
  if (deliveries.length === 0) return html`<span class="soft">${t.nothingSent}</span>`
  const arrived = deliveries.filter(({ status }) => status === 'succeeded').length
  return html`<span class="strip">
    <span aria-hidden="true"
      >${deliveries
        .toReversed()
        .map(({ status }) => html`<span class="mark is-${status}">${marks[status]}</span>`)}</span
    >
    <span class="soft">${t.arrived({ some: arrived, all: deliveries.length })}</span>
  </span>`
}

/** Finds a webhook of this business or its hub. Throws not_found. */
async function findWebhook(context: Context, visit: BusinessVisit, id: string): Promise<Webhook> {
  const webhook = presentWebhook(await showWebhook(context, visit.person, id))
  if (webhook.business_id === null || webhook.business_id === visit.business.id) return webhook
  throw new Problem('not_found', 'There is no webhook with this id.')
}

function webhookPage(context: Context): ConsoleRoute {
  const pageFor = async (
    visit: BusinessVisit,
    id: string,
    more: {
      state?: FormState
      done?: string | undefined
      open?: string | undefined
      cursor?: string | undefined
    },
  ) => {
    assertHasWebhooks(visit)
    if (id === newId)
      return newPage(
        visit,
        more.state ?? filledForm(fillRows(webhookRows(visit), { events: usualEventTypes })),
      )
    const webhook = await findWebhook(context, visit, id)
    return oldPage(context, visit, { webhook, ...more })
  }
  return {
    path: `${path}/:id`,
    name: 'WebhookPage',
    summary: 'A webhook of a business, and its deliveries',
    role: 'owner',
    show: (visit, { id, query }) => {
      if (!hasWebhooks(visit)) return Promise.resolve(withoutPlan(visit))
      return pageFor(visit, id, { done: query['done'], open: query['open'], cursor: query['cursor'] })
    },
    form: {
      rows: webhookRows,
      act: async (visit, typed, { id }, once) => {
        assertHasWebhooks(visit)
        const { person, business } = visit
        if (id !== newId) {
          await findWebhook(context, visit, id)
          const change = checkedForm(ChangeWebhook, readRows(webhookRows(visit), typed))
          await changeWebhook(context, person, { id, change })
          return { path: `${path}/${id}`, query: { done: 'saved' } }
        }
        const { status: _, ...given } = readRows(webhookRows(visit), typed)
        const input = checkedForm(CreateWebhook, { ...given, business_id: business.id }, compileCreation)
        let secret: string | undefined
        const next = await once(
          async (store) => {
            ;({ secret } = await createWebhook(context, person, input, store))
          },
          () => ({ path: developersPath, query: { done: 'webhookMade' } }),
        )
        return secret === undefined
          ? next
          : { page: secretPage(visit, visit.texts.developers.secretOf, secret) }
      },
      again: (visit, state, { id }) =>
        hasWebhooks(visit) ? pageFor(visit, id, { state }) : Promise.resolve(withoutPlan(visit)),
    },
  }
}

function withoutPlan(visit: BusinessVisit): ShownPage {
  const t = visit.texts.developers
  return {
    title: t.webhooks,
    section: 'developers',
    body: html`${backLink(visit)}
      <h1>${t.webhooks}</h1>
      <p>${t.needsEnterprise}</p>`,
  }
}

function webhookRows({ texts: { developers: t } }: ConsoleLanguage): Rows<Webhook> {
  const offered = eventTypes.map((id) => ({ id, name: html`${eventText(t, id)} <code>${id}</code>` }))
  return [
    ['url', text({ type: 'url', required: true, max: 2_048 }), t.url, t.urlHint],
    ['events', ids(offered), t.eventsLabel],
    ['description', optional({ max: 200 }), t.description],
    ['status', activity, t.isActive, t.isActiveHint],
  ]
}

const activity: Codec = {
  read: (typed, name) => (typed[name] === 'on' ? 'active' : 'disabled'),
  show: (value, name) => (value === 'active' ? { [name]: 'on' } : {}),
  input: (state, { name, label, hint = '' }) =>
    html`${tick(state, name, label)}
      <p class="soft">${hint}</p>`,
}

function newPage(visit: BusinessVisit, state: FormState): ShownPage {
  const { developers: t, setUp } = visit.texts
  return {
    title: t.newWebhook,
    section: 'developers',
    body: html`${backLink(visit)}
      <h1>${t.newWebhook}</h1>
      ${faultSummary(state, setUp)}
      <form method="post" action="${pathOf(`${path}/${newId}`, visit)}" class="fields wide-fields">
        ${hidden({ once: visit.once })} ${fieldsOf(webhookRows(visit), state)('url', 'events', 'description')}
        <div class="actions"><button type="submit" class="main">${t.makeWebhook}</button></div>
      </form>`,
  }
}

async function oldPage(
  context: Context,
  visit: BusinessVisit,
  {
    webhook,
    state = typedWebhook(visit, webhook),
    done,
    open,
    cursor,
  }: {
    webhook: Webhook
    state?: FormState
    done?: string | undefined
    open?: string | undefined
    cursor?: string | undefined
  },
): Promise<ShownPage> {
  const { developers: t, setUp } = visit.texts
  const query = { limit: 50, cursor }
  const { data, next_cursor: next } = await listDeliveries(context, visit.person, { id: webhook.id, query })
  const opened = data.find(({ id }) => id === open)
  const formPath = (name: string) => pathOf(`${path}/${webhook.id}/${name}`, visit)
  return {
    title: webhook.url,
    section: 'developers',
    body: html`${backLink(visit)}
      <h1><bdi>${webhook.url}</bdi></h1>
      ${doneNotice(visit.texts.developers.done, done)}
      ${webhook.business_id === null ? html`<p class="alert">${t.ofHub}</p>` : ''}
      ${faultSummary(state, setUp)}
      ${opened ? await openedDelivery(context, visit, { webhook, delivery: opened, cursor }) : ''}
      <div class="head">
        <h2>${t.deliveries}</h2>
        <form method="post" action="${formPath('test')}">
          ${hidden({ once: visit.once })}<button type="submit">${t.test}</button>
        </form>
      </div>
      ${data.length === 0 ? html`<p>${t.noDeliveries}</p>` : deliveryRows(visit, { webhook, deliveries: data, cursor })}
      ${nextPage(visit, `${path}/${webhook.id}`, next)}
      <h2>${t.settings}</h2>
      <form method="post" action="${pathOf(`${path}/${webhook.id}`, visit)}" class="fields wide-fields">
        ${fieldsOf(webhookRows(visit), state)()}
        <div class="actions"><button type="submit" class="main">${setUp.save}</button></div>
      </form>
      ${asksOnce(t.rotate, { action: formPath('rotate'), why: t.rotateWhy, button: t.rotateNow })}
      ${asksOnce(t.remove, { action: formPath('remove'), why: t.removeWhy, button: t.removeNow })}`,
  }
}

function typedWebhook(visit: BusinessVisit, webhook: Webhook): FormState {
  return filledForm(fillRows(webhookRows(visit), webhook))
}

interface DeliveryOf {
  webhook: Webhook
  cursor: string | undefined
}

function deliveryRows(
  visit: BusinessVisit,
  { webhook, deliveries, cursor }: DeliveryOf & { deliveries: Delivery[] },
): Html {
  const t = visit.texts.developers
  return html`<ul class="rows">
    ${deliveries.map(({ id, status, event, created_at, attempts }) => {
      const address = pathOf(`${path}/${webhook.id}`, visit, {
        open: id,
        ...(cursor !== undefined && { cursor }),
      })
      return html`<li>
        <span class="mark is-${status}" aria-hidden="true">${marks[status]}</span>
        <a href="${address}">${momentOf(created_at, visit)}</a>
        <span>${eventText(t, event)}</span>
        <span class="soft">${t.states[status]}, ${t.tries({ count: attempts.length })}</span>
      </li>`
    })}
  </ul>`
}

/** Renders a delivery with its attempts, request and response. */
async function openedDelivery(
  context: Context,
  visit: BusinessVisit,
  { webhook, delivery, cursor }: DeliveryOf & { delivery: Delivery },
): Promise<Html> {
  const t = visit.texts.developers
  const payload = await payloadOf(context, visit, delivery)
  const attempt = ({ number, at, duration_ms, response_status, error }: Delivery['attempts'][number]) =>
    html`<li>
      <span class="mark is-${error === null ? 'succeeded' : 'failed'}" aria-hidden="true"
        >${error === null ? '✓' : '✗'}</span
      >
      <span>${t.attempt({ number, when: momentOf(at, visit) })}</span>
      <span>${response_status === null ? t.noAnswer : t.answer({ status: response_status })}</span>
      <span class="soft"
        >${t.took({ milliseconds: duration_ms })}${error === null ? '' : html` · ${t.errors[error]}`}</span
      >
    </li>`
  return html`<section class="card" aria-label="${t.delivery}">
    <h2>${eventText(t, delivery.event)}: ${t.states[delivery.status]}</h2>
    <p class="soft"><code>webhook-id: ${delivery.event_id}</code></p>
    ${
      delivery.attempts.length === 0
        ? html`<p>${t.notTried}</p>`
        : html`<ul class="rows">
            ${delivery.attempts.map(attempt)}
          </ul>`
    }
    ${delivery.next_attempt_at === null ? '' : html`<p>${t.nextTry({ when: momentOf(delivery.next_attempt_at, visit) })}</p>`}
    <h3>${t.sent}</h3>
    ${payload === undefined ? html`<p>${t.sampleSent}</p>` : html`<pre tabindex="0">${JSON.stringify(payload, null, 2)}</pre>`}
    <form method="post" action="${pathOf(`${path}/${webhook.id}/retry`, visit)}">
      ${hidden({ once: visit.once, delivery: delivery.id, cursor })}
      <button type="submit">${t.retry}</button>
    </form>
  </section>`
}

/** Returns the body that was sent. Undefined for a sample, and after its retention period. */
async function payloadOf(
  context: Context,
  { person }: BusinessVisit,
  { booking_id, event, event_id }: Delivery,
) {
  const type = bookingEventTypes.find((one) => one === event)
  if (!type) return undefined
  const query = { booking_id, type: [type], limit: mostPerPage }
  const { data } = await listEvents(context, person, query)
  return data.find(({ id }) => id === event_id)?.payload
}

/** Returns the forms of a webhook other than its settings. */
function webhookForms(context: Context): ConsoleRoute[] {
  const form = (
    name: string,
    { summary, ...rest }: { summary: string; act: NonNullable<ConsoleRoute['form']>['act'] },
  ): ConsoleRoute => ({
    path: `${path}/:id/${name}`,
    name: `Webhook${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary,
    role: 'owner',
    form: {
      act: async (visit, typed, address, once) => {
        assertHasWebhooks(visit)
        await findWebhook(context, visit, address.id)
        return rest.act(visit, typed, address, once)
      },
      again: async (visit, { faults }, { id }) => {
        if (!hasWebhooks(visit)) return withoutPlan(visit)
        const webhook = await findWebhook(context, visit, id)
        return oldPage(context, visit, { webhook, state: { ...typedWebhook(visit, webhook), faults } })
      },
    },
  })
  return [
    form('test', {
      summary: 'Send a sample to a webhook of a business',
      act: ({ person }, _typed, { id }, once) =>
        once(
          (store) => sendSample(context, person, id, store),
          ({ id: open }) => ({ path: `${path}/${id}`, query: { done: 'tested', open } }),
        ),
    }),
    form('retry', {
      summary: 'Send a delivery to a webhook again',
      act: ({ person }, { delivery: deliveryId = '', cursor }, { id }, once) => {
        const query = { done: 'retried', open: deliveryId, ...(cursor !== undefined && { cursor }) }
        return once(
          (store) => retryByHand(context, person, { id, deliveryId }, store),
          () => ({ path: `${path}/${id}`, query }),
        )
      },
    }),
    form('rotate', {
      summary: 'Give a webhook a new secret',
      act: async (visit, _typed, { id }) => {
        const { secret } = await rotateSecret(context, visit.person, id)
        return { page: secretPage(visit, visit.texts.developers.secretOf, secret) }
      },
    }),
    form('remove', {
      summary: 'Remove a webhook of a business',
      act: async ({ person }, _typed, { id }) => {
        await removeWebhook(context, person, id)
        return { path: developersPath, query: { done: 'removed' } }
      },
    }),
  ]
}

function eventPage(context: Context): ConsoleRoute {
  return {
    path: `${developersPath}/events`,
    name: 'EventsPage',
    summary: 'The events of a business',
    role: 'owner',
    query: { type: Type.Optional(Type.String({ maxLength: 500 })) },
    show: async (visit, { query }) => {
      if (!hasWebhooks(visit)) return withoutPlan(visit)
      const { developers: t, bookings } = visit.texts
      const type = bookingEventTypes.find((one) => one === query['type'])
      const { cursor } = query
      const { data, next_cursor: next } = await listEvents(context, visit.person, {
        ...{ business_id: visit.business.id, limit: 50, cursor, order: 'newest' },
        ...(type && { type: [type] }),
      })
      const options = [
        ['', t.anyEvent] as const,
        ...bookingEventTypes.map((one) => [one, eventText(t, one)] as const),
      ]
      return {
        title: t.eventLog,
        section: 'developers',
        body: html`${backLink(visit)}
          <h1>${t.eventLog}</h1>
          <p>${t.eventLogWhat}</p>
          <form method="get" action="${developersPath}/events" class="filters" data-apply>
            ${hidden({ business: businessOf(visit) })}
            ${choice(filledForm({ type: type ?? '' }), { name: 'type', label: t.event, options })}
            <button type="submit">${bookings.show}</button>
          </form>
          ${
            data.length === 0
              ? emptyState('search', t.noEvents)
              : byDay(data, {
                  ...{ now: context.clock.now(), locale: visit.locale },
                  at: ({ occurred_at }) => [readInstant(occurred_at), visit.business.timezone],
                }).map(
                  ({ heading, items }) =>
                    html`<h2>${heading}</h2>
                      <ul class="rows of-changes of-events">
                        ${items.map((event) => html`<li>${eventRow(visit, event)}</li>`)}
                      </ul>`,
                )
          }
          ${nextPage(visit, `${developersPath}/events`, next, { ...(type && { type }) })}`,
      }
    },
  }
}

type ListedEvent = Awaited<ReturnType<typeof listEvents>>['data'][number]

/** Renders an event: time, client, services and kind, with a link to its booking, and the body that webhooks get. */
function eventRow(visit: BusinessVisit, { id, type, booking_id, occurred_at, payload }: ListedEvent): Html {
  const { developers: t } = visit.texts
  const { client, items } = payload.data
  const name = clientName(client, visit)
  const services = items.map((item) => item.name)
  const setting = { timezone: visit.business.timezone, locale: visit.locale }
  return html`<a class="row" href="${pathOf(`/console/bookings/${booking_id}`, visit)}">
      <time class="row-time" datetime="${occurred_at}">${clockText(readInstant(occurred_at), setting)}</time>
      <span class="row-who">${face(name)} <bdi>${name}</bdi></span>
      <bdi class="row-service">${services.join(' + ')}</bdi>
      <span class="end soft">${eventText(t, type)}</span>
    </a>
    <details class="asks">
      <summary>${t.body}</summary>
      <p class="soft"><code>webhook-id: ${id}</code></p>
      <pre tabindex="0">${JSON.stringify(payload, null, 2)}</pre>
    </details>`
}
