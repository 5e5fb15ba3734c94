import { brandedBusinessOf, publishableCaller } from '../access/key.ts'
import { readPageKey } from '../access/page-key.ts'
import { UsageError } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import { showBusiness } from '../catalogue/business.ts'
import { serviceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import type { Context } from '../bookings/context.ts'
import { isSnippetColor, widgetSnippet } from '../pages/snippet.ts'
import { type CliCommand, print, warn, withExistingDatabase } from './command-line.ts'
import { itemNamed } from './item.ts'

interface SnippetOptions {
  business?: string
  key?: string
  service?: string
  staff?: string
  color?: string
  locale?: string
  overlay?: string | true
  json?: boolean
}

export function registerWidgetCommands(program: CliCommand): void {
  program
    .group('widget', 'put the booking widget on a website', 'snippet --business "Salon Spree"')
    .command('snippet')
    .description('print the HTML that puts the widget on a website')
    .option('--business <name or id>', 'the business; uses the key of its booking page')
    .option('--key <key>', 'a publishable key, instead of --business')
    .option('--service <name or id>', 'preselect this service')
    .option('--staff <name or id>', 'preselect this staff member')
    .option('--color <color>', 'colour, such as #1a2b3c (default: that of the business)')
    .option('--locale <locale>', 'language, such as de-AT (default: that of the visitor)')
    .option('--overlay [text]', 'open the widget over the page, from a link with this text')
    .withJson()
    .examples(
      'widget snippet --business "Salon Spree" --service Haircut --locale de',
      'widget snippet --key cal_pub_… --overlay "Book now" --color "#6b21a8"',
    )
    .action(async ({ color, locale, overlay, json, ...options }: SnippetOptions) => {
      if (color !== undefined && !isSnippetColor(color)) throw new UsageError('--color must be like #1a2b3c.')
      if (locale !== undefined && !isLocale(locale))
        throw new UsageError('--locale must be like de or de-AT.')
      const html = await withExistingDatabase(async (context) => {
        const chosen = await readChoice(context, options)
        if (context.config.publicUrl === '')
          warn(
            `these lines contain the URL of this machine, ${publicUrl(context.config)}, which visitors cannot reach: set PUBLIC_URL`,
          )
        const button = overlay === true ? 'Book an appointment' : overlay
        return widgetSnippet({
          ...{ server: publicUrl(context.config), mode: overlay === undefined ? 'inline' : 'popup' },
          ...{ ...chosen, accent: color, locale, button },
        })
      })
      print({ html }, json, () => [html])
    })
}

function isLocale(text: string): boolean {
  try {
    return new Intl.Locale(text).language.length > 0
  } catch {
    return false
  }
}

/** Returns the key and the chosen service and staff member. Warns if no website may use the key. */
async function readChoice(
  context: Context,
  { business, key, service, staff }: Pick<SnippetOptions, 'business' | 'key' | 'service' | 'staff'>,
) {
  if ((business === undefined) === (key === undefined))
    throw new UsageError('Give either --business or --key.')
  const publishableKey = key ?? (await keyOfBusiness(context, business ?? ''))
  const caller = await publishableCaller(context, publishableKey)
  if (!caller) throw new UsageError('--key must be an active publishable key.')
  const { businessId } = caller.scope
  if (caller.allowedOrigins?.length === 0)
    warn(
      'no website may use this key yet: allow yours at /console/website, or create a key with --allowed-origin',
    )
  const chosen =
    service === undefined ? undefined : await itemNamed(context, serviceKind, service, businessId)
  const person = staff === undefined ? undefined : await itemNamed(context, staffKind, staff, businessId)
  if (chosen && person && !chosen.staff_ids.includes(person.id))
    warn(`${person.name} does not provide ${chosen.name}: the widget will let clients choose a person`)
  const branded = await brandedBusinessOf(context, caller)
  return { publishableKey, business: branded.business, serviceId: chosen?.id, staffId: person?.id }
}

async function keyOfBusiness(context: Context, reference: string): Promise<string> {
  const { id, name } = await showBusiness(context, reference)
  const page = await readPageKey(context, id)
  if (!page) throw new UsageError(`${name} has no booking page: open it at /console/website, or give --key.`)
  return page.key
}
