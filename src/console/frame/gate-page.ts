import type { FastifyReply } from 'fastify'
import { linkMinutes } from '../../access/person-link.ts'
import { maxPasswordLength, minPasswordLength } from '../../access/password-rules.ts'
import { html, type Html, sendPage } from '../../pages/page.ts'
import { consoleHead, consoleScript } from './console-page.ts'
import type { FormState } from '../../pages/form.ts'
import { newBusinessFields } from '../site/new-business-form.ts'
import { languageOf, textsOf } from '../../pages/console/texts.ts'
import type { ConsoleTexts } from '../../pages/console/texts/en.ts'

/* The pages before the console: to log in, and to set a password by a link. They say nothing of who has an account. */

type GateTexts = ConsoleTexts['gate']

interface GatePage {
  title: string
  body: Html
  more?: Html
}

function sendGate(reply: FastifyReply, { title, body, more = html`` }: GatePage): FastifyReply {
  const { texts, locale } = languageOf(reply.request)
  return sendPage(reply, {
    title,
    locale,
    skip: texts.frame.skip,
    main: html`<main id="main" class="text gate" tabindex="-1">${body}</main>`,
    more: html`${consoleHead} ${more}`,
    header: false,
    forms: true,
  })
}

/** The form to log in. `next` is the page of the console to go on to. */
export function sendLogIn(
  reply: FastifyReply,
  { next, email = '', message }: { next: string; email?: string; message?: string | undefined },
): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.logIn,
    body: html`<h1>${texts.logIn}</h1>
      ${alert(message)}
      <form method="post" action="/console/login" class="fields">
        <input type="hidden" name="next" value="${next}" />
        ${emailField(texts, email)}
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
      </form>
      <p><a href="/console/forgotten">${texts.forgotten}</a></p>`,
  })
}

/** The form for who has forgotten their password. */
export function sendForgotten(
  reply: FastifyReply,
  { email = '', message }: { email?: string; message?: string } = {},
): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.forgottenTitle,
    body: html`<h1>${texts.forgottenTitle}</h1>
      <p>${texts.forgottenHow(linkMinutes)}</p>
      ${alert(message)}
      <form method="post" action="/console/forgotten" class="fields">
        ${emailField(texts, email)}
        <button type="submit" class="main">${texts.mailLink}</button>
      </form>
      ${backToLogIn(texts)}`,
  })
}

/** The same whether anybody has the e-mail or not. `folder` is where mails are files. */
export function sendMailOnItsWay(reply: FastifyReply, folder: string | undefined): FastifyReply {
  const texts = textsOf(reply.request).gate
  if (folder !== undefined)
    return sendGate(reply, {
      title: texts.filed,
      body: html`<h1>${texts.filed}</h1>
        <p role="status">${texts.filedIf(folder, linkMinutes)}</p>
        ${backToLogIn(texts)}`,
    })
  return sendGate(reply, {
    title: texts.onItsWay,
    body: html`<h1>${texts.onItsWay}</h1>
      <p role="status">${texts.onItsWayIf(linkMinutes)}</p>
      <p class="soft">${texts.onItsWayElse}</p>
      ${backToLogIn(texts)}`,
  })
}

/** Where this server sends no mail. */
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

/** The form of the second step. */
export function sendCodeForm(
  reply: FastifyReply,
  { next, message }: { next: string; message?: string | undefined },
): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply, {
    title: texts.secondStep,
    body: html`<h1>${texts.secondStep}</h1>
      <p>${texts.secondStepHow}</p>
      ${alert(message)}
      <form method="post" action="/console/code" class="fields">
        <input type="hidden" name="next" value="${next}" />
        ${codeField(texts.code)}
        <button type="submit" class="main">${texts.goOn}</button>
      </form>`,
  })
}

/** For a code of an authenticator, which phones offer to fill in. */
export function codeField(label: string): Html {
  return html`<label for="code">${label}</label>
    <input id="code" name="code" autocomplete="one-time-code" required maxlength="40" />`
}

/** For a password that is set or given. */
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

/** A link to set a password: of a person, or of the first owner. */
export type LinkKind = 'link' | 'first'

interface LinkForm {
  kind: LinkKind
  /** Given back after a fault; else the script takes it from the fragment of the address. */
  token?: string
  email?: string
  name?: string
  /** Where there is no business yet: what is typed of it, and whether that is nothing. */
  business?: { state: FormState; isFresh: boolean } | undefined
  message?: string | undefined
}

/** The form to set a password. It is the same for everybody: the token is in the fragment, which no server sees. */
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
            ? html`<label for="name">${texts.name}</label>
                <input id="name" name="name" value="${name}" autocomplete="name" required maxlength="100" />
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
        <p id="rules" class="soft">${texts.passwordRules(minPasswordLength)}</p>
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

/** One page for every link that does not work, whatever the reason. */
export function sendEndedLink(reply: FastifyReply): FastifyReply {
  const texts = textsOf(reply.request).gate
  return sendGate(reply.code(404), {
    title: texts.linkEnded,
    body: html`<h1>${texts.linkEnded}</h1>
      <p>${texts.linkEndedWhy(linkMinutes)}</p>
      <p><a href="/console/forgotten">${texts.newLink}</a></p>
      ${backToLogIn(texts)}`,
  })
}

function emailField(texts: GateTexts, email: string): Html {
  return html`<label for="email">${texts.email}</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="username"
      required
      maxlength="254"
    />`
}

/** What went wrong, or was done. */
export function alert(message: string | undefined): Html {
  return message === undefined ? html`` : html`<p class="alert" role="alert">${message}</p>`
}
