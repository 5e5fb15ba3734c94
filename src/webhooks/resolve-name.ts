import { lookup, type LookupAddress } from 'node:dns'

/** Finds the addresses of a name: the resolver of the system, or a test's. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The real thing: the resolver of the system. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses)
    })
  })
