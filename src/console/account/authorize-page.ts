import type { FastifyReply } from 'fastify'
import { redirectHost, redirectSource } from '../../access/program-rules.ts'
import { html, type Html } from '../../base/html.ts'
import type { ProgramScope } from '../../database/tables.ts'
import { hidden } from '../../pages/form.ts'
import { alert, logOutForm, sendGate } from '../frame/gate-page.ts'
import { textsOf } from '../frame/texts.ts'

/** The path of the page on which a person allows a program. */
export const authorizePath = '/console/authorize'

/** A business that the person may enter, and the membership that lets them. */
export interface EnteredBusiness {
  placeId: string
  businessId: string
  name: string
  isPresent: boolean
}

interface ShownRequest {
  /** The name that the program chose. */
  program: string
  redirectUri: string
  /** Offered rights, from the lowest. */
  scopes: readonly ProgramScope[]
  /** The query of the request, which the form sends again. */
  query: string
  email: string
  businesses: EnteredBusiness[]
  /** The input of a refused form. */
  chosen?: { business: string; scope: string }
  message?: string
}

/** Sends the page that asks a person to allow a program. */
export function sendConsent(reply: FastifyReply, shown: ShownRequest): FastifyReply {
  const texts = textsOf(reply.request)
  const { consent } = texts
  const { program, redirectUri, query, email, message } = shown
  const title = consent.wants({ program })
  return sendGate(reply, {
    title: consent.title,
    leadsTo: redirectSource(redirectUri),
    body: html`<h1 dir="auto">${title}</h1>
      <p class="alert">${consent.ownName}</p>
      <p>${consent.leads({ host: redirectHost(redirectUri) })}</p>
      ${alert(message)}
      <form method="post" action="${authorizePath}" class="fields">
        ${hidden({ request: query })} ${businessField(consent.business, shown)} ${scopeField(consent, shown)}
        <p class="soft">${consent.limits}</p>
        <div class="actions">
          <button type="submit" name="decision" value="allow" class="main">${consent.allow}</button>
          <button type="submit" name="decision" value="deny" formnovalidate>${consent.deny}</button>
        </div>
      </form>
      <p class="soft">${consent.who({ email })}</p>
      ${logOutForm(texts)}`,
  })
}

function businessField(label: string, { businesses, chosen }: ShownRequest): Html {
  const isChosen = ({ businessId, isPresent }: EnteredBusiness) =>
    chosen ? businessId === chosen.business : isPresent
  const [first] = businesses
  if (first && businesses.length === 1)
    return html`<p>
      ${label}: <strong><bdi>${first.name}</bdi></strong>
      <input type="hidden" name="business" value="${first.businessId}" />
    </p>`
  return html`<div>
    <label for="business">${label}</label>
    <select id="business" name="business">
      ${businesses.map(
        (one) =>
          html`<option value="${one.businessId}" ${isChosen(one) ? html`selected` : ''} dir="auto">
            ${one.name}
          </option>`,
      )}
    </select>
  </div>`
}

/** Renders the offered rights. Nothing is chosen in advance, because most programs ask for everything. */
function scopeField(consent: ReturnType<typeof textsOf>['consent'], { scopes, chosen }: ShownRequest): Html {
  const isChosen = (scope: ProgramScope) => scopes.length === 1 || scope === chosen?.scope
  return html`<fieldset>
    <legend>${consent.may}</legend>
    ${scopes.map(
      (scope) =>
        html`<label class="choice">
          <input type="radio" name="scope" value="${scope}" ${isChosen(scope) ? html`checked` : ''} />
          <span
            ><strong>${consent.rights[scope]}</strong>
            <span class="soft">${consent.rightsHints[scope]}</span></span
          >
        </label>`,
    )}
  </fieldset>`
}

/** Sends the page for a request that cannot be granted. With a known address, it links back to the program. */
export function sendUnusable(
  reply: FastifyReply,
  { code, back, host }: { code: string; back?: string; host?: string },
): FastifyReply {
  const { consent } = textsOf(reply.request)
  const isUnknown = back === undefined
  return sendGate(reply.code(400), {
    title: consent.unusable,
    body: html`<h1>${consent.unusable}</h1>
      <p role="alert">${isUnknown ? consent.unknown : consent.invalid({ code })}</p>
      ${
        isUnknown
          ? ''
          : html`<p>
              <a class="button" href="${back}" rel="noreferrer">${consent.back({ host: host ?? '' })}</a>
            </p>`
      }
      <p><a href="/console">${textsOf(reply.request).kept.toConsole}</a></p>`,
  })
}
