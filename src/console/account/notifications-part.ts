import { html, type Html } from '../../base/html.ts'
import { toMs } from '../../base/instants.ts'
import { field, filledForm, tick } from '../../pages/form.ts'
import type { Notifications } from '../../push/device.ts'
import { pushKinds } from '../../push/push-rules.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'

/** Renders the notifications of a person: their devices, what they want to hear of, and when not. */
export function notificationsPart(visit: ConsoleVisit, { publicKey, ...shown }: Notifications): Html {
  const { notifications: texts, setUp } = visit.texts
  if (publicKey === null) return html``
  const typed = {
    ...Object.fromEntries(shown.kinds.map((kind) => [`kinds.${kind}`, 'on'])),
    ...(shown.quiet && { 'quiet.from': shown.quiet.from, 'quiet.to': shown.quiet.to }),
  }
  const state = filledForm(typed)
  const time = (name: string, label: string) => field(state, { name, label, type: 'time' })
  return html`<div data-push-key="${publicKey}">
      <p class="soft">${texts.what}</p>
      <noscript><p class="soft">${texts.withoutScript}</p></noscript>
      <button type="button" class="main" hidden>${texts.begin}</button>
      ${(['install', 'impossible', 'blocked', 'failed'] as const).map(
        (name) => html`<p class="notice" role="status" data-push="${name}" hidden>${texts[name]}</p>`,
      )}
    </div>
    ${shown.devices.length === 0 ? '' : devicesOf(visit, shown.devices)}
    <form method="post" action="/console/notifications" class="fields narrow">
      <fieldset>
        <legend>${texts.kinds}</legend>
        ${pushKinds.map((kind) => tick(state, `kinds.${kind}`, texts.kind[kind]))}
      </fieldset>
      <p class="soft">${texts.whose}</p>
      <div class="beside">${time('quiet.from', texts.quietFrom)} ${time('quiet.to', texts.quietTo)}</div>
      <p class="soft">${texts.quietHint}</p>
      <button type="submit">${setUp.save}</button>
    </form>`
}

function devicesOf(visit: ConsoleVisit, devices: Notifications['devices']): Html {
  const { account, notifications: texts } = visit.texts
  const timeZone = visit.business?.timezone ?? 'UTC'
  const format = new Intl.DateTimeFormat(visit.locale, { dateStyle: 'medium', timeZone })
  return html`<ul class="agenda">
      ${devices.map(
        ({ id, name, createdAt, lastUsedAt, isPresent }) =>
          html`<li class="log-in" ${isPresent ? html`data-this-device` : ''}>
            <strong>${name}</strong>
            <span class="soft">
              ${isPresent ? `${account.presentOne} · ` : ''}${account.since({ date: format.format(toMs(createdAt)) })}
              · ${account.lastSeen({ date: format.format(toMs(lastUsedAt)) })}
            </span>
            <form method="post" action="/console/notifications/devices/${id}/remove">
              <button type="submit" aria-label="${texts.removeOf({ device: name })}">${texts.remove}</button>
            </form>
          </li>`,
      )}
    </ul>
    <form method="post" action="/console/notifications/test">
      <button type="submit">${texts.test}</button>
    </form>`
}
