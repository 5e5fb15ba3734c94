import type { FastifyInstance } from 'fastify'
import packageJson from '../package.json' with { type: 'json' }
import { oldAudit } from './access/audit.ts'
import { auditRoutes } from './access/audit-routes.ts'
import { guardRequests } from './access/authentication-hook.ts'
import { oldEmailChanges, oldInvitations } from './access/invitation.ts'
import { noteKeyRequests } from './access/key-requests-hook.ts'
import { oldChallenges } from './access/passkey.ts'
import { oldPrograms } from './access/program.ts'
import { oldGrants, oldProgramTokens } from './access/program-grant.ts'
import { oldLogIns } from './access/person.ts'
import { oldLinks } from './access/person-link.ts'
import { oldWindows, openRateLimiter, type RateLimiter } from './access/rate-limits.ts'
import { oldSessions } from './access/session.ts'
import { sessionRoutes } from './access/session-routes.ts'
import { userRoutes } from './access/user-routes.ts'
import { mcpRoutes } from './agents/mcp-routes.ts'
import { oauthRoutes } from './agents/oauth-routes.ts'
import { availabilityRoutes } from './availability/availability-routes.ts'
import { monotonicMs } from './base/clock.ts'
import { bookingRoutes } from './bookings/booking-routes.ts'
import { calendarRoutes } from './bookings/calendar-routes.ts'
import { clientRoutes } from './bookings/client-routes.ts'
import type { Context } from './bookings/context.ts'
import { unmatchedBookings } from './bookings/client-adoption.ts'
import { unsortedClients } from './bookings/client-order.ts'
import { oldClients } from './bookings/erasure.ts'
import { countActiveHolds, expiredHolds, oldHolds, oldNetworks } from './bookings/hold.ts'
import { holdRoutes } from './bookings/hold-routes.ts'
import { isClient, oldClientLogIns } from './bookings/client-log-in.ts'
import { checkoutAddress } from './bookings/checkouts.ts'
import { managedBy, payUrl } from './bookings/manage.ts'
import { manageRoutes } from './bookings/manage-routes.ts'
import { numbersRoutes } from './bookings/numbers-routes.ts'
import { otherTimes, RequestWorker } from './bookings/request.ts'
import { oldAttempts } from './bookings/strangers.ts'
import { couponRoutes } from './bookings/coupon-routes.ts'
import { waitlistRoutes } from './bookings/waitlist-routes.ts'
import { oldEntries } from './bookings/waitlist-data.ts'
import { WaitlistWorker } from './bookings/waitlist-sweep.ts'
import { readOldestCopy } from './calendars/busy-calendar.ts'
import { busyCalendarRoutes } from './calendars/busy-calendar-routes.ts'
import type { CalendarReader } from './calendars/busy-file.ts'
import { oldCalendarWrites } from './calendars/calendar-account.ts'
import { calendarAccountRoutes } from './calendars/calendar-account-routes.ts'
import { CalendarWriter } from './calendars/calendar-writer.ts'
import { ChannelWorker } from './calendars/calendar-channels.ts'
import { DisconnectionWorker } from './calendars/calendar-disconnections.ts'
import { calendarPushRoutes } from './calendars/push-routes.ts'
import { BusyCalendarWorker, openReader } from './calendars/busy-calendar-worker.ts'
import { feedFileRoutes, feedRoutes } from './calendars/feed-routes.ts'
import { blockRoutes } from './catalogue/block-routes.ts'
import { holidayRoutes } from './catalogue/holiday-routes.ts'
import { businessKeyRoutes } from './catalogue/business-key-routes.ts'
import { businessRoutes } from './catalogue/business-routes.ts'
import { unnamedImages } from './catalogue/image.ts'
import { imageRoutes } from './catalogue/image-routes.ts'
import { catalogueRoutes, catalogueWriteRoutes } from './catalogue/catalogue-routes.ts'
import { accountRoutes } from './console/account/account-routes.ts'
import { appRoutes } from './console/account/app-routes.ts'
import { authorizeRoutes } from './console/account/authorize-routes.ts'
import { forgottenRoutes } from './console/account/forgotten-routes.ts'
import { invitationRoutes } from './console/account/invitation-routes.ts'
import { logInRoutes } from './console/account/log-in-routes.ts'
import { notificationsRoutes } from './console/account/notifications-routes.ts'
import { oidcRoutes } from './console/account/oidc-routes.ts'
import { passkeyRoutes } from './console/account/passkey-routes.ts'
import { programsRoutes } from './console/account/programs-routes.ts'
import { bookRoutes } from './console/bookings/book-routes.ts'
import { bookingPageOfConsoleRoutes } from './console/bookings/booking-routes.ts'
import { bookingListRoutes } from './console/bookings/bookings-routes.ts'
import { awayRoutes } from './console/calendar/away-routes.ts'
import { blockPageRoutes } from './console/calendar/block-routes.ts'
import { calendarPageRoutes } from './console/calendar/calendar-routes.ts'
import { classRoutes } from './console/calendar/class-routes.ts'
import { moveRoutes } from './console/calendar/move-routes.ts'
import { printRoutes } from './console/calendar/print-routes.ts'
import { clientPageRoutes } from './console/clients/clients-routes.ts'
import { waitlistConsoleRoutes } from './console/clients/waitlist-routes.ts'
import { auditPageRoutes } from './console/developers/audit-routes.ts'
import { developersRoutes } from './console/developers/developers-routes.ts'
import { partsRoutes } from './console/frame/parts-routes.ts'
import { problemPages } from './console/frame/problem-pages.ts'
import { mailsPageRoutes } from './console/messages/mails-routes.ts'
import { ownMailRoutes } from './console/messages/own-mail-routes.ts'
import { paymentsPageRoutes } from './console/payments/payments-routes.ts'
import { numbersPageRoutes } from './console/reports/numbers-routes.ts'
import { resourcesRoutes } from './console/resources/resources-routes.ts'
import { couponPagesRoutes } from './console/services/coupons-routes.ts'
import { servicesRoutes } from './console/services/services-routes.ts'
import { businessesRoutes } from './console/site/businesses-routes.ts'
import { settingsRoutes } from './console/site/settings-routes.ts'
import { startRoutes } from './console/site/start-routes.ts'
import { websiteRoutes } from './console/site/website-routes.ts'
import { calendarsRoutes } from './console/team/connected-calendars-routes.ts'
import { teamRoutes } from './console/team/people-routes.ts'
import { usersRoutes } from './console/team/users-routes.ts'
import type { CleanupJob } from './database/context.ts'
import { pause, type StatementListener } from './database/database.ts'
import { healthRoutes } from './http/health-routes.ts'
import { oldRecords } from './database/idempotency.ts'
import { drainAcceptQueue, createServer, type Routes } from './http/server.ts'
import { mailsToPeople } from './mails/link-mail.ts'
import { oldClientLinks } from './mails/client-link-mail.ts'
import { oldMailFiles, oldMails, readWaitingMails } from './mails/mail.ts'
import { mailRoutes } from './mails/mail-routes.ts'
import { oldWaitlistMessages } from './mails/waitlist-mail.ts'
import { writeWebhookMails } from './mails/webhook-mail.ts'
import { ownServerRoutes } from './mails/own-server-routes.ts'
import { MailWorker } from './mails/mail-worker.ts'
import { oldTextCounts } from './mails/text-report.ts'
import { TextWorker } from './mails/text-worker.ts'
import { oldDevices, oldPushes } from './push/device.ts'
import { PushWorker } from './push/push-worker.ts'
import { startHousekeeping } from './operate/housekeeping.ts'
import { TestClocks } from './operate/test-clock.ts'
import { noteTestRequests, testClockRoutes } from './operate/test-clock-routes.ts'
import { ServerWatch } from './operate/server-watch.ts'
import { bookingPageRoutes } from './pages/booking-page-routes.ts'
import { bookingStartRoutes } from './pages/booking-start-routes.ts'
import { checkoutRoutes } from './pages/checkout-routes.ts'
import { embedRoutes } from './pages/embed-routes.ts'
import { guideRoutes } from './pages/guide-routes.ts'
import { imagePageRoutes } from './pages/image-page-routes.ts'
import { mailOffRoutes } from './pages/mail-off-routes.ts'
import { textRoutes } from './pages/text-routes.ts'
import { clientPagesRoutes } from './pages/client-page-routes.ts'
import { managePageRoutes } from './pages/manage-page-routes.ts'
import { pageLimits } from './pages/page-limits.ts'
import { pageRoutes } from './pages/page-routes.ts'
import { sandboxRoutes } from './pages/sandbox-routes.ts'
import { requestPageRoutes } from './pages/request-page-routes.ts'
import { startPageRoutes } from './pages/start-page-routes.ts'
import { waitlistPageRoutes } from './pages/waitlist-page-routes.ts'
import { widgetRoutes } from './pages/widget-routes.ts'
import { oldProcessorEvents, oldSandboxCheckouts, unusedPayments } from './payments/payment.ts'
import { ownStripeRoutes } from './payments/own-stripe-routes.ts'
import { chargeRoutes } from './payments/charge-routes.ts'
import { refundRoutes } from './payments/refund-routes.ts'
import { PaymentWorker } from './payments/payment-worker.ts'
import { stripeWebhookRoutes } from './payments/stripe-routes.ts'
import { openMetrics } from './watch/metrics.ts'
import { metricsRoutes } from './watch/metrics-routes.ts'
import { watchRequests } from './watch/requests.ts'
import { countPendingDeliveries, oldDeliveries } from './webhooks/delivery.ts'
import { oldEvents } from './webhooks/event.ts'
import { deletedWebhooks } from './webhooks/webhook.ts'
import { deliveryRoutes, webhookRoutes } from './webhooks/webhook-routes.ts'
import { DeliveryWorker, type DeliveryWorkerOptions } from './webhooks/worker.ts'

/** The jobs of housekeeping. */
export const jobs: readonly CleanupJob<Context>[] = [
  ...[
    expiredHolds,
    oldNetworks,
    oldHolds,
    oldSessions,
    oldRecords,
    oldWindows,
    oldAttempts,
    oldLogIns,
    oldLinks,
  ],
  ...[oldInvitations, oldEmailChanges, oldChallenges, oldProgramTokens, oldGrants, oldPrograms],
  ...[oldDeliveries, oldEvents, deletedWebhooks, oldMails, oldMailFiles, oldAudit, oldClients],
  ...[unmatchedBookings, unsortedClients, oldCalendarWrites],
  ...[oldProcessorEvents, oldSandboxCheckouts, unusedPayments, unnamedImages],
  ...[oldDevices, oldPushes, oldClientLinks, oldClientLogIns, oldTextCounts],
  ...[oldWaitlistMessages, oldEntries],
]

/** Cuts off all work still in flight, so that the process ends within ten seconds. */
const stopLimitMs = 8_500
/** Time for work in flight, such as deliveries, counted from the start of stopping. Work gets at least the minimum. */
const workStopMs = 6_000
const minWorkStopMs = 500

/** The running service. */
export interface App {
  context: Context
  server: FastifyInstance
  deliveries: DeliveryWorker
  payments: PaymentWorker
  mails: MailWorker
  texts: TextWorker
  pushes: PushWorker
  offers: WaitlistWorker
  requests: RequestWorker
  testClocks: TestClocks
  calendarWrites: CalendarWriter
  channels: ChannelWorker
  disconnections: DisconnectionWorker
  /** Starts to listen and returns the URL, such as http://127.0.0.1:3000. */
  listen(): Promise<string>
  /** Fails readiness, lets requests finish for at most 8.5 seconds, then closes the database. */
  stop(): Promise<void>
}

/** Replacements for tests and benchmarks. */
export interface AppReplacements {
  onStatement?: StatementListener
  limiter?: RateLimiter
  /** The shared store of rate limits may be silent for this long. */
  limiterPatienceMs?: number | undefined
  /** Time between two looks for due busy calendars. */
  calendarPollMs?: number | undefined
  /** Time between two checks of the database servers. */
  serversPauseMs?: number | undefined
  deliveries?: Partial<DeliveryWorkerOptions>
  /** Delays requests for the widget, which a checkout builds while the server is already running. */
  widgetBuilt?: () => Promise<void>
}

/** Returns the links to bookings that emails contain. */
function mailLinks(context: Context): ConstructorParameters<typeof MailWorker>[1] {
  return {
    payUrl: (booking) => payUrl(context, booking),
    checkoutUrl: (paymentId) => checkoutAddress(context.config, paymentId),
    manage: (booking) => managedBy(context, booking),
    otherTimes: (booking) => otherTimes(context, booking),
    isClient: (mailbox) => isClient(context, mailbox),
  }
}

function deliveryOptions(context: Context): DeliveryWorkerOptions {
  return {
    version: packageJson.version,
    tellOwner: (tx, outage) => writeWebhookMails(context, tx, outage),
  }
}

/** Wires the service over an open context. The schema must be up to date. */
export async function createApp(opened: Context, replaced: AppReplacements = {}): Promise<App> {
  const { onStatement, limiterPatienceMs: patienceMs, widgetBuilt } = replaced
  const state = { draining: false }
  const servers = new ServerWatch(opened, replaced.serversPauseMs)
  const watched = openMetrics(opened, { version: packageJson.version, ...readingsOf(opened, servers) })
  const context = { ...opened, metrics: watched.metrics }
  const limiter = replaced.limiter ?? (await openRateLimiter(context, { onStatement, patienceMs }))
  const reader = openReader(context, packageJson.version)
  const testClocks = new TestClocks(context, messengersOf(context, limiter))
  const routes = allRoutes({
    calendars: calendarsRoutes(reader, limiter),
    bookings: [bookingRoutes(limiter), couponRoutes(limiter)],
    bookingStart: bookingStartRoutes(limiter),
    bookingPage: bookingPageRoutes(limiter),
    clientPages: clientPagesRoutes(limiter),
    files: fileRoutes(limiter),
    health: healthRoutes(state),
    metrics: metricsRoutes(watched),
    widget: widgetRoutes(widgetBuilt),
    pageLimits: pageLimits(limiter),
    ...peopleRoutes(context, limiter),
    testClock: testClockRoutes(testClocks),
  })
  await context.checkouts.provider?.load()
  const server = await createServer(context, routes, {
    state,
    watch: (app) => watchRequests(app, context),
    onBrokenRequest: (status, problem) => {
      context.metrics.answered({ method: 'unknown', route: 'unknown', status, problem })
    },
    guard: (app) => {
      guardRequests(app, context, limiter)
      noteKeyRequests(app, context)
      noteTestRequests(app, testClocks)
    },
    showProblem: problemPages(context),
  })
  const housekeeping = startHousekeeping(context, jobs)
  const { calendars, ...workers } = openWorkers(context, { reader, limiter, replaced })
  const { requests, ...graceful } = workers
  for (const worker of [...Object.values(workers), calendars, servers, testClocks]) worker.start()
  return {
    ...{ context, server, testClocks, ...workers },
    listen: () => server.listen({ host: context.config.host, port: context.config.port }),
    stop: async () => {
      state.draining = true
      const stoppingSinceMs = monotonicMs()
      // a client that never finishes its request would keep the server open
      const cutOff = setTimeout(() => {
        context.log.warn('requests did not finish in time and were cut off')
        server.server.closeAllConnections()
      }, stopLimitMs)
      await pause(context.config.drainSeconds * 1000)
      await drainAcceptQueue(server.server)
      // in parallel: with a database that hangs, each waits for a whole statement timeout
      const graceMs = Math.max(stoppingSinceMs + workStopMs - monotonicMs(), minWorkStopMs)
      const loops = [
        ...Object.values(graceful).map((loop) => loop.stop(graceMs)),
        ...[calendars.stop(), requests.stop(), testClocks.stop()],
      ]
      await Promise.all([server.close(), ...loops, housekeeping.stop(), servers.stop()])
      clearTimeout(cutOff)
      watched.close()
      // in parallel: a server that does not respond costs each of them a second
      await Promise.all([limiter.close(), context.db.close()])
    },
  }
}

function messengersOf(context: Context, limiter: RateLimiter) {
  return {
    mails: new MailWorker(context, mailLinks(context), limiter),
    texts: new TextWorker(context, limiter, mailLinks(context)),
  }
}

/** Creates the loops of a server. */
function openWorkers(
  context: Context,
  { reader, limiter, replaced }: { reader: CalendarReader; limiter: RateLimiter; replaced: AppReplacements },
) {
  return {
    deliveries: new DeliveryWorker(context, { ...deliveryOptions(context), ...replaced.deliveries }),
    payments: new PaymentWorker(context),
    ...messengersOf(context, limiter),
    pushes: new PushWorker(context, { version: packageJson.version }),
    offers: new WaitlistWorker(context),
    requests: new RequestWorker(context),
    calendarWrites: new CalendarWriter(context, reader),
    channels: new ChannelWorker(context, reader),
    disconnections: new DisconnectionWorker(context, reader),
    calendars: new BusyCalendarWorker(context, reader, replaced.calendarPollMs),
  }
}

/** Returns the routes for accounts, with emails to people, and those that connect accounts of a business. */
function peopleRoutes(context: Context, limiter: RateLimiter) {
  return {
    gates: [logInRoutes, oidcRoutes, passkeyRoutes, forgottenRoutes, accountRoutes].map((routes) =>
      routes(limiter),
    ),
    users: usersRoutes(limiter),
    people: userRoutes({ limiter, mails: mailsToPeople(context) }),
    connections: [ownServerRoutes(limiter), ownStripeRoutes(limiter)],
    connectionPages: [ownMailRoutes(limiter), paymentsPageRoutes(limiter)],
  }
}

/** Returns the readings of the database and its servers for the metrics. */
function readingsOf(context: Context, servers: ServerWatch) {
  return {
    countPrimaries: () => servers.primaries,
    countActiveHolds: () => countActiveHolds(context),
    countPendingDeliveries: () => countPendingDeliveries(context),
    readWaitingMails: () => readWaitingMails(context),
    readOldestCalendar: () => readOldestCopy(context),
  }
}

type AnyRoutes = Routes<Context>

/** Returns the routes for files of a business, for reports of calendars, and for tokens of programs. */
function fileRoutes(limiter: RateLimiter): AnyRoutes {
  return (app, context) => {
    feedFileRoutes(limiter)(app, context)
    imagePageRoutes(limiter)(app, context)
    oauthRoutes(limiter)(app, context)
    calendarPushRoutes(limiter)(app, context)
  }
}

/** The API, except for the routes that need a service of the server. */
const apiRoutes: AnyRoutes[] = [
  ...[sessionRoutes, catalogueRoutes, catalogueWriteRoutes, imageRoutes, blockRoutes, holidayRoutes],
  ...[businessRoutes, businessKeyRoutes, availabilityRoutes, holdRoutes, calendarRoutes],
  ...[numbersRoutes, manageRoutes, waitlistRoutes, refundRoutes, chargeRoutes, clientRoutes],
  ...[webhookRoutes, deliveryRoutes, mailRoutes],
  ...[feedRoutes, busyCalendarRoutes, calendarAccountRoutes, auditRoutes],
]

/** Pages that links of messages and the checkout lead to. */
const linkedRoutes: AnyRoutes[] = [
  ...[checkoutRoutes, sandboxRoutes, stripeWebhookRoutes, mailOffRoutes, textRoutes],
  ...[waitlistPageRoutes, requestPageRoutes],
]

const calendarOfConsole: AnyRoutes[] = [
  ...[calendarPageRoutes, bookRoutes, moveRoutes, blockPageRoutes, bookingListRoutes],
  ...[awayRoutes, classRoutes, printRoutes],
]

function allRoutes({
  health,
  metrics,
  widget,
  gates,
  users,
  people,
  connections,
  connectionPages,
  bookings,
  bookingStart,
  bookingPage,
  clientPages,
  files,
  calendars,
  testClock,
  pageLimits: limits,
}: Record<
  | 'bookingStart'
  | 'bookingPage'
  | 'clientPages'
  | 'files'
  | 'health'
  | 'metrics'
  | 'widget'
  | 'calendars'
  | 'pageLimits'
  | 'users'
  | 'people'
  | 'testClock',
  AnyRoutes
> &
  Record<'bookings' | 'connections' | 'gates' | 'connectionPages', AnyRoutes[]>): {
  api: AnyRoutes[]
  around: AnyRoutes[]
} {
  return {
    api: [...apiRoutes, ...bookings, ...connections, people, testClock],
    around: [
      limits,
      ...[
        health,
        startPageRoutes,
        pageRoutes,
        guideRoutes,
        widget,
        bookingPage,
        clientPages,
        managePageRoutes,
        embedRoutes,
        metrics,
      ],
      ...[...linkedRoutes, files, mcpRoutes],
      ...[...gates, invitationRoutes, notificationsRoutes, appRoutes, bookingStart],
      ...[authorizeRoutes, programsRoutes],
      ...calendarOfConsole,
      ...[bookingPageOfConsoleRoutes, clientPageRoutes, waitlistConsoleRoutes],
      ...[servicesRoutes, couponPagesRoutes, resourcesRoutes, teamRoutes],
      ...[startRoutes, websiteRoutes, settingsRoutes, users, calendars, partsRoutes],
      ...[numbersPageRoutes, developersRoutes, businessesRoutes, auditPageRoutes, mailsPageRoutes],
      ...connectionPages,
    ],
  }
}
