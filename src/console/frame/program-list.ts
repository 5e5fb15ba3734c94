import type { ShownGrant } from '../../access/program-grant.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import { type ConsoleVisit } from './console-page.ts'

/** Renders programs that act for people. `whose` returns the business or person, `address` that of the form. */
export function programList(
  visit: ConsoleVisit,
  grants: readonly ShownGrant[],
  { whose, address }: { whose: (grant: ShownGrant) => string; address: (id: string) => string },
): Html {
  const { account, consent, programs } = visit.texts
  const timeZone = visit.business?.timezone ?? 'UTC'
  const format = new Intl.DateTimeFormat(visit.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const date = (instant: Instant) => ({ date: format.format(toMs(instant)) })
  const row = (grant: ShownGrant) =>
    html`<li class="log-in">
      <strong><bdi>${grant.program}</bdi></strong>
      <span class="soft">
        <bdi>${whose(grant)}</bdi> · ${consent.rights[grant.scope]} · ${account.since(date(grant.created_at))}
        · ${grant.last_used_at === null ? account.passkeys.never : account.lastSeen(date(grant.last_used_at))}
      </span>
      <form method="post" action="${address(grant.id)}">
        <button type="submit" aria-label="${programs.removeOf({ name: grant.program })}">
          ${programs.remove}
        </button>
      </form>
    </li>`
  return html`<ul class="agenda">
    ${grants.map(row)}
  </ul>`
}
