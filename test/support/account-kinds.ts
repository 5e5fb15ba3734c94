import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import type { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type CalendarWorld, type FailingProxy, makeCalendarWorld } from './calendar-world.ts'
import { cloudSettings, makeCloudWorld } from './cloud-world.ts'
import { startGoogle } from './google-server.ts'
import { startMicrosoft } from './microsoft-server.ts'
import { radicaleProgram, startRadicale } from './radicale.ts'
import type { TestService } from './test-service.ts'

/* The kinds of calendar accounts, for tests that hold for all of them. */

const program = radicaleProgram()

/** A world of any kind of account. */
export type AccountWorld = Omit<CalendarWorld, 'connect'> & { connect(): Promise<string> }

/** The server of a kind of account, behind a proxy that can fail. */
export interface AccountKind {
  url: string
  settings(proxy: FailingProxy): Record<string, string>
  /** Loses what the server remembers of changes. */
  forget(): void
  makeWorld(
    service: TestService,
    servers: { proxy: FailingProxy; reader: CalendarReader; writer: CalendarWriter },
  ): Promise<AccountWorld>
  stop(): Promise<void>
}

async function startCalDav(): Promise<AccountKind> {
  const radicale = await startRadicale(program ?? '')
  return {
    ...{ url: radicale.url, settings: () => ({}), forget: () => undefined },
    makeWorld: (service, servers) => makeCalendarWorld(service, { radicale, ...servers }),
    stop: () => radicale.stop(),
  }
}

async function startCloudKind(kind: 'google' | 'microsoft'): Promise<AccountKind> {
  const cloud = await (kind === 'google' ? startGoogle() : startMicrosoft())
  return {
    ...{ url: cloud.url, settings: (proxy) => cloudSettings(kind, proxy) },
    forget: () => cloud.forgetTokens(),
    makeWorld: (service, servers) => makeCloudWorld(service, { kind, cloud, ...servers }),
    stop: () => cloud.stop(),
  }
}

export const accountKinds: [name: string, start: () => Promise<AccountKind>][] = [
  ['a stand-in for Google', () => startCloudKind('google')],
  ['a stand-in for Microsoft', () => startCloudKind('microsoft')],
]
if (program !== undefined) accountKinds.push(['a real CalDAV server', startCalDav])
