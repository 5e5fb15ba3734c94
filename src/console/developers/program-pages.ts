import { listGrants, revokeGrant } from '../../access/program-grant.ts'
import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, type ConsoleRoute, notFound } from '../frame/console-route.ts'
import { programList } from '../frame/program-list.ts'
import { developersPath } from './developers-page.ts'

/** Renders the programs that act for people of a business, if there are any. */
export async function businessPrograms(context: Context, visit: BusinessVisit): Promise<Html> {
  const grants = await listGrants(context, { businessId: visit.business.id })
  if (grants.length === 0) return html``
  const { title, whatOfAll } = visit.texts.programs
  return html`<h2>${title}</h2>
    <p>${whatOfAll}</p>
    ${programList(visit, grants, {
      whose: ({ person, email }) => (person === '' ? email : person),
      address: (id) => pathOf(`${developersPath}/programs/${id}/remove`, visit),
    })}`
}

/** The form with which owners disconnect a program of anybody in the business. */
export function programPages(context: Context): ConsoleRoute[] {
  return [
    {
      path: `${developersPath}/programs/:id/remove`,
      name: 'ProgramRemoval',
      summary: 'Disconnect a program that acts for a person of a business',
      role: 'owner',
      form: {
        act: async ({ person, business }, _typed, { id }) => {
          await revokeGrant(context, person, { id, businessId: business.id })
          return { path: developersPath, query: { done: 'disconnected' } }
        },
        again: (visit) => Promise.resolve(notFound(visit)),
      },
    },
  ]
}
