import type { FastifyInstance } from 'fastify'
import { linkMinutes, linkUrl, type PasswordLink } from '../../access/person-link.ts'
import { addPersonBy, changePerson, issueLinkBy, listPeople } from '../../access/person.ts'
import { ChangeUser, CreateUser } from '../../access/user-schemas.ts'
import { Problem } from '../../base/errors.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { listCatalogue, staffKind } from '../../catalogue/catalogue.ts'
import { tellByMail } from '../../mails/link-mail.ts'
import { mailFolder } from '../../mails/send.ts'
import { html, type Html } from '../../pages/page.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import { checkedForm, type ConsoleRoute, consoleRoutes, FormFault, type ShownPage } from '../frame/console-route.ts'
import { choice, faultSummary, field, filledForm, type FormState, hidden, type Typed } from '../../pages/form.ts'
import type { ConsoleTexts } from '../../pages/console/texts/en.ts'

/** A person at one of their places. */
type PersonRow = Awaited<ReturnType<typeof listPeople>>[number]

const path = '/console/users'
const newPath = `${path}/new`
/** Of the field `place`: the whole hub. */
const wholeHub = 'hub'
const script = html`<script type="module" src="/docs/console.js"></script>`

/** The people who may log in: an owner adds them, sends them links, and keeps them out. */
export function usersRoutes(app: FastifyInstance, context: Context): void {
  const of = { role: 'owner', withoutBusiness: true } as const
  consoleRoutes(app, context, [
    { ...of, path, name: 'UsersPage', summary: 'The people who may log in', ...listPage(context) },
    { ...of, path: newPath, name: 'NewUserPage', summary: 'A person to add', ...newPage(context) },
    {
      ...of,
      path: `${path}/:id`,
      name: 'UserPage',
      summary: 'A person who may log in',
      ...userPage(context),
    },
    {
      ...{ ...of, path: `${path}/:id/link`, name: 'UserLink', summary: 'Send a person a new link' },
      ...linkForm(context),
    },
  ])
}

type Parts = Pick<ConsoleRoute, 'show' | 'form'>

function listPage(context: Context): Parts {
  return {
    show: async (visit, { query }) => {
      const { users: words } = visit.texts
      const people = await listPeople(context, visit.person.scope)
      return {
        title: words.title,
        body: html`<div class="head">
            <h1>${words.title}</h1>
            <a class="button" href="${pathOf(newPath, visit)}">${words.add}</a>
          </div>
          ${doneNotice(context, visit, query['done'])} ${people.length > 1 ? '' : html`<p>${words.empty}</p>`}
          <ul class="rows">
            ${people.map((person) => listed(visit, person))}
          </ul>`,
      }
    },
  }
}

function listed(visit: ConsoleVisit, person: PersonRow): Html {
  const { users: words, roles } = visit.texts
  const about = [
    roles[person.role],
    'hubId' in visit.person.scope ? (person.business_name ?? words.wholeHub(person.hub_name ?? '')) : '',
    person.staff_name ?? '',
    person.totp_since === null ? '' : words.secondStep,
    stateOf(visit, person),
  ]
  return html`<li>
    <a href="${pathOf(`${path}/${person.id}`, visit)}"><bdi>${person.name}</bdi></a>
    <span class="soft"><bdi>${person.email}</bdi></span>
    <span class="soft"><bdi>${about.filter((text) => text !== '').join(' · ')}</bdi></span>
  </li>`
}

function stateOf(visit: ConsoleVisit, person: PersonRow): string {
  const { users: words } = visit.texts
  if (isDisabled(person)) return words.disabled
  if (person.password_set_at === null) return words.noPassword
  return person.last_log_in_at === null
    ? words.notLately
    : words.lastLogIn(dateOf(visit, person.last_log_in_at))
}

function isDisabled({ disabled_at, person_disabled_at }: PersonRow): boolean {
  return disabled_at !== null || person_disabled_at !== null
}

function dateOf({ locale, business }: ConsoleVisit, instant: Instant): string {
  const timeZone = business?.timezone ?? 'UTC'
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(toMs(instant))
}

/** That something was done, after the page that did it. */
function doneNotice({ config }: Context, { texts }: ConsoleVisit, done: string | undefined): Html {
  const { done: words, filed } = texts.users
  const folder = mailFolder(config)
  const notes: Record<string, string> = {
    ...words,
    ...(folder !== undefined && { invited: filed.invited(folder), linked: filed.linked(folder) }),
  }
  const text = done !== undefined && Object.hasOwn(notes, done) ? notes[done] : undefined
  return text === undefined ? html`` : html`<p class="notice" role="status">${text}</p>`
}

/** What is to be known of a link: whether it is mailed, a file, or shown. */
function linkHint(context: Context, locale: string, hints: Record<'mailed' | 'filed' | 'shown', string>) {
  if (mailFolder(context.config) !== undefined) return hints.filed
  return tellByMail(context, locale) ? hints.mailed : hints.shown
}

function newPage(context: Context): Parts {
  const shown = async (visit: ConsoleVisit, state: FormState): Promise<ShownPage> => {
    const { texts } = visit
    const { users: words, setUp } = texts
    return {
      title: words.add,
      body: html`${backTo(visit)}
        <h1>${words.add}</h1>
        ${faultSummary(state, setUp)}
        <form method="post" class="fields wide-fields">
          ${hidden({ once: visit.once })}
          ${field(state, {
            ...{ name: 'email', label: words.email, type: 'email', required: true, max: 254 },
            hint: linkHint(context, visit.locale, {
              ...{ mailed: words.mailedHint, filed: words.filedHint, shown: words.shownHint },
            }),
          })}
          ${field(state, { name: 'name', label: words.name, max: 100 })} ${placeField(visit, state)}
          ${await roleFields(context, visit, { state, businessId: visit.business?.id })}
          <div class="actions"><button type="submit" class="main">${words.add}</button></div>
        </form>`,
    }
  }
  return {
    show: (visit) => shown(visit, filledForm({ role: 'manager' })),
    form: {
      fieldOf,
      act: async (visit, typed, _address, once) => {
        const { person: owner, locale, texts } = visit
        const tell = tellByMail(context, locale)
        return inWords(texts, async () => {
          const creation = checkedForm(CreateUser, creationOf(visit, typed))
          if (!tell) {
            const { person, link } = await addPersonBy(context, owner, creation)
            return link
              ? { page: linkPage(context, visit, { person, link }) }
              : { path, query: { done: 'known' } }
          }
          return once(
            (store) =>
              addPersonBy(context, owner, creation, async (tx, added) => {
                if (added.link) await tell(tx, added.link)
                await store(tx, added)
              }),
            ({ link }) => ({ path, query: { done: link ? 'invited' : 'known' } }),
          )
        })
      },
      again: shown,
    },
  }
}

function creationOf({ business, person }: ConsoleVisit, typed: Typed): Record<string, unknown> {
  const ofBusiness = 'hubId' in person.scope && typed['place'] !== wholeHub ? business?.id : undefined
  return {
    email: typed['email'],
    ...(typed['name'] ? { name: typed['name'] } : {}),
    role: typed['role'],
    ...(ofBusiness !== undefined && { business_id: ofBusiness }),
    ...(typed['staff'] ? { staff_id: typed['staff'] } : {}),
  }
}

/** Whether a person of a hub is added to the business of this page, or to all. */
function placeField({ person, business, places, texts }: ConsoleVisit, state: FormState): Html {
  if (!('hubId' in person.scope)) return html``
  const hub = places.find(({ isPresent }) => isPresent)?.name ?? ''
  const options: [string, string][] = [
    ...(business ? [['', business.name] as [string, string]] : []),
    [wholeHub, texts.users.wholeHub(hub)],
  ]
  return choice(state, { name: 'place', label: texts.users.place, options })
}

/** The role, and whose calendar is theirs; a person of a whole hub has none. */
async function roleFields(
  context: Context,
  { person, texts }: ConsoleVisit,
  { state, businessId }: { state: FormState; businessId: string | null | undefined },
): Promise<Html> {
  const { users: words, roles } = texts
  const ofBusiness = typeof businessId === 'string'
  const query = { business_id: businessId ?? '', limit: '100' }
  const staff = ofBusiness ? (await listCatalogue(context, person, { kind: staffKind, query })).data : []
  const options = (['staff', 'manager', 'owner'] as const).filter((role) => ofBusiness || role !== 'staff')
  return html`${choice(state, {
    ...{ name: 'role', label: words.role, hint: ofBusiness ? words.roleHint : words.hubRoleHint },
    options: options.map((role) => [role, roles[role]] as const),
  })}
  ${
    staff.length === 0
      ? ''
      : choice(state, {
          ...{ name: 'staff', label: words.staff, hint: words.staffHint },
          options: [['', '–'] as const, ...staff.map(({ id, name }) => [id, name] as const)],
        })
  }`
}

function fieldOf(pointer: string): string {
  const fields: Record<string, string> = {
    ...{ '/email': 'email', '/name': 'name', '/role': 'role' },
    ...{ '/staff_id': 'staff', '/business_id': 'place' },
  }
  return fields[pointer] ?? ''
}

/** Says in the words of these pages what an operation refuses. */
async function inWords<T>({ users }: ConsoleTexts, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const words: Record<string, string> = users.faults
    const known = (error instanceof Problem ? (error.parts.errors ?? []) : []).flatMap(
      ({ pointer, code }) => {
        const text = words[`${pointer.slice(1)} ${code}`]
        return text === undefined ? [] : [[fieldOf(pointer), text] as const]
      },
    )
    if (known.length === 0) throw error
    throw new FormFault(Object.fromEntries(known))
  }
}

function userPage(context: Context): Parts {
  return {
    show: async (visit, { id, query }) => {
      const person = await personOf(context, visit, id)
      const state = filledForm({ role: person.role, staff: person.staff_id ?? '' })
      return shownPerson(context, visit, { person, state, done: query['done'] })
    },
    form: {
      fieldOf,
      act: async (visit, { disabled, role, staff }, { id }) => {
        const { business_id } = await personOf(context, visit, id)
        const change =
          disabled !== undefined
            ? { disabled: disabled === 'on' }
            : { role, ...(business_id !== null && { staff_id: staff ? staff : null }) }
        return inWords(visit.texts, async () => {
          await changePerson(context, visit.person, { id, change: checkedForm(ChangeUser, change) })
          const done = disabled === undefined ? 'saved' : disabled === 'on' ? 'disabled' : 'enabled'
          return { path: `${path}/${id}`, query: { done } }
        })
      },
      again: async (visit, state, { id }) => {
        const person = await personOf(context, visit, id)
        const typed = { role: person.role, staff: person.staff_id ?? '', ...state.typed }
        return shownPerson(context, visit, { person, state: { ...state, typed } })
      },
    },
  }
}

/** Throws not_found, as for what is elsewhere. */
async function personOf(context: Context, { person }: ConsoleVisit, id: string): Promise<PersonRow> {
  const found = (await listPeople(context, person.scope)).find((one) => one.id === id.toLowerCase())
  if (!found) throw new Problem('not_found', 'There is no person with this id.')
  return found
}

async function shownPerson(
  context: Context,
  visit: ConsoleVisit,
  { person, state, done }: { person: PersonRow; state: FormState; done?: string | undefined },
): Promise<ShownPage> {
  const { setUp } = visit.texts
  return {
    title: person.name,
    body: html`${backTo(visit)}
      <h1><bdi>${person.name}</bdi></h1>
      <p class="soft"><bdi>${person.email}</bdi> · ${stateOf(visit, person)}</p>
      ${doneNotice(context, visit, done)} ${faultSummary(state, setUp)}
      <form method="post" class="fields wide-fields">
        ${await roleFields(context, visit, { state, businessId: person.business_id })}
        <div class="actions"><button type="submit" class="main">${setUp.save}</button></div>
      </form>
      ${isDisabled(person) ? '' : newLinkForm(context, visit, person)}
      ${person.user_id === visit.person.userId ? '' : accessForm(visit, person)}`,
  }
}

function newLinkForm(context: Context, visit: ConsoleVisit, person: PersonRow): Html {
  const { users: words } = visit.texts
  const mails = tellByMail(context, visit.locale) !== undefined && mailFolder(context.config) === undefined
  const hint = linkHint(context, visit.locale, {
    ...{ mailed: words.newLinkMailed(person.email), filed: words.newLinkFiled, shown: words.newLinkShown },
  })
  return html`<h2>${words.newLink}</h2>
    <p class="soft">${hint}</p>
    <form method="post" action="${pathOf(`${path}/${person.id}/link`, visit)}">
      <button type="submit">${mails ? words.sendLink : words.makeLink}</button>
    </form>`
}

function accessForm({ texts: { users: words } }: ConsoleVisit, person: PersonRow): Html {
  if (person.person_disabled_at !== null)
    return html`<p class="alert">${words.byOperator} <code>holdfast user enable</code></p>`
  const isOut = person.disabled_at !== null
  return html`<h2>${words.access}</h2>
    <p class="soft">${isOut ? words.enableHint : words.disableHint}</p>
    <form method="post">
      ${hidden({ disabled: isOut ? '' : 'on' })}
      <button type="submit">${isOut ? words.enable : words.disable}</button>
    </form>`
}

function linkForm(context: Context): Parts {
  return {
    form: {
      act: (visit, _typed, { id }) =>
        inWords(visit.texts, async () => {
          const tell = tellByMail(context, visit.locale)
          const made = await issueLinkBy(context, visit.person, { id, tell })
          if (!tell) return { page: linkPage(context, visit, made) }
          return { path: `${path}/${id}`, query: { done: 'linked' } }
        }),
      again: async (visit, state, { id }) => {
        const person = await personOf(context, visit, id)
        const typed = { role: person.role, staff: person.staff_id ?? '' }
        return shownPerson(context, visit, { person, state: { ...state, typed } })
      },
    },
  }
}

/** A link, which is shown once. */
function linkPage(
  context: Context,
  visit: ConsoleVisit,
  { person, link }: { person: PersonRow; link: PasswordLink },
): ShownPage {
  const { users: words } = visit.texts
  return {
    title: words.linkTitle,
    more: script,
    body: html`${backTo(visit)}
      <h1>${words.linkTitle}</h1>
      <p>${words.linkHow(person.email, linkMinutes)}</p>
      <div class="fields wide-fields">
        <div>
          <label for="link">${words.link}</label>
          <input id="link" readonly value="${linkUrl(context, link.token)}" />
        </div>
        <div class="actions"><button type="button" data-copy="link" hidden>${words.copy}</button></div>
        <p role="status" id="link-copied" hidden>${words.copied}</p>
      </div>`,
  }
}

function backTo(visit: ConsoleVisit): Html {
  return html`<p><a class="back" href="${pathOf(path, visit)}">← ${visit.texts.users.title}</a></p>`
}
