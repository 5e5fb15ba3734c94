import { html, type Html } from '../../base/html.ts'
import { UnreadableClients } from '../../bookings/client-import.ts'
import { choice, type FormState } from '../../pages/form.ts'
import type { BusinessVisit } from './console-route.ts'

/** Renders the field for a file of CSV, and the button that reads it. */
export function fileFields({ texts: { clientImport: t } }: BusinessVisit): Html {
  return html`<form method="post" enctype="multipart/form-data" class="fields narrow" data-turbo="false">
    <div>
      <label for="file">${t.file}</label>
      <input
        id="file"
        name="file"
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        required
        aria-describedby="file-hint"
      />
      <p class="soft" id="file-hint">${t.limits}</p>
    </div>
    <div class="actions save"><button type="submit" class="main">${t.read}</button></div>
  </form>`
}

/** Says why a file cannot be read. */
export function fileFaultText({ texts: { clientImport: t } }: BusinessVisit, fault: unknown): string {
  if (!(fault instanceof UnreadableClients)) return t.faults.unreadable
  const number = String(fault.number)
  switch (fault.reason) {
    case 'empty':
      return t.faults.empty
    case 'open_quote':
      return t.faults.openQuote({ number })
    case 'too_many_rows':
    case 'too_many_columns':
      return t.faults.tooLong
  }
}

/** Renders the meaning of each column as a choice, with an example. */
export function columnChoices(
  { texts: { clientImport: t } }: BusinessVisit,
  state: FormState,
  { head, examples, options }: { head: string[]; examples: string[]; options: [string, string][] },
): Html {
  return html`<div class="import-columns">
    ${head.map(
      (heading, index) =>
        html`<div class="import-column">
          ${choice(state, {
            name: `column.${index}`,
            label: heading === '' ? t.column({ number: index + 1 }) : heading,
            options,
          })}
          <p class="soft"><bdi>${examples[index] ?? ''}</bdi></p>
        </div>`,
    )}
  </div>`
}
