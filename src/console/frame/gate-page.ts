import type { FastifyReply } from 'fastify'
import { type listOwnInvitations, placeNameOf } from '../../access/invitation.ts'
import { maxPasswordLength, minPasswordLength } from '../../access/password-rules.ts'
import { passkeySiteInUse } from '../../access/passkey.ts'
import { linkMinutes } from '../../access/person-link.ts'
import { type Problem, type ProblemCode, problemKinds } from '../../base/errors.ts'
import { webOrigin } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { toMs } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { type FormState, hidden } from '../../pages/form.ts'
import { sendPage } from '../../pages/page.ts'
import { newBusinessFields } from '../site/new-business-form.ts'
import type { ConsoleTexts } from './texts.ts'
import { consoleHead, consoleScript, consoleStyles } from './console-page.ts'
import { backToForm, carriedFields, type KeptForm, typedTexts } from './kept-form.ts'
import { face } from './faces.ts'
import { businessOfGate, type GateBusiness } from './shown-business.ts'
import { languageOf, textsOf } from './texts.ts'

/*
 * The pages before the console: logging in, and setting a password with a link. They never reveal who has an
 * account.
 */

type GateTexts = ConsoleTexts['gate']
type InvitationRow = Awaited<ReturnType<typeof listOwnInvitations>>[number]

interface GatePage {
  title: string
  body: Html
  more?: Html
  business?: GateBusiness | undefined
  /** A source to which its forms may lead, next to this server. */
  leadsTo?: string
}

/** Sends a page outside the frame of the console. */
export function sendGate(
  reply: FastifyReply,
  { title, body, more = html``, business, leadsTo }: GatePage,
): FastifyReply {
  const { texts, locale } = languageOf(reply.request)
  return sendPage(reply, {
    title,
    locale,
    skip: texts.frame.skip,
    main: html`<main id="main" class="text gate" tabindex="-1">
      ${business ? gateHead(business) : html`<img class="mark-of-ours" src="/docs/icon.svg" alt="" />`}
      ${body}
    </main>`,
    more: html`${consoleHead} ${more}`,
    styles: consoleStyles,
    header: false,
    forms: leadsTo ?? true,
    imageOrigin: webOrigin(business?.brand_logo_url ?? ''),
  })
}

/** Renders the business with its logo, or its initials without one. */
function gateHead({ name, brand_name, brand_logo_url: logo }: GateBusiness): Html {
  const shown = brand_name ?? name
  return html`<p class="of-whom">
    ${logo === null ? face(shown) : html`<img src="${logo}" alt="" referrerpolicy="no-referrer" />`}
    <bdi>${shown}</bdi>
  </p>`
}

/** The script that creates passkeys and logs in with them. */
export const passkeyScript = html`<script type="module" src="/docs/console-passkey.js"></script>`

/** The next step of a log-in: a console page, or the form that it interrupted. */
interface Onward {
  next: string
  kept?: KeptForm | undefined
  message?: string | undefined
}

function onwardFields({ next, kept }: Onward): Html {
  return kept ? carriedFields(kept) : hidden({ next })
}

/** Sends the log-in form. */
export async function sendLogIn(
  context: Context,
  reply: FastifyReply,
  { email = '', ...onward }: Onward & { email?: string },
): Promise<FastifyReply> {
  const business = await businessOfGate(context, reply.request)
  const { gate: texts, kept: words } = textsOf(reply.request)
  const message = onward.message ?? (onward.kept && words.ended)
  const passkeys = await passkeySiteInUse(context)
  if (context.config.oidcOnly)
    return sendGate(reply, {
      ...{ title: texts.logIn, business },
      body: html`<h1>${texts.logIn}</h1>
        ${alert(message)} ${providerLink(context, texts, onward)}`,
    })
  return sendGate(reply, {
    ...{ title: texts.logIn, business },
    more: passkeys ? passkeyScript : html``,
    body: html`<h1>${texts.logIn}</h1>
      ${alert(message)}
      <form method="post" action="/console/login" class="fields">
        ${onwardFields(onward)} ${emailField(texts, email, passkeys ? 'username webauthn' : 'username')}
        <label for="password">${texts.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxlength="${maxPasswordLength}"
        />
        <button type="submit" class="main">${texts.logIn}</button>
        ${passkeys ? html`<button type="button" data-passkey="${passkeys.host}" hidden>${texts.passkey}</button>` : ''}
      </form>
      ${providerLink(context, texts, onward)}
      <p><a href="/console/forgotten">${texts.forgotten}</a></p>`,
  })
}

/** Renders the way to the OpenID provider, if any. It is a link, because forms lead to no other website. */
function providerLink({ config }: Context, texts: GateTexts, { next }: Onward): Html {
  if (config.oidcIssuer === '') return html``
  const address = `/console/oidc/start?${new URLSearchParams({ next }).toString()}`
  return html`<p>
    <a class="button" href="${address}">${config.oidcButton === '' ? texts.oidc : config.oidcButton}</a>
  </p>`
}

/** Sends the form for a forgotten password. */
export async function sendForgotten(
  context: Context,
  reply: FastifyReply,
  { email = '', message }: { email?: string; message?: string } = {},
): Promise<FastifyReply> {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    ...{ title: texts.forgottenTitle, business: await businessOfGate(context, reply.request) },
    body: html`<h1>${texts.forgottenTitle}</h1>
      <p>${texts.forgottenHow({ minutes: linkMinutes })}</p>
      ${alert(message)}
      <form method="post" action="/console/forgotten" class="fields">
        ${emailField(texts, email)}
        <button type="submit" class="main">${texts.mailLink}</button>
      </form>
      ${backToLogIn(texts)}`,
  })
}

/**
 * Sends the same page for known and unknown email addresses. `folder` is set if emails are written to files.
 */
export function sendMailOnItsWay(reply: FastifyReply, folder: string | undefined): FastifyReply {
  const texts = textsOf(reply.request).gate
  if (folder !== undefined)
    return sendGate(reply, {
      title: texts.filed,
      body: html`<h1>${texts.filed}</h1>
        <p role="status">${texts.filedIf({ folder, minutes: linkMinutes })}</p>
        ${backToLogIn(texts)}`,
    })
  return sendGate(reply, {
    title: texts.onItsWay,
    body: html`<h1>${texts.onItsWay}</h1>
      <p role="status">${texts.onItsWayIf({ minutes: linkMinutes })}</p>
      <p class="soft">${texts.onItsWayElse}</p>
      ${backToLogIn(texts)}`,
  })
}

/** Sends the page for a server without email. */
export function sendForgottenWithoutMail(reply: FastifyReply): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.forgottenTitle,
    body: html`<h1>${texts.forgottenTitle}</h1>
      <p>
        ${texts.forgottenAsk}
        <code>holdfast user link</code>.
      </p>
      ${backToLogIn(texts)}`,
  })
}

function backToLogIn(texts: GateTexts): Html {
  return html`<p><a href="/console">${texts.logIn}</a></p>`
}

/** Sends the form for the second step. */
export async function sendCodeForm(
  context: Context,
  reply: FastifyReply,
  onward: Onward,
): Promise<FastifyReply> {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    ...{ title: texts.secondStep, business: await businessOfGate(context, reply.request) },
    body: html`<h1>${texts.secondStep}</h1>
      <p>${texts.secondStepHow}</p>
      ${alert(onward.message)}
      <form method="post" action="/console/code" class="fields">
        ${onwardFields(onward)} ${codeField(texts.code)}
        <button type="submit" class="main">${texts.goOn}</button>
      </form>`,
  })
}

/** Renders the field for an authenticator code, which phones can fill in. */
export function codeField(label: string): Html {
  return html`<label for="code">${label}</label>
    <input id="code" name="code" autocomplete="one-time-code" required maxlength="40" />`
}

/** Renders the field for a new or existing password. */
export function passwordField(label: string, { id, isNew }: { id: string; isNew: boolean }): Html {
  return html`<label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${id}"
      type="password"
      autocomplete="${isNew ? 'new-password' : 'current-password'}"
      required
      maxlength="${maxPasswordLength}"
    />`
}

/** The kind of link to set a password: for a person, or for the first owner. */
export type LinkKind = 'link' | 'first'

interface LinkForm {
  kind: LinkKind
  /** Returned after a fault. Otherwise the script reads it from the URL's fragment. */
  token?: string
  email?: string
  name?: string
  /** If there is no business yet: the input about it, and whether there is none so far. */
  business?: { state: FormState; isFresh: boolean } | undefined
  message?: string | undefined
}

/**
 * Sends the form to set a password. It is the same for everybody, because the token is in the fragment, which
 * no server sees.
 */
export function sendLinkForm(reply: FastifyReply, { kind, token = '', ...filled }: LinkForm): FastifyReply {
  const language = languageOf(reply.request)
  const texts = language.texts.gate
  const { business } = filled
  const title = kind === 'first' ? texts.newAccount : texts.choosePassword
  const { email = '', name = '', message } = filled
  return sendGate(reply, {
    title,
    more: html`<script type="module" src="/docs/console-link.js"></script>
      ${business ? consoleScript : ''}`,
    body: html`<h1>${title}</h1>
      ${kind === 'first' ? html`<p>${texts.newOwner}</p>` : ''} ${alert(message)}
      <form method="post" action="/console/${kind}" class="fields">
        <div data-without-script>
          <label for="token">${texts.token}</label>
          <input id="token" name="token" value="${token}" autocomplete="off" required maxlength="100" />
        </div>
        ${
          kind === 'first'
            ? html`<label for="owner_name">${texts.name}</label>
                <input
                  id="owner_name"
                  name="owner_name"
                  value="${name}"
                  autocomplete="name"
                  required
                  maxlength="100"
                />
                ${emailField(texts, email)}`
            : ''
        }
        <label for="password">${texts.newPassword}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          aria-describedby="rules"
          required
          minlength="${minPasswordLength}"
          maxlength="${maxPasswordLength}"
        />
        <p id="rules" class="soft">${texts.passwordRules({ least: minPasswordLength })}</p>
        ${kind === 'link' ? html`<p class="soft">${texts.passkeysEnd}</p>` : ''}
        ${
          business
            ? html`<h2>${language.texts.start.steps.business}</h2>
                ${newBusinessFields(language, business.state, business)}`
            : ''
        }
        <button type="submit" class="main">
          ${kind === 'first' ? texts.createAccount : texts.setPassword}
        </button>
      </form>`,
  })
}

/** Sends the same page for every invalid link, whatever the reason. */
export function sendEndedLink(reply: FastifyReply): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply.code(404), {
    title: texts.linkEnded,
    body: html`<h1>${texts.linkEnded}</h1>
      <p>${texts.linkEndedWhy({ minutes: linkMinutes })}</p>
      <p><a href="/console/forgotten">${texts.newLink}</a></p>
      ${backToLogIn(texts)}`,
  })
}

interface ShownInvitations {
  email: string
  isProved: boolean
  invitations: InvitationRow[]
  /** True if the person can use the console. */
  mayAct: boolean
  message?: string | undefined
}

/** Sends the page with a person's invitations. */
export function sendInvitations(
  reply: FastifyReply,
  { email, isProved, invitations, mayAct, message }: ShownInvitations,
): FastifyReply {
  const { texts, locale } = languageOf(reply.request)
  const { gate, roles, frame } = texts
  const date = (one: InvitationRow) => {
    const timeZone = one.timezone ?? 'UTC'
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(toMs(one.expires_at))
  }
  const form = (id: string, verb: 'accept' | 'decline', isMain: boolean) =>
    html`<form method="post" action="/console/invitations/${id}/${verb}">
      <button type="submit" ${isMain ? html`class="main"` : ''}>${gate[verb]}</button>
    </form>`
  return sendGate(reply, {
    title: gate.invitations,
    body: html`<h1>${gate.invitations}</h1>
      ${alert(message)}
      ${invitations.length === 0 ? html`<p>${isProved ? gate.noInvitations({ email }) : gate.notProved({ email })}</p>` : ''}
      ${isProved ? '' : html`<p><a class="button" href="/console/account">${frame.account}</a></p>`}
      <ul class="rows">
        ${invitations.map(
          (one) =>
            html`<li>
              <strong><bdi>${placeNameOf(one)}</bdi></strong>
              <span class="soft">
                ${one.hub_id === null ? '' : `${gate.allBusinesses} · `}${roles[one.role]}${
                  one.staff_name === null ? '' : html` · <bdi>${one.staff_name}</bdi>`
                }${one.inviter_name === null ? '' : html` · ${gate.invitedBy} <bdi>${one.inviter_name}</bdi>`}
                · ${gate.until({ date: date(one) })}
              </span>
              <div class="actions">${form(one.id, 'accept', true)} ${form(one.id, 'decline', false)}</div>
            </li>`,
        )}
      </ul>
      ${mayAct ? html`<p><a href="/console">${gate.toConsole}</a></p>` : ''} ${logOutForm({ frame })}`,
  })
}

/** Renders the button to log out. */
export function logOutForm({ frame }: Pick<ConsoleTexts, 'frame'>): Html {
  return html`<form method="post" action="/console/logout">
    <button type="submit">${frame.logOut}</button>
  </form>`
}

/**
 * Sends the form to confirm an email address. It is the same for everybody, because the token is in the
 * fragment, which no server sees.
 */
export function sendEmailForm(
  reply: FastifyReply,
  { token = '', message }: { token?: string; message?: string },
): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.confirmEmail,
    more: html`<script type="module" src="/docs/console-link.js"></script>`,
    body: html`<h1>${texts.confirmEmail}</h1>
      <p>${texts.confirmEmailHow}</p>
      ${alert(message)}
      <form method="post" action="/console/email" class="fields">
        <div data-without-script>
          <label for="token">${texts.token}</label>
          <input id="token" name="token" value="${token}" autocomplete="off" required maxlength="100" />
        </div>
        <button type="submit" class="main">${texts.confirmEmail}</button>
      </form>
      ${backToLogIn(texts)}`,
  })
}

/** Sends the page after an email address was confirmed. */
export function sendEmailConfirmed(reply: FastifyReply): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.emailConfirmed,
    body: html`<h1>${texts.emailConfirmed}</h1>
      <p role="status">${texts.emailConfirmedHow}</p>
      <p><a class="button" href="/console/invitations">${texts.invitations}</a></p>
      <p><a href="/console">${texts.toConsole}</a></p>`,
  })
}

function emailField(texts: GateTexts, email: string, autocomplete = 'username'): Html {
  return html`<label for="email">${texts.email}</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="${autocomplete}"
      required
      maxlength="254"
    />`
}

/** Renders an error or confirmation. */
export function alert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="alert" role="alert">${message}</p>`
}

/** Sends a problem for people, with the submitted form if it can be sent again. */
export function sendConsoleProblem(
  reply: FastifyReply,
  problem: Problem,
  form: KeptForm | undefined,
): FastifyReply {
  const texts = textsOf(reply.request)
  const { kept: words } = texts
  const { status } = problemKinds[problem.code]
  const { title, text } = words[kindOf(problem.code, status)]
  const mayBeSaved = form !== undefined && status >= 500
  return sendGate(reply, {
    title,
    body: html`<h1>${title}</h1>
      <p role="alert">${text} ${mayBeSaved ? words.unsure : ''}</p>
      ${form ? html`${backToForm(form, words.back)} ${typedTexts(texts, form.fields)}` : ''}
      ${status >= 500 ? html`<p class="soft">${words.number({ id: reply.request.id })}</p>` : ''}
      <p><a href="/console">${words.toConsole}</a></p>
      ${reply.request.person ? logOutForm(texts) : ''}`,
  })
}

function kindOf(code: ProblemCode, status: number) {
  if (code === 'origin_not_allowed') return 'foreign'
  if (status === 404 || status === 405) return 'nothing'
  if (status === 429) return 'often'
  if (status === 503) return 'later'
  return status >= 500 ? 'failed' : 'invalid'
}
