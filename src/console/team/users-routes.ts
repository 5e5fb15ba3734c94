import type { FastifyInstance } from 'fastify'
import { icon } from '../../pages/icons.ts'
import { face } from '../frame/faces.ts'
import { type Static, Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import {
  listInvitations,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from '../../access/invitation.ts'
import { addPersonBy } from '../../access/new-person.ts'
import { changePerson, issueLinkBy, listPeoplePage, showPerson } from '../../access/person.ts'
import { linkMinutes, linkUrl, type PasswordLink } from '../../access/person-link.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { countMail } from '../../access/counted-requests.ts'
import { ChangeUser, CreateUser, type User } from '../../access/user-schemas.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { searchText } from '../../base/search-text.ts'
import { type Instant, toMs } from '../../base/instants.ts'
import { listItems, nextPage, pageOrFirst } from '../frame/lists.ts'
import { compileCreation } from '../../base/validation.ts'
import type { Context } from '../../bookings/context.ts'
import { staffKind } from '../../catalogue/catalogue-kinds.ts'
import { tellByMail } from '../../mails/link-mail.ts'
import { mailFolder } from '../../mails/send.ts'
import {
  faultSummary,
  type FaultWords,
  filledForm,
  type FormState,
  hidden,
  type Typed,
} from '../../pages/form.ts'
import { type ConsoleVisit, doneNotice, pathOf } from '../frame/console-page.ts'
import {
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
  type RefusedForm,
  type ShownPage,
} from '../frame/console-route.ts'
import { fieldsOf, fillRows, optional, readRows, type Row, type Rows, text } from '../frame/form-rows.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { textFor } from '../frame/text-groups.ts'

/** A person with one of their memberships. */
type PersonRow = Awaited<ReturnType<typeof showPerson>>
type InvitationRow = Awaited<ReturnType<typeof showInvitation>>

const path = '/console/users'
const newPath = `${path}/new`
const invitationsPath = `${path}/invitations`
const script = html`<script type="module" src="/docs/console.js"></script>`

/** Registers the users: an owner adds them, sends them links, and blocks them. */
export function usersRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    addUsersRoutes(app, context, limiter)
  }
}

function addUsersRoutes(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const of = { role: 'owner', withoutBusiness: true, inRealTime: true } as const
  consoleRoutes(app, context, [
    { ...of, path, name: 'UsersPage', summary: 'The people who may log in', ...listPage(context) },
    {
      ...{ ...of, path: newPath, name: 'NewUserPage', summary: 'A person to add' },
      ...{ query: { staff: Type.Optional(Type.String({ maxLength: 40 })) }, ...newPage(context, limiter) },
    },
    {
      ...of,
      path: `${path}/:id`,
      name: 'UserPage',
      summary: 'A person who may log in',
      ...userPage(context),
    },
    {
      ...{ ...of, path: `${path}/:id/link`, name: 'UserLink', summary: 'Send a person a new link' },
      ...linkForm(context, limiter),
    },
    {
      ...{ ...of, path: `${invitationsPath}/:id/resend`, name: 'InvitationAgain' },
      summary: 'Send an invitation again',
      ...resendForm(context, limiter),
    },
    {
      ...{ ...of, path: `${invitationsPath}/:id/revoke`, name: 'InvitationEnd' },
      summary: 'Withdraw an invitation',
      ...revokeForm(context),
    },
  ])
}

type Parts = Pick<ConsoleRoute, 'show' | 'form'>

function listPage(context: Context): Parts {
  return { show: (visit, { query }) => shownList(context, visit, query) }
}

/** People on a page, and the latest invitations. */
const shownPeople = 50
const shownInvitations = 100

async function shownList(
  context: Context,
  visit: ConsoleVisit,
  { done, cursor }: Record<string, string | undefined>,
  message?: string,
): Promise<ShownPage> {
  const { users: words } = visit.texts
  const { scope } = visit.person
  const { data: people, next_cursor } = await pageOrFirst(cursor, (after) =>
    listPeoplePage(context, scope, { limit: shownPeople, cursor: after }),
  )
  const { data: invitations } = await listInvitations(context, visit.person, { limit: shownInvitations })
  return {
    title: words.title,
    section: 'people',
    body: html`<div class="head">
        <h1>${words.title}</h1>
        <a class="button main" href="${pathOf(newPath, visit)}">${icon('add')} ${words.add}</a>
      </div>
      ${doneNotice(doneTexts(context, visit), done)}
      ${message === undefined ? '' : html`<p class="alert" role="alert">${message}</p>`}
      ${people.length > 1 || cursor !== undefined ? '' : html`<p>${words.empty}</p>`}
      <ul class="rows">
        ${people.map((person) => listed(visit, person))}
      </ul>
      ${nextPage(visit, path, next_cursor)}
      ${
        invitations.length === 0 || cursor !== undefined
          ? ''
          : html`<h2>${words.invitations}</h2>
              <ul class="rows">
                ${invitations.map((one) => invited(context, visit, one))}
              </ul>`
      }`,
  }
}

function invited(context: Context, visit: ConsoleVisit, invitation: InvitationRow): Html {
  const { users: words, roles } = visit.texts
  const place =
    'hubId' in visit.person.scope
      ? (invitation.business_name ?? words.wholeHub({ hub: invitation.hub_name ?? '' }))
      : ''
  const isOver = invitation.expires_at <= context.clock.now()
  const state = isOver
    ? `${roles[invitation.role]} · ${words.invitationExpired}`
    : words.invitedAs({ role: roles[invitation.role], date: dateOf(visit, invitation.expires_at) })
  const about = [place, invitation.staff_name ?? '', state].filter((text) => text !== '')
  const form = (verb: 'resend' | 'revoke') =>
    html`<form method="post" action="${pathOf(`${invitationsPath}/${invitation.id}/${verb}`, visit)}">
      <button type="submit">${words[verb]}</button>
    </form>`
  return html`<li>
    <span><bdi>${invitation.email}</bdi></span>
    <span class="soft"><bdi>${about.join(' · ')}</bdi></span>
    <div class="actions">${form('resend')} ${form('revoke')}</div>
  </li>`
}

function resendForm(context: Context, limiter: RateLimiter): Parts {
  return {
    form: {
      act: async (visit, _typed, { id }) => {
        const { email } = await showInvitation(context, visit.person, id)
        await countMail(context, limiter, { person: visit.person, email })
        const mails = tellByMail(context, visit.locale)
        await resendInvitation(context, visit.person, { id, mails })
        return { path, query: { done: mails ? 'resent' : 'askedWithoutMail' } }
      },
      again: (visit, state) => shownList(context, visit, {}, tooOften(visit, state)),
    },
  }
}

function revokeForm(context: Context): Parts {
  return {
    form: {
      act: async (visit, _typed, { id }) => {
        await revokeInvitation(context, visit.person, id)
        return { path, query: { done: 'revoked' } }
      },
      again: (visit, state) => shownList(context, visit, {}, tooOften(visit, state)),
    },
  }
}

/** Returns the page's explanation if an address gets no more emails within the hour. */
function tooOften({ texts }: ConsoleVisit, { refusal, faults }: RefusedForm): string {
  if (!(refusal instanceof Problem) || refusal.code !== 'rate_limited') return Object.values(faults)[0] ?? ''
  const seconds = Number(refusal.parts.headers?.['retry-after'] ?? 60)
  return texts.users.tooManyMails({ minutes: Math.ceil(seconds / 60) })
}

function listed(visit: ConsoleVisit, person: PersonRow): Html {
  const { users: words, roles } = visit.texts
  const about = [
    roles[person.role],
    'hubId' in visit.person.scope
      ? (person.business_name ?? words.wholeHub({ hub: person.hub_name ?? '' }))
      : '',
    person.staff_name ?? '',
    person.totp_since === null ? '' : words.secondStep,
    stateOf(visit, person),
  ]
  return html`<li class="item">
    ${face(person.name)}
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
    : words.lastLogIn({ date: dateOf(visit, person.last_log_in_at) })
}

function isDisabled({ disabled_at, person_disabled_at }: PersonRow): boolean {
  return disabled_at !== null || person_disabled_at !== null
}

function dateOf({ locale, business }: ConsoleVisit, instant: Instant): string {
  const timeZone = business?.timezone ?? 'UTC'
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(toMs(instant))
}

/** Returns the confirmations of actions, by their names in addresses. */
function doneTexts({ config }: Context, { texts }: ConsoleVisit): Record<string, string> {
  const { done: words, filed } = texts.users
  const folder = mailFolder(config)
  return {
    ...words,
    ...(folder !== undefined && { invited: filed.invited({ folder }), linked: filed.linked({ folder }) }),
  }
}

/** Explains what happens to a link: it is emailed, written to a file, or shown. */
function linkHint(context: Context, locale: string, hints: Record<'mailed' | 'filed' | 'shown', string>) {
  if (mailFolder(context.config) !== undefined) return hints.filed
  return tellByMail(context, locale) ? hints.mailed : hints.shown
}

function newPage(context: Context, limiter: RateLimiter): Parts {
  const shown = async (visit: ConsoleVisit, state: FormState): Promise<ShownPage> => {
    const { texts } = visit
    const { users: words, setUp } = texts
    const choices = await roleChoices(context, visit, visit.business?.id)
    const hints = { mailed: words.mailedHint, filed: words.filedHint, shown: words.shownHint }
    const emailHint = linkHint(context, visit.locale, hints)
    const fields = fieldsOf(newUserRows(visit, { ...choices, emailHint }), state)
    return {
      title: words.add,
      body: html`${backTo(visit)}
        <h1>${words.add}</h1>
        ${faultSummary(state, setUp)}
        <form method="post" class="fields wide-fields" data-namesake>
          ${hidden({ once: visit.once })} ${fields()}
          <div class="actions"><button type="submit" class="main">${words.add}</button></div>
        </form>`,
    }
  }
  return {
    show: async (visit: ConsoleVisit, { query }) => {
      const { ofBusiness, staff } = await roleChoices(context, visit, visit.business?.id)
      const member = staff.find(({ id }) => id === query['staff'])
      const role = ofBusiness && staff.length > 0 ? 'staff' : 'manager' // staff need a calendar of their own
      const given = {
        role,
        business_id: visit.business?.id,
        ...(member && { ...member, staff_id: member.id }),
      }
      return shown(visit, filledForm(fillRows(newUserRows(visit), given)))
    },
    form: {
      rows: newUserRows,
      words: usersWords,
      act: async (visit, typed, _address, once) => {
        const { person: owner, locale } = visit
        const mails = tellByMail(context, locale)
        const creation = checkedForm(CreateUser, creationOf(visit, typed), compileCreation)
        if (!mails) {
          const { person, link } = await addPersonBy(context, owner, creation)
          return person && link
            ? { page: linkPage(context, visit, { person, link }) }
            : { path, query: { done: 'askedWithoutMail' } }
        }
        await countMail(context, limiter, { person: owner, email: creation.email })
        return once(
          (store) => addPersonBy(context, owner, creation, { mails, lastly: store }),
          ({ invitation }) => ({ path, query: { done: invitation ? 'asked' : 'invited' } }),
        )
      },
      again: async (visit: ConsoleVisit, state) => {
        const { staff } = await roleChoices(context, visit, visit.business?.id)
        return shown(visit, withNamesake(staff, withTooOften(visit, state)))
      },
    },
  }
}

/** Proposes the team member with the person's name, if the role needs one. */
function withNamesake(staff: RoleChoices['staff'], state: RefusedForm): RefusedForm {
  const { typed } = state
  if (typed['role'] !== 'staff' || typed['staff_id'] !== '' || (typed['name'] ?? '') === '') return state
  const name = searchText(typed['name'] ?? '')
  const namesakes = staff.filter((one) => `${searchText(one.name)} `.startsWith(`${name} `))
  const [only] = namesakes
  return only && namesakes.length === 1 ? { ...state, typed: { ...typed, staff_id: only.id } } : state
}

function withTooOften(visit: ConsoleVisit, state: RefusedForm): RefusedForm {
  const { refusal } = state
  if (!(refusal instanceof Problem) || refusal.code !== 'rate_limited') return state
  return { ...state, faults: { email: tooOften(visit, state) } }
}

/** Returns the body for a new person. Without a place in the form, they belong to the page's business. */
function creationOf(visit: ConsoleVisit, typed: Typed): Record<string, unknown> {
  const { business, person } = visit
  const ofHub = 'hubId' in person.scope && business !== undefined
  return { ...(ofHub && { business_id: business.id }), ...readRows(newUserRows(visit), typed) }
}

/** Returns the rows of a new person. A person of a hub works at the page's business, or at all. */
function newUserRows(visit: ConsoleVisit, choices?: RoleChoices): Rows<Static<typeof User>> {
  const { business, person, places, texts } = visit
  const { users: words } = texts
  const whole = ['', words.wholeHub({ hub: places.find(({ isPresent }) => isPresent)?.name ?? '' })] as const
  const options = business ? [[business.id, business.name] as const, whole] : [whole]
  const place = ['business_id', optional({ options }), words.place] as const
  return [
    ['email', text({ type: 'email', required: true, max: 254 }), words.email, choices?.emailHint],
    ['name', optional({ max: 100, usual: undefined }), words.name],
    ...('hubId' in person.scope ? [place] : []),
    ...roleRows(visit, choices),
  ]
}

function userRows(visit: ConsoleVisit, choices?: RoleChoices): Rows<Static<typeof User>> {
  return [['name', text({ max: 100, required: true }), visit.texts.users.name], ...roleRows(visit, choices)]
}

interface RoleChoices {
  ofBusiness: boolean
  staff: { id: string; name: string; email?: string | null }[]
  emailHint?: string
}

/** Returns the rows for role and calendar. A person of a whole hub has no calendar. */
function roleRows({ texts }: ConsoleVisit, choices?: RoleChoices): Row<'role' | 'staff_id'>[] {
  const { users: words, roles } = texts
  const { ofBusiness = false, staff = [] } = choices ?? {}
  const known = personRoles.filter((role) => ofBusiness || role !== 'staff')
  const options = known.map((role) => [role, roles[role]] as const)
  const members = [['', '–'] as const, ...staff.map(({ id, name }) => [id, name] as const)]
  const calendar = ['staff_id', optional({ options: members }), words.staff, words.staffHint] as const
  return [
    ['role', text({ options }), words.role, ofBusiness ? words.roleHint : words.hubRoleHint],
    ...(choices && staff.length === 0 ? [] : [calendar]),
  ]
}

async function roleChoices(
  context: Context,
  { person }: ConsoleVisit,
  businessId: string | null | undefined,
): Promise<RoleChoices> {
  if (typeof businessId !== 'string') return { ofBusiness: false, staff: [] }
  return { ofBusiness: true, staff: await listItems(context, person, { kind: staffKind, businessId }) }
}

/** Explains the refusals of an operation in the words of these pages. */
function usersWords({ setUp, users }: ConsoleTexts): FaultWords {
  return {
    ...setUp,
    fault: (code, detail, pointer = '') =>
      textFor(users.faults, `${pointer.slice(1)}_${code}`) ?? setUp.fault(code, detail),
  }
}

function userPage(context: Context): Parts {
  return {
    show: async (visit, { id, query }) => {
      const person = await personOf(context, visit, id)
      return shownPerson(context, visit, {
        person,
        state: filledForm(fillRows(userRows(visit), person)),
        done: query['done'],
      })
    },
    form: {
      ...{ rows: userRows, words: usersWords },
      act: async (visit, typed, { id }) => {
        const { disabled } = typed
        const person = await personOf(context, visit, id)
        if (disabled === '' && isOutByHub(visit, person)) throw new FormFault({ '': visit.texts.users.byHub })
        const { name, ...given } = readRows(userRows(visit), typed)
        const change =
          disabled !== undefined
            ? { disabled: disabled === 'on' }
            : { ...given, ...(name !== undefined && name !== person.name && { name }) }
        await changePerson(context, visit.person, { id, change: checkedForm(ChangeUser, change) })
        const done = disabled === undefined ? 'saved' : disabled === 'on' ? 'disabled' : 'enabled'
        return { path: `${path}/${id}`, query: { done } }
      },
      again: async (visit, state, { id }) => {
        const person = await personOf(context, visit, id)
        const typed = { ...fillRows(userRows(visit), person), ...state.typed }
        return shownPerson(context, visit, { person, state: { ...state, typed } })
      },
    },
  }
}

/** Throws not_found, like pages of other businesses. */
function personOf(context: Context, { person }: ConsoleVisit, id: string): Promise<PersonRow> {
  return showPerson(context, person.scope, id)
}

async function shownPerson(
  context: Context,
  visit: ConsoleVisit,
  { person, state, done }: { person: PersonRow; state: FormState; done?: string | undefined },
): Promise<ShownPage> {
  const { setUp } = visit.texts
  const choices = await roleChoices(context, visit, person.business_id)
  return {
    title: person.name,
    body: html`${backTo(visit)}
      <h1><bdi>${person.name}</bdi></h1>
      <p class="soft"><bdi>${person.email}</bdi> · ${stateOf(visit, person)}</p>
      ${doneNotice(doneTexts(context, visit), done)} ${faultSummary(state, setUp)}
      <form method="post" class="fields wide-fields">
        ${fieldsOf(userRows(visit, choices), state)()}
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
    ...{
      mailed: words.newLinkMailed({ email: person.email }),
      filed: words.newLinkFiled,
      shown: words.newLinkShown,
    },
  })
  return html`<h2>${words.newLink}</h2>
    <p class="soft">${hint}</p>
    <form method="post" action="${pathOf(`${path}/${person.id}/link`, visit)}">
      <button type="submit">${mails ? words.sendLink : words.makeLink}</button>
    </form>`
}

/** Returns true if the hub has blocked a person, which an owner of the business cannot undo. */
function isOutByHub({ person: { scope } }: ConsoleVisit, { hub_disabled_at }: PersonRow): boolean {
  return hub_disabled_at !== null && 'businessId' in scope
}

function accessForm(visit: ConsoleVisit, person: PersonRow): Html {
  const { users: words } = visit.texts
  if (person.person_disabled_at !== null)
    return html`<p class="alert">${words.byOperator} <code>holdfast user enable</code></p>`
  if (isOutByHub(visit, person)) return html`<p class="alert">${words.byHub}</p>`
  const isOut = person.disabled_at !== null
  return html`<h2>${words.access}</h2>
    <p class="soft">${isOut ? words.enableHint : words.disableHint}</p>
    <form method="post">
      ${hidden({ disabled: isOut ? '' : 'on' })}
      <button type="submit">${isOut ? words.enable : words.disable}</button>
    </form>`
}

function linkForm(context: Context, limiter: RateLimiter): Parts {
  return {
    form: {
      words: usersWords,
      act: async (visit, _typed, { id }) => {
        const { email } = await personOf(context, visit, id)
        const mails = tellByMail(context, visit.locale)
        if (mails) await countMail(context, limiter, { person: visit.person, email })
        const made = await issueLinkBy(context, visit.person, { id, mails })
        if (!mails) return { page: linkPage(context, visit, made) }
        return { path: `${path}/${id}`, query: { done: 'linked' } }
      },
      again: async (visit, state, { id }) => {
        const person = await personOf(context, visit, id)
        const faults = state.refusal instanceof Problem && state.refusal.code === 'rate_limited'
        const shown = faults ? { ...state, faults: { '': tooOften(visit, state) } } : state
        return shownPerson(context, visit, {
          person,
          state: { ...shown, typed: fillRows(userRows(visit), person) },
        })
      },
    },
  }
}

/** Returns the page with a link, which is not shown again. */
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
      <p>${words.linkHow({ email: person.email, minutes: linkMinutes })}</p>
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
  return html`<p><a class="back" href="${pathOf(path, visit)}">${visit.texts.users.title}</a></p>`
}
