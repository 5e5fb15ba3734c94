import type { Command } from 'commander'
import { styleText } from 'node:util'
import { createContext } from '../create-context.ts'
import type { Config } from '../config.ts'
import {
  diagnose,
  diagnoseConfig,
  diagnoseFile,
  diagnoseFailure,
  diagnoseRedis,
} from '../diagnosis/diagnose.ts'
import type { Finding } from '../diagnosis/diagnosis-types.ts'
import { print } from './run-command.ts'
import { surroundings } from './surroundings.ts'

/** `holdfast doctor`: looks for what is wrong, and says how to mend it. Changes nothing. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'look for what is wrong with configuration, database, Redis, clock and time zones; changes nothing',
    )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast doctor\n\nThe exit code is 1 when something has to be mended.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const found = await examine()
      print(found, { json, lines: () => found.flatMap(findingLines) })
      if (found.some(({ state }) => state === 'fault')) surroundings().endWith(1)
    })
}

async function examine(): Promise<Finding[]> {
  const variables = surroundings().variables()
  const { config, found } = diagnoseConfig(variables)
  if (!config) return found
  const { found: ofFile, mayBeOpened } = diagnoseFile(config)
  const ofDatabase = mayBeOpened ? await examineDatabase(config, variables) : []
  return [...found, ...ofFile, ...ofDatabase, ...(await diagnoseRedis(config))]
}

async function examineDatabase(
  config: Config,
  variables: Record<string, string | undefined>,
): Promise<Finding[]> {
  try {
    const context = await createContext({ ...config, logLevel: 'silent' }, {}, { looksOnly: true })
    try {
      return [
        { check: 'database', state: 'ok', detail: `${context.db.engine} answers` },
        ...(await diagnose(context, variables)),
      ]
    } finally {
      await context.db.close()
    }
  } catch (error) {
    return [diagnoseFailure(error)]
  }
}

const marks = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], fault: ['red', 'FAULT'] } as const

function findingLines({ check, state, detail, fix }: Finding): string[] {
  const [colour, word] = marks[state]
  const mark = styleText(colour, word.padEnd(8), { stream: surroundings().stdout })
  return [`${mark}${check}: ${detail}`, ...(fix ? [`        fix: ${fix}`] : [])]
}
