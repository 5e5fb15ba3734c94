import type { Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { exportCatalogue } from '../catalogue/export-catalogue.ts'
import { UsageError } from '../errors.ts'
import { withExistingDatabase, writeLines } from './run-command.ts'

/** `holdfast export`: writes a whole business as the file that `holdfast import` takes. */
export function addExport(program: Command): void {
  program
    .command('export <business>')
    .description('print a whole business as the file that import takes')
    .option('--output <file>', 'write it to this file ("-": the standard output)', '-')
    .addHelpText('after', '\nExample:\n  $ holdfast export 0198… --output salon.json')
    .action(async (business: string, { output }: { output: string }) => {
      const file = await withExistingDatabase((context) => exportCatalogue(context, business))
      const text = JSON.stringify(file, null, 2)
      if (output === '-') writeLines([text])
      else writeTo(output, `${text}\n`)
    })
}

function writeTo(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${error instanceof Error ? error.message : ''}`)
  }
}
