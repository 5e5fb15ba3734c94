import { readConsole } from './console.ts'
import type { LoggedIn } from './person.ts'
import { bookerOf } from './salon-day.ts'
import { offer, type TestService } from './test-service.ts'

/** A form of a page, as a browser would send it. */
export interface PageForm {
  /** The page that contains it. */
  page: string
  action: string
  method: string
  fields: Record<string, string>
}

/** Returns the forms of a page. */
export function formsIn(body: string, page: string): PageForm[] {
  return [...body.matchAll(/<form\s[^>]*>[^]*?<\/form>/g)].map(([form]) => {
    const [tag = ''] = /<form\s[^>]*>/.exec(form) ?? []
    const attribute = (of: string, name: string) => {
      const found = new RegExp(`\\s${name}="([^"]*)"`).exec(of)?.[1]
      return found === undefined ? undefined : plain(found)
    }
    const fields: Record<string, string> = {}
    for (const [input] of form.matchAll(/<(?:input|button|select|textarea)\s[^>]*>/g)) {
      const name = attribute(input, 'name')
      if (name === undefined) continue
      const isChoice = ['radio', 'checkbox'].includes(attribute(input, 'type') ?? '')
      if (!isChoice || / checked/.test(input))
        fields[name] = attribute(input, 'value') ?? (isChoice ? 'on' : '')
    }
    for (const [, select = '', options = ''] of form.matchAll(
      /<select\s[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g,
    ))
      fields[select] = plain(
        /value="([^"]*)"[^>]*selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? '',
      )
    for (const [, area = '', text = ''] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n?([^<]*)</g))
      fields[area] = plain(text)
    return {
      page,
      action: attribute(tag, 'action') ?? page,
      method: attribute(tag, 'method') ?? 'get',
      fields,
    }
  })
}

/** Returns the URLs of the console to which a page links. */
export function linksIn(body: string): string[] {
  return [...body.matchAll(/<a\s[^>]*href="(\/console[^"]*)"/g)].map(([, link = '']) => plain(link))
}

function plain(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** A page, and one URL of each kind that links to it. */
export interface ConsolePages {
  pages: { address: string; body: string }[]
  links: { page: string; link: string }[]
  forms: PageForm[]
}

const mostPages = 150
/** No link leads to them once they are done. */
const steps = ['hours', 'service', 'people', 'page']

/**
 * Reads every page of the console that links lead to, beginning at the calendar. Of pages about one of many, reads the
 * first two.
 */
export async function readAllPages(
  service: TestService,
  person: Pick<LoggedIn, 'cookie'>,
  start: string,
): Promise<ConsolePages> {
  const seen = new Map<string, number>()
  const [calendar = '', query] = start.split('?', 2)
  const queue = [
    start,
    ...steps.map((step) => [`${calendar}/start/${step}`, query].filter(Boolean).join('?')),
  ]
  const found: ConsolePages = { pages: [], links: [], forms: [] }
  for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
    const kind = (address.split('?', 1)[0] ?? '').replaceAll(/[0-9a-f-]{36}/g, ':id')
    const count = seen.get(kind) ?? 0
    if (count >= 2 || found.pages.length >= mostPages || /\.(?:csv|svg)$/.test(kind)) continue
    seen.set(kind, count + 1)
    const { body, headers } = await readConsole(service, address, person)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    const page = { address, body: String(body) }
    found.pages.push(page)
    found.forms.push(...formsIn(page.body, address))
    for (const link of linksIn(page.body)) {
      found.links.push({ page: address, link })
      // not to another business
      if (!queue.includes(link) && businessIn(link) === businessIn(start)) queue.push(link)
    }
  }
  return found
}

function businessIn(address: string): string | null {
  return new URL(address, 'http://localhost').searchParams.get('business')
}

/** Gives the first business of the demo world one of everything for which the console has a page. */
export async function makeEverything(service: TestService): Promise<ReturnType<typeof bookerOf>> {
  const booker = bookerOf(service)
  const make = async (path: string, body: object) => {
    const reply = await booker.call('POST', path, body)
    if (reply.status > 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const staff_id = booker.staffId('Anna')
  await booker.book('Haircut', '2026-11-20T16:00:00+01:00', { staff_id })
  await make('/blocks', {
    staff_id,
    starts_at: '2026-11-20T17:00:00+01:00',
    ends_at: '2026-11-20T18:00:00+01:00',
  })
  await make('/feeds', { staff_id, detail: 'busy' })
  await make('/webhooks', { url: 'https://example.com/hook', events: ['booking.created'] })
  // one client waits, another has an offer
  const wanted = { ...offer(booker.business, 'Haircut', 'Mitte'), from: '2026-11-24', to: '2026-11-24' }
  for (const first_name of ['Ada', 'Grace']) {
    const client = { first_name, last_name: 'Waits', email: `${first_name.toLowerCase()}@example.com` }
    const { id } = (await make('/waitlist', { ...wanted, client })) as { id: string }
    if (first_name === 'Grace')
      await make(`/waitlist/${id}/offer`, { starts_at: '2026-11-24T16:00:00+01:00' })
  }
  return booker
}
