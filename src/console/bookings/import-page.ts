import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import type { UnreadableClients } from '../../bookings/client-import.ts'
import { type AppointmentColumn, appointmentColumns } from '../../imports/appointment-columns.ts'
import type { AppointmentFile, AppointmentProblem } from '../../imports/appointment-file.ts'
import type { AppointmentReport } from '../../imports/appointment-import.ts'
import { dateOrders } from '../../imports/appointment-times.ts'
import { choice, filledForm, hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { pathOf } from '../frame/console-page.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'
import { momentText } from '../frame/formats.ts'
import { columnChoices, fileFaultText, fileFields } from '../frame/import-file.ts'

/* The pages of an import of appointments: the file, the plan, and the result. */

export const bookingImportPath = '/console/bookings/import'

interface Planned {
  text: string
  file: AppointmentFile
  report: AppointmentReport
}

function shownPage(visit: BusinessVisit, title: string, content: Html): ShownPage {
  return {
    title,
    section: 'bookings',
    body: html`<p>
        <a class="back" href="${pathOf('/console/bookings', visit)}">${visit.texts.setUp.back}</a>
      </p>
      <h1>${title}</h1>
      ${content}`,
  }
}

/** Renders the form for the file. */
export function bookingFilePage(visit: BusinessVisit, fault?: UnreadableClients): ShownPage {
  const { bookingImport: t } = visit.texts
  return shownPage(
    visit,
    t.title,
    html`${fault ? html`<p class="fault" role="alert">${fileFaultText(visit, fault)}</p>` : ''}
      <p>${t.what}</p>
      <p>${t.silent}</p>
      ${fileFields(visit)}`,
  )
}

/** Renders the columns and the plan. */
export function bookingPlanPage(visit: BusinessVisit, { text, file, report }: Planned): ShownPage {
  const { bookingImport: t, clientImport } = visit.texts
  const count = report.bookings.coming + report.bookings.past
  const state = filledForm({
    ...Object.fromEntries(file.columns.map((column, index) => [`column.${index}`, column])),
    date_order: file.order,
  })
  return shownPage(
    visit,
    t.title,
    html`<h2>${clientImport.plan}</h2>
      ${countsOf(visit, report)}
      <form method="post" enctype="multipart/form-data" class="fields" data-turbo="false">
        ${hidden({ text, planned: plannedBookings(file) })}
        ${
          count > 0
            ? html`<div class="actions">
                <button type="submit" name="do" value="import" class="main">${t.run({ count })}</button>
              </div>`
            : html`<p>${clientImport.nothing}</p>`
        }
        <h2>${clientImport.columns}</h2>
        <p>${t.columnsHow}</p>
        ${columnChoices(visit, state, {
          ...file,
          options: appointmentColumns.map((one) => [one, columnName(visit, one)] as const),
        })}
        ${choice(state, {
          name: 'date_order',
          label: t.dateOrder,
          options: dateOrders.map((order) => [order, t.orders[order]] as const),
        })}
        <div class="actions save">
          <button type="submit" name="do" value="plan">${clientImport.check}</button>
        </div>
      </form>
      ${detailsOf(visit, report)}`,
  )
}

/** Identifies the choices of a plan, so that an import never applies others. */
export function plannedBookings({ columns, order }: Pick<AppointmentFile, 'columns' | 'order'>): string {
  return [...columns, order].join(' ')
}

/** Renders the result. */
export function bookingsImportedPage(visit: BusinessVisit, report: AppointmentReport): ShownPage {
  const { bookingImport: t, clientImport } = visit.texts
  return shownPage(
    visit,
    clientImport.done,
    html`<div role="status">${countsOf(visit, report)}</div>
      <p class="actions">
        <a class="button main" href="${pathOf('/console/bookings', visit)}"
          >${icon('bookings')} ${t.toList}</a
        >
      </p>
      ${detailsOf(visit, report)}`,
  )
}

function countsOf({ texts }: BusinessVisit, { bookings, clients, failed }: AppointmentReport): Html {
  const { counts: t } = texts.bookingImport
  const { counts: ofClients } = texts.clientImport
  const lines = [
    ...(['coming', 'past', 'present', 'differing', 'conflicts'] as const).map(
      (name) => [bookings[name], t[name]] as const,
    ),
    [clients.created, ofClients.created] as const,
    [failed + bookings.left_out, ofClients.failed] as const,
  ]
  return html`<ul class="import-counts">
    ${lines.map(([count, line]) => (count > 0 ? html`<li>${line({ count })}</li>` : ''))}
  </ul>`
}

function columnName({ texts }: BusinessVisit, column: AppointmentColumn): string {
  const { book, bookingImport, clients, clientImport } = texts
  const names: Record<AppointmentColumn, string> = {
    ...bookingImport.names,
    ...{ full_name: clientImport.fullName, first_name: book.firstName, last_name: book.lastName },
    ...{ email: book.email, phone: book.phone, notes: clients.notes, ignore: clientImport.ignore },
  }
  return names[column]
}

function detailsOf(visit: BusinessVisit, report: AppointmentReport): Html {
  const { bookingImport: t, clientImport } = visit.texts
  const row = (number: number | undefined) => (number === undefined ? '' : clientImport.row({ number }))
  const list = (title: string, items: readonly Html[], count: number) =>
    count === 0
      ? ''
      : html`<h2>${title}</h2>
          <ul>
            ${items.map((item) => html`<li>${item}</li>`)}
          </ul>
          ${
            count > items.length
              ? html`<p class="soft">${clientImport.more({ count: count - items.length })}</p>`
              : ''
          }`
  const { conflicts, remarks, problems } = report
  const left = remarks.filter(({ left_out }) => left_out)
  const differing = remarks.filter(({ code }) => code === 'differs')
  return html`${list(
    t.conflicts,
    conflicts.map(
      (one) =>
        html`${row(one.row)}:
          ${momentText(readInstant(one.starts_at), { timezone: one.timezone, locale: visit.locale })} ·
          <bdi>${[one.service, one.staff, one.client].filter(Boolean).join(', ')}</bdi>
          ${one.overlaps_row === undefined ? '' : html`(${t.overlaps({ number: one.overlaps_row })})`}`,
    ),
    report.bookings.conflicts,
  )}
  ${list(
    clientImport.problems,
    [
      ...problems.map((problem) => ({ row: problem.row, line: problemLine(visit, problem) })),
      ...left.map(({ row: at = 0, code, detail }) => ({
        row: at,
        line: html`${row(at)}: <bdi>${code === 'needs_more' ? t.faults.needsMore : detail}</bdi>`,
      })),
    ]
      .toSorted((one, other) => one.row - other.row)
      .map(({ line }) => line),
    report.failed + left.length,
  )}
  ${list(
    t.differing,
    differing.map((one) => html`${row(one.row)}`),
    report.bookings.differing,
  )}`
}

function problemLine(visit: BusinessVisit, problem: AppointmentProblem): Html {
  const { row, field, value } = problem
  return html`${visit.texts.clientImport.row({ number: row })}${
      field === undefined ? '' : ` · ${columnName(visit, field)}`
    }:
    ${value === undefined ? '' : html`<bdi>${value}</bdi> · `}<bdi>${problemText(visit, problem)}</bdi>`
}

function problemText(visit: BusinessVisit, { field, code, detail }: AppointmentProblem): string {
  const { bookingImport: t, clientImport, setUp } = visit.texts
  const { faults } = t
  const named: Record<string, string> = {
    ...{ unknown_service: faults.unknown, unknown_staff: faults.unknown, unknown_location: faults.unknown },
    ...{ several: faults.several, invalid_time: faults.time, invalid_length: faults.length },
    ...{ repeated: faults.repeated, needs_more: faults.needsMore },
  }
  if ((field === 'full_name' || field === 'first_name') && code === 'required')
    return clientImport.faults.noName
  return named[code] ?? setUp.fault(code, detail)
}
