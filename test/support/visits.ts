import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { expectHosts } from './booking-visit.ts'
import {
  sharedBrowser,
  openVisitor,
  serveWebsite,
  startPublicService,
  type Visitor,
  type VisitorOptions,
  type Website,
} from './browser.ts'
import type { TestService } from './test-service.ts'

/** The resources of a suite once it has begun. */
export interface Visits {
  service: TestService
  /** URL of the service. */
  address: string
  /** A website of a different origin than the service. */
  website: Website
  /** Opens a page of a new visitor, who leaves after the test. */
  visitor(options?: VisitorOptions): Promise<Visitor>
}

interface VisitsOptions {
  engine?: Engine
  /** Pages of the website, by path. */
  pages?: (address: string) => Record<string, string>
  /** Headers of the website. */
  headers?: (address: string) => Record<string, string>
  /** Hosts that visitors may contact in addition to service and website. */
  hosts?: string[]
}

/**
 * Begins a suite with a browser, a service and a website. After each test, no page of a visitor may have had an error
 * or contacted any other host.
 */
export function startVisits({
  engine = 'sqlite',
  pages = () => ({}),
  headers = () => ({}),
  hosts = [],
}: VisitsOptions = {}): Visits {
  let browser: Browser
  const visitors: Visitor[] = []
  const visits = {
    visitor: async (options) => {
      const visitor = await openVisitor(browser, options)
      visitors.push(visitor)
      return visitor
    },
  } as Visits
  beforeAll(async () => {
    browser = await sharedBrowser()
    const { service, address } = await startPublicService(engine)
    const website = await serveWebsite(
      () => pages(address),
      () => headers(address),
    )
    Object.assign(visits, { service, address, website })
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expectHosts(visitor, [visits.address, visits.website.address, ...hosts])
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(async () => {
    await visits.website.stop()
    await visits.service.stop()
  })
  return visits
}
