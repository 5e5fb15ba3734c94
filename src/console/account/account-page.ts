import type { FastifyReply } from 'fastify'
import type { ShownAccount, ShownLogIn } from '../../access/account.ts'
import { minPasswordLength } from '../../access/password-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { toMs } from '../../base/instants.ts'
import type { Notifications } from '../../push/device.ts'
import { type ConsoleVisit, sendConsolePage } from '../frame/console-page.ts'
import { alert, codeField, passwordField } from '../frame/gate-page.ts'
import { qrCode } from '../frame/qr-code.ts'
import { consoleLanguages, textsIn } from '../frame/texts.ts'
import { notificationsPart } from './notifications-part.ts'
import type { ShownGrant } from '../../access/program-grant.ts'
import { programList } from '../frame/program-list.ts'
import { passkeyParts, type ShownPasskeys } from './passkeys-page.ts'

/** Input of the forms without secrets. */
export interface TypedAccount {
  name?: string
  email?: string
}

/** A change that needs the current password. Each is folded, and at most one is open. */
export type Guarded = 'email' | 'password' | 'passkey' | 'second-step' | 'codes' | 'end'

/** Sends the page of a person's own account. */
export function sendAccount(
  reply: FastifyReply,
  {
    visit,
    account,
    notifications,
    passkeys,
    programs,
    hasPasswords,
    message,
    typed = {},
    open = typed.email === undefined ? undefined : 'email',
  }: {
    visit: ConsoleVisit
    account: ShownAccount
    notifications: Notifications
    passkeys: ShownPasskeys
    programs: ShownGrant[]
    /** False if people log in with the OpenID provider only. */
    hasPasswords: boolean
    message?: string | undefined
    /** Input from before the session expired. */
    typed?: TypedAccount
    /** The refused change, which stays open. */
    open?: Guarded | undefined
  },
): FastifyReply {
  const { account: texts, gate } = visit.texts
  const folded = (change: Guarded, summary: string, form: Html) =>
    html`<details class="opens" name="change" ${change === open ? html`open` : ''}>
      <summary class="button">${summary}</summary>
      ${form}
    </details>`
  const security = [
    {
      ...{ id: 'who', title: texts.whoTitle },
      body: html`${ownName(visit, typed.name ?? account.name)} ${ownEmail(visit, account)}
        ${visit.mails === 'off' ? '' : folded('email', texts.changeEmail, emailForm(visit, typed.email ?? ''))}
        <p><a href="/console/invitations">${gate.invitations}</a></p>`,
    },
    {
      ...{ id: 'passwords', title: texts.passwordTitle },
      body: folded('password', texts.change, passwordForm(visit)),
    },
    ...passkeyParts(visit, passkeys, (summary, form) => folded('passkey', summary, form)),
    {
      ...{ id: 'second-step', title: texts.secondStepTitle },
      body: account.hasSecondStep
        ? html`<p>${texts.secondStepOn}</p>
            ${folded('codes', texts.newCodes, codesForm(visit))} ${folded('end', texts.end, endForm(visit))}`
        : html`<p>${texts.secondStepOff}</p>
            ${folded('second-step', texts.begin, beginForm(visit))}`,
    },
    {
      ...{ id: 'log-ins', title: texts.logInsTitle },
      body: shownLogIns(visit, account),
    },
    ...programParts(visit, programs),
  ]
  return sendConsolePage(reply, {
    areFormsNamed: false,
    title: texts.title,
    visit,
    body: html`<h1>${texts.title}</h1>
      ${reply.statusCode === 200 ? notice(message) : alert(message)}
      <div class="columns">
        ${[security.filter(({ id }) => hasPasswords || id !== 'passwords'), otherParts(visit, notifications)].map((parts) => html`<div>${parts.map(shownPart)}</div>`)}
      </div>`,
  })
}

function notice(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="notice" role="status">${message}</p>`
}

function otherParts(visit: ConsoleVisit, notifications: Notifications) {
  const { account, notifications: texts } = visit.texts
  return [
    { id: 'notifications', title: texts.title, body: notificationsPart(visit, notifications) },
    { id: 'languages', title: account.languageTitle, body: ownLanguage(visit) },
  ]
}

/** Renders the programs that act for the person, if there are any. */
function programParts(visit: ConsoleVisit, programs: ShownGrant[]) {
  const { title, what } = visit.texts.programs
  if (programs.length === 0) return []
  const row = ({ business }: ShownGrant) => business
  const address = (id: string) => `/console/account/programs/${id}/remove`
  const body = html`<p class="soft">${what}</p>
    ${programList(visit, programs, { whose: row, address })}`
  return [{ id: 'programs', title, body }]
}

function shownPart({ id, title, body }: { id: string; title: string; body: Html }): Html {
  return html`<section class="card narrow" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${body}
  </section>`
}

function ownName({ texts: { account: texts, setUp } }: ConsoleVisit, name: string): Html {
  return html`<form method="post" action="/console/account/name" class="fields narrow">
    <label for="name">${texts.name}</label>
    <input id="name" name="name" value="${name}" autocomplete="name" dir="auto" required maxlength="100" />
    <button type="submit">${setUp.save}</button>
  </form>`
}

function passwordForm({ texts: { account: texts, gate } }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/password" class="fields narrow">
    ${passwordField(texts.present, { id: 'password', isNew: false })}
    ${passwordField(gate.newPassword, { id: 'next', isNew: true })}
    <p class="soft">${gate.passwordRules({ least: minPasswordLength })}</p>
    <button type="submit" class="main">${texts.change}</button>
  </form>`
}

/** Renders the languages by their own names. */
function ownLanguage({ texts: { account: texts, setUp }, language: present, locale }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/language" class="fields narrow">
    <label for="language">${texts.language}</label>
    <select id="language" name="language">
      ${consoleLanguages
        .map((language) => [language, ownNameOf(language)] as const)
        .toSorted(([, one], [, other]) => new Intl.Collator(locale).compare(one, other))
        .map(
          ([language, name]) =>
            html`<option value="${language}" lang="${language}" ${language === present ? html`selected` : ''}>
              ${name}
            </option>`,
        )}
    </select>
    <button type="submit">${setUp.save}</button>
  </form>`
}

/** Returns a name such as "Français", or of a variant "Deutsch (Kund:innen)". */
function ownNameOf(tag: string): string {
  const { language } = new Intl.Locale(tag)
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  const capital = `${name.charAt(0).toLocaleUpperCase(language)}${name.slice(1)}`
  return tag === language ? capital : `${capital} (${textsIn(tag).frame.clients})`
}

/** Renders the email address, and a form to confirm it if this server sends email. */
function ownEmail({ texts: { account: texts }, mails }: ConsoleVisit, account: ShownAccount): Html {
  const { email, isProved, newEmail } = account
  const state = isProved ? texts.emailProved : texts.emailNotProved
  const shown = html`<p><bdi>${email}</bdi> <span class="soft">${state}</span></p>
    ${newEmail === null ? '' : html`<p class="soft">${texts.emailAwaited({ email: newEmail })}</p>`}`
  if (mails === 'off')
    return html`${shown}
      <p class="soft">${texts.emailWithoutMail}</p>`
  if (isProved) return shown
  return html`${shown}
    <form method="post" action="/console/account/prove">
      <p class="soft">${texts.proveWhy}</p>
      <button type="submit">${texts.prove}</button>
    </form>`
}

function emailForm({ texts: { account: texts } }: ConsoleVisit, typedEmail: string): Html {
  return html`<form method="post" action="/console/account/email" class="fields narrow">
    <label for="email">${texts.newEmail}</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${typedEmail}"
      autocomplete="email"
      required
      maxlength="254"
    />
    ${passwordField(texts.present, { id: 'password-for-email', isNew: false })}
    <p class="soft">${texts.newEmailHow}</p>
    <button type="submit" class="main">${texts.changeEmail}</button>
  </form>`
}

function beginForm({ texts: { account: texts, gate } }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/second-step" class="fields narrow">
    ${passwordField(texts.present, { id: 'password-to-begin', isNew: false })}
    <button type="submit" class="main">${gate.goOn}</button>
  </form>`
}

function codesForm({ texts: { account: texts } }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/second-step/codes" class="fields narrow">
    <p class="soft">${texts.newCodesHow}</p>
    ${passwordField(texts.present, { id: 'password-for-codes', isNew: false })}
    <button type="submit" class="main">${texts.newCodes}</button>
  </form>`
}

function endForm({ texts: { account: texts } }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/second-step/end" class="fields narrow">
    ${passwordField(texts.present, { id: 'password-to-end', isNew: false })}
    <button type="submit" class="danger">${texts.end}</button>
  </form>`
}

function shownLogIns(visit: ConsoleVisit, { logIns }: ShownAccount): Html {
  return html`<ul class="agenda">
      ${logIns.map((logIn) => shownLogIn(logIn, visit))}
    </ul>
    <form method="post" action="/console/account/end-others">
      <button type="submit">${visit.texts.account.endOthers}</button>
    </form>`
}

function shownLogIn({ device, address, createdAt, lastSeenAt, isPresent }: ShownLogIn, visit: ConsoleVisit) {
  const { account: texts } = visit.texts
  const timeZone = visit.business?.timezone ?? 'UTC'
  const format = new Intl.DateTimeFormat(visit.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const time = (instant: ShownLogIn['createdAt']) => format.format(toMs(instant))
  return html`<li class="log-in">
    <strong>${device}</strong>
    <span class="soft">
      ${isPresent ? `${texts.presentOne} · ` : ''}${address === null ? '' : html`<bdi>${address}</bdi> · `}
      ${texts.since({ date: time(createdAt) })} · ${texts.lastSeen({ date: time(lastSeenAt) })}
    </span>
  </li>`
}

/** Sends the page for setting up an authenticator. */
export function sendNewSecondStep(
  reply: FastifyReply,
  { visit, secret, address }: { visit: ConsoleVisit; secret: string; address: string },
): FastifyReply {
  const { account: texts, gate } = visit.texts
  return sendConsolePage(reply, {
    areFormsNamed: false,
    title: texts.secondStepTitle,
    visit,
    body: html`<h1>${texts.secondStepTitle}</h1>
      <p>${texts.secretHow}</p>
      ${qrCode(address, texts.qrCode)}
      <p class="code"><code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
      <p><a href="${address}">${texts.openAuthenticator}</a></p>
      <form method="post" action="/console/account/second-step/confirm" class="fields narrow">
        ${codeField(gate.code)}
        <button type="submit" class="main">${texts.confirm}</button>
      </form>`,
  })
}

/** Sends the recovery codes, which are not shown again. */
export function sendRecoveryCodes(
  reply: FastifyReply,
  { visit, codes }: { visit: ConsoleVisit; codes: string[] },
): FastifyReply {
  const { account: texts } = visit.texts
  return sendConsolePage(reply, {
    areFormsNamed: false,
    title: texts.codesTitle,
    visit,
    body: html`<h1>${texts.codesTitle}</h1>
      <p>${texts.codesHow}</p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <p><a href="/console/account">${texts.back}</a></p>`,
  })
}
