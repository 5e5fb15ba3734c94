import { styleText } from 'node:util'
import type { Config } from '../base/config.ts'
import type { Finding } from '../operate/doctor-types.ts'
import {
  diagnose,
  diagnoseConfig,
  diagnoseFailure,
  diagnoseFile,
  diagnoseMail,
  diagnoseProxies,
  diagnoseRedis,
  diagnoseSettings,
} from '../operate/doctor.ts'
import { diagnoseServers } from '../operate/doctor-servers.ts'
import { createContext } from '../operate/open.ts'
import { type CliCommand, commandIO, print } from './command-line.ts'

const marks = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], fault: ['red', 'FAULT'] } as const

export function registerDoctor(program: CliCommand): void {
  program
    .command('doctor')
    .description('check configuration, database, Redis, mail server, clock and time zones; changes nothing')
    .withJson()
    .examples('doctor')
    .addHelpText('after', '\nThe exit code is 1 if something must be fixed.')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await examine()
      print(found, json, () => found.flatMap(findingLines))
      if (found.some(({ state }) => state === 'fault')) commandIO().endWith(1)
    })
}

async function examine(): Promise<Finding[]> {
  const variables = commandIO().variables()
  const { config, found } = diagnoseConfig(variables)
  if (!config) return found
  const { found: ofFile, canBeOpened } = diagnoseFile(config)
  const ofDatabase = canBeOpened ? await examineDatabase(config, variables) : []
  return [
    ...found,
    ...diagnoseSettings(config),
    ...(await diagnoseProxies(config)),
    ...ofFile,
    ...ofDatabase,
    ...(await diagnoseServers(config)),
    ...(await diagnoseRedis(config)),
    ...(await diagnoseMail(config)),
  ]
}

async function examineDatabase(
  config: Config,
  variables: Record<string, string | undefined>,
): Promise<Finding[]> {
  try {
    const context = await createContext({ ...config, logLevel: 'silent' }, {}, { readsOnly: true })
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

function findingLines({ check, state, detail, fix }: Finding): string[] {
  const [colour, word] = marks[state]
  const mark = styleText(colour, word.padEnd(8), { stream: commandIO().stdout })
  return [`${mark}${check}: ${detail}`, ...(fix ? [`        fix: ${fix}`] : [])]
}
