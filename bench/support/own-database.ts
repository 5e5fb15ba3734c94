import { asAdmin } from '../../test/support/postgres-admin.ts'
import { removedWithUs } from '../children.ts'

/** An empty database of a benchmark's own on a PostgreSQL server; those of one benchmark differ by their numbers. */
export async function ownDatabase(
  serverUrl: string,
  number = 0,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `holdfast_test_${process.pid}_${number}` // the tests clear away what a run has left that was killed
  await asAdmin(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = () => asAdmin(serverUrl, `drop database if exists ${name} with (force)`)
  return { url: url.href, drop: removedWithUs(drop) }
}
