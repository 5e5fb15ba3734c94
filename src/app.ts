import type { FastifyInstance } from 'fastify'
import packageJson from '../package.json' with { type: 'json' }
import { sessionRoutes } from './access/session-routes.ts'
import { oldSessions } from './access/tidy-sessions.ts'
import { availabilityRoutes } from './availability/availability-routes.ts'
import { bookingRoutes } from './bookings/booking-routes.ts'
import { countActiveHolds } from './bookings/count-active-holds.ts'
import { holdRoutes } from './bookings/hold-routes.ts'
import { clientRoutes } from './bookings/client-routes.ts'
import { oldAttempts } from './bookings/strangers.ts'
import { lapsedClaims, oldHolds } from './bookings/tidy-holds.ts'
import { blockRoutes } from './catalogue/block-routes.ts'
import { businessKeyRoutes } from './catalogue/business-key-routes.ts'
import { businessRoutes } from './catalogue/business-routes.ts'
import { catalogueRoutes } from './catalogue/catalogue-routes.ts'
import { catalogueWriteRoutes } from './catalogue/catalogue-write-routes.ts'
import { monotonicMs } from './clock.ts'
import type { Context } from './context.ts'
import { pause, type StatementListener } from './database/database.ts'
import { awaitArrivals } from './http/await-arrivals.ts'
import { healthRoutes } from './http/health-routes.ts'
import { bookingPageRoutes } from './http/pages/booking-page-routes.ts'
import { pageRoutes } from './http/pages/page-routes.ts'
import { widgetRoutes } from './http/pages/widget-routes.ts'
import { createServer, type Routes } from './http/server.ts'
import { startHousekeeping } from './housekeeping.ts'
import { oldRecords } from './idempotency/tidy-records.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { openRateLimiter } from './rate-limits/open-rate-limiter.ts'
import { checkoutRoutes } from './payments/checkout-routes.ts'
import { PaymentWorker } from './payments/payment-worker.ts'
import { sandboxRoutes } from './payments/sandbox-routes.ts'
import { stripeWebhookRoutes } from './payments/stripe-webhook-routes.ts'
import { oldProcessorEvents, oldSandboxCheckouts, unusedPayments } from './payments/tidy-payments.ts'
import type { RateLimiter } from './rate-limits/rate-limiter.ts'
import { oldWindows } from './rate-limits/tidy-windows.ts'
import { countPendingDeliveries, oldDeliveries } from './webhooks/delivery.ts'
import { DeliveryWorker, type DeliveryWorkerOptions } from './webhooks/delivery-worker.ts'
import { oldEvents } from './webhooks/event.ts'
import { deliveryRoutes, webhookRoutes } from './webhooks/webhook-routes.ts'
import { deletedWebhooks } from './webhooks/webhook.ts'

/** What housekeeping deletes. */
export const chores = [
  ...[lapsedClaims, oldHolds, oldSessions, oldRecords, oldWindows, oldAttempts],
  ...[oldDeliveries, oldEvents, deletedWebhooks],
  ...[oldProcessorEvents, oldSandboxCheckouts, unusedPayments],
]

/** What has not ended by then is cut off: with the rest of stopping, the process ends within ten seconds. */
const stopLimitMs = 8_500
/** From the beginning of stopping, deliveries in flight have so long; at the end of it at least the second. */
const deliveriesStopMs = 6_000
const leastDeliveriesStopMs = 500

/** The running service. */
export interface App {
  context: Context
  server: FastifyInstance
  deliveries: DeliveryWorker
  payments: PaymentWorker
  /** Listens and tells the address, such as http://127.0.0.1:3000. */
  listen(): Promise<string>
  /** Stops: readiness fails, what is in flight finishes or is cut off after 8.5 seconds, the database closes. */
  stop(): Promise<void>
}

/** What tests and benchmarks put in the place of the real thing. */
export interface AppReplacements {
  onStatement?: StatementListener
  limiter?: RateLimiter
  deliveries?: Partial<DeliveryWorkerOptions>
}

/** Wires the service over an open context; the schema must be up to date. */
export async function createApp(
  opened: Context,
  { onStatement, limiter: given, deliveries: replaced }: AppReplacements = {},
): Promise<App> {
  const state = { draining: false }
  const watched = openMetrics(opened, {
    version: packageJson.version,
    countActiveHolds: () => countActiveHolds(opened),
    countPendingDeliveries: () => countPendingDeliveries(opened),
  })
  const context = { ...opened, metrics: watched.metrics }
  const routes = allRoutes(healthRoutes(state), metricsRoutes(watched))
  const limiter = given ?? (await openRateLimiter(context, onStatement))
  await context.checkouts.provider?.load()
  const server = await createServer(context, routes, { state, limiter })
  const housekeeping = startHousekeeping(context, chores)
  const deliveries = new DeliveryWorker(context, { version: packageJson.version, ...replaced })
  deliveries.start()
  const payments = new PaymentWorker(context)
  payments.start()
  return {
    context,
    server,
    deliveries,
    payments,
    listen: () => server.listen({ host: context.config.host, port: context.config.port }),
    stop: async () => {
      state.draining = true
      const stoppingSinceMs = monotonicMs()
      // a client that never finishes its request would keep the server open for ever
      const cutOff = setTimeout(() => {
        context.log.warn('requests did not finish in time and were cut off')
        server.server.closeAllConnections()
      }, stopLimitMs)
      await pause(context.config.drainSeconds * 1000)
      await awaitArrivals(server.server)
      // side by side: with a database that hangs, each waits as long as a statement may take
      const leftMs = stoppingSinceMs + deliveriesStopMs - monotonicMs()
      const sent = deliveries.stop(Math.max(leftMs, leastDeliveriesStopMs))
      await Promise.all([server.close(), sent, payments.stop(), housekeeping.stop()])
      clearTimeout(cutOff)
      watched.close()
      // side by side: a server that does not answer their farewells costs each of them a second
      await Promise.all([limiter.close(), context.db.close()])
    },
  }
}

/** All routes of the API, and those around it. */
function allRoutes(health: Routes, metrics: Routes): { api: Routes[]; around: Routes[] } {
  return {
    api: [
      sessionRoutes,
      catalogueRoutes,
      catalogueWriteRoutes,
      blockRoutes,
      businessRoutes,
      businessKeyRoutes,
      availabilityRoutes,
      holdRoutes,
      bookingRoutes,
      clientRoutes,
      webhookRoutes,
      deliveryRoutes,
    ],
    around: [
      ...[health, pageRoutes, widgetRoutes, bookingPageRoutes, metrics],
      ...[checkoutRoutes, sandboxRoutes, stripeWebhookRoutes],
    ],
  }
}
