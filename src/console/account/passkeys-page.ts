import type { FastifyReply } from 'fastify'
import {
  maxPasskeys,
  type newPasskeyOptions,
  type PasskeySite,
  type ShownPasskey,
} from '../../access/passkey.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import { type ConsoleVisit, sendConsolePage } from '../frame/console-page.ts'
import { alert, passkeyScript, passwordField } from '../frame/gate-page.ts'

const path = '/console/account/passkeys'

/** The passkeys of a person, and the site where they can add one. */
export interface ShownPasskeys {
  site: PasskeySite | undefined
  all: ShownPasskey[]
}

/** Renders the passkeys of a person, if the server can have some. `folded` renders the form of a change that needs the password. */
export function passkeyParts(
  visit: ConsoleVisit,
  { site, all }: ShownPasskeys,
  folded: (summary: string, form: Html) => Html,
) {
  const { account, gate } = visit.texts
  const { passkeys: texts } = account
  if (!site && all.length === 0) return []
  const beginForm = html`<form method="post" action="${path}/new" class="fields narrow">
    ${passwordField(account.present, { id: 'password-for-passkey', isNew: false })}
    <button type="submit" class="main">${gate.goOn}</button>
  </form>`
  const body = html`<p class="soft">${texts.what}</p>
    ${
      all.length === 0
        ? ''
        : html`<ul class="agenda">
            ${all.map((one) => shownPasskey(visit, one))}
          </ul>`
    }
    ${site && all.length < maxPasskeys ? folded(texts.add, beginForm) : ''}`
  return [{ id: 'passkeys', title: texts.title, body }]
}

function shownPasskey(
  visit: ConsoleVisit,
  { id, name, createdAt, lastUsedAt, otherHost }: ShownPasskey,
): Html {
  const { account, notifications, setUp } = visit.texts
  const { passkeys: texts } = account
  const format = new Intl.DateTimeFormat(visit.locale, {
    dateStyle: 'medium',
    timeZone: visit.business?.timezone ?? 'UTC',
  })
  const date = (instant: Instant) => ({ date: format.format(toMs(instant)) })
  return html`<li class="log-in">
    <strong><bdi>${name}</bdi></strong>
    <span class="soft">
      ${otherHost === null ? '' : html`${texts.otherHost({ host: otherHost })} · `}
      ${account.since(date(createdAt))} ·
      ${lastUsedAt === null ? texts.never : account.lastSeen(date(lastUsedAt))}
    </span>
    <details class="opens" name="change">
      <summary class="button" aria-label="${texts.changeOf({ name })}">${texts.change}</summary>
      <form method="post" action="${path}/${id}" class="fields narrow">
        ${nameField(account.name, { id: `name-${id}`, name })}
        <button type="submit">${setUp.save}</button>
      </form>
      <form method="post" action="${path}/${id}/remove">
        <button type="submit" class="danger" aria-label="${notifications.removeOf({ device: name })}">
          ${notifications.remove}
        </button>
      </form>
    </details>
  </li>`
}

function nameField(label: string, { id, name }: { id: string; name: string }): Html {
  return html`<label for="${id}">${label}</label>
    <input id="${id}" name="name" value="${name}" autocomplete="off" dir="auto" required maxlength="100" />`
}

/** Sends the page on which a browser creates a passkey. It needs a script. */
export function sendNewPasskey(
  reply: FastifyReply,
  {
    visit,
    site,
    options,
    name,
    message,
  }: {
    visit: ConsoleVisit
    site: PasskeySite
    options: Awaited<ReturnType<typeof newPasskeyOptions>>
    name: string
    message?: string
  },
): FastifyReply {
  const { account, notifications } = visit.texts
  const { passkeys: texts } = account
  const says = { impossible: texts.impossible, failed: texts.failed, known: texts.known }
  return sendConsolePage(reply, {
    areFormsNamed: false,
    title: texts.add,
    visit,
    more: passkeyScript,
    body: html`<h1>${texts.add}</h1>
      ${alert(message)}
      <noscript><p class="notice">${notifications.withoutScript}</p></noscript>
      <p class="notice" data-says="elsewhere" role="status" hidden>
        ${texts.elsewhere({ address: site.origin })}
      </p>
      ${Object.entries(says).map(
        ([id, text]) => html`<p class="notice" data-says="${id}" role="status" hidden>${text}</p>`,
      )}
      <p>${texts.how}</p>
      <form
        method="post"
        action="${path}"
        class="fields narrow"
        data-new-passkey="${JSON.stringify(options)}"
        data-host="${site.host}"
      >
        <input type="hidden" name="credential" />
        ${nameField(account.name, { id: 'name', name })}
        <button type="submit" class="main">${texts.create}</button>
      </form>
      <p><a href="/console/account">${account.back}</a></p>`,
  })
}
