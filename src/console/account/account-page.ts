import type { FastifyReply } from 'fastify'
import type { ShownLogIn } from '../../access/account.ts'
import { minPasswordLength } from '../../access/password-rules.ts'
import { toMs } from '../../base/instants.ts'
import { html, type Html } from '../../pages/page.ts'
import { type ConsoleVisit, sendConsolePage } from '../frame/console-page.ts'
import { alert, codeField, passwordField } from '../frame/gate-page.ts'
import { qrCode } from '../frame/qr-code.ts'

interface Account {
  logIns: ShownLogIn[]
  hasSecondStep: boolean
}

/** The page of a person's own account. */
export function sendAccount(
  reply: FastifyReply,
  { visit, account, message }: { visit: ConsoleVisit; account: Account; message?: string | undefined },
): FastifyReply {
  const { account: texts, gate } = visit.texts
  return sendConsolePage(reply, {
    title: texts.title,
    visit,
    body: html`<h1>${texts.title}</h1>
      ${alert(message)}
      <h2>${texts.passwordTitle}</h2>
      <form method="post" action="/console/account/password" class="fields narrow">
        ${passwordField(texts.present, { id: 'password', isNew: false })}
        ${passwordField(gate.newPassword, { id: 'next', isNew: true })}
        <p class="soft">${gate.passwordRules(minPasswordLength)}</p>
        <button type="submit">${texts.change}</button>
      </form>
      <h2>${texts.secondStepTitle}</h2>
      ${account.hasSecondStep ? endOfSecondStep(visit) : beginOfSecondStep(visit)}
      <h2>${texts.logInsTitle}</h2>
      <ul class="agenda">
        ${account.logIns.map((logIn) => shownLogIn(logIn, visit))}
      </ul>
      <form method="post" action="/console/account/end-others">
        <button type="submit">${texts.endOthers}</button>
      </form>`,
  })
}

function beginOfSecondStep({ texts: { account: texts } }: ConsoleVisit): Html {
  return html`<p>${texts.secondStepOff}</p>
    <form method="post" action="/console/account/second-step">
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
      ${texts.since(time(createdAt))} · ${texts.lastSeen(time(lastSeenAt))}
    </span>
  </li>`
}

/** The page on which an authenticator is set up. */
export function sendNewSecondStep(
  reply: FastifyReply,
  { visit, secret, address }: { visit: ConsoleVisit; secret: string; address: string },
): FastifyReply {
  const { account: texts, gate } = visit.texts
  return sendConsolePage(reply, {
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

/** The recovery codes, which are shown once. */
export function sendRecoveryCodes(
  reply: FastifyReply,
  { visit, codes }: { visit: ConsoleVisit; codes: string[] },
): FastifyReply {
  const { account: texts } = visit.texts
  return sendConsolePage(reply, {
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
