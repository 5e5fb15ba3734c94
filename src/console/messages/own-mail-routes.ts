import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { countTrial } from '../../access/counted-requests.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { knownServer } from '../../mails/mail-route.ts'
import { removeOwnServer, setOwnServer } from '../../mails/own-server.ts'
import { SetMailServer } from '../../mails/own-server-schemas.ts'
import { mailFolder, senderAddress } from '../../mails/send.ts'
import { faultSummary, filledForm, type FormState, hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import { connectionForms } from '../frame/connection-form.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import { fieldsOf, fillRows, number, readRows, type Rows, text } from '../frame/form-rows.ts'
import { momentText } from '../frame/formats.ts'
import { mailPreviewRoute, previewList, sendSample } from './mail-samples.ts'

const path = '/console/mails/server'
const usualPort = 587

/** Registers the page on which an owner sets the mail server of a business. */
export function ownMailRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    consoleRoutes(app, context, [serverPage(context, limiter)])
    mailPreviewRoute(app, context)
  }
}

function serverPage(context: Context, limiter: RateLimiter): ConsoleRoute {
  return {
    path,
    name: 'MailServerPage',
    summary: 'The mail server of a business',
    role: 'owner',
    show: async (visit, { query }) => {
      const server = await knownServer(context, context.db.reads, visit.business.id)
      const { user_name: user, ...rest } = server ?? { user_name: '', port: usualPort }
      return shown(context, visit, {
        state: filledForm(fillRows(serverRows(visit), { ...rest, user })),
        notice: doneNotice(notesOf(context, visit), query['done']),
      })
    },
    form: {
      rows: serverRows,
      words: ({ setUp, ownMail: t }) => ({
        ...setUp,
        fault: (code, detail) =>
          code === 'not_allowed'
            ? t.refused({ reason: detail.replace(/^does not work: /, '') })
            : setUp.fault(code, detail),
      }),
      act: async (visit, typed) => {
        const { person, business } = visit
        if (typed['do'] === 'test')
          return { path, query: { done: (await sendSample(context, limiter, visit)) ? 'sent' : 'notSent' } }
        if (typed['do'] === 'remove') {
          await removeOwnServer(context, person, business.id)
          return { path, query: { done: 'removed' } }
        }
        const server = checkedForm(SetMailServer, readRows(serverRows(visit), typed))
        await countTrial(context, limiter, person)
        await setOwnServer(context, person, { id: business.id, server })
        return { path, query: { done: 'set' } }
      },
      again: (visit, state) => shown(context, visit, { state }),
    },
  }
}

function notesOf({ config }: Context, { texts: { ownMail, settings } }: BusinessVisit) {
  const folder = mailFolder(config)
  const sent = folder === undefined ? settings.sent : settings.filed({ folder })
  return { ...ownMail.done, sent, notSent: settings.notSent }
}

function serverRows({ texts: { ownMail: t } }: BusinessVisit): Rows<Static<typeof SetMailServer>> {
  return [
    ['from_email', text({ type: 'email', required: true, max: 254 }), t.from, t.fromHint],
    ['host', text({ required: true, max: 253 }), t.host, t.hostHint],
    ['port', number({ required: true }), t.port, t.portHint],
    ['user', text({ required: true, max: 254 }), t.user, t.userHint],
    ['password', text({ type: 'password', required: true, max: 500 }), t.password, t.passwordHint],
  ]
}

async function shown(
  context: Context,
  visit: BusinessVisit,
  { state, notice = html`` }: { state: FormState; notice?: Html },
): Promise<ShownPage> {
  const { ownMail: t, setUp, settings } = visit.texts
  const server = await knownServer(context, context.db.reads, visit.business.id)
  const at = fieldsOf(serverRows(visit), state)
  return {
    title: t.title,
    section: 'mails',
    body: html`<p><a class="back" href="${pathOf('/console/mails', visit)}">${setUp.back}</a></p>
      <h1>${t.title}</h1>
      ${notice} ${faultSummary(state, setUp)} ${stateOf(context, visit, server)}
      ${
        visit.mails === 'off'
          ? ''
          : html`<form method="post" action="${pathOf(path, visit)}">
              ${hidden({ do: 'test' })}
              <button type="submit">${settings.test({ email: visit.person.email })}</button>
            </form>`
      }
      ${connectionForms(visit.texts.ownMail, {
        action: pathOf(path, visit),
        isConnected: server !== undefined,
        fields: at('from_email', 'host', 'port', 'user', 'password'),
      })}
      ${previewList(visit)}`,
  }
}

function stateOf(
  context: Context,
  { texts: { ownMail: t }, mails, business: { timezone }, locale }: BusinessVisit,
  server: Awaited<ReturnType<typeof knownServer>>,
): Html {
  if (!server)
    return html`<p class="${mails === 'off' ? 'alert' : 'soft'}">
      ${mails === 'off' ? t.none : t.usual({ from: senderAddress(context.config) })}
    </p>`
  const { from_email: from, host, failed_at: failedAt, last_error: error } = server
  if (failedAt === null)
    return html`<p>
      <span class="state is-confirmed">${icon('done')} ${t.working}</span> ${t.connected({ from, host })}
    </p>`
  const when = momentText(readInstant(failedAt), { timezone, locale })
  return html`<p class="alert" role="status">
    ${t.failed({ host, when })} <bdi dir="auto">${error ?? ''}</bdi>
  </p>`
}
