import type { FastifyReply } from 'fastify'
import type { ShownAccount, ShownLogIn } from '../../access/account.ts'
import { minPasswordLength } from '../../access/password-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { toMs } from '../../base/instants.ts'
import type { Notifications } from '../../push/device.ts'
import { type ConsoleVisit, sendConsolePage } from '../frame/console-page.ts'
import { alert, codeField, passwordField } from '../frame/gate-page.ts'
import { qrCode } from '../frame/qr-code.ts'
import { consoleLanguages } from '../frame/texts.ts'
import { notificationsPart } from './notifications-part.ts'

/** Input of the forms without secrets. */
export interface TypedAccount {
  name?: string
  email?: string
}

/** Sends the page of a person's own account. */
export function sendAccount(
  reply: FastifyReply,
  {
    visit,
    account,
    notifications,
    message,
    typed = {},
  }: {
    visit: ConsoleVisit
    account: ShownAccount
    notifications: Notifications
    message?: string | undefined
    /** Input from before the session expired. */
    typed?: TypedAccount
  },
): FastifyReply {
  const { account: texts, gate } = visit.texts
  const parts = [
    {
      ...{ id: 'who', title: texts.whoTitle },
      body: html`${ownName(visit, typed.name ?? account.name)} ${ownEmail(visit, account, typed.email ?? '')}
        <p><a href="/console/invitations">${gate.invitations}</a></p>`,
    },
    { id: 'languages', title: texts.languageTitle, body: ownLanguage(visit) },
    {
      ...{ id: 'notifications', title: visit.texts.notifications.title },
      body: notificationsPart(visit, notifications),
    },
    { id: 'passwords', title: texts.passwordTitle, body: ownPassword(visit) },
    {
      ...{ id: 'second-step', title: texts.secondStepTitle },
      body: account.hasSecondStep ? endOfSecondStep(visit) : beginOfSecondStep(visit),
    },
    {
      ...{ id: 'log-ins', title: texts.logInsTitle },
      body: html`<ul class="agenda">
          ${account.logIns.map((logIn) => shownLogIn(logIn, visit))}
        </ul>
        <form method="post" action="/console/account/end-others">
          <button type="submit">${texts.endOthers}</button>
        </form>`,
    },
  ]
  return sendConsolePage(reply, {
    areFormsNamed: false,
    title: texts.title,
    visit,
    body: html`<h1>${texts.title}</h1>
      ${alert(message)}
      <nav class="anchors" aria-label="${texts.title}">
        ${parts.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}
      </nav>
      ${parts.map(
        ({ id, title, body }) =>
          html`<section class="card narrow" aria-labelledby="${id}">
            <h2 id="${id}">${title}</h2>
            ${body}
          </section>`,
      )}`,
  })
}

function ownName({ texts: { account: texts, setUp } }: ConsoleVisit, name: string): Html {
  return html`<form method="post" action="/console/account/name" class="fields narrow">
    <label for="name">${texts.name}</label>
    <input id="name" name="name" value="${name}" autocomplete="name" dir="auto" required maxlength="100" />
    <button type="submit">${setUp.save}</button>
  </form>`
}

function ownPassword({ texts: { account: texts, gate } }: ConsoleVisit): Html {
  return html`<form method="post" action="/console/account/password" class="fields narrow">
    ${passwordField(texts.present, { id: 'password', isNew: false })}
    ${passwordField(gate.newPassword, { id: 'next', isNew: true })}
    <p class="soft">${gate.passwordRules({ least: minPasswordLength })}</p>
    <button type="submit">${texts.change}</button>
  </form>`
}

/** Renders the languages by their own names. */
function ownLanguage({ texts: { account: texts, setUp }, locale }: ConsoleVisit): Html {
  const present = new Intl.Locale(locale).language
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

/** Returns a name such as "Français". */
function ownNameOf(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return `${name.charAt(0).toLocaleUpperCase(language)}${name.slice(1)}`
}

/** Renders the email address, its confirmation state and, if this server sends email, a form to change it. */
function ownEmail(
  { texts: { account: texts }, mails }: ConsoleVisit,
  { email, isProved, newEmail }: ShownAccount,
  typedEmail: string,
): Html {
  const state = isProved ? texts.emailProved : texts.emailNotProved
  const shown = html`<p><bdi>${email}</bdi> <span class="soft">${state}</span></p>
    ${newEmail === null ? '' : html`<p class="soft">${texts.emailAwaited({ email: newEmail })}</p>`}`
  if (mails === 'off')
    return html`${shown}
      <p class="soft">${texts.emailWithoutMail}</p>`
  return html`${shown}
    ${
      isProved
        ? ''
        : html`<form method="post" action="/console/account/prove">
            <p class="soft">${texts.proveWhy}</p>
            <button type="submit">${texts.prove}</button>
          </form>`
    }
    <form method="post" action="/console/account/email" class="fields narrow">
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
      <button type="submit">${texts.changeEmail}</button>
    </form>`
}

function beginOfSecondStep({ texts: { account: texts } }: ConsoleVisit): Html {
  return html`<p>${texts.secondStepOff}</p>
    <form method="post" action="/console/account/second-step" class="fields narrow">
      ${passwordField(texts.present, { id: 'password-to-begin', isNew: false })}
      <button type="submit">${texts.begin}</button>
    </form>`
}

function endOfSecondStep({ texts: { account: texts } }: ConsoleVisit): Html {
  return html`<p>${texts.secondStepOn}</p>
    <form method="post" action="/console/account/second-step/codes" class="fields narrow">
      <p class="soft">${texts.newCodesHow}</p>
      ${passwordField(texts.present, { id: 'password-for-codes', isNew: false })}
      <button type="submit">${texts.newCodes}</button>
    </form>
    <form method="post" action="/console/account/second-step/end" class="fields narrow">
      ${passwordField(texts.present, { id: 'password-to-end', isNew: false })}
      <button type="submit">${texts.end}</button>
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
