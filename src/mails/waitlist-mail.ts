import { entryUrl } from '../access/entry-link.ts'
import { findShownBusiness } from '../access/session.ts'
import { hasEmail } from '../base/contact-formats.ts'
import { plusSeconds } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import type { CleanupJob } from '../database/context.ts'
import type { WaitlistMailsTable } from '../database/tables.ts'
import { brandOf, contactOf } from './brand.ts'
import { clientsMoment, clientsTimes, otherTime, textedTimes, type ZonedStart } from './client-zone.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { retentionSeconds } from './mail-rules.ts'
import { sendNotice } from './notice.ts'
import { deleteOldNotices, type NoticeOf } from './notice-queries.ts'
import { contactBlocks, greetedName, oneLine, unlinked } from './render.ts'
import { renderSentence } from './render-text.ts'
import type { MailSender, OutgoingMail } from './send.ts'
import { findEntryAgain, findServiceNames, findToldEntry, type ToldEntry } from './waitlist-mail-queries.ts'
import { waitlistFileKind } from './waitlist-outbox.ts'

/* Emails and text messages about the waiting list. They show the entry and its offer as they are when sent. */

type Message = Pick<WaitlistMailsTable, 'entry_id' | 'offer_id' | 'kind'>

/** Sends a leased email and writes its outcome. */
export async function sendWaitlistMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  leased: NoticeOf<'waitlist_mails'>,
): Promise<void> {
  const told = await toldEntry(context, leased)
  const mail = told && told.email !== null ? await mailOf(context, leased, told) : undefined
  await sendNotice(context, sender, { table: 'waitlist_mails', notice: leased, mail })
}

/** Reads the entry of a message. Undefined if the message is pointless by now. */
export async function toldEntry(context: Context, message: Message): Promise<ToldEntry | undefined> {
  const entry = await findToldEntry(context.db.reads, message)
  if (!entry) return undefined
  if (message.kind === 'joined') return entry.ended_at === null ? entry : undefined
  if (message.kind === 'ended') return entry
  const isOpen = entry.offer_status === 'open' && entry.offer_expires_at !== null
  return isOpen && (entry.offer_expires_at ?? '') > context.clock.now() ? entry : undefined
}

/** Returns the URL of the page of a client who waits again after a request. Null for any other. */
export async function waitingUrl(
  context: Pick<Context, 'db' | 'config' | 'secret'>,
  booking: { id: string; business_id: string },
): Promise<string | null> {
  const entryId = await findEntryAgain(context.db.reads, booking)
  return entryId === undefined ? null : entryUrl(context, entryId)
}

/** Returns the services of an entry by name, in order. */
export async function servicesOf(context: Pick<Context, 'db'>, entry: ToldEntry): Promise<string> {
  const items = (
    entry.items_json === null ? [{ service_id: entry.service_id }] : JSON.parse(entry.items_json)
  ) as { service_id: string }[] // only `newEntry` writes it
  const names = await findServiceNames(context.db.reads, [
    ...new Set(items.map(({ service_id }) => service_id)),
  ])
  return items.map(({ service_id }) => names.get(service_id) ?? '').join(' + ')
}

async function mailOf(
  context: Context,
  { id, kind }: NoticeOf<'waitlist_mails'>,
  entry: ToldEntry,
): Promise<OutgoingMail | undefined> {
  const { business_id: businessId, email } = entry
  if (email === null || !hasEmail(email)) return undefined
  const { name, brand_name } = await findShownBusiness(context.db.reads, { businessId })
  const contact = await contactOf(context, businessId)
  const brand = await brandOf(context, businessId)
  const language = languageFor(entry.locale, entry.business_locale)
  const { say, locale, direction } = language
  const business = unlinked(brand_name ?? name)
  const service = unlinked(await servicesOf(context, entry))
  const start = startOf(entry)
  const times = start === undefined ? { date: '', time: '' } : clientsTimes(start, language)
  const subject = oneLine(say(`mail.wait.${kind}.subject`, { service, business, ...times }))
  const page = { title: subject, locale, direction, business: { name: business, ...brand } }
  const url = await entryUrl(context, entry.id)
  const client = { firstName: entry.first_name, lastName: entry.last_name, email }
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.greeting', { name: greetedName(client, language) }) },
    ...bodyOf(kind, entry, { language, service, times }),
    ...(kind === 'offered' ? [{ type: 'button' as const, label: say('wait.take'), url }] : []),
    ...(kind === 'ended' ? [] : [{ type: 'link' as const, label: say('mail.wait.see'), url, isSmall: true }]),
    ...contactBlocks(contact, language),
  ]
  return {
    ...{ id, kind: waitlistFileKind(kind), to: email, at: context.clock.now() },
    ...{ senderName: business, replyTo: contact.replyTo, offUrl: null },
    content: { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null },
  }
}

/** Returns the offered start with the clocks of the client and the location. Undefined without an offer. */
function startOf({ offer_starts_at, timezone, time_zone, online_url }: ToldEntry): ZonedStart | undefined {
  if (offer_starts_at === null) return undefined
  return { startsAt: offer_starts_at, timezone, clientZone: time_zone, onlineUrl: online_url }
}

function bodyOf(
  kind: Message['kind'],
  entry: ToldEntry,
  {
    language,
    service,
    times,
  }: {
    language: ReturnType<typeof languageFor>
    service: string
    times: { date: string; time: string }
  },
): Block[] {
  const { say } = language
  const { offer_expires_at: until, offer_staff_name: person, location_name } = entry
  const start = startOf(entry)
  const other = start && otherTime(start, language)
  if (kind === 'joined') return [{ type: 'paragraph', text: say('wait.joinHint') }]
  if (kind === 'ended') {
    const isUnanswered = entry.ended_because === 'unanswered'
    return [{ type: 'paragraph', text: say(isUnanswered ? 'mail.wait.unanswered' : 'mail.wait.passed') }]
  }
  return [
    { type: 'paragraph', text: say('wait.offered') },
    {
      type: 'card',
      title: service,
      lines: [
        times.date,
        times.time,
        ...(other === undefined ? [] : [other]),
        ...(person === null ? [] : [say('mail.withPerson', { name: unlinked(person) })]),
        unlinked(location_name),
      ],
      ...{ rows: [], link: null, isOver: false },
    },
    ...(until === null || start === undefined
      ? []
      : [
          {
            type: 'paragraph' as const,
            text: say('wait.kept', { time: clientsMoment(until, start, language) }),
          },
        ]),
  ]
}

/** Returns the text message that brings an offer. */
export async function offerText(
  context: Context,
  entry: ToldEntry,
  { canAnswer }: { canAnswer: boolean },
): Promise<string> {
  const { business_id: businessId } = entry
  const start = startOf(entry)
  const { name, brand_name } = await findShownBusiness(context.db.reads, { businessId })
  const language = languageFor(entry.locale, entry.business_locale)
  const times = start === undefined ? { date: '', time: '' } : textedTimes(start, language)
  return renderSentence('text.offered', {
    ...{ language, url: await entryUrl(context, entry.id), canAnswer, ...times },
    names: { business: brand_name ?? name, service: await servicesOf(context, entry) },
  })
}

/** Deletes messages as old as the deleted emails about bookings. */
export const oldWaitlistMessages: CleanupJob = {
  name: 'old messages of the waiting list',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const batch = { before: plusSeconds(tx.now, -retentionSeconds), max }
      const mails = await deleteOldNotices(tx.db, 'waitlist_mails', batch)
      return mails + (await deleteOldNotices(tx.db, 'waitlist_texts', batch))
    }),
}
