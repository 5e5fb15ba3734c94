import { asAdmin } from '../../test/support/postgres-admin.ts'
import { removedWithUs } from '../children.ts'

/** Creates an empty database for a benchmark on a PostgreSQL server. Those of one benchmark differ by their numbers. */
export async function ownDatabase(
  serverUrl: string,
  number = 0,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `holdfast_test_${process.pid}_${number}` // with this name, the tests remove the remains of a killed run
  await asAdmin(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = () => asAdmin(serverUrl, `drop database if exists ${name} with (force)`)
  return { url: url.href, drop: removedWithUs(drop) }
}
