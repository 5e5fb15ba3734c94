import { html, type Html } from '../../base/html.ts'
import { type ClientColumn, clientColumns, type ImportedField } from '../../bookings/client-columns.ts'
import type { ClientFile, ClientImportReport, ImportProblem } from '../../bookings/client-import.ts'
import { filledForm, hidden, tick } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { pathOf } from '../frame/console-page.ts'
import type { BusinessVisit, ShownPage } from '../frame/console-route.ts'
import { columnChoices, fileFaultText, fileFields } from '../frame/import-file.ts'

/* The pages of an import of clients: the file, the plan, and the result. */

export const importPath = '/console/clients/import'

/** A file as the form carries it, with its plan. */
interface Planned {
  text: string
  file: ClientFile
  replaces: boolean
  report: ClientImportReport
}

function shownPage(visit: BusinessVisit, title: string, content: Html): ShownPage {
  return {
    title,
    section: 'clients',
    body: html`<p>
        <a class="back" href="${pathOf('/console/clients', visit)}">${visit.texts.setUp.back}</a>
      </p>
      <h1>${title}</h1>
      ${content}`,
  }
}

/** Renders the form for the file. */
export function filePage(visit: BusinessVisit, fault?: unknown): ShownPage {
  const { clientImport: t } = visit.texts
  const why = fault === undefined ? undefined : fileFaultText(visit, fault)
  return shownPage(
    visit,
    t.title,
    html`${why === undefined ? '' : html`<p class="fault" role="alert">${why}</p>`}
      <p>${t.what}</p>
      ${fileFields(visit)}`,
  )
}

/** Renders the columns and the plan. */
export function planPage(visit: BusinessVisit, { text, file, replaces, report }: Planned): ShownPage {
  const { clientImport: t } = visit.texts
  const count = report.created + report.changed
  const state = filledForm({
    ...Object.fromEntries(file.columns.map((column, index) => [`column.${index}`, column])),
    ...(replaces && { replaces: 'on' }),
  })
  return shownPage(
    visit,
    t.title,
    html`<h2>${t.plan}</h2>
      ${countsOf(visit, report)}
      <form method="post" enctype="multipart/form-data" class="fields" data-turbo="false">
        ${hidden({ text, planned: plannedOf(file, replaces) })}
        ${
          count > 0
            ? html`<div class="actions">
                <button type="submit" name="do" value="import" class="main">${t.run({ count })}</button>
              </div>`
            : html`<p>${t.nothing}</p>`
        }
        <h2>${t.columns}</h2>
        <p>${t.columnsHow}</p>
        ${columnChoices(visit, state, {
          ...file,
          options: clientColumns.map((one) => [one, columnName(visit, one)] as const),
        })}
        ${tick(state, 'replaces', t.replaces)}
        <p class="soft">${t.replacesHint}</p>
        <div class="actions save"><button type="submit" name="do" value="plan">${t.check}</button></div>
      </form>
      ${detailsOf(visit, report)}`,
  )
}

/** Identifies the choices of a plan, so that an import never applies others. */
export function plannedOf({ columns }: Pick<ClientFile, 'columns'>, replaces: boolean): string {
  return [...columns, replaces ? 'replaces' : 'keeps'].join(' ')
}

/** Renders the result. */
export function importedPage(visit: BusinessVisit, report: ClientImportReport): ShownPage {
  const { clientImport: t, clients } = visit.texts
  return shownPage(
    visit,
    t.done,
    html`<div role="status">${countsOf(visit, report)}</div>
      <p class="actions">
        <a class="button main" href="${pathOf('/console/clients', visit)}"
          >${icon('clients')} ${clients.toList}</a
        >
      </p>
      ${detailsOf(visit, report)}`,
  )
}

function countsOf({ texts: { clientImport: t } }: BusinessVisit, report: ClientImportReport): Html {
  const counted = (['created', 'changed', 'unchanged', 'repeated', 'failed'] as const).filter(
    (name) => report[name] > 0,
  )
  return html`<ul class="import-counts">
    ${counted.map((name) => html`<li>${t.counts[name]({ count: report[name] })}</li>`)}
  </ul>`
}

function columnName(
  { texts: { book, clients: t, clientImport } }: BusinessVisit,
  column: ClientColumn,
): string {
  const names: Record<ClientColumn, string> = {
    ...{ first_name: book.firstName, last_name: book.lastName, full_name: clientImport.fullName },
    ...{ email: book.email, phone: book.phone, notes: t.notes, tags: t.tags },
    ...{ locale: t.language, time_zone: t.timeZone, note: clientImport.note, ignore: clientImport.ignore },
  }
  return names[column]
}

function detailsOf(visit: BusinessVisit, report: ClientImportReport): Html {
  const { clientImport: t } = visit.texts
  const row = (number: number) => t.row({ number })
  const names = (fields: readonly ImportedField[]) => fields.map((one) => columnName(visit, one)).join(' · ')
  const list = (title: string, items: readonly Html[], count: number) =>
    count === 0
      ? ''
      : html`<h2>${title}</h2>
          <ul>
            ${items.map((item) => html`<li>${item}</li>`)}
          </ul>
          ${count > items.length ? html`<p class="soft">${t.more({ count: count - items.length })}</p>` : ''}`
  return html`${list(
    t.problems,
    report.problems.map(
      (problem) =>
        html`${row(problem.row)}${problem.field === undefined ? '' : ` · ${columnName(visit, problem.field)}`}:
        ${problemText(visit, problem)}`,
    ),
    Math.max(report.failed, report.problems.length),
  )}
  ${list(
    t.changes,
    report.changes.map(
      ({ row: number, id, name, fields }) =>
        html`${row(number)}:
          <a href="${pathOf(`/console/clients/${id}`, visit)}"><bdi>${name}</bdi></a> (${names(fields)})`,
    ),
    report.changed,
  )}
  ${list(
    t.kept,
    report.kept.map(({ row: number, field }) => html`${row(number)} · ${columnName(visit, field)}`),
    report.kept_count,
  )}`
}

function problemText(visit: BusinessVisit, { field, code, detail }: ImportProblem): string {
  const { clientImport: t, setUp } = visit.texts
  if (code === 'several_clients') return t.faults.several
  if (code === 'client_exists') return t.faults.exists
  if (field === 'first_name' && code === 'required') return t.faults.noName
  return setUp.fault(code, detail)
}
